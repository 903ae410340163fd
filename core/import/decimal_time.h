// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <string_view>

namespace longpole {

/// A decimal number of microseconds as written, exactly: whole nanoseconds and what is left of them.
struct DecimalTime {
    TimeNs ns = 0;        ///< rounded down
    uint32_t rest = 0;    ///< millionths of a nanosecond, 0…999,999; further digits are cut
    enum Status : uint8_t { Good, NotANumber, OutOfRange } status = NotANumber;
};

/// Times whose distance from 0 reaches this are refused, so that sums of two cannot overflow.
inline constexpr TimeNs kTimeLimit = TimeNs(1) << 61;

/// Reads "12", "12.5", "-3.25e+2" (a JSON number; no blanks around). Never goes through a double.
DecimalTime parseMicroseconds(std::string_view text);

/// Nearest nanosecond; halves go up.
inline TimeNs roundToNs(const DecimalTime &t) { return t.ns + (t.rest >= 500'000); }
/// Nearest nanosecond of the sum, rounded once: ends that were equal stay equal.
inline TimeNs roundSumToNs(const DecimalTime &a, const DecimalTime &b) {
    const uint32_t rest = a.rest + b.rest;
    return a.ns + b.ns + rest / 1'000'000 + (rest % 1'000'000 >= 500'000);
}

} // namespace longpole
