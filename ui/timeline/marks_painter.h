// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/search.h"
#include "ui/marks.h"
#include "ui/timeline/rows.h"
#include "ui/timeline/time_scale.h"

#include <QPainter>

namespace longpole {

/// Begins of the hits among the copies, by transfer row and lane: those rows are views of what lies
/// on streams.
using TransferHits = std::vector<std::vector<std::vector<TimeNs>>>;
TransferHits transferHits(const TimelineData &data, const SearchHits &hits);

/// A tick above every interval that a search found, in the rows that show its lane. `rect` is where
/// the lanes are drawn; hits that share a pixel share a tick, so the cost follows pixels.
void paintHitTicks(QPainter &painter, const QRect &rect, const Trace &trace,
                   const std::vector<Row> &rows, int scroll, TimeRange view, const SearchHits &hits,
                   const TransferHits &copies);
/// The columns of a picture `width` px wide of `range` in which a hit of any track begins.
std::vector<bool> hitColumns(const Trace &trace, TimeRange range, int width,
                             const SearchHits &hits);
/// Ticks for these columns at the lower edge of the overview.
void paintHitColumns(QPainter &painter, const QRect &rect, const std::vector<bool> &columns);

/// A flag in the ruler for each mark, a bracket with its length for those that have one, a line
/// through the lanes, and the begin of the note beside it.
void paintMarks(QPainter &painter, const QRect &ruler, const QRect &lanes, TimeRange view,
                const std::vector<TimeMark> &marks);

} // namespace longpole
