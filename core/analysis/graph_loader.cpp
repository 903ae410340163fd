// SPDX-License-Identifier: Apache-2.0
// R5, E13: a training loop that waits for its data loader. Where the workers are in the trace, the
// batch that a call waited for is a piece of work of theirs; where not, the time between the
// batches is.
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

constexpr TimeNs kWaitLeast = 200'000;  ///< shorter calls did not wait
constexpr TimeNs kCoincidence = 50'000; ///< from the worker's end to the return of the call
constexpr int64_t kMostShift = 64;      ///< batches that may be ready before the first call

bool isConsumer(std::string_view name) {
    return name.find("DataLoader") != name.npos && name.ends_with("__next__") &&
           name.find("_SingleProcess") == name.npos;
}

class Loader {
public:
    Loader(GraphDraft &draft, uint32_t track)
        : m_draft(draft), m_trace(draft.trace), m_track(track) {}

    void run() {
        findCalls();
        if (m_calls.empty()) return;
        learnOwn();
        if (findProducers())
            linkWorkers();
        else
            linkUntraced();
    }

private:
    TimeNs begin(IntervalId id) const { return m_trace.begin(id); }
    TimeNs end(IntervalId id) const { return m_trace.end(id); }
    TimeNs length(IntervalId id) const { return end(id) - begin(id); }

    void findCalls() {
        const TrackTable &table = *m_trace.tracks[m_track].table;
        for (uint32_t row = 0; row < table.size(); ++row)
            if (isConsumer(m_trace.tracks[m_track].nameOf(row)) &&
                (table.parent[row] == kNone ||
                 !isConsumer(m_trace.tracks[m_track].nameOf(table.parent[row]))))
                m_calls.push_back({m_track, row});
        std::sort(m_calls.begin(), m_calls.end(),
                  [this](IntervalId a, IntervalId b) { return begin(a) < begin(b); });
    }

    /// Own cost of a waiting call: the median of those that did not wait.
    void learnOwn() {
        std::vector<TimeNs> lengths, idle;
        for (const IntervalId call : m_calls) lengths.push_back(length(call));
        m_waitLeast = std::max(kWaitLeast, 5 * quantileOf(lengths, 0.1));
        for (const TimeNs l : lengths)
            if (l < kWaitLeast) idle.push_back(l);
        m_own = idle.empty() ? std::min(lengths.front(), kGraphThresholds.ownSyncCost)
                             : quantileOf(idle, 0.5);
    }

    bool waits(IntervalId call) const { return length(call) >= kWaitLeast; }

