// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/speedup_plot.h"
#include "ui/what_if_answer.h"

namespace longpole {

/// What is drawn of a curve: the replay with its knees, and the ceiling of Amdahl's law.
SpeedupCurves speedupCurves(const WhatIfBasis &basis, const LengthCurve &curve);

} // namespace longpole
