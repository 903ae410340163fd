// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

namespace longpole {

/// The graph that a replay leaves: scaled weights, and as its measured times the replayed ones
/// (`times`, by node) moved by `shift` ns. The recurrence holds in it to the nanosecond, so that
/// path and idle books are read off it as off the graph of a trace. Residuals stay as they were
/// measured: what was unexplained stays so. Throws Stopped.
DependencyGraph replayedGraph(const DependencyGraph &graph, const Scaling &scaling,
                              const std::vector<TimeNs> &times, TimeNs shift,
                              const Progress &progress = Progress::never());

} // namespace longpole
