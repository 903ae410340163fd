// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

#include <functional>

namespace longpole {

/// Length of the window as an exact function of the time multiplier of all selected work.
struct WindowCurve {
    struct Point {
        double scale = 0;
        TimeNs ns = 0;
    };
    std::vector<Point> points; ///< by falling scale, from 1 to 0; the inner ones are the knees
    bool exact = true;         ///< false when there were too many knees to follow
};

/// Is given, for each knee (1 is the first), how the window's path differs beyond it: edges that
/// are on it now with how much of their work lies inside the window, and those that were, less than
/// nothing. Selected work is left out.
using PathChange =
    std::function<void(size_t point, const std::vector<std::pair<uint32_t, TimeNs>> &edges)>;

/// Throws Stopped.
WindowCurve windowCurve(const DependencyGraph &graph, const Scaling &scaling,
                        const WindowTerms &terms, const Progress &progress,
                        const PathChange &changed = {});

} // namespace longpole
