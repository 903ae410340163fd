// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"
#include "core/analysis/edits.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

/// The ceiling of a serial model: everything selected gets faster, nothing else changes, and
/// nothing overlaps (analysis.md §5.1; f is the union share, so no replay of the whole capture can
/// beat it).
struct Amdahl {
    TimeNs ns = 0;
    double speedup = 1, fraction = 0;
    std::optional<double> ceiling; ///< speed-up at infinite speed; none when nothing would be left
    TimeNs captureNs = 0;          ///< the same for the whole capture
};

/// A predicted length with its interval: from the least to the greatest of the readings in
/// variants.h (R14), widened by the margin.
struct Forecast {
    TimeNs ns = 0, low = 0, high = 0;
    TimeNs floor = 0; ///< if nothing were unexplained or assumed
    TimeNs model = 0; ///< margin for what no variant covers; part of low and high
    /// If batches that nobody waited for had been ready just when they were taken; not part of low
    /// and high, and only where the workers of the loader are not in the trace.
    TimeNs taken = 0;
    double speedup = 1; ///< infinite where nothing of the window is left
};

struct CurvePoint {
    double scale = 1; ///< 1 / speed-up of the selected work, in [0, 1]
    TimeNs ns = 0;
};
struct Knee {
    double scale = 1;
    TimeNs ns = 0;
    std::string takesOver; ///< what rules the path beyond it
};

struct Bottleneck {
    std::string phase, name, trackName;
};

struct WhatIf {
    Window window;
    TimeNs measured = 0, baseline = 0; ///< baseline: the replay without any change
    std::optional<Amdahl> amdahl;      ///< none for slow-downs and edits
    Forecast replay;
    std::vector<CurvePoint> curve; ///< exact; from scale 1 down to 0, straight between the points
    std::vector<Knee> knees;
    Bottleneck bottleneckAfter;
    std::vector<std::string> assumptions; ///< of the edits
    std::vector<std::string> warnings;
};

/// Replays the capture with edits and other speeds, all at once, and reads the window out (R1, R2).
/// Errors: usage (selectors), impossible (an edit that is not safe), stopped.
Result<WhatIf> whatIf(const Trace &trace, const Steps &steps, const Phases &phases,
                      const DependencyGraph &graph, const Window &window,
                      const std::vector<SpeedEdit> &speeds, const std::vector<GraphEdit> &edits,
                      Progress &progress);

// The parts of it, for views that show each as soon as it is there. What takes a progress throws
// Stopped.

/// The interval around a replayed length.
Forecast forecast(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                  TimeNs predicted, TimeNs measured, const Progress &progress = Progress::never());
/// The same around the replay of an edited graph; `graph` is the one before the edits.
Forecast forecast(const EditedGraph &edited, const DependencyGraph &graph, const Scaling &scaling,
                  const WindowTerms &terms, TimeNs predicted, TimeNs measured,
                  const Progress &progress = Progress::never());
/// Says so where such batches (Forecast::taken) could change the forecast; empty elsewhere.
std::string unseenBatches(const Forecast &forecast, TimeNs measured);
/// What takes over: the work that gained most on the path. Where nothing new is on it, the work
/// that has most of it. `before` is the measured graph, where `graph` was edited.
Bottleneck bottleneck(const Trace &trace, const Phases &phases, const DependencyGraph &graph,
                      const Scaling &scaling, const WindowTerms &terms,
                      const DependencyGraph *before = nullptr,
                      const Progress &progress = Progress::never());
/// Fills curve and knees, and a warning where knees are missing.
void addCurve(WhatIf &result, const Trace &trace, const Phases &phases,
              const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
              Progress &progress);

} // namespace longpole
