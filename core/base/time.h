// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace longpole {

/// A time or a length in nanoseconds. Times count from the trace's zero unless a name says otherwise.
using TimeNs = int64_t;

/// Half-open range [begin, end) of times; empty when end <= begin.
struct TimeRange {
    TimeNs begin = 0;
    TimeNs end = 0;

    TimeNs length() const { return end - begin; }
    bool empty() const { return end <= begin; }
    bool contains(TimeNs t) const { return begin <= t && t < end; }
    /// True when [b, e) shares time with this range, or is a zero-length interval inside it.
    bool touches(TimeNs b, TimeNs e) const { return b < end && (e > begin || (b == e && b >= begin)); }
    TimeRange clipped(TimeRange o) const {
        return {std::max(begin, o.begin), std::max(std::max(begin, o.begin), std::min(end, o.end))};
    }
    friend bool operator==(TimeRange, TimeRange) = default;
};

/// "83.9 ms", "938 µs", "27 ns": three significant digits and the unit that gives 1–999, with a
/// no-break space and U+2212 for minus; minutes and hours as "9 min 30 s", "2 h 5 min".
std::string formatDuration(TimeNs length);

/// Exact nanoseconds with thousands commas: "27,800 ns".
std::string formatExactNs(TimeNs length);

/// An exact count with thousands commas: "31,204".
std::string formatCount(int64_t count);

} // namespace longpole
