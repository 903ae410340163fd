// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern_syntax.h"

#include <optional>
#include <string>

namespace longpole {

namespace {

constexpr int kMaxDepth = 100;
constexpr uint32_t kMaxRepeat = 1000;
using ByteSet = std::bitset<256>;
using Kind = PatternTree::Kind;
using Node = PatternTree::Node;

bool isDigit(uint8_t c) {
    return c >= '0' && c <= '9';
}
bool isWord(uint8_t c) {
    return isDigit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isSpace(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

template <class Test>
ByteSet bytesWhere(Test test) {
    ByteSet set;
    for (int c = 0; c < 256; ++c) set[size_t(c)] = test(uint8_t(c));
    return set;
}

/// Recursive descent over the pattern (never over the texts it is matched with).
class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    Result<PatternTree> run() {
        const uint32_t root = choice(0);
        if (!m_problem && m_at < m_text.size()) fail("there is a ')' without its '('");
        if (m_problem)
            return Error{ErrorKind::Usage, "bad_pattern",
                         "The regular expression \"" + std::string(m_text) + "\" is not valid: " +
                             *m_problem + " at character " + std::to_string(m_problemAt + 1) + "."};
        m_tree.root = root;
        return std::move(m_tree);
    }

private:
    uint32_t add(Node node) {
        m_tree.nodes.push_back(std::move(node));
        return uint32_t(m_tree.nodes.size() - 1);
    }
    uint32_t addSet(const ByteSet &set) { return add({Kind::Set, set, {}, 0, 0}); }
    void fail(const char *what) {
        if (m_problem) return;
        m_problem = what;
        m_problemAt = m_at;
        m_at = m_text.size();
    }
    bool more() const { return m_at < m_text.size(); }
    char peek() const { return m_text[m_at]; }
    bool take(char c) {
        if (!more() || peek() != c) return false;
        ++m_at;
        return true;
    }

    uint32_t choice(int depth) {
        if (depth > kMaxDepth) fail("groups are nested too deep");
        Node node{Kind::Choice, {}, {sequence(depth)}, 0, 0};
        while (take('|')) node.children.push_back(sequence(depth));
        return node.children.size() == 1 ? node.children.front() : add(std::move(node));
    }

    uint32_t sequence(int depth) {
        Node node{Kind::Sequence, {}, {}, 0, 0};
        while (more() && peek() != '|' && peek() != ')') node.children.push_back(repeated(depth));
        return add(std::move(node));
    }

    uint32_t repeated(int depth) {
        uint32_t item = atom(depth);
        while (more()) {
            Node repeat{Kind::Repeat, {}, {item}, 0, 0};
            if (take('*')) {
            } else if (take('+')) {
                repeat.min = 1;
            } else if (take('?')) {
                repeat.max = 1;
            } else if (peek() == '{') {
                if (!bounds(repeat)) break;
            } else {
                break;
            }
            take('?'); // the laziness of a repetition does not change what matches as a whole
            item = add(std::move(repeat));
        }
        return item;
    }

    /// {n}, {n,} or {n,m}; anything else is a literal brace.
    bool bounds(Node &repeat) {
        const size_t begin = m_at++;
        const auto min = number();
        auto max = min;
        bool open = false;
        if (min && take(',')) {
            max = number();
            open = !max;
        }
        if (!min || !take('}')) {
            m_at = begin;
            fail("'{' begins no repetition like {2} or {2,5}; write \\{ for a brace");
            return false;
        }
        if (*min > kMaxRepeat || (max && (*max > kMaxRepeat || *max < *min)) || (max && *max == 0))
            fail("a repetition has bounds that are too large, zero or in the wrong order");
        repeat.min = *min;
        repeat.max = open ? 0 : *max;
        return true;
    }

    std::optional<uint32_t> number() {
        uint32_t value = 0;
        const size_t begin = m_at;
        while (more() && isDigit(uint8_t(peek())) && m_at - begin < 6)
            value = value * 10 + uint32_t(m_text[m_at++] - '0');
        return m_at > begin ? std::optional(value) : std::nullopt;
    }

    uint32_t atom(int depth) {
        const char c = m_text[m_at];
        switch (c) {
        case '(':
            return group(depth);
        case '[':
            ++m_at;
            return addSet(bracket());
        case '.':
            ++m_at;
            return addSet(bytesWhere([](uint8_t b) { return b != '\n' && b != '\r'; }));
        case '^':
            ++m_at;
            return add({Kind::Begin, {}, {}, 0, 0});
        case '$':
            ++m_at;
            return add({Kind::End, {}, {}, 0, 0});
        case '\\':
            ++m_at;
            return addSet(escape());
        case '*':
        case '+':
        case '?':
            fail("nothing stands before the repetition");
            return 0;
        default:
            ++m_at;
            return addSet(ByteSet().set(uint8_t(c)));
        }
    }

    uint32_t group(int depth) {
        ++m_at;
        if (take('?') && !take(':')) fail("only (?: is known after '(?'");
        const uint32_t inner = choice(depth + 1);
        if (!take(')')) fail("a '(' has no ')'");
        return inner;
    }

    ByteSet escape() {
        if (!more()) {
            fail("a '\\' ends the expression");
            return {};
        }
        const char c = m_text[m_at++];
        switch (c) {
        case 'd':
            return bytesWhere(isDigit);
        case 'D':
            return ~bytesWhere(isDigit);
        case 'w':
            return bytesWhere(isWord);
        case 'W':
            return ~bytesWhere(isWord);
        case 's':
            return bytesWhere(isSpace);
        case 'S':
            return ~bytesWhere(isSpace);
        case 't':
            return ByteSet().set('\t');
        case 'n':
            return ByteSet().set('\n');
        case 'r':
            return ByteSet().set('\r');
        default:
            break;
        }
        if (isWord(uint8_t(c)) && c != '_') {
            --m_at;
            fail("the escape is not known (\\b, \\1 and the like are not supported)");
        }
        return ByteSet().set(uint8_t(c));
    }

    ByteSet bracket() {
        const bool negated = take('^');
        ByteSet set;
        for (bool first = true; more() && (first || peek() != ']'); first = false) {
            const ByteSet low = classItem();
            if (m_problem) return {};
            if (low.count() == 1 && m_at + 1 < m_text.size() && peek() == '-' &&
                m_text[m_at + 1] != ']') {
                ++m_at;
                addRange(set, low, classItem());
            } else {
                set |= low;
            }
        }
        if (!take(']')) fail("a '[' has no ']'");
        return negated ? ~set : set;
    }

    ByteSet classItem() {
        if (uint8_t(peek()) >= 0x80) fail("a [class] may hold ASCII characters only");
        if (take('\\')) return escape();
        return more() ? ByteSet().set(uint8_t(m_text[m_at++])) : ByteSet();
    }

    void addRange(ByteSet &set, const ByteSet &low, const ByteSet &high) {
        const size_t from = low._Find_first(), to = high._Find_first();
        if (high.count() != 1 || from > to) fail("a range in a [class] has no order");
        for (size_t c = from; !m_problem && c <= to; ++c) set.set(c);
    }

    std::string_view m_text;
    size_t m_at = 0;
    PatternTree m_tree;
    std::optional<std::string> m_problem;
    size_t m_problemAt = 0;
};

} // namespace

Result<PatternTree> parsePattern(std::string_view text) {
    return Parser(text).run();
}

} // namespace longpole
