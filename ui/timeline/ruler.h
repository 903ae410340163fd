// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/time_scale.h"

#include <QString>

#include <vector>

namespace longpole {

struct Tick {
    TimeNs time = 0; ///< of the trace
    double x = 0;    ///< pixel in the view
    QString text;
};

/// Ticks in 1-2-5 steps (1-2-5-10-20-30 for seconds and minutes) at least `spacing` pixels apart.
/// Their texts count from `zero`; once the digits would blur they split: "75 ms + 450 µs".
std::vector<Tick> rulerTicks(const TimeScale &scale, TimeNs zero, double spacing = 90);

/// The step between ticks, ns.
TimeNs tickStep(double nsPerPixel, double spacing);

/// The text of a tick at `time` (from the ruler's zero) when ticks are `step` apart.
QString tickText(TimeNs time, TimeNs step);

} // namespace longpole
