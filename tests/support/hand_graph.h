// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

#include <memory>
#include <string>

namespace longpole::test {

/// A dependency graph written down node by node, with nothing learned from a trace. Edges lead from
/// earlier nodes to later ones; times follow from edges and from what is left unexplained.
class HandGraph {
public:
    /// Node 0, the begin of the capture, exists from the start.
    explicit HandGraph(uint32_t tracks, TimeNs begin = 0);

    /// A node whose in-edges follow; it happens `delta` after the last of them.
    uint32_t node(uint32_t track, TimeNs delta = 0);
    void lag(uint32_t from, TimeNs weight, EdgeType type = EdgeType::Program,
             Evidence evidence = Evidence::Recorded);
    /// Work between `from` and the newest node; returns the activity, whose interval has that row.
    uint32_t work(uint32_t from, TimeNs weight, EdgeType type = EdgeType::Program,
                  Evidence evidence = Evidence::Recorded);
    /// The graph with its nodes in order of time.
    DependencyGraph finish() const;
    /// A trace with the tracks of the graph, over the same time.
    std::shared_ptr<const Trace> trace() const;

private:
    struct Edge {
        uint32_t from;
        TimeNs weight;
        uint32_t activity;
        EdgeType type;
        Evidence evidence;
    };
    struct Node {
        uint32_t track;
        TimeNs delta;
        std::vector<Edge> in;
    };
    std::vector<TimeNs> times() const;

    uint32_t m_tracks;
    TimeNs m_begin;
    std::vector<Node> m_nodes;
    uint32_t m_activities = 0;
};

/// What selects single activities, for graphs without names.
Scaling scalingOf(const DependencyGraph &graph, const std::vector<uint32_t> &activities,
                  SpeedFactor factor);

/// From the begin of the capture to the last node of any track, replayed.
TimeNs lengthOf(const DependencyGraph &graph, const Scaling &scaling = {});

/// The path over the whole of a hand-written graph.
CriticalPath pathOf(const HandGraph &hand, const DependencyGraph &graph);

} // namespace longpole::test
