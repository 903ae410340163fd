// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <cmath>
#include <cstdio>

namespace longpole {

namespace {

constexpr const char *kNoBreakSpace = "\u00a0";
constexpr const char *kMinus = "\u2212";

std::string withCommas(uint64_t value) {
    const std::string digits = std::to_string(value);
    std::string text;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

uint64_t magnitude(int64_t value) { return value < 0 ? 0 - uint64_t(value) : uint64_t(value); }

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

/// "2 h 5 min" from a length of at least a minute.
std::string longDuration(uint64_t ns) {
    const uint64_t seconds = (ns + 500'000'000) / 1'000'000'000;
    const struct {
        uint64_t seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    for (int i = 0; i < 3; ++i) {
        if (seconds < units[i].seconds) continue;
        std::string text = withCommas(seconds / units[i].seconds) + kNoBreakSpace + units[i].unit;
        if (const uint64_t rest = seconds % units[i].seconds / units[i + 1].seconds)
            text += kNoBreakSpace + std::to_string(rest) + kNoBreakSpace + units[i + 1].unit;
        return text;
    }
    return {};
}

} // namespace

std::string formatDuration(TimeNs length) {
    const uint64_t ns = magnitude(length);
    const std::string sign = length < 0 ? kMinus : "";
    if (ns < 1000) return sign + std::to_string(ns) + kNoBreakSpace + "ns";
    if (ns >= 60'000'000'000) return sign + longDuration(ns);
    const char *units[] = {"ns", "µs", "ms", "s"};
    double value = double(ns);
    int unit = 0;
    // 999.5 and above would be printed as 1000
    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        ++unit;
    }
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return sign + fixed(value, decimals) + kNoBreakSpace + units[unit];
}

std::string formatExactNs(TimeNs length) {
    return (length < 0 ? kMinus : "") + withCommas(magnitude(length)) + kNoBreakSpace + "ns";
}

std::string formatCount(int64_t count) {
    return (count < 0 ? kMinus : "") + withCommas(magnitude(count));
}

} // namespace longpole
