// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/prediction.h"
#include "ui/timeline/idle_index.h"
#include "ui/timeline/path_index.h"
#include "ui/timeline/rows.h"
#include "ui/timeline/selection_links.h"
#include "ui/timeline/time_scale.h"

#include <QSize>

#include <optional>

namespace longpole {

/// What one frame of the lanes shows.
struct LanesFrame {
    TimelineData &data;
    const std::vector<Row> &rows;
    TimeRange view;
    int scroll = 0;   ///< pixels of rows above the top
    QSize size;       ///< device-independent
    double ratio = 1; ///< device pixels per pixel
    IntervalId selected;
    std::optional<TimeRange> range;  ///< chosen by hand
    std::optional<TimeRange> window; ///< of the chosen step, drawn as two edges
    TimeNs zero = 0;                 ///< of the ruler
    const PathIndex *path = nullptr; ///< what lies beside it in its window is dimmed
    const IdleIndex *idle = nullptr;
    const SelectionLinks *links = nullptr; ///< of the selected interval
    /// `data`, `path` and `idle` are those of the prediction then, and what was measured is drawn
    /// below them in outlines.
    const Prediction *prediction = nullptr;
    TimelineData *measured = nullptr;
    const IdleIndex *measuredIdle = nullptr;
};

/// Where an interval is drawn in its row, in device pixels from the left edge of the lanes.
struct DeviceRange {
    int x0, x1;
};
DeviceRange deviceRange(const TimeScale &deviceScale, TimeNs begin, TimeNs end);

} // namespace longpole
