// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/phases.h"
#include "core/analysis/window.h"

namespace longpole {

struct DependencyGraph;

/// Which intervals make a window of a capture stand for itself, in the order of their file: those
/// that touch it, whole; device work that was queued or ran in it, with its calls; what its
/// dependencies name; forward operators of its backward ones; and all that these are nested in. The
/// excerpt keeps the dependencies from the last ones before the window to what ends its idle time.
Excerpt excerptOf(const Trace &trace, const Steps &steps, const Phases &phases,
                  const DependencyGraph &graph, const Window &window);

/// Tells rules apart: phases that others gave mean nothing.
int64_t fingerprintOf(const PhaseRules &rules);

// What such a file gives back; nothing where the trace is none.

std::optional<DependencyGraph> excerptGraph(const Trace &trace, const Phases &phases);
std::optional<Steps> excerptSteps(const Trace &trace);
std::optional<Window> excerptWindow(const Trace &trace);
/// Phases as they were in the capture, where the rules are the same.
std::optional<Phases> excerptPhases(const Trace &trace, const PhaseRules &rules);

} // namespace longpole
