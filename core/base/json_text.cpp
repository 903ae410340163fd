// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_text.h"

#include <cstdint>
#include <cstdio>

namespace longpole {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void appendUtf8(std::string &to, uint32_t code) {
    if (code < 0x80) {
        to += char(code);
    } else if (code < 0x800) {
        to += char(0xC0 | code >> 6);
        to += char(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        to += char(0xE0 | code >> 12);
        to += char(0x80 | (code >> 6 & 0x3F));
        to += char(0x80 | (code & 0x3F));
    } else {
        to += char(0xF0 | code >> 18);
        to += char(0x80 | (code >> 12 & 0x3F));
        to += char(0x80 | (code >> 6 & 0x3F));
        to += char(0x80 | (code & 0x3F));
    }
}

/// The four hexadecimal digits at the begin of `text`, or -1.
int hex4(std::string_view text) {
    if (text.size() < 4) return -1;
    int value = 0;
    for (char c : text.substr(0, 4)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/// Handles "\uXXXX" at the begin of `text` (behind the backslash: 'u' first); returns the characters
/// used, or 0 when it is none.
size_t appendUnicodeEscape(std::string &to, std::string_view text) {
    const int high = hex4(text.substr(1));
    if (high < 0) return 0;
    if (high < 0xD800 || high > 0xDFFF) {
        appendUtf8(to, uint32_t(high));
        return 5;
    }
    const bool pair = high < 0xDC00 && text.size() >= 11 && text[5] == '\\' && text[6] == 'u';
    const int low = pair ? hex4(text.substr(7)) : -1;
    if (low >= 0xDC00 && low <= 0xDFFF) {
        appendUtf8(to, 0x10000u + (uint32_t(high - 0xD800) << 10) + uint32_t(low - 0xDC00));
        return 11;
    }
    to += kReplacement;
    return 5;
}

char simpleEscape(char c) {
    switch (c) {
    case '"': case '\\': case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

} // namespace

size_t utf8Length(std::string_view text) {
    const auto byte = [&](size_t i) { return uint8_t(text[i]); };
    const auto follows = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xBF) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    if (text.empty()) return 0;
    const uint8_t first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const uint8_t low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
        return follows(1, low, high) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const uint8_t low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
        return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

bool appendUnescaped(std::string &to, std::string_view inside) {
    bool good = true;
    for (size_t i = 0; i < inside.size();) {
        const char c = inside[i];
        if (c == '\\' && i + 1 < inside.size()) {
            const char next = inside[i + 1];
            if (const char plain = simpleEscape(next)) {
                to += plain;
                i += 2;
                continue;
            }
            const size_t used = next == 'u' ? appendUnicodeEscape(to, inside.substr(i + 1)) : 0;
            if (used) {
                i += 1 + used;
                continue;
            }
            good = false;
            to += c;
            ++i;
            continue;
        }
        const size_t length = utf8Length(inside.substr(i, 4));
        if (length)
            to.append(inside, i, length);
        else
            to += kReplacement;
        i += length ? length : 1;
    }
    return good;
}

void appendQuoted(std::string &to, std::string_view text) {
    to += '"';
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\\') {
            to += '\\';
            to += c;
            ++i;
        } else if (uint8_t(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", unsigned(c));
            to += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : code;
            ++i;
        } else if (const size_t length = utf8Length(text.substr(i, 4))) {
            to.append(text, i, length);
            i += length;
        } else {
            to += kReplacement;
            ++i;
        }
    }
    to += '"';
}

std::string toValidUtf8(std::string_view text) {
    std::string valid;
    for (size_t i = 0; i < text.size();) {
        const size_t length = utf8Length(text.substr(i, 4));
        if (length)
            valid.append(text, i, length);
        else
            valid += kReplacement;
        i += length ? length : 1;
    }
    return valid;
}

void appendMicroseconds(std::string &to, int64_t ns) {
    const uint64_t value = ns < 0 ? 0 - uint64_t(ns) : uint64_t(ns);
    const std::string fraction = std::to_string(value % 1000);
    if (ns < 0) to += '-';
    to += std::to_string(value / 1000) + '.';
    to.append(3 - fraction.size(), '0');
    to += fraction;
}

} // namespace longpole
