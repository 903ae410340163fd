// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/dependency_graph.h"

#include <vector>

namespace longpole {

/// A dependency between two intervals: `to` could not go on before `from` did.
struct IntervalEdge {
    IntervalId from, to;
    EdgeType type = EdgeType::Program;
    Evidence evidence = Evidence::Recorded;
    friend bool operator==(const IntervalEdge &, const IntervalEdge &) = default;
};

/// The edges of a graph that join two intervals, in the order of time at which they arrive. The
/// order of a thread is not among them: it is the order of the list.
std::vector<IntervalEdge> intervalEdges(const Trace &trace, const DependencyGraph &graph);

} // namespace longpole
