// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/trace.h"
#include "ui/window_path.h"

#include <vector>

namespace longpole {

/// What the timeline shows around a selected interval.
struct SelectionLinks {
    TimeNs slack = 0; ///< 0 on the path
    /// Causes and effects on other tracks, from the earlier to the later one: forward and backward,
    /// record and wait, who waited for whom. Launches have curves of their own.
    std::vector<std::pair<IntervalId, IntervalId>> curves;
};
/// `path` may be null.
SelectionLinks linksOf(const Trace &trace, const WindowPath *path, IntervalId id);

} // namespace longpole
