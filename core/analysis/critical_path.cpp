// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/critical_path.h"

#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace longpole {

PathTrust trustOf(const PathSegment &segment) {
    if (segment.type == PathSegment::Type::Untraced) return PathTrust::Untraced;
    if (segment.type == PathSegment::Type::Unexplained) return PathTrust::Unexplained;
    return PathTrust(segment.evidence);
}

std::string_view pathTrustName(PathTrust trust) {
    if (trust == PathTrust::Untraced) return "untraced";
    if (trust == PathTrust::Unexplained) return "unexplained";
    return evidenceName(Evidence(trust));
}

std::string_view segmentTypeName(PathSegment::Type type) {
    constexpr std::array<std::string_view, 4> names = {"activity", "lag", "untraced",
                                                       "unexplained"};
    return names[size_t(type)];
}

uint32_t tightEdge(const DependencyGraph &graph, uint32_t v) {
    uint32_t best = kNone;
    const auto rank = [&](uint32_t e) {
        return std::tuple(graph.track[graph.source[e]] != graph.track[v], graph.evidence[e],
                          graph.source[e]);
    };
    for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
        const TimeNs arrival = graph.time[graph.source[e]] + graph.weight[e];
        if (arrival + graph.delta[v] != graph.time[v]) continue;
        if (best == kNone || rank(e) < rank(best)) best = e;
    }
    return best;
}

namespace {

/// Walks back from the end of the window over tight edges; segments come out last first.
class Walk {
public:
    Walk(const DependencyGraph &graph, TimeRange window, const Progress &progress)
        : m_graph(graph), m_window(window), m_progress(progress) {}

    void run(uint32_t last, TimeNs tail) {
        if (tail > 0) addTail(last);
        uint32_t v = last;
        Evidence out = Evidence::Recorded;
        for (size_t i = 0; m_at > m_window.begin && v != 0; ++i) {
            m_progress.look(i);
            const uint32_t e = tightEdge(m_graph, v);
            const TimeNs explained = m_graph.time[v] - m_graph.delta[v];
            if (m_graph.delta[v] > 0) add(explained, PathSegment::Type::Unexplained, e, v, out);
            addEdge(e, v, out);
            out = m_graph.evidence[e];
            v = m_graph.source[e];
        }
        if (m_at > m_window.begin) {
            PathSegment rest;
            rest.type = PathSegment::Type::Unexplained;
            push(m_window.begin, rest);
        }
    }

    GrowArray<PathSegment> segments;

private:
    void addEdge(uint32_t e, uint32_t v, Evidence out) {
        const TimeNs from = m_graph.time[m_graph.source[e]];
        if (m_graph.activity[e] == kNone) {
            const bool show = m_graph.evidence[e] == Evidence::Assumed;
            if (from < m_at || show) add(from, PathSegment::Type::Lag, e, v, m_graph.evidence[e]);
            return;
        }
        const bool untraced = m_graph.activities[m_graph.activity[e]].interval.row == kNone;
        if (from < m_at)
            add(from, untraced ? PathSegment::Type::Untraced : PathSegment::Type::Activity, e, v,
                out);
    }

    void add(TimeNs begin, PathSegment::Type type, uint32_t e, uint32_t v, Evidence evidence) {
        PathSegment segment;
        segment.type = type;
        segment.edge = m_graph.type[e];
        segment.evidence = evidence;
        segment.track = m_graph.track[v];
        const bool work =
            type == PathSegment::Type::Activity || type == PathSegment::Type::Untraced;
        if (work) {
            const Activity &activity = m_graph.activities[m_graph.activity[e]];
            segment.interval = activity.interval;
            segment.phase = activity.phase;
        } else if (!segments.empty()) {
            // a lag or a wait belongs to what it led to
            segment.interval = segments.back().interval;
            segment.phase = segments.back().phase;
        }
        push(begin, segment);
    }

    void push(TimeNs begin, PathSegment segment) {
        segment.begin = std::max(begin, m_window.begin);
        segment.end = m_at;
        m_at = segment.begin;
        segments.push_back(segment);
    }

