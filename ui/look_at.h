// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view_state.h"

namespace longpole {

/// Selects the interval, if there is one, and brings the stretch of time into view.
void lookAt(ViewState &state, TimeRange range, IntervalId interval);

} // namespace longpole
