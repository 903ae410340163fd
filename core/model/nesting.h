// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/base/time.h"
#include "core/model/interval_row.h"

#include <span>
#include <vector>

namespace longpole {

/// Where each of a track's sorted intervals goes.
struct Nesting {
    std::vector<uint32_t> lane;
    std::vector<uint32_t> parent; ///< index into the same sequence, or kNone
    std::vector<uint16_t> depth;
    std::vector<uint32_t> laneSize;
    uint64_t overlaps = 0; ///< intervals that overlap an earlier one without nesting
    uint64_t firstOverlapOffset = 0;
    uint64_t sticksOut = 0; ///< children that end after their parent, by no more than the rounding
    uint64_t firstOutOffset = 0;
};

/// Gives every interval the innermost interval that contains it as parent, and the first free lane
/// below it; intervals that overlap without nesting get a lane of their own, so that the intervals
/// of a lane are always disjoint. One that ends up to `rounding` after its container counts as
/// contained, if more of it lies inside than outside. `rows` is sorted by nestsBefore. O(n log
/// lanes). Throws Stopped.
Nesting nest(std::span<const IntervalRow> rows, TimeNs rounding = 0,
             const Progress &progress = Progress::never());

/// Recorders write host ranges in whole or quarter microseconds (analysis.md §2.7).
inline constexpr TimeNs kThreadRounding = 1'000;

} // namespace longpole
