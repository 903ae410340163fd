// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/grow_array.h"
#include "core/base/progress.h"
#include "core/model/diagnostics.h"
#include "core/model/interval_row.h"
#include "core/model/track_table.h"

#include <vector>

namespace longpole {

/// A begin (B) or an end (E) of one track, in file order. Of an end only time, name and offset
/// count.
struct Mark {
    IntervalRow row;
    bool isEnd = false;
    uint32_t group = 0; ///< begins and ends of one group pair among themselves
};

struct PairCounts {
    uint64_t paired = 0;   ///< ends absorbed into an interval
    uint64_t setAside = 0; ///< ends without a begin
};

/// Pairs begins and ends, group by group, by time, then file order, and appends the intervals to
/// `rows`. An end closes the innermost open range of its name; one without a name, or with a name
/// that is not open, the innermost of all. Begins without an end run to `last`; an end written
/// before its begin of the same time makes a zero-length interval. Throws Stopped.
PairCounts pairMarks(GrowArray<Mark> marks, TimeNs last, GrowArray<IntervalRow> &rows,
                     GrowArray<SideRow> &sides, Diagnostics &diagnostics, const Progress &progress);

} // namespace longpole