    /// A range that ends inside work: what the last track did then.
    void addTail(uint32_t last) {
        const uint32_t track =
            m_graph.track[last] == kNone ? m_graph.stepThread : m_graph.track[last];
        PathSegment segment;
        segment.type = PathSegment::Type::Unexplained;
        segment.track = track;
        if (track != kNone) {
            const auto &nodes = m_graph.byTrack[track].nodes;
            const auto next =
                std::upper_bound(nodes.begin(), nodes.end(), m_window.end,
                                 [&](TimeNs t, uint32_t n) { return t < m_graph.time[n]; });
            for (uint32_t e = next == nodes.end() ? 0 : m_graph.firstEdge[*next];
                 next != nodes.end() && e < m_graph.firstEdge[*next + 1]; ++e) {
                if (m_graph.activity[e] == kNone || m_graph.source[e] != last) continue;
                const Activity &activity = m_graph.activities[m_graph.activity[e]];
                segment.interval = activity.interval;
                segment.phase = activity.phase;
                segment.type = activity.interval.row == kNone ? PathSegment::Type::Untraced
                                                              : PathSegment::Type::Activity;
            }
        }
        push(m_graph.time[last], segment);
    }

    const DependencyGraph &m_graph;
    const TimeRange m_window;
    const Progress &m_progress;
    TimeNs m_at = m_window.end;
};

EvidenceSums sumsOf(const std::vector<PathSegment> &segments) {
    EvidenceSums sums;
    TimeNs *const of[kPathTrustCount] = {&sums.recorded, &sums.inferred, &sums.assumed,
                                         &sums.untraced, &sums.unexplained};
    for (const PathSegment &s : segments) *of[size_t(trustOf(s))] += s.end - s.begin;
    return sums;
}

/// Latest time of every node that does not move the end; a node without a way there may last until
/// it.
std::vector<TimeNs> slackOf(const DependencyGraph &graph, const WindowTerms &terms, TimeNs end,
                            const Progress &progress) {
    constexpr TimeNs open = std::numeric_limits<TimeNs>::max();
    const auto allOpen = [&](size_t count) {
        std::vector<TimeNs> column;
        column.reserve(count);
        while (column.size() < count) {
            progress.look();
            column.resize(std::min(count, column.size() + Progress::kLook), open);
        }
        return column;
    };
    std::vector<TimeNs> latest = allOpen(graph.nodes());
    const TimeNs last = end - terms.tail;
    for (const uint32_t node : terms.ends) latest[node] = last;
    std::vector<TimeNs> slack = allOpen(graph.activities.size());
    for (uint32_t v = graph.nodes(); v-- > 1;) {
        progress.look(v);
        const bool leads = latest[v] != open;
        const TimeNs until = leads ? latest[v] - graph.delta[v] : std::max(last, graph.time[v]);
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            const TimeNs start = until - graph.weight[e];
            TimeNs &source = latest[graph.source[e]];
            if (leads) source = std::min(source, start);
            if (graph.activity[e] == kNone) continue;
            TimeNs &own = slack[graph.activity[e]];
            own = std::min(own, start - graph.time[graph.source[e]]);
        }
    }
    return slack;
}

} // namespace

CriticalPath criticalPath(const Trace &trace, const Steps &steps, const DependencyGraph &graph,
                          const Window &window, const Progress &progress) {
    return criticalPath(graph, windowTerms(trace, steps, graph, window, progress), window,
                        progress);
}

CriticalPath criticalPath(const DependencyGraph &graph, const WindowTerms &terms,
                          const Window &window, const Progress &progress) {
    CriticalPath path;
    path.window = window;
    uint32_t last = kNone;
    windowLength(terms, graph.time, &last);
    Walk walk(graph, window.range, progress);
    walk.run(last, terms.tail);
    path.segments.reserve(walk.segments.size());
    for (size_t i = walk.segments.size(); i-- > 0;) {
        progress.look(i);
        path.segments.push_back(walk.segments[i]);
    }
    path.byEvidence = sumsOf(path.segments);
    path.slack = slackOf(graph, terms, window.range.end, progress);
    return path;
}

} // namespace longpole
