// SPDX-License-Identifier: Apache-2.0
// E11: CUDA graphs, of which one launch starts many operations. Which of them need which is not
// recorded: an operation is taken to need the last one that had ended before it, and where the same
// graph ran three times or more, only one that had ended before it each time (analysis.md §2.5).
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

constexpr size_t kMostNeeded = 16; ///< how many earlier operations are tried for each one
constexpr size_t kMostPairs = 64;  ///< between the last operations of one graph and the next one's

/// One run of a graph.
struct Execution {
    IntervalId call; ///< invalid: launched before the records begin
    EnqueueKey key;
    std::vector<IntervalId> ops; ///< by begin
    uint32_t stream = kNone;     ///< the track that holds most of them: taken as the launch's own
    std::vector<size_t> place;   ///< of each operation among those of all runs; see Graph
};

/// The runs of one graph. Their operations are matched by name: the second of that name here is the
/// second of that name there.
struct Graph {
    std::vector<Execution *> runs;
};

class Executions {
public:
    explicit Executions(GraphDraft &draft) : m_draft(draft), m_trace(draft.trace) {}

    void run() {
        collect();
        if (m_executions.empty()) return;
        std::map<std::vector<std::string_view>, Graph> graphs;
        for (Execution &execution : m_executions) {
            m_draft.progress.look();
            graphs[signatureOf(execution)].runs.push_back(&execution);
        }
        for (auto &[names, graph] : graphs) orderInside(graph);
        addLinks();
        orderOutside();
    }

private:
    TimeNs begin(IntervalId id) const { return m_trace.begin(id); }
    TimeNs end(IntervalId id) const { return m_trace.end(id); }
    const DependencyGraph::OpNodes &nodes(IntervalId id) const {
        return m_draft.ops[id.track][id.row];
    }

    void collect() {
        std::map<std::pair<uint32_t, int64_t>, std::vector<IntervalId>> unlinked;
        for (uint32_t t = 0; t < m_draft.streams.size(); ++t) {
            const TrackTable &table = *m_trace.tracks[t].table;
            size_t count = 0;
            for (const uint32_t row : m_draft.streams[t].rows) {
                if (++count % 4096 == 0) m_draft.progress.look();
                if (const int64_t correlation = table.sideOf(row).correlation;
                    correlation >= 0 && !m_trace.callOf({t, row}).valid())
                    unlinked[{m_draft.ownerOfTrack(t), correlation}].push_back({t, row});
            }
        }
        for (const auto &[key, ops] : unlinked)
            if (ops.size() > 1) add({}, ops);
        for (uint32_t t = 0; t < m_draft.hosts.size(); ++t) {
            const TrackTable &table = *m_trace.tracks[t].table;
            if (m_draft.hosts[t].empty()) continue;
            for (uint32_t row = 0; row < table.size(); ++row) {
                m_draft.progress.look(row);
                if (table.kind[row] != Kind::GraphLaunch) continue;
                const std::vector<IntervalId> ops = m_trace.opsOf({t, row});
                if (ops.size() > 1) add({t, row}, ops);
            }
        }
        std::sort(m_executions.begin(), m_executions.end(),
                  [this](const Execution &a, const Execution &b) {
                      return std::pair(a.key, begin(a.ops.front())) <
                             std::pair(b.key, begin(b.ops.front()));
                  });
    }

    void add(IntervalId call, std::vector<IntervalId> ops) {
        m_draft.progress.look();
        std::sort(ops.begin(), ops.end(), [this](IntervalId a, IntervalId b) {
            return std::tuple(begin(a), end(a), a) < std::tuple(begin(b), end(b), b);
        });
        std::map<uint32_t, size_t> onStream;
        for (const IntervalId op : ops) ++onStream[op.track];
        Execution &execution = m_executions.emplace_back();
        execution.stream =
            std::max_element(onStream.begin(), onStream.end(), [](const auto &a, const auto &b) {
                return a.second < b.second;
            })->first;
        execution.call = call;
        if (call.valid()) execution.key = m_draft.keyOf(call);
        execution.ops = std::move(ops);
    }