    /// Same-named top-level ranges of threads that launch nothing, and the shift with which they
    /// feed the calls: none may end behind its call, and the ends must coincide with returns.
    bool findProducers() {
        std::map<std::string_view, std::vector<IntervalId>> named;
        std::vector<bool> launches(m_trace.tracks.size());
        for (const Launch &launch : m_trace.launches) launches[launch.call.track] = true;
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            if (t == m_track || launches[t] || m_draft.hosts[t].empty()) continue;
            if (m_draft.fileOf(t) != m_draft.fileOf(m_track)) continue;
            const TrackTable &table = *m_trace.tracks[t].table;
            for (uint32_t row = 0; row < table.size(); ++row)
                if (table.parent[row] == kNone)
                    named[m_trace.tracks[t].nameOf(row)].push_back({t, row});
        }
        size_t best = 0;
        for (auto &[name, ids] : named) {
            for (const std::vector<IntervalId> &order : {roundRobin(ids), byBegin(ids)}) {
                for (int64_t shift = -kMostShift; shift <= kMostShift; ++shift) {
                    const size_t hits = coincidences(order, shift);
                    if (hits <= best) continue;
                    best = hits;
                    m_producers = order;
                    m_shift = shift;
                }
            }
        }
        return best > 0;
    }

    std::vector<IntervalId> byBegin(std::vector<IntervalId> ids) const {
        std::sort(ids.begin(), ids.end(), [this](IntervalId a, IntervalId b) {
            return std::pair(begin(a), a) < std::pair(begin(b), b);
        });
        return ids;
    }

    /// Batches are dealt out in turn, whoever is late: the first of each worker, the second of each
    /// …
    std::vector<IntervalId> roundRobin(const std::vector<IntervalId> &ids) const {
        std::vector<std::vector<IntervalId>> workers;
        std::map<uint32_t, size_t> number;
        for (const IntervalId id : byBegin(ids)) {
            const auto [it, isNew] = number.try_emplace(id.track, workers.size());
            if (isNew) workers.emplace_back();
            workers[it->second].push_back(id);
        }
        std::vector<IntervalId> order;
        for (size_t turn = 0; order.size() < ids.size(); ++turn)
            for (const auto &worker : workers)
                if (turn < worker.size()) order.push_back(worker[turn]);
        return order;
    }

    const IntervalId *producerOf(const std::vector<IntervalId> &producers, size_t call,
                                 int64_t shift) const {
        const int64_t i = int64_t(call) + shift;
        return i >= 0 && i < int64_t(producers.size()) ? &producers[size_t(i)] : nullptr;
    }

    /// 0 where some batch would be ready only behind the call that took it.
    size_t coincidences(const std::vector<IntervalId> &producers, int64_t shift) const {
        size_t hits = 0;
        for (size_t k = 0; k < m_calls.size(); ++k) {
            const IntervalId *producer = producerOf(producers, k, shift);
            if (!producer) continue;
            const TimeNs after = end(m_calls[k]) - end(*producer);
            if (after < 0) return 0;
            hits += after <= kCoincidence && waits(m_calls[k]);
        }
        return hits;
    }

    uint32_t endNode(IntervalId id) const { return m_draft.nodeUntil(id.track, end(id)); }

    void linkWorkers() {
        for (size_t k = 0; k < m_calls.size(); ++k) {
            const IntervalId *producer = producerOf(m_producers, k, m_shift);
            if (!producer) continue;
            const TimeNs after = end(m_calls[k]) - end(*producer);
            const bool waited = waits(m_calls[k]) && end(*producer) > begin(m_calls[k]);
            if (waited) m_draft.makeWait(m_track, begin(m_calls[k]), end(m_calls[k]), m_own);
            const bool close = waited && after <= kCoincidence;
            m_draft.addLag(endNode(*producer), endNode(m_calls[k]), close ? after : 0,
                           EdgeType::Loader, waited ? Evidence::Inferred : Evidence::Assumed);
        }
        linkPrefetch();
    }

    /// A worker begins a batch when the loop has taken one so many calls before: the least number
    /// that nothing in the trace contradicts.
    void linkPrefetch() {
        const int64_t calls = int64_t(m_calls.size()), producers = int64_t(m_producers.size());
        const auto taken = [&](int64_t producer, int64_t ahead) -> const IntervalId * {
            const int64_t k = producer - m_shift - ahead;
            return k >= 0 && k < calls ? &m_calls[size_t(k)] : nullptr;
        };
        const auto fits = [&](int64_t ahead) {
            for (int64_t i = 0; i < producers; ++i)
                if (const IntervalId *call = taken(i, ahead);
                    call && begin(m_producers[size_t(i)]) < end(*call))
                    return false;
            return true;
        };
        int64_t ahead = 1;
        while (ahead < kMostShift && !fits(ahead)) ++ahead;
        if (ahead == kMostShift) return;
        for (int64_t i = 0; i < producers; ++i) {
            const IntervalId producer = m_producers[size_t(i)];
            const size_t at = m_draft.nodeIndexFrom(producer.track, begin(producer));
            const HostLine &line = m_draft.hosts[producer.track];
            const IntervalId *call = taken(i, ahead);
            if (!call || at == 0 || line.rows[at - 1] != kNone) continue;
            const TimeNs idleSince = m_draft.times[line.nodes[at - 1]];
            if (begin(producer) - idleSince < kGraphThresholds.idleGap) continue;
            m_draft.makeWait(producer.track, idleSince, begin(producer), 0);
            const TimeNs lag = begin(producer) - end(*call);
            m_draft.addLag(endNode(*call), line.nodes[at], lag <= kCoincidence ? lag : 0,
                           EdgeType::Loader, Evidence::Assumed);
        }
    }

    /// Without workers in the trace: a producer that nobody saw needs the time between two batches.
    void linkUntraced() {
        uint32_t before = kNone;
        for (const IntervalId call : m_calls) {
            if (length(call) < m_waitLeast) continue;
            const uint32_t ready = m_draft.addNode(end(call), m_track);
            if (before == kNone) before = m_draft.nodeFrom(m_track, begin(m_calls.front()));
            m_draft.addActivity(before, ready, call, EdgeType::Loader);
            m_draft.makeWait(m_track, begin(call), end(call), m_own);
            m_draft.addLag(ready, endNode(call), 0, EdgeType::Loader, Evidence::Assumed);
            before = ready;
        }
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    const uint32_t m_track;
    std::vector<IntervalId> m_calls, m_producers;
    int64_t m_shift = 0;
    TimeNs m_own = 0, m_waitLeast = kWaitLeast;
};

} // namespace

void addLoader(GraphDraft &draft) {
    if (!draft.rules.has(GraphRule::Loader)) return;
    for (uint32_t t = 0; t < draft.trace.tracks.size(); ++t)
        if (draft.trace.tracks[t].kind == TrackKind::Thread && !draft.hosts[t].empty())
            Loader(draft, t).run();
}

} // namespace longpole
