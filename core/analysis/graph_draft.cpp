// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/graph_draft.h"

#include "core/analysis/excerpt.h"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <set>
#include <tuple>

namespace longpole {

std::string_view edgeTypeName(EdgeType type) {
    constexpr std::array<std::string_view, 12> names = {
        "program", "launch", "stream",       "event", "sync",       "copy",
        "handoff", "loader", "backpressure", "graph", "collective", "window"};
    return names[size_t(type)];
}

std::string_view evidenceName(Evidence evidence) {
    constexpr std::array<std::string_view, 3> names = {"recorded", "inferred", "assumed"};
    return names[size_t(evidence)];
}

namespace {

/// The thread of the step markers; without steps the one with most launches, else with most time.
uint32_t findStepThread(const Trace &trace, const Steps &steps, const Progress &progress) {
    if (steps.thread != kNone) return steps.thread;
    std::vector<uint64_t> launches(trace.tracks.size());
    for (size_t i = 0; i < trace.launches.size(); ++i) {
        progress.look(i);
        ++launches[trace.launches[i].call.track];
    }
    const auto most = std::max_element(launches.begin(), launches.end());
    if (most != launches.end() && *most > 0) return uint32_t(most - launches.begin());
    uint32_t best = kNone;
    TimeNs bestTime = -1;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Thread) continue;
        TimeNs time = 0;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            progress.look(row);
            if (track.table->parent[row] == kNone) time += track.table->duration[row];
        }
        if (track.table->size() && time > bestTime) {
            best = t;
            bestTime = time;
        }
    }
    return best;
}

bool allWholeMicroseconds(const Trace &trace, const Progress &progress) {
    for (const Track &track : trace.tracks) {
        if (!track.isResource()) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            progress.look(row);
            if (track.table->duration[row] % 1000) return false;
        }
    }
    return true;
}

} // namespace

GraphDraft::GraphDraft(const Trace &t, const Steps &s, const Phases &p, GraphRules r,
                       const Progress &g)
    : trace(t), steps(s), phases(p), rules(r), progress(g), hosts(t.tracks.size()),
      streams(t.tracks.size()), ops(t.tracks.size()), opEdges(t.tracks.size()),
      stepThread(findStepThread(t, s, g)), wholeUs(allWholeMicroseconds(t, g)) {
    addNode(t.range.begin, kNone);
    size_t calls = 0, work = 0; // room at once: what grows by doubling is copied again and again
    for (const Track &track : t.tracks) {
        const bool host = track.kind == TrackKind::Thread;
        if (host) calls += track.table->sides.size();
        if (track.isResource()) work += track.table->size() * (host ? 2 : 1) + 1;
    }
    m_calls.reserve(calls);
    activities.reserve(work);
    for (uint32_t track = 0; track < t.tracks.size(); ++track) {
        const TrackTable &table = *t.tracks[track].table;
        if (t.tracks[track].kind != TrackKind::Thread || table.side.empty()) continue;
        for (uint32_t row = 0; row < table.size(); ++row) {
            progress.look(row);
            if (const int64_t correlation = table.sideOf(row).correlation; correlation >= 0)
                m_calls.push_back(
                    {ownerOfTrack(track), correlation, t.tracks[track].begin(row), {track, row}});
        }
    }
    sortLooking(
        m_calls,
        [](const Call &a, const Call &b) {
            return std::tie(a.owner, a.correlation, a.begin) <
                   std::tie(b.owner, b.correlation, b.begin);
        },
        progress);
}

IntervalId GraphDraft::callOf(uint32_t owner, int64_t correlation) const {
    look();
    const auto it = std::lower_bound(
        m_calls.begin(), m_calls.end(), std::pair(owner, correlation),
        [](const Call &c, const auto &key) { return std::pair(c.owner, c.correlation) < key; });
    const bool found = it != m_calls.end() && it->owner == owner && it->correlation == correlation;
    return found ? it->id : IntervalId{};
}

EnqueueKey GraphDraft::keyOf(IntervalId call) const {
    look();
    if (!rules.has(GraphRule::EnqueueOrder)) return {trace.begin(call), -1};
    return {trace.begin(call), trace.track(call).table->sideOf(call.row).correlation};
}

size_t GraphDraft::enqueuedBefore(uint32_t stream, EnqueueKey call) const {
    look();
    const auto &enqueued = streams[stream].enqueued;
    return size_t(std::lower_bound(enqueued.begin(), enqueued.end(), call) - enqueued.begin());
}

uint32_t GraphDraft::addNode(TimeNs time, uint32_t track) {
    look();
    times.push_back(time);
    tracks.push_back(track);
    return uint32_t(times.size()) - 1;
}

