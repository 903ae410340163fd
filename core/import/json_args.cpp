// SPDX-License-Identifier: Apache-2.0
#include "core/import/json_args.h"

#include "core/base/json_text.h"

#include <functional>

namespace longpole {

namespace {

constexpr int kDeepest = 200; // deeper values are kept as text

constexpr bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
constexpr bool isDigit(char c) { return unsigned(c - '0') < 10; }

bool isNumber(std::string_view t) {
    size_t i = t.starts_with('-') ? 1 : 0;
    const auto digits = [&] {
        const size_t from = i;
        while (i < t.size() && isDigit(t[i])) ++i;
        return i > from;
    };
    const size_t whole = i;
    if (!digits() || (t[whole] == '0' && i > whole + 1)) return false;
    if (i < t.size() && t[i] == '.') {
        ++i;
        if (!digits()) return false;
    }
    if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
        ++i;
        if (i < t.size() && (t[i] == '+' || t[i] == '-')) ++i;
        if (!digits()) return false;
    }
    return i == t.size();
}

/// Re-writes JSON that may be faulty as JSON that is not. Stops at the first thing it cannot place.
class Rewriter {
public:
    explicit Rewriter(std::string_view text) : m_text(text) {}

    /// Calls member(key) with the reader at the value, which it must use up.
    bool object(const std::function<bool(std::string)> &member) {
        if (!take('{')) return false;
        for (;;) {
            while (take(',')) {}
            if (take('}')) return true;
            std::string key;
            if (!text(key) || !take(':') || !member(std::move(key))) return false;
        }
    }

    bool value(std::string &to, int depth = 0) {
        skipBlanks();
        if (m_at >= m_text.size()) return false;
        const char c = m_text[m_at];
        if (c == '"') {
            std::string plain;
            if (!text(plain)) return false;
            appendQuoted(to, plain);
            return true;
        }
        if (c != '{' && c != '[') return scalar(to);
        if (depth > kDeepest) return deepValue(to);
        to += c;
        bool first = true;
        const auto separate = [&] {
            if (!first) to += ',';
            first = false;
        };
        if (c == '{') {
            const bool good = object([&](std::string key) {
                separate();
                appendQuoted(to, key);
                to += ':';
                return value(to, depth + 1);
            });
            to += '}';
            return good;
        }
        ++m_at;
        for (;;) {
            while (take(',')) {}
            if (take(']')) break;
            separate();
            if (!value(to, depth + 1)) return false;
        }
        to += ']';
        return true;
    }

private:
    void skipBlanks() {
        while (m_at < m_text.size() && isBlank(m_text[m_at])) ++m_at;
    }
    bool take(char c) {
        skipBlanks();
        if (m_at >= m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    bool text(std::string &plain) {
        if (!take('"')) return false;
        const size_t from = m_at;
        for (; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at)
            if (m_text[m_at] == '\\') ++m_at;
        if (m_at >= m_text.size()) return false;
        appendUnescaped(plain, m_text.substr(from, m_at - from));
        ++m_at;
        return true;
    }
    bool scalar(std::string &to) {
        const size_t from = m_at;
        while (m_at < m_text.size() && !isBlank(m_text[m_at]) &&
               std::string_view(",:{}[]\"").find(m_text[m_at]) == std::string_view::npos)
            ++m_at;
        const std::string_view token = m_text.substr(from, m_at - from);
        if (token.empty()) return false;
        if (token == "true" || token == "false" || token == "null" || isNumber(token))
            to += token;
        else
            appendQuoted(to, token);
        return true;
    }
    bool deepValue(std::string &to) {
        const size_t from = m_at;
        int64_t depth = 0;
        do {
            const char c = m_text[m_at];
            std::string ignored;
            if (c == '"') {
                if (!text(ignored)) return false;
                continue;
            }
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            ++m_at;
        } while (depth > 0 && m_at < m_text.size());
        appendQuoted(to, m_text.substr(from, m_at - from));
        return depth == 0;
    }

    std::string_view m_text;
    size_t m_at = 0;
};

} // namespace

std::vector<JsonArg> argsOfEvent(std::string_view event) {
    std::vector<JsonArg> args;
    Rewriter reader(event);
    const bool good = reader.object([&](std::string key) {
        if (key != "args") {
            std::string ignored;
            return reader.value(ignored);
        }
        std::string whole;
        Rewriter attempt = reader; // args that are no object are one nameless value
        if (reader.object([&](std::string name) {
                args.push_back({std::move(name), {}});
                return reader.value(args.back().value);
            }))
            return true;
        args.clear();
        reader = attempt;
        if (!reader.value(whole)) return false;
        if (whole != "null") args.push_back({"args", std::move(whole)});
        return true;
    });
    if (good) return args;
    std::string raw;
    appendQuoted(raw, event);
    return {{"unreadable", std::move(raw)}};
}

std::string jsonObject(const std::vector<JsonArg> &args) {
    std::string json = "{";
    for (const JsonArg &arg : args) {
        if (json.size() > 1) json += ',';
        appendQuoted(json, arg.key);
        json += ':';
        json += arg.value;
    }
    return json + '}';
}

std::string plainValue(const std::string &json) {
    if (json.size() < 2 || json.front() != '"') return json;
    std::string plain;
    appendUnescaped(plain, std::string_view(json).substr(1, json.size() - 2));
    return plain;
}

} // namespace longpole
