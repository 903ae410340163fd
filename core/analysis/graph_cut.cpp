// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/graph_cut.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

/// The longest that an operation stood in a queue.
TimeNs longestQueue(const Trace &trace) {
    TimeNs longest = 0;
    for (const Launch &launch : trace.launches)
        longest = std::max(longest, trace.begin(launch.op) - trace.end(launch.call));
    return longest;
}

class Cut {
public:
    Cut(const DependencyGraph &whole, TimeNs begin, uint32_t last)
        : m_whole(whole), m_begin(begin), m_place(whole.nodes(), kNone) {
        uint32_t count = 1;
        for (uint32_t v = 1; v <= last; ++v)
            if (whole.time[v] >= begin) m_place[v] = count++;
    }

    DependencyGraph run() {
        m_graph.time.push_back(m_begin);
        m_graph.delta.push_back(0);
        m_graph.track.push_back(kNone);
        m_graph.firstEdge = {0, 0};
        m_graph.byTrack.resize(m_whole.byTrack.size());
        for (uint32_t v = 1; v < m_whole.nodes(); ++v)
            if (m_place[v] != kNone) addNode(v);
        m_graph.activities = m_whole.activities;
        m_graph.lagSpreads = m_whole.lagSpreads;
        m_graph.counters = m_whole.counters;
        m_graph.stepThread = m_whole.stepThread;
        m_graph.opNodes.resize(m_whole.opNodes.size());
        for (size_t t = 0; t < m_whole.opNodes.size(); ++t)
            for (const auto &op : m_whole.opNodes[t]) m_graph.opNodes[t].push_back(placeOf(op));
        return std::move(m_graph);
    }

private:
    DependencyGraph::OpNodes placeOf(const DependencyGraph::OpNodes &op) const {
        if (op.begin == kNone || m_place[op.begin] == kNone || m_place[op.end] == kNone) return {};
        return {m_place[op.begin], m_place[op.end]};
    }

    void addNode(uint32_t v) {
        const size_t first = m_graph.source.size();
        TimeNs explained = m_begin;
        for (uint32_t e = m_whole.firstEdge[v]; e < m_whole.firstEdge[v + 1]; ++e) {
            const uint32_t from = m_place[m_whole.source[e]];
            const TimeNs arrival = m_whole.time[m_whole.source[e]] + m_whole.weight[e];
            if (from == kNone && arrival <= m_begin) continue; // was over
            addEdge(e, from == kNone ? 0 : from,
                    from == kNone ? arrival - m_begin : m_whole.weight[e]);
            explained = std::max(explained, arrival);
        }
        if (m_graph.source.size() == first) {
            addEdge(m_whole.firstEdge[v], 0, 0);
            m_graph.activity.back() = kNone;
            m_graph.type.back() = EdgeType::Window;
            m_graph.evidence.back() = Evidence::Recorded;
        }
        m_graph.time.push_back(m_whole.time[v]);
        m_graph.delta.push_back(m_whole.time[v] - explained);
        m_graph.track.push_back(m_whole.track[v]);
        m_graph.firstEdge.push_back(uint32_t(m_graph.source.size()));
        if (m_whole.track[v] != kNone)
            m_graph.byTrack[m_whole.track[v]].nodes.push_back(m_place[v]);
    }

    void addEdge(uint32_t e, uint32_t from, TimeNs weight) {
        m_graph.source.push_back(from);
        m_graph.weight.push_back(weight);
        m_graph.activity.push_back(m_whole.activity[e]);
        m_graph.type.push_back(m_whole.type[e]);
        m_graph.evidence.push_back(m_whole.evidence[e]);
        m_graph.lagFamily.push_back(from == 0 ? 0 : m_whole.lagFamily[e]);
    }

    const DependencyGraph &m_whole;
    const TimeNs m_begin;
    std::vector<uint32_t> m_place; ///< of each node in the part
    DependencyGraph m_graph;
};

} // namespace

std::optional<TimeNs> replayBegin(const Trace &trace, const Steps &steps,
                                  const DependencyGraph &graph, const Window &window,
                                  const CutLimits &limits) {
    if (graph.nodes() <= limits.mostNodes || window.kind == Window::Kind::All) return std::nullopt;
    const TimeNs least = limits.drainsBefore * longestQueue(trace);
    std::vector<TimeNs> launches;
    for (const Launch &launch : trace.launches)
        if (trace.begin(launch.call) < window.range.begin)
            launches.push_back(trace.begin(launch.call));
    std::sort(launches.begin(), launches.end());
    const auto launchedFrom = [&](TimeNs t) {
        return size_t(launches.end() - std::lower_bound(launches.begin(), launches.end(), t));
    };
    uint32_t stepsBefore = 0;
    for (size_t step = steps.steps.size(); step-- > 1;) {
        const TimeNs begin = steps.steps[step].begin;
        if (begin < window.range.begin && ++stepsBefore >= limits.stepsBefore &&
            window.range.begin - begin >= least && launchedFrom(begin) >= limits.launchesBefore)
            return begin;
    }
    return std::nullopt;
}

uint32_t lastNeeded(const Trace &trace, const DependencyGraph &graph, const Window &window,
                    const WindowTerms &terms) {
    // by device, kernels apart from the rest: the idle books ask for both
    std::map<std::tuple<uint32_t, int64_t, bool>, std::pair<uint32_t, uint32_t>> next;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        for (uint32_t row = 0; row < graph.opNodes[t].size(); ++row) {
            const auto &op = graph.opNodes[t][row];
            if (op.begin == kNone || graph.time[op.begin] < window.range.end) continue;
            const Kind kind = track.table->kind[row];
            const std::tuple which(trace.processes[track.process].file, track.device.value_or(0),
                                   isCopyKind(kind) || kind == Kind::Memset);
            const auto [it, isNew] = next.try_emplace(which, op.begin, op.end);
            it->second = std::min(it->second, {op.begin, op.end});
        }
    }
    uint32_t last = *std::max_element(terms.ends.begin(), terms.ends.end());
    for (const auto &[which, nodes] : next) last = std::max(last, nodes.second);
    return last;
}

DependencyGraph cutAround(const DependencyGraph &graph, TimeNs begin, uint32_t last) {
    return Cut(graph, begin, last).run();
}

void cutIfLong(DependencyGraph &graph, const Trace &trace, const Steps &steps,
               const Window &window) {
    const auto begin = replayBegin(trace, steps, graph, window);
    if (!begin) return;
    const WindowTerms terms = windowTerms(trace, steps, graph, window);
    graph = cutAround(graph, *begin, lastNeeded(trace, graph, window, terms));
}

} // namespace longpole