    /// The sorted names of its operations tell one graph from another.
    std::vector<std::string_view> signatureOf(Execution &execution) const {
        std::vector<std::pair<std::string_view, size_t>> named;
        for (size_t i = 0; i < execution.ops.size(); ++i)
            named.emplace_back(m_trace.name(execution.ops[i]), i);
        std::sort(named.begin(), named.end());
        execution.place.resize(named.size());
        std::vector<std::string_view> names;
        for (size_t i = 0; i < named.size(); ++i) {
            execution.place[named[i].second] = i;
            names.push_back(named[i].first);
        }
        return names;
    }

    /// An operation by its place, in one run of a graph.
    static std::vector<IntervalId> byPlace(const Execution &execution) {
        std::vector<IntervalId> ops(execution.ops.size());
        for (size_t i = 0; i < ops.size(); ++i) ops[execution.place[i]] = execution.ops[i];
        return ops;
    }

    void orderInside(const Graph &graph) {
        std::vector<std::vector<IntervalId>> runs;
        for (const Execution *execution : graph.runs) runs.push_back(byPlace(*execution));
        const bool known = runs.size() >= kGraphThresholds.graphRuns;
        if (known) {
            const auto before = alwaysBefore(*graph.runs.front(), runs);
            for (const auto &ops : runs) link(ops, before, Evidence::Inferred);
        } else {
            for (size_t r = 0; r < runs.size(); ++r)
                link(runs[r], lastBefore(*graph.runs[r]), Evidence::Assumed);
        }
    }

    /// Each operation needs the one that ended last, of those that it may need.
    void link(const std::vector<IntervalId> &ops, const std::vector<std::vector<size_t>> &before,
              Evidence evidence) {
        for (size_t v = 0; v < ops.size(); ++v) {
            if (v % 4096 == 0) m_draft.progress.look();
            size_t best = ops.size();
            for (const size_t u : before[v])
                if (best == ops.size() || end(ops[u]) > end(ops[best])) best = u;
            // the order of a stream stands already
            if (best == ops.size() || ops[best].track == ops[v].track) continue;
            m_links[{nodes(ops[best]).end, nodes(ops[v]).begin}] = evidence;
        }
    }

    /// For each operation, by place, those that ended last before it began.
    std::vector<std::vector<size_t>> lastBefore(const Execution &execution) const {
        std::vector<size_t> byEnd(execution.ops.size());
        for (size_t i = 0; i < byEnd.size(); ++i) byEnd[i] = i;
        std::sort(byEnd.begin(), byEnd.end(), [&](size_t a, size_t b) {
            return std::pair(end(execution.ops[a]), a) < std::pair(end(execution.ops[b]), b);
        });
        std::vector<std::vector<size_t>> before(execution.ops.size());
        size_t ended = 0;
        for (size_t v = 0; v < execution.ops.size(); ++v) {
            if (v % 4096 == 0) m_draft.progress.look();
            while (ended < byEnd.size() &&
                   end(execution.ops[byEnd[ended]]) <= begin(execution.ops[v]))
                ++ended;
            for (size_t n = 0; n < std::min(ended, kMostNeeded); ++n)
                if (byEnd[ended - 1 - n] < v)
                    before[execution.place[v]].push_back(execution.place[byEnd[ended - 1 - n]]);
        }
        return before;
    }

    /// Of those, the ones that had ended before it in every run.
    std::vector<std::vector<size_t>>
    alwaysBefore(const Execution &first, const std::vector<std::vector<IntervalId>> &runs) const {
        std::vector<std::vector<size_t>> before = lastBefore(first);
        for (size_t v = 0; v < before.size(); ++v) {
            if (v % 64 == 0) m_draft.progress.look();
            std::erase_if(before[v], [&](size_t u) {
                return std::any_of(runs.begin(), runs.end(),
                                   [&](const auto &ops) { return end(ops[u]) > begin(ops[v]); });
            });
        }
        return before;
    }

