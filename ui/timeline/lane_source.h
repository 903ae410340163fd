// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"

#include <cstdint>

namespace longpole {

/// Disjoint intervals in time order, wherever they are stored: a lane of a track, or a row of
/// transfers gathered from several streams. Points into data that lives as long as the trace.
struct LaneSource {
    const TimeNs *start = nullptr;
    const TimeNs *duration = nullptr;
    const uint8_t *slot = nullptr; ///< phase or kind of each interval
    uint32_t count = 0;
    TimeNs offset = 0; ///< added to every start

    TimeNs begin(uint32_t i) const { return start[i] + offset; }
    TimeNs end(uint32_t i) const { return start[i] + duration[i] + offset; }

    /// First index in [from, count) that begins at or after t: gallops from `from`, so stepping
    /// through a lane pixel by pixel costs the logarithm of what a pixel holds.
    uint32_t firstBeginningAt(TimeNs t, uint32_t from) const {
        uint32_t low = from, width = 1;
        while (low + width < count && begin(low + width) < t) {
            low += width;
            width *= 2;
        }
        uint32_t high = low + width < count ? low + width : count;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (begin(middle) >= t)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    /// First index that ends after t, or begins at or after it.
    uint32_t firstAfter(TimeNs t) const {
        const uint32_t i = firstBeginningAt(t, 0);
        return i > 0 && end(i - 1) > t ? i - 1 : i;
    }
};

/// What each slot (phase or kind) is drawn as: one of at most kMaxGroups colours.
struct SlotGroups {
    static constexpr uint32_t kMaxGroups = 64;
    uint8_t groupOf[256] = {};
    uint32_t groups = 1;
};

} // namespace longpole
