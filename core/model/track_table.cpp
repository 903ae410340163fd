// SPDX-License-Identifier: Apache-2.0
#include "core/model/track_table.h"

#include <algorithm>

namespace longpole {

uint32_t TrackTable::laneOf(uint32_t row) const {
    return uint32_t(std::upper_bound(laneBegin.begin(), laneBegin.end(), row) - laneBegin.begin()) - 1;
}

uint32_t TrackTable::firstAfter(uint32_t lane, TimeNs t) const {
    uint32_t low = laneBegin[lane], high = laneBegin[lane + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (end(middle) > t || start[middle] >= t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const SideRow &TrackTable::sideOf(uint32_t row) const {
    static const SideRow none;
    return side.empty() || side[row] == kNone ? none : sides[side[row]];
}

} // namespace longpole
