// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hand_graph.h"

#include "tests/support/text_trace.h"

#include <algorithm>
#include <numeric>

namespace longpole::test {

HandGraph::HandGraph(uint32_t tracks, TimeNs begin) : m_tracks(tracks), m_begin(begin) {
    m_nodes.push_back({kNone, 0, {}});
}

uint32_t HandGraph::node(uint32_t track, TimeNs delta) {
    m_nodes.push_back({track, delta, {}});
    return uint32_t(m_nodes.size() - 1);
}

void HandGraph::lag(uint32_t from, TimeNs weight, EdgeType type, Evidence evidence) {
    m_nodes.back().in.push_back({from, weight, kNone, type, evidence});
}

uint32_t HandGraph::work(uint32_t from, TimeNs weight, EdgeType type, Evidence evidence) {
    m_nodes.back().in.push_back({from, weight, m_activities, type, evidence});
    return m_activities++;
}

std::vector<TimeNs> HandGraph::times() const {
    std::vector<TimeNs> times{m_begin};
    for (size_t v = 1; v < m_nodes.size(); ++v) {
        TimeNs last = m_begin;
        for (const Edge &edge : m_nodes[v].in)
            last = std::max(last, times[edge.from] + edge.weight);
        times.push_back(last + m_nodes[v].delta);
    }
    return times;
}

DependencyGraph HandGraph::finish() const {
    const std::vector<TimeNs> at = times();
    std::vector<uint32_t> order(m_nodes.size()), position(m_nodes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return at[a] < at[b]; });
    for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;

    DependencyGraph graph;
    graph.byTrack.resize(m_tracks);
    graph.opNodes.resize(m_tracks);
    graph.activities.resize(m_activities);
    graph.firstEdge.push_back(0);
    for (uint32_t i = 0; i < order.size(); ++i) {
        const Node &node = m_nodes[order[i]];
        graph.time.push_back(at[order[i]]);
        graph.delta.push_back(node.delta);
        graph.track.push_back(node.track);
        if (node.track != kNone) graph.byTrack[node.track].nodes.push_back(i);
        for (const Edge &edge : node.in) {
            graph.source.push_back(position[edge.from]);
            graph.weight.push_back(edge.weight);
            graph.activity.push_back(edge.activity);
            graph.type.push_back(edge.type);
            graph.evidence.push_back(edge.evidence);
            if (edge.activity != kNone)
                graph.activities[edge.activity] = {
                    {node.track, edge.activity}, at[edge.from], edge.weight, 0, Kind::CpuOp};
        }
        graph.firstEdge.push_back(uint32_t(graph.source.size()));
    }
    return graph;
}

std::shared_ptr<const Trace> HandGraph::trace() const {
    const std::vector<TimeNs> at = times();
    const TimeNs end = *std::max_element(at.begin(), at.end());
    std::string text;
    for (uint32_t track = 0; track < m_tracks; ++track)
        text += "t" + std::to_string(track) + ": work " + std::to_string(m_begin) + "ns.." +
                std::to_string(end) + "ns\n";
    return traceFromText(text);
}

Scaling scalingOf(const DependencyGraph &graph, const std::vector<uint32_t> &activities,
                  SpeedFactor factor) {
    Scaling scaling;
    scaling.factors = {{1, 1}, factor};
    scaling.group.assign(graph.activities.size(), 0);
    scaling.selected.assign(graph.activities.size(), false);
    for (const uint32_t activity : activities) {
        scaling.group[activity] = 1;
        scaling.selected[activity] = true;
    }
    return scaling;
}

TimeNs lengthOf(const DependencyGraph &graph, const Scaling &scaling) {
    const std::vector<TimeNs> times = replay(graph, scaling);
    TimeNs last = times.front();
    for (const auto &track : graph.byTrack)
        if (!track.nodes.empty()) last = std::max(last, times[track.nodes.back()]);
    return last - times.front();
}

CriticalPath pathOf(const HandGraph &hand, const DependencyGraph &graph) {
    const auto trace = hand.trace();
    Window window;
    window.range = {graph.time.front(), graph.time.front() + lengthOf(graph)};
    return criticalPath(*trace, {}, graph, window);
}

} // namespace longpole::test
