// SPDX-License-Identifier: Apache-2.0
#include "core/import/decimal_time.h"

#include <string>

namespace longpole {

namespace {

constexpr bool isDigit(char c) { return unsigned(c - '0') < 10; }

/// Digits with a decimal point somewhere: value = 0.DIGITS × 10^point.
struct Digits {
    std::string text;
    int64_t point = 0;
};

/// Nanoseconds and rest from digits and their scale; `point` counts microsecond digits.
DecimalTime assemble(const Digits &digits, bool negative) {
    constexpr int64_t limitDigits = 19;
    const int64_t nsDigits = digits.point + 3;
    if (nsDigits > limitDigits) return {0, 0, DecimalTime::OutOfRange};
    const auto digit = [&](int64_t i) {
        return i >= 0 && i < int64_t(digits.text.size()) ? uint64_t(digits.text[size_t(i)] - '0') : 0u;
    };
    uint64_t ns = 0;
    for (int64_t i = 0; i < nsDigits; ++i) ns = ns * 10 + digit(i);
    uint32_t rest = 0;
    for (int64_t i = nsDigits; i < nsDigits + 6; ++i) rest = rest * 10 + uint32_t(digit(i));
    if (ns >= uint64_t(kTimeLimit)) return {0, 0, DecimalTime::OutOfRange};
    if (!negative) return {TimeNs(ns), rest, DecimalTime::Good};
    // rounded down: -1.25 is -2 and 0.75
    return {-TimeNs(ns) - (rest ? 1 : 0), rest ? 1'000'000 - rest : 0, DecimalTime::Good};
}

DecimalTime parseAny(const char *p, const char *end, bool negative) {
    Digits digits;
    bool seen = false, fraction = false;
    int64_t whole = 0; // digits before the point, leading zeros not counted
    int64_t leadingZeros = 0; // behind the point
    for (; p < end; ++p) {
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!isDigit(*p)) break;
        seen = true;
        if (digits.text.empty() && *p == '0') {
            leadingZeros += fraction;
            continue;
        }
        if (digits.text.size() < 64) digits.text += *p;
        whole += !fraction;
    }
    if (!seen) return {};
    int64_t exponent = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        const bool down = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        if (p == end || !isDigit(*p)) return {};
        for (; p < end && isDigit(*p); ++p)
            if (exponent < 1'000'000) exponent = exponent * 10 + (*p - '0');
        if (down) exponent = -exponent;
    }
    if (p != end) return {};
    if (digits.text.empty()) return {0, 0, DecimalTime::Good};
    digits.point = (whole ? whole : -leadingZeros) + exponent;
    return assemble(digits, negative);
}

} // namespace

DecimalTime parseMicroseconds(std::string_view text) {
    const char *p = text.data(), *const end = p + text.size();
    const bool negative = p < end && *p == '-';
    if (negative) ++p;
    // what profilers write: up to 16 digits and none or three decimals
    const char *const begin = p;
    uint64_t value = 0;
    while (p < end && isDigit(*p)) value = value * 10 + uint64_t(*p++ - '0');
    const size_t whole = size_t(p - begin);
    if (whole && whole <= 15 + 1 && value < uint64_t(kTimeLimit) / 1000) {
        uint64_t ns = value * 1000;
        if (p == end) return {negative ? -TimeNs(ns) : TimeNs(ns), 0, DecimalTime::Good};
        if (end - p == 4 && *p == '.' && isDigit(p[1]) && isDigit(p[2]) && isDigit(p[3])) {
            ns += uint64_t((p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0'));
            return {negative ? -TimeNs(ns) : TimeNs(ns), 0, DecimalTime::Good};
        }
    }
    return parseAny(begin, end, negative);
}

} // namespace longpole