Lag GraphDraft::learnedSpread(TimeNs typical, LagSpread spread) {
    if (lagSpreads.size() > std::numeric_limits<uint16_t>::max()) return {typical, 0};
    lagSpreads.push_back(spread);
    return {typical, uint16_t(lagSpreads.size() - 1)};
}

uint16_t GraphDraft::unknownLag() {
    if (lagSpreads.size() > std::numeric_limits<uint16_t>::max()) return 0;
    lagSpreads.push_back({0, kUnknownLag});
    return uint16_t(lagSpreads.size() - 1);
}

void GraphDraft::addLag(uint32_t from, uint32_t to, Lag lag, EdgeType type, Evidence evidence) {
    look();
    const TimeNs span = times[to] - times[from];
    if (span < 0 || from == to) {
        ++counters.dropped;
        return;
    }
    counters.clamped += lag.typical > span;
    counters.assumed += evidence == Evidence::Assumed;
    edges.push_back({from, to, std::min(lag.typical, span), kNone, type, evidence, lag.family});
}

uint32_t GraphDraft::addActivity(uint32_t from, uint32_t to, IntervalId interval, EdgeType type) {
    Activity activity;
    activity.interval = interval;
    activity.begin = times[from];
    activity.length = times[to] - times[from];
    const Track &track = trace.tracks[interval.track];
    if (interval.row != kNone) {
        activity.kind = track.table->kind[interval.row];
        activity.phase = phases.of(interval);
    } else {
        activity.phase = phases.rules.other();
    }
    activities.push_back(activity);
    edges.push_back(
        {from, to, activity.length, uint32_t(activities.size()) - 1, type, Evidence::Recorded});
    return uint32_t(edges.size()) - 1;
}

uint32_t GraphDraft::seenEnd(IntervalId op, TimeNs at) {
    const auto [begin, end] = ops[op.track][op.row];
    if (times[end] <= at) return end;
    const uint32_t node = addNode(at, op.track);
    Edge work = edges[opEdges[op.track][op.row]];
    work.to = node;
    work.weight = at - times[begin];
    edges.push_back(work);
    ++counters.skewed;
    return node;
}

size_t GraphDraft::nodeIndexFrom(uint32_t track, TimeNs t) const {
    look();
    const auto &nodes = hosts[track].nodes;
    return size_t(std::lower_bound(nodes.begin(), nodes.end(), t,
                                   [this](uint32_t node, TimeNs v) { return times[node] < v; }) -
                  nodes.begin());
}

uint32_t GraphDraft::nodeFrom(uint32_t track, TimeNs t) const {
    const size_t i = nodeIndexFrom(track, t);
    return i < hosts[track].nodes.size() ? hosts[track].nodes[i] : kNone;
}

uint32_t GraphDraft::nodeUntil(uint32_t track, TimeNs t) const {
    const size_t i = nodeIndexFrom(track, t + 1);
    return i > 0 ? hosts[track].nodes[i - 1] : kNone;
}

void GraphDraft::makeWait(uint32_t track, TimeNs begin, TimeNs end, TimeNs own) {
    const HostLine &line = hosts[track];
    const size_t first = nodeIndexFrom(track, begin);
    size_t last = first; // segments [first, last)
    while (last + 1 < line.nodes.size() && times[line.nodes[last + 1]] <= end) ++last;
    if (last == first) return;
    for (size_t i = first; i < last; ++i) {
        Edge &edge = edges[line.edges[i]];
        edge.weight = 0;
        activities[edge.activity].length = 0;
    }
    // What lies between would hold the end back at its measured times: go past it.
    Edge &edge = edges[line.edges[last - 1]];
    edge.from = line.nodes[first];
    edge.weight = std::min(own, times[edge.to] - times[edge.from]);
    activities[edge.activity].length = edge.weight;
}

namespace {

/// Order of the nodes: by time, and within one instant so that edges run forwards. Edges that close
/// a circle within an instant are dropped, the assumed ones first.
class Ordering {
public:
    Ordering(const GrowArray<TimeNs> &times, GrowArray<GraphDraft::Edge> &edges,
             const Progress &progress)
        : m_times(times), m_edges(edges), m_progress(progress) {
        growTo(m_order, times.size(), progress);
        growTo(m_place, times.size(), progress);
    }

    uint64_t run() {
        std::iota(m_order.begin(), m_order.end(), 0u);
        stableSortLooking(
            m_order, [this](uint32_t a, uint32_t b) { return m_times[a] < m_times[b]; },
            m_progress);
        placeAll();
        collectInstantEdges();
        size_t instants = 0;
        for (size_t from = 0; from < m_order.size();) {
            m_progress.look(instants++);
            size_t to = from + 1;
            while (to < m_order.size() && m_times[m_order[to]] == m_times[m_order[from]]) ++to;
            if (to - from > 1) orderInstant(from, to);
            from = to;
        }
        placeAll();
        drop();
        return m_dropped.size();
    }

