// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/interval_edges.h"

namespace longpole {

namespace {

/// Which interval a node of the graph belongs to.
class NodeOwners {
public:
    explicit NodeOwners(const DependencyGraph &graph)
        : m_ends(graph.nodes()), m_begins(graph.nodes()), m_operations(graph.nodes()) {
        for (uint32_t v = 1; v < graph.nodes(); ++v) {
            for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
                if (graph.activity[e] == kNone) continue;
                const IntervalId id = graph.activities[graph.activity[e]].interval;
                if (id.row == kNone) continue;
                m_ends[v] = id;
                m_begins[graph.source[e]] = id;
            }
        }
        for (uint32_t t = 0; t < graph.opNodes.size(); ++t) {
            for (uint32_t row = 0; row < graph.opNodes[t].size(); ++row) {
                const auto &op = graph.opNodes[t][row];
                if (op.begin == kNone) continue;
                m_operations[op.begin] = m_operations[op.end] = {t, row};
            }
        }
    }

    /// The operation, else the work that ends at a node, else what begins there.
    IntervalId of(uint32_t node) const {
        if (m_operations[node].valid()) return m_operations[node];
        return m_ends[node].valid() ? m_ends[node] : m_begins[node];
    }

private:
    std::vector<IntervalId> m_ends, m_begins, m_operations;
};

} // namespace

std::vector<IntervalEdge> intervalEdges(const Trace &trace, const DependencyGraph &graph) {
    const NodeOwners owners(graph);
    std::vector<IntervalEdge> edges;
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            if (graph.activity[e] != kNone || graph.type[e] == EdgeType::Window ||
                graph.type[e] == EdgeType::Program)
                continue;
            IntervalEdge edge{owners.of(graph.source[e]), owners.of(v), graph.type[e],
                              graph.evidence[e]};
            // the node a launch comes from may lie inside its call
            if (edge.type == EdgeType::Launch && edge.to.valid())
                if (const IntervalId call = trace.callOf(edge.to); call.valid()) edge.from = call;
            if (edge.from.valid() && edge.to.valid() && edge.from != edge.to) edges.push_back(edge);
        }
    }
    return edges;
}

} // namespace longpole
