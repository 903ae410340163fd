// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

namespace longpole {

/// The other ways of reading the same graph that give a forecast its interval (R14). All of them
/// give the measured times back where nothing is changed.
enum class Variant {
    D,        ///< without assumed edges
    P,        ///< long unexplained waits end when they did, seen from the window's begin
    S,        ///< lags and residuals of the selected work change with it
    G,        ///< unexplained time shrinks as the run does
    LagsLow,  ///< lags that did not bind are at p10 of their family …
    LagsHigh, ///< … or at p90
    CarryIn,  ///< of work that ran when the host's records begin, only the rest changes
    Floor,    ///< nothing is assumed or unexplained
};

/// Length of the window in one variant; `ratio` is the headline's predicted / measured, for G. Of a
/// graph that was edited, `measured` is the one before.
TimeNs variantLength(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                     Variant variant, double ratio, const DependencyGraph *measured = nullptr);

/// Length of the window as an exact function of the time multiplier of all selected work.
struct WindowCurve {
    struct Point {
        double scale = 0;
        TimeNs ns = 0;
    };
    std::vector<Point> points; ///< by falling scale, from 1 to 0; the inner ones are the knees
    bool exact = true;         ///< false when there were too many knees to follow
};
WindowCurve windowCurve(const DependencyGraph &graph, const Scaling &scaling,
                        const WindowTerms &terms, Progress &progress);

} // namespace longpole