    /// Nodes whose last edge was dropped.
    const std::vector<uint32_t> &orphans() const { return m_orphans; }

    const std::vector<uint32_t> &place() const { return m_place; }
    const std::vector<uint32_t> &order() const { return m_order; }

private:
    void placeAll() {
        for (uint32_t i = 0; i < m_order.size(); ++i) {
            m_progress.look(i);
            m_place[m_order[i]] = i;
        }
    }

    void drop() {
        if (m_dropped.empty()) return;
        for (const uint32_t e : m_dropped) {
            m_edges[e].from = kNone;
            m_orphans.push_back(m_edges[e].to);
        }
        std::vector<bool> reached(m_times.size());
        for (size_t e = 0; e < m_edges.size(); ++e) {
            m_progress.look(e);
            if (m_edges[e].from != kNone) reached[m_edges[e].to] = true;
        }
        std::sort(m_orphans.begin(), m_orphans.end());
        m_orphans.erase(std::unique(m_orphans.begin(), m_orphans.end()), m_orphans.end());
        std::erase_if(m_orphans, [&](uint32_t node) { return reached[node]; });
    }

    /// Edges whose ends lie in one instant, by target.
    void collectInstantEdges() {
        growTo(m_waiting, m_times.size(), m_progress);
        for (uint32_t e = 0; e < m_edges.size(); ++e) {
            m_progress.look(e);
            if (m_times[m_edges[e].from] != m_times[m_edges[e].to]) continue;
            m_instant.push_back(e);
            ++m_waiting[m_edges[e].to];
        }
        sortLooking(
            m_instant, [this](uint32_t a, uint32_t b) { return m_edges[a].from < m_edges[b].from; },
            m_progress);
    }

    void orderInstant(size_t from, size_t to) {
        std::vector<uint32_t> members(m_order.begin() + long(from), m_order.begin() + long(to));
        std::sort(members.begin(), members.end());
        std::deque<uint32_t> ready;
        for (const uint32_t node : members)
            if (!m_waiting[node]) ready.push_back(node);
        size_t at = from;
        std::vector<bool> done(members.size());
        while (at < to) {
            if (ready.empty()) {
                breakCircle(members, done, ready);
                continue;
            }
            const uint32_t node = ready.front();
            ready.pop_front();
            m_order[at++] = node;
            done[size_t(std::lower_bound(members.begin(), members.end(), node) - members.begin())] =
                true;
            for (auto e = firstFrom(node); e != m_instant.end() && m_edges[*e].from == node; ++e)
                if (!m_dropped.contains(*e) && --m_waiting[m_edges[*e].to] == 0)
                    ready.push_back(m_edges[*e].to);
        }
    }

    std::vector<uint32_t>::iterator firstFrom(uint32_t node) {
        return std::lower_bound(m_instant.begin(), m_instant.end(), node,
                                [this](uint32_t e, uint32_t n) { return m_edges[e].from < n; });
    }

    /// Drops the weakest edges into what is left of the instant until something can go on.
    void breakCircle(const std::vector<uint32_t> &members, const std::vector<bool> &done,
                     std::deque<uint32_t> &ready) {
        for (const Evidence weakest : {Evidence::Assumed, Evidence::Inferred, Evidence::Recorded}) {
            for (size_t i = 0; i < members.size(); ++i) {
                if (done[i]) continue;
                for (auto e = firstFrom(members[i]);
                     e != m_instant.end() && m_edges[*e].from == members[i]; ++e) {
                    const GraphDraft::Edge &edge = m_edges[*e];
                    if (edge.evidence != weakest || !m_dropped.insert(*e).second) continue;
                    if (--m_waiting[edge.to] == 0) ready.push_back(edge.to);
                }
            }
            if (!ready.empty()) return;
        }
    }

    const GrowArray<TimeNs> &m_times;
    GrowArray<GraphDraft::Edge> &m_edges; ///< those that are dropped come from kNone
    const Progress &m_progress;
    std::vector<uint32_t> m_order, m_place, m_waiting, m_instant, m_orphans;
    std::set<uint32_t> m_dropped; ///< edges
};

/// Gives every node what its edges do not explain; small residuals go onto the lag that binds (R8).
void explain(DependencyGraph &graph, GraphRules rules, const Progress &progress) {
    growTo(graph.delta, graph.nodes(), progress);
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        progress.look(v);
        TimeNs best = std::numeric_limits<TimeNs>::min();
        uint32_t binding = kNone;
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            const TimeNs arrival = graph.time[graph.source[e]] + graph.weight[e];
            if (arrival <= best) continue;
            best = arrival;
            binding = e;
        }
        const TimeNs residual = graph.time[v] - best;
        const bool lag =
            graph.activity[binding] == kNone && graph.type[binding] != EdgeType::Window;
        if (lag && rules.has(GraphRule::ResidualOnLag) &&
            residual <= kGraphThresholds.residualOnLag)
            graph.weight[binding] += residual;
        else
            graph.delta[v] = residual;
    }
}

} // namespace

