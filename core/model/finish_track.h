// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/model/diagnostics.h"
#include "core/model/interval_row.h"
#include "core/model/track_table.h"

#include <memory>
#include <vector>

namespace longpole {

struct CounterSeries;
struct Track;

/// Sorts and nests the intervals of one track and lays them out as columns, lane after lane; times
/// become distances from `zero`. `rounding`: see nest(). Throws Stopped. Touches nothing shared,
/// so tracks can be finished in parallel.
std::shared_ptr<const TrackTable> finishTrack(GrowArray<IntervalRow> rows, GrowArray<SideRow> sides,
                                              TimeNs zero, TimeNs rounding,
                                              std::shared_ptr<const StringPool> strings,
                                              Diagnostics &diagnostics, const Progress &progress);

/// Sorts a counter's values by time; values of equal time keep the order of the file.
/// Throws Stopped.
void sortCounter(CounterSeries &counter, const Progress &progress);

/// First begin to last end over threads and streams, else over all tracks; {0, 0} without
/// intervals.
TimeRange rangeOf(const std::vector<Track> &tracks);

} // namespace longpole
