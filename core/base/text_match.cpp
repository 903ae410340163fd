// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_match.h"

#include <re2/re2.h>

#include <array>
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

Result<TextMatch> TextMatch::compile(std::string_view query) {
    TextMatch match;
    if (query.size() < 2 || query.front() != '/' || query.back() != '/') {
        match.m_part = query;
        for (char &c : match.m_part) c = char(small(c));
        return match;
    }
    query = query.substr(1, query.size() - 2);
    if (query.empty()) return match;
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_dot_nl(true); // names of several lines are names too
    auto expression =
        std::make_shared<const re2::RE2>(re2::StringPiece(query.data(), query.size()), options);
    if (!expression->ok())
        return Error{ErrorKind::Usage, "bad_pattern",
                     "The pattern " + std::string(query) + " is not valid: " + expression->error() +
                         "."};
    match.m_expression = std::move(expression);
    return match;
}

bool TextMatch::in(std::string_view text) const {
    if (m_expression)
        return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *m_expression);
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
