// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_match.h"

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace longpole {

namespace {

constexpr auto kSmall = [] {
    std::array<unsigned char, 256> table{};
    for (size_t c = 0; c < table.size(); ++c)
        table[c] = static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return table;
}();

unsigned char small(char c) {
    return kSmall[static_cast<unsigned char>(c)];
}

bool same(const char *text, std::string_view part) {
    for (size_t i = 0; i < part.size(); ++i)
        if (small(text[i]) != static_cast<unsigned char>(part[i])) return false;
    return true;
}

#ifdef __SSE2__
/// One letter, small or capital, in sixteen places of a text at once.
class Letter {
public:
    static constexpr ptrdiff_t kAtOnce = 16;
    explicit Letter(char small)
        : m_small(_mm_set1_epi8(small)),
          m_capital(_mm_set1_epi8(small >= 'a' && small <= 'z' ? char(small - 'a' + 'A') : small)) {
    }
    unsigned in(const char *text) const {
        const __m128i at = _mm_loadu_si128(reinterpret_cast<const __m128i *>(text));
        return unsigned(_mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(at, m_small), _mm_cmpeq_epi8(at, m_capital))));
    }

private:
    __m128i m_small, m_capital;
};
#endif

} // namespace

/// A regular expression behind the plain parts that its matches must hold, which are found ten
/// times faster: most texts need no more.
struct TextMatch::Expression {
    std::unique_ptr<const re2::RE2> whole;
    std::vector<TextMatch> parts;
    std::vector<uint8_t> possible; ///< by the set of parts found, a bit for each

    explicit Expression(std::string_view query) {
        const re2::StringPiece pattern(query.data(), query.size());
        re2::RE2::Options options;
        options.set_log_errors(false);
        options.set_dot_nl(true); // names of several lines are names too
        whole = std::make_unique<const re2::RE2>(pattern, options);
        // With flags, letters may match others that are not of ASCII.
        if (whole->ok() && query.find("(?") == query.npos) findParts(pattern, options);
    }

    bool in(std::string_view text) const {
        size_t found = 0;
        for (size_t i = 0; i < parts.size(); ++i)
            if (parts[i].in(text)) found |= size_t(1) << i;
        return (parts.empty() || possible[found]) &&
               re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *whole);
    }

private:
    static constexpr size_t kMost = 4; ///< more parts take longer than the expression

    void findParts(re2::StringPiece pattern, const re2::RE2::Options &options) {
        re2::FilteredRE2 filter(2);
        int id = 0;
        if (filter.Add(pattern, options, &id) != re2::RE2::NoError) return;
        std::vector<std::string> texts;
        filter.Compile(&texts);
        const auto ascii = [](const std::string &text) {
            return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
        };
        if (texts.size() > kMost || !std::all_of(texts.begin(), texts.end(), ascii)) return;
        for (size_t set = 0; set < size_t(1) << texts.size(); ++set) {
            std::vector<int> found, left;
            for (size_t i = 0; i < texts.size(); ++i)
                if (set >> i & 1) found.push_back(int(i));
            filter.AllPotentials(found, &left);
            possible.push_back(!left.empty());
        }
        if (possible.front()) return; // it needs none of them
        for (const std::string &text : texts) parts.push_back(ofPart(text));
    }
};

TextMatch TextMatch::ofPart(std::string_view part) {
    TextMatch match;
    match.m_part = part;
    for (char &c : match.m_part) c = char(small(c));
    return match;
}

Result<TextMatch> TextMatch::compile(std::string_view query) {
    if (query.size() < 2 || query.front() != '/' || query.back() != '/') return ofPart(query);
    query = query.substr(1, query.size() - 2);
    TextMatch match;
    if (query.empty()) return match;
    const auto expression = std::make_shared<const Expression>(query);
    if (!expression->whole->ok())
        return Error{ErrorKind::Usage, "bad_pattern",
                     "The pattern " + std::string(query) +
                         " is not valid: " + expression->whole->error() + "."};
    match.m_expression = expression;
    return match;
}

bool TextMatch::in(std::string_view text) const {
    if (m_expression) return m_expression->in(text);
    const size_t length = m_part.size();
    if (length == 0 || text.size() < length) return false;
    // First and last letter rule out nearly all places.
    const char *at = text.data(), *const end = at + (text.size() - length) + 1;
#ifdef __SSE2__
    const Letter first(m_part.front()), last(m_part.back());
    for (; end - at >= Letter::kAtOnce; at += Letter::kAtOnce)
        for (unsigned places = first.in (at)&last.in(at + length - 1); places; places &= places - 1)
            if (same(at + __builtin_ctz(places), m_part)) return true;
#endif
    for (; at < end; ++at)
        if (small(*at) == static_cast<unsigned char>(m_part.front()) &&
            small(at[length - 1]) == static_cast<unsigned char>(m_part.back()) && same(at, m_part))
            return true;
    return false;
}

} // namespace longpole
