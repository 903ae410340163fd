// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view_state.h"

#include <QColor>
#include <QString>

namespace longpole {

/// "GPU 0 · stream 7", "python 41207 · main": device or process, then the track.
QString trackTitle(const Trace &trace, uint32_t track);
QString intervalName(const Trace &trace, IntervalId id); ///< "(no name)" for an empty one

/// The colour of a phase of the rules: the rule's own, else the theme's.
QColor ruleColour(const PhaseRule &rule);
QColor intervalColour(const Loaded &loaded, IntervalId id, ColourBy by);

/// Where the arrow of an interval leads: from device work to the call that launched it, from a call
/// to the first operation it launched; invalid without one.
IntervalId followArrow(const Trace &trace, IntervalId id);
IntervalId parentOf(const Trace &trace, IntervalId id);

/// "step 7", "steps 3 – 7", "range", "whole trace".
QString windowName(const Window &window, const Steps &steps);
/// "7" of "ProfilerStep#7"; of any other name its place among the steps.
QString stepNumber(const Steps &steps, uint32_t index);

} // namespace longpole
