// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/time_scale.h"
#include "ui/timeline/timeline_data.h"

#include <QPainter>

namespace longpole {

/// The whole trace as one band of density per group (CPU, transfers, devices), `size` device
/// pixels.
QImage overviewBands(TimelineData &data, QSize size);

/// The range an overview spans.
TimeRange overviewRange(const Trace &trace);

/// Label cell, bands, step marks with left-out steps hatched, and the frame of `view`.
void paintOverview(QPainter &painter, const QRect &rect, const QRect &cell, const Loaded &loaded,
                   const QImage &bands, double ratio, TimeRange view);

/// Where the bands lie inside an overview of this rect.
QRect overviewBandRect(const QRect &rect);

} // namespace longpole