DependencyGraph GraphDraft::finish() {
    // whatever nothing leads to begins with the capture
    std::vector<bool> reached(times.size());
    for (size_t e = 0; e < edges.size(); ++e) {
        progress.look(e);
        reached[edges[e].to] = true;
    }
    for (uint32_t node = 1; node < times.size(); ++node) {
        progress.look(node);
        if (!reached[node])
            edges.push_back({0, node, 0, kNone, EdgeType::Window, Evidence::Recorded});
    }

    DependencyGraph graph;
    Ordering ordering(times, edges, progress);
    counters.dropped += ordering.run();
    for (const uint32_t node : ordering.orphans())
        edges.push_back({0, node, 0, kNone, EdgeType::Window, Evidence::Recorded});
    const auto &order = ordering.order();
    const auto &place = ordering.place();
    growTo(graph.time, order.size(), progress);
    growTo(graph.track, order.size(), progress);
    for (uint32_t i = 0; i < order.size(); ++i) {
        progress.look(i);
        graph.time[i] = times[order[i]];
        graph.track[i] = tracks[order[i]];
    }
    std::vector<uint32_t> next;
    growTo(next, order.size() + 1, progress);
    for (size_t e = 0; e < edges.size(); ++e) {
        progress.look(e);
        if (edges[e].from != kNone) ++next[place[edges[e].to] + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    progress.look();
    graph.firstEdge = next;
    growTo(graph.source, next.back(), progress);
    growTo(graph.weight, next.back(), progress);
    growTo(graph.activity, next.back(), progress);
    growTo(graph.type, next.back(), progress);
    growTo(graph.evidence, next.back(), progress);
    growTo(graph.lagFamily, next.back(), progress);
    for (size_t e = 0; e < edges.size(); ++e) {
        progress.look(e);
        const Edge &edge = edges[e];
        if (edge.from == kNone) continue;
        const uint32_t at = next[place[edge.to]]++;
        graph.source[at] = place[edge.from];
        graph.weight[at] = edge.weight;
        graph.activity[at] = edge.activity;
        graph.type[at] = edge.type;
        graph.evidence[at] = edge.evidence;
        graph.lagFamily[at] = edge.family;
    }
    times = {}; // one after the other: giving back much memory takes time as well
    progress.look();
    tracks = {};
    progress.look();
    edges = {};
    progress.look();
    hosts.clear();
    progress.look();
    graph.lagSpreads = std::move(lagSpreads);
    graph.activities = std::move(activities);
    graph.counters = counters;
    graph.stepThread = stepThread;
    graph.byTrack.resize(trace.tracks.size());
    std::vector<uint32_t> onTrack(graph.byTrack.size());
    for (uint32_t i = 1; i < order.size(); ++i) {
        progress.look(i);
        ++onTrack[graph.track[i]];
    }
    for (size_t t = 0; t < onTrack.size(); ++t) graph.byTrack[t].nodes.reserve(onTrack[t]);
    for (uint32_t i = 1; i < order.size(); ++i) {
        progress.look(i);
        graph.byTrack[graph.track[i]].nodes.push_back(i);
    }
    for (auto &column : ops)
        for (size_t i = 0; i < column.size(); ++i) {
            progress.look(i);
            DependencyGraph::OpNodes &op = column[i];
            if (op.begin != kNone) op = {place[op.begin], place[op.end]};
        }
    graph.opNodes = std::move(ops);
    explain(graph, rules, progress);
    return graph;
}

uint32_t DependencyGraph::nodeAtOrBefore(uint32_t onTrack, TimeNs t) const {
    const auto &list = byTrack[onTrack].nodes;
    const auto after = std::upper_bound(list.begin(), list.end(), t,
                                        [this](TimeNs v, uint32_t node) { return v < time[node]; });
    return after == list.begin() ? kNone : *(after - 1);
}

Result<DependencyGraph> buildGraph(const Trace &trace, const Steps &steps, const Phases &phases,
                                   Progress &progress, GraphRules rules) {
    if (!trace.hasResources())
        return Error{
            ErrorKind::Impossible, "no_work",
            "The trace has no thread and no stream with an interval, so there is no path."};
    if (auto kept = excerptGraph(trace, phases)) return std::move(*kept);
    try {
        GraphDraft draft(trace, steps, phases, rules, progress);
        for (auto *step :
             {addHosts, addStreams, addDefaultStream, addGraphs, addFlows, addWaits, addPolls,
              addEventWaits, addBackPressure, addLoader, addHandoffs, addCoincidences}) {
            step(draft);
            progress.look();
        }
        return draft.finish();
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
