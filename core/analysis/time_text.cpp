// SPDX-License-Identifier: Apache-2.0
// The parts of window.h that read times and windows as people write them.
#include "core/analysis/window.h"

#include <array>
#include <limits>

namespace longpole {

namespace {

struct Unit {
    std::string_view name;
    int64_t ns;
};
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00B5s", 1'000},
                                         {"\u03BCs", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"min", 60'000'000'000},
                                         {"", 1}}};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool takePrefix(std::string_view &text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Digits with at most one point, as an integer and the number of digits after the point.
struct Decimal {
    __extension__ typedef __int128 Wide;
    Wide digits = 0;
    int scale = 0;
};

std::optional<Decimal> takeDecimal(std::string_view &text) {
    Decimal d;
    bool point = false, any = false;
    for (; !text.empty(); text.remove_prefix(1)) {
        const char c = text.front();
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            if (d.digits > Decimal::Wide(1) << 90) return std::nullopt;
            any = true;
            d.digits = d.digits * 10 + (c - '0');
            d.scale += point ? 1 : 0;
        } else {
            break;
        }
    }
    return any ? std::optional(d) : std::nullopt;
}

} // namespace

std::optional<TimeNs> parseTime(std::string_view text) {
    text = trimmed(text);
    const bool negative = takePrefix(text, "-") || takePrefix(text, "\u2212");
    const auto decimal = takeDecimal(text);
    if (!decimal) return std::nullopt;
    text = trimmed(text);
    for (const Unit &unit : kUnits) {
        if (text != unit.name) continue;
        constexpr auto limit = Decimal::Wide(std::numeric_limits<TimeNs>::max());
        Decimal::Wide power = 1;
        for (int i = 0; i < decimal->scale; ++i) power *= 10;
        // digits < 2^94 and a unit < 2^36 stay below 2^127 unless the value is out of range anyway
        if (decimal->digits / power > limit) return std::nullopt;
        const Decimal::Wide whole = decimal->digits / power, rest = decimal->digits % power;
        const Decimal::Wide value = whole * unit.ns + (rest * unit.ns * 2 + power) / (2 * power);
        if (value > limit) return std::nullopt;
        return negative ? -TimeNs(value) : TimeNs(value);
    }
    return std::nullopt;
}

std::optional<TimeRange> parseRange(std::string_view text) {
    const size_t dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const auto begin = parseTime(text.substr(0, dots));
    const auto end = parseTime(text.substr(dots + 2));
    if (!begin || !end) return std::nullopt;
    return TimeRange{*begin, *end};
}

Result<WindowRequest> windowRequest(const WindowOptions &options) {
    WindowRequest request;
    if (options.step.has_value() + options.steps.has_value() + options.range.has_value() +
            options.all >
        1)
        return Error{ErrorKind::Usage, "two_windows",
                     "Only one of --step, --steps, --range and --all can choose the window."};
    request.step = options.step;
    request.all = options.all;
    if (options.steps) {
        const size_t dots = options.steps->find("..");
        if (dots == std::string::npos || dots == 0 || dots + 2 == options.steps->size())
            return Error{ErrorKind::Usage, "bad_steps",
                         "--steps takes two steps as in 3..7, not \"" + *options.steps + "\"."};
        request.steps = std::pair(options.steps->substr(0, dots), options.steps->substr(dots + 2));
    }
    if (options.range) {
        request.range = parseRange(*options.range);
        if (!request.range || request.range->empty())
            return Error{ErrorKind::Usage, "bad_range",
                         "--range takes two times in ascending order as in 12.5ms..80ms, not \"" +
                             *options.range + "\"."};
    }
    return request;
}

} // namespace longpole
