// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look_at.h"

namespace longpole {

void lookAt(ViewState &state, TimeRange range, IntervalId interval) {
    if (!state.trace()) return;
    const bool known = interval.valid() && interval.row != kNone;
    if (known)
        state.reveal(interval);
    else
        state.select({});
    if (range.empty()) return;
    const TimeRange view = state.view();
    const TimeNs length = range.length();
    const bool inView = view.begin <= range.begin && range.end <= view.end;
    if (inView && length >= view.length() / 300) return;
    state.setView({range.begin - length, range.end + length});
}

} // namespace longpole
