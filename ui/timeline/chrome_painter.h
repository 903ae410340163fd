// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/rows.h"
#include "ui/timeline/time_scale.h"

#include <QPainter>

#include <optional>

namespace longpole {

/// From where the ruler counts, and the two words in its label cell.
struct RulerZero {
    TimeNs zero = 0;
    QString title;  ///< "Time in step 7"
    QString offset; ///< "+0.752 s"; empty when the ruler counts from the trace's begin
};
/// Step-relative when the window is one of steps or a range that begins in one, else from the
/// begin of the trace.
RulerZero rulerZero(const Loaded &loaded, const Window &window);

/// Names of rows beside the lanes; `scroll` as in LanesFrame.
void paintRowLabels(QPainter &painter, const QRect &rect, const std::vector<Row> &rows, int scroll);
/// The ruler above the lanes (`rect`) and its label cell (`cell`).
void paintRuler(QPainter &painter, const QRect &rect, const QRect &cell, TimeRange view,
                const RulerZero &zero, std::optional<TimeRange> range);
/// The label cell beside the path strip; `length` is that of the path.
void paintPathCell(QPainter &painter, const QRect &cell, std::optional<TimeNs> length);
/// The one below it, beside the outlines of what was measured.
void paintGhostCell(QPainter &painter, const QRect &cell, TimeNs length);
/// A triangle that opens and closes things, in the middle of `rect`.
void paintChevron(QPainter &painter, const QRectF &rect, bool open, QColor colour);
/// Draws an image of device pixels so that no pixel of it is blurred.
void drawAligned(QPainter &painter, QPointF topLeft, const QImage &image, double ratio);

} // namespace longpole