    /// Lags as far as what was needed had just ended.
    void addLinks() {
        std::vector<TimeNs> samples;
        for (const auto &[link, evidence] : m_links) {
            if (samples.size() % 4096 == 0) m_draft.progress.look();
            if (const TimeNs gap = m_draft.times[link.second] - m_draft.times[link.first];
                gap <= kGraphThresholds.coincidence)
                samples.push_back(gap);
        }
        Lag lag;
        if (samples.size() >= kGraphThresholds.launchSamplesAll)
            lag = m_draft.learned(quantileOf(samples, 0.5, m_draft.progress), samples);
        for (const auto &[link, evidence] : m_links)
            m_draft.addLag(link.first, link.second, lag, EdgeType::Graph, evidence);
    }

    /// A graph as a whole stands in the order of the stream that it was launched on. What of it ran
    /// on other streams is joined with what came before and behind.
    void orderOutside() {
        std::map<uint32_t, std::vector<const Execution *>> byStream;
        std::map<IntervalId, const Execution *> partOf;
        for (const Execution &execution : m_executions) {
            m_draft.progress.look();
            byStream[execution.stream].push_back(&execution);
            for (const IntervalId op : execution.ops) partOf[op] = &execution;
        }
        for (const auto &[stream, executions] : byStream)
            for (const Execution *execution : executions) {
                if (!execution->call.valid()) continue;
                const auto &line = m_draft.streams[stream];
                const size_t first = m_draft.enqueuedBefore(stream, execution->key);
                size_t next = first;
                while (next < line.rows.size() && line.enqueued[next] <= execution->key) ++next;
                if (first > 0) {
                    const auto before = partOf.find({stream, line.rows[first - 1]});
                    if (before == partOf.end()) // what is another graph joins from its own side
                        join({{stream, line.rows[first - 1]}}, rootsOf(*execution));
                }
                if (next == line.rows.size()) continue;
                const IntervalId op{stream, line.rows[next]};
                const auto behind = partOf.find(op);
                join(lastOf(*execution),
                     behind == partOf.end() ? std::vector{op} : rootsOf(*behind->second));
            }
    }

    /// Operations before whose begin none of their run had ended.
    std::vector<IntervalId> rootsOf(const Execution &execution) const {
        TimeNs firstEnd = std::numeric_limits<TimeNs>::max();
        for (const IntervalId op : execution.ops) firstEnd = std::min(firstEnd, end(op));
        std::vector<IntervalId> roots;
        for (const IntervalId op : execution.ops)
            if (begin(op) < firstEnd) roots.push_back(op);
        return roots;
    }
    /// Operations behind whose end none of their run began.
    std::vector<IntervalId> lastOf(const Execution &execution) const {
        const TimeNs lastBegin = begin(execution.ops.back());
        std::vector<IntervalId> last;
        for (const IntervalId op : execution.ops)
            if (end(op) > lastBegin) last.push_back(op);
        return last;
    }

    void join(const std::vector<IntervalId> &from, const std::vector<IntervalId> &to) {
        if (from.size() * to.size() > kMostPairs) return;
        for (const IntervalId u : from)
            for (const IntervalId v : to)
                if (u.track != v.track && end(u) <= begin(v))
                    m_draft.addLag(nodes(u).end, nodes(v).begin, m_draft.streams[v.track].gap,
                                   EdgeType::Graph, Evidence::Assumed);
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    std::vector<Execution> m_executions;                       ///< in the order of their launches
    std::map<std::pair<uint32_t, uint32_t>, Evidence> m_links; ///< by nodes
};

} // namespace

void addGraphs(GraphDraft &draft) {
    Executions(draft).run();
}

} // namespace longpole
