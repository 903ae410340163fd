// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/interval_role.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

class Role {
public:
    Role(const Trace &trace, const DependencyGraph &graph, const CriticalPath &path, IntervalId id)
        : m_trace(trace), m_graph(graph), m_path(path), m_id(id) {}

    IntervalRole find() {
        addPath();
        addNodes();
        addSlack();
        addCauses();
        addEffects();
        return std::move(m_role);
    }

private:
    bool isOwn(uint32_t node) const {
        return std::binary_search(m_nodes.begin(), m_nodes.end(), node);
    }

    void addPath() {
        const auto &all = m_path.segments;
        const bool thread = m_trace.track(m_id).kind == TrackKind::Thread;
        const TimeNs begin = m_trace.begin(m_id), end = m_trace.end(m_id);
        auto it = std::partition_point(all.begin(), all.end(),
                                       [&](const PathSegment &s) { return s.end <= begin; });
        for (; it != all.end() && it->begin < end; ++it) {
            const bool own = it->interval == m_id;
            const bool nested = thread && it->interval.track == m_id.track;
            if (it->type != PathSegment::Type::Activity || (!own && !nested)) continue;
            m_role.onPath += std::min(it->end, end) - std::max(it->begin, begin);
            m_role.evidence = std::max(m_role.evidence, it->evidence);
        }
    }

    void addSlack() {
        constexpr TimeNs open = std::numeric_limits<TimeNs>::max();
        const TimeRange window = m_path.window.range;
        for (const uint32_t a : m_pieces) {
            const Activity &activity = m_graph.activities[a];
            const TimeNs end = activity.begin + activity.length;
            if (m_path.slack[a] == open || activity.begin >= window.end || end <= window.begin)
                continue;
            const TimeNs own = std::max<TimeNs>(0, m_path.slack[a]);
            m_role.slack = std::min(m_role.slack.value_or(own), own);
        }
    }

    /// Its points in time: begin and end of an operation, the ends of the pieces of a call.
    void addNodes() {
        if (m_id.track < m_graph.opNodes.size() && m_id.row < m_graph.opNodes[m_id.track].size()) {
            const auto &op = m_graph.opNodes[m_id.track][m_id.row];
            if (op.begin != kNone) {
                m_nodes.push_back(op.begin);
                addPieces(op.end);
            }
        }
        const auto &nodes = m_graph.byTrack[m_id.track].nodes;
        const TimeNs begin = m_trace.begin(m_id), end = m_trace.end(m_id);
        auto it = std::partition_point(nodes.begin(), nodes.end(),
                                       [&](uint32_t n) { return m_graph.time[n] < begin; });
        const bool host = m_nodes.empty();
        for (; host && it != nodes.end() && m_graph.time[*it] <= end; ++it) addPieces(*it);
        std::sort(m_nodes.begin(), m_nodes.end());
        m_nodes.erase(std::unique(m_nodes.begin(), m_nodes.end()), m_nodes.end());
    }

    void addPieces(uint32_t node) {
        for (uint32_t e = m_graph.firstEdge[node]; e < m_graph.firstEdge[node + 1]; ++e) {
            const uint32_t a = m_graph.activity[e];
            if (a == kNone || m_graph.activities[a].interval != m_id) continue;
            m_pieces.push_back(a);
            m_nodes.insert(m_nodes.end(), {m_graph.source[e], node});
        }
    }

    /// The operation, else the work that ends at a node, else the work that begins there.
    IntervalId ownerOf(uint32_t node) const {
        const uint32_t track = m_graph.track[node];
        if (track == kNone) return {};
        if (track < m_graph.opNodes.size()) {
            const auto &ops = m_graph.opNodes[track];
            const auto it = std::find_if(ops.begin(), ops.end(), [&](const auto &op) {
                return op.begin == node || op.end == node;
            });
            if (it != ops.end()) return {track, uint32_t(it - ops.begin())};
        }
        const auto work = [&](uint32_t of, uint32_t source) {
            for (uint32_t e = m_graph.firstEdge[of]; e < m_graph.firstEdge[of + 1]; ++e) {
                if (m_graph.activity[e] == kNone) continue;
                const IntervalId id = m_graph.activities[m_graph.activity[e]].interval;
                if (id.row != kNone && (source == kNone || m_graph.source[e] == source)) return id;
            }
            return IntervalId();
        };
        if (const IntervalId before = work(node, kNone); before.valid()) return before;
        const auto &nodes = m_graph.byTrack[track].nodes;
        auto it = std::partition_point(nodes.begin(), nodes.end(), [&](uint32_t n) {
            return m_graph.time[n] < m_graph.time[node];
        });
        for (int looked = 0; it != nodes.end() && looked < 8; ++it, ++looked)
            if (const IntervalId after = work(*it, node); after.valid()) return after;
        return {};
    }

    void add(std::vector<IntervalRole::Link> &links, uint32_t edge, uint32_t node) {
        const IntervalRole::Link link{ownerOf(node), m_graph.type[edge], m_graph.evidence[edge]};
        if (!link.interval.valid() || link.interval == m_id) return;
        if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
    }

    static bool joins(EdgeType type) {
        return type != EdgeType::Program && type != EdgeType::Window;
    }

    void addCauses() {
        for (const uint32_t node : m_nodes) {
            const uint32_t e = tightEdge(m_graph, node);
            if (e != kNone && joins(m_graph.type[e]) && !isOwn(m_graph.source[e]))
                add(m_role.waitedFor, e, m_graph.source[e]);
        }
    }

    void addEffects() {
        if (m_nodes.empty()) return;
        constexpr size_t enough = 16;
        const uint32_t low = m_nodes.front(), high = m_nodes.back();
        for (uint32_t e = 0; e < m_graph.source.size() && m_role.waiting.size() < enough; ++e) {
            const uint32_t source = m_graph.source[e];
            if (source < low || source > high || !joins(m_graph.type[e]) || !isOwn(source))
                continue;
            const auto after =
                std::upper_bound(m_graph.firstEdge.begin(), m_graph.firstEdge.end(), e);
            const uint32_t node = uint32_t(after - m_graph.firstEdge.begin()) - 1;
            if (!isOwn(node) && tightEdge(m_graph, node) == e) add(m_role.waiting, e, node);
        }
    }

    const Trace &m_trace;
    const DependencyGraph &m_graph;
    const CriticalPath &m_path;
    const IntervalId m_id;
    std::vector<uint32_t> m_nodes, m_pieces; ///< of the graph; its activities
    IntervalRole m_role;
};

} // namespace

IntervalRole roleOf(const Trace &trace, const DependencyGraph &graph, const CriticalPath &path,
                    IntervalId id) {
    return Role(trace, graph, path, id).find();
}

} // namespace longpole
