// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/rows.h"

namespace longpole {

class TrackChoices;

/// Rows as the user arranged them: the pinned tracks first, whatever of their groups is folded,
/// then all others, within their groups in the order they were dragged into.
struct ArrangedRows {
    std::vector<Row> rows;   ///< stacked from the top, as layoutRows() gives them
    std::vector<Row> pinned; ///< copies of the first ones, which do not scroll
    int pinnedHeight = 0;
};
ArrangedRows arrangeRows(const TimelineData &data, const RowChoices &rows,
                         const TrackChoices &tracks);

/// The tracks of the group of `track` in the order of the rows, with `track` moved before the track
/// `before`, or behind all of them (kNone). Empty where that would change nothing.
std::vector<uint32_t> orderAfterMove(const std::vector<Row> &rows, uint32_t track, uint32_t before);

} // namespace longpole
