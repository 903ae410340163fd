// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/rows.h"
#include "ui/timeline/time_scale.h"

#include <optional>
#include <string_view>

namespace longpole {

/// What lies under one device column of a row.
struct Hit {
    IntervalId id;       ///< the one that fills most of the pixel, or the nearest within reach
    uint32_t merged = 0; ///< intervals that touch the pixel
    TimeNs busy = 0;     ///< their time inside the pixel
    IntervalId longest;  ///< of the merged ones
    std::vector<TimeNs> byGroup; ///< time per colour group
};

/// Index in `lane` that the device column `x` shows; `reach` columns to either side count for marks
/// that are narrower than that.
std::optional<uint32_t> hitLane(const LaneSource &lane, const TimeScale &scale, int x, int reach);

/// Looks through every lane that `row` shows.
Hit hitRow(TimelineData &data, const Row &row, const TimeScale &scale, int x, int reach);

/// The begin or end of an interval of `row` nearest to `time`, at most `within` away.
std::optional<TimeNs> nearestEdge(TimelineData &data, const Row &row, TimeNs time, TimeNs within);

} // namespace longpole
