// SPDX-License-Identifier: Apache-2.0
// R5, E13: a training loop that waits for its data loader. Where the workers are in the trace, the
// batch that a call waited for is a piece of work of theirs; where not, the time between the
// batches is.
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <set>

namespace longpole {

namespace {

constexpr TimeNs kWaitLeast = 200'000;  ///< shorter calls did not wait
constexpr TimeNs kCoincidence = 50'000; ///< from the worker's end to the return of the call
constexpr int64_t kMostShift = 64;      ///< batches that may be ready before the first call

bool isConsumer(std::string_view name) {
    return name.find("DataLoader") != name.npos && name.ends_with("__next__") &&
           name.find("_SingleProcess") == name.npos;
}

/// Something that was taken from a queue: when, and whether its taker had waited for it.
struct Take {
    TimeNs at = 0;
    bool waited = false;
};

/// Pieces of work of which number k + shift made what was taken as number k.
struct Feed {
    std::vector<IntervalId> work;
    int64_t shift = 0;

    const IntervalId *of(size_t take) const {
        const int64_t i = int64_t(take) + shift;
        return i >= 0 && i < int64_t(work.size()) ? &work[size_t(i)] : nullptr;
    }
};

class Loader {
public:
    Loader(GraphDraft &draft, uint32_t track)
        : m_draft(draft), m_trace(draft.trace), m_track(track) {}

    void run() {
        findCalls();
        if (m_calls.empty()) return;
        m_workers =
            m_trace.name(m_calls.front()).find("_MultiProcessing") != std::string_view::npos;
        learnOwn();
        std::vector<Take> takes;
        for (const IntervalId call : m_calls) takes.push_back({end(call), waits(call)});
        std::set<uint32_t> tracks{m_track};
        const Feed workers = findFeed(takes, tracks);
        if (workers.work.empty()) return linkUntraced();
        linkCalls(workers);
        for (const IntervalId id : workers.work) tracks.insert(id.track);
        linkBegins(workers, tracks);
    }

private:
    TimeNs begin(IntervalId id) const { return m_trace.begin(id); }
    TimeNs end(IntervalId id) const { return m_trace.end(id); }
    TimeNs length(IntervalId id) const { return end(id) - begin(id); }

    void findCalls() {
        const TrackTable &table = *m_trace.tracks[m_track].table;
        for (uint32_t row = 0; row < table.size(); ++row) {
            if (row % 4096 == 0) m_draft.progress.look();
            if (isConsumer(m_trace.tracks[m_track].nameOf(row)) &&
                (table.parent[row] == kNone ||
                 !isConsumer(m_trace.tracks[m_track].nameOf(table.parent[row]))))
                m_calls.push_back({m_track, row});
        }
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
    /// feed the takes: none may end behind its take, and ends must coincide with takes that waited.
    Feed findFeed(const std::vector<Take> &takes, const std::set<uint32_t> &without) const {
        std::map<std::string_view, std::vector<IntervalId>> named;
        std::vector<bool> launches(m_trace.tracks.size());
        for (size_t i = 0; i < m_trace.launches.size(); ++i) {
            m_draft.progress.look(i);
            launches[m_trace.launches[i].call.track] = true;
        }
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            if (without.contains(t) || launches[t] || m_draft.hosts[t].empty()) continue;
            if (m_draft.fileOf(t) != m_draft.fileOf(m_track)) continue;
            const TrackTable &table = *m_trace.tracks[t].table;
            for (uint32_t row = 0; row < table.size(); ++row) {
                if (row % 4096 == 0) m_draft.progress.look();
                if (table.parent[row] == kNone)
                    named[m_trace.tracks[t].nameOf(row)].push_back({t, row});
            }
        }
        Feed best;
        size_t bestHits = 0;
        for (auto &[name, ids] : named) {
            for (const std::vector<IntervalId> &order : {roundRobin(ids), byBegin(ids)}) {
                Feed feed{order, 0};
                for (feed.shift = -kMostShift; feed.shift <= kMostShift; ++feed.shift) {
                    m_draft.progress.look();
                    const size_t hits = coincidences(feed, takes);
                    if (hits <= bestHits) continue;
                    bestHits = hits;
                    best = feed;
                }
            }
        }
        return best;
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

    /// 0 where something would be ready only behind its take.
    size_t coincidences(const Feed &feed, const std::vector<Take> &takes) const {
        size_t hits = 0;
        for (size_t k = 0; k < takes.size(); ++k) {
            const IntervalId *work = feed.of(k);
            if (!work) continue;
            const TimeNs after = takes[k].at - end(*work);
            if (after < 0) return 0;
            hits += after <= kCoincidence && takes[k].waited;
        }
        return hits;
    }

    uint32_t endNode(IntervalId id) const { return m_draft.nodeUntil(id.track, end(id)); }

    /// What is taken needs what made it; the lag is known where the taker waited for it.
    void linkTake(IntervalId work, uint32_t taken, bool waited) {
        const TimeNs after = m_draft.times[taken] - end(work);
        m_draft.addLag(endNode(work), taken, waited && after <= kCoincidence ? after : 0,
                       EdgeType::Loader, waited ? Evidence::Inferred : Evidence::Assumed);
    }

    void linkCalls(const Feed &workers) {
        for (size_t k = 0; k < m_calls.size(); ++k) {
            const IntervalId *work = workers.of(k);
            if (!work) continue;
            const bool waited = waits(m_calls[k]) && end(*work) > begin(m_calls[k]);
            if (waited) m_draft.makeWait(m_track, begin(m_calls[k]), end(m_calls[k]), m_own);
            linkTake(*work, endNode(m_calls[k]), waited);
        }
    }

    /// Since when a thread had nothing to do before a piece of its work; its begin where it had.
    TimeNs idleSince(IntervalId id) const {
        const size_t at = m_draft.nodeIndexFrom(id.track, begin(id));
        const HostLine &line = m_draft.hosts[id.track];
        if (at == 0 || line.rows[at - 1] != kNone) return begin(id);
        const TimeNs since = m_draft.times[line.nodes[at - 1]];
        return begin(id) - since < kGraphThresholds.idleGap ? begin(id) : since;
    }
    uint32_t beginNode(IntervalId id) const { return m_draft.nodeFrom(id.track, begin(id)); }

    /// What the workers waited for: the loop that takes their batches, or, where they only pass
    /// batches on (a pinning thread), whoever makes them.
    void linkBegins(const Feed &workers, const std::set<uint32_t> &tracks) {
        const int64_t ahead = prefetched(workers);
        if (limitedByLoop(workers, ahead)) return linkPrefetch(workers, ahead);
        std::vector<Take> takes;
        for (const IntervalId id : workers.work)
            takes.push_back({begin(id), idleSince(id) < begin(id)});
        Feed makers = findFeed(takes, tracks);
        if (makers.work.empty()) return linkUntraced(workers);
        for (size_t i = 0; i < takes.size(); ++i) {
            const IntervalId *work = makers.of(i), passed = workers.work[i];
            if (!work) continue;
            if (takes[i].waited)
                m_draft.makeWait(passed.track, idleSince(passed), begin(passed), 0);
            linkTake(*work, beginNode(passed), takes[i].waited);
        }
        makers.shift += workers.shift;
        linkPrefetch(makers, prefetched(makers));
    }

    /// The call after which a worker may begin a batch, so many calls before that batch is taken.
    const IntervalId *allowedBy(const Feed &workers, size_t work, int64_t ahead) const {
        const int64_t k = int64_t(work) - workers.shift - ahead;
        return k >= 0 && k < int64_t(m_calls.size()) ? &m_calls[size_t(k)] : nullptr;
    }

    /// How many calls ahead: the least number that nothing in the trace contradicts.
    int64_t prefetched(const Feed &workers) const {
        const auto fits = [&](int64_t ahead) {
            for (size_t i = 0; i < workers.work.size(); ++i)
                if (const IntervalId *call = allowedBy(workers, i, ahead);
                    call && begin(workers.work[i]) < end(*call))
                    return false;
            return true;
        };
        int64_t ahead = 1;
        while (ahead < kMostShift && !fits(ahead)) ++ahead;
        return ahead;
    }

    /// Most workers that had nothing to do went on when a call had taken a batch.
    bool limitedByLoop(const Feed &workers, int64_t ahead) const {
        size_t idle = 0, limited = 0;
        for (size_t i = 0; i < workers.work.size(); ++i) {
            const IntervalId id = workers.work[i];
            const IntervalId *call = allowedBy(workers, i, ahead);
            if (!call || idleSince(id) == begin(id)) continue;
            ++idle;
            limited += begin(id) - end(*call) <= kCoincidence;
        }
        return 2 * limited >= idle;
    }

    void linkPrefetch(const Feed &workers, int64_t ahead) {
        if (ahead == kMostShift) return;
        for (size_t i = 0; i < workers.work.size(); ++i) {
            const IntervalId id = workers.work[i];
            const IntervalId *call = allowedBy(workers, i, ahead);
            const TimeNs since = idleSince(id);
            if (!call || since == begin(id)) continue;
            m_draft.makeWait(id.track, since, begin(id), 0);
            const TimeNs lag = begin(id) - end(*call);
            m_draft.addLag(endNode(*call), beginNode(id), lag <= kCoincidence ? lag : 0,
                           EdgeType::Loader, Evidence::Assumed);
        }
    }

    /// Without workers in the trace: a producer that nobody saw needs the time between two batches.
    void linkUntraced() {
        Unseen unseen{m_draft.nodeFrom(m_track, begin(m_calls.front())), {}};
        for (const IntervalId call : m_calls) {
            if (length(call) < m_waitLeast) {
                unseen.taken.push_back(endNode(call));
                continue;
            }
            addUnseen(unseen, call, endNode(call));
            m_draft.makeWait(m_track, begin(call), end(call), m_own);
        }
    }

    /// The same where a thread passes the batches on.
    void linkUntraced(const Feed &workers) {
        Unseen unseen{0, {}};
        for (size_t i = 0; i < workers.work.size(); ++i) {
            const IntervalId id = workers.work[i];
            const TimeNs since = idleSince(id);
            if (since == begin(id)) {
                unseen.taken.push_back(beginNode(id));
                continue;
            }
            const IntervalId *call = allowedBy(workers, i, 0);
            addUnseen(unseen, call ? *call : id, beginNode(id));
            m_draft.makeWait(id.track, since, begin(id), 0);
        }
    }

    /// A producer that nobody saw: the last batch that was waited for, and where those behind it
    /// were taken that were not.
    struct Unseen {
        uint32_t ready = kNone;
        std::vector<uint32_t> taken;
        bool any = false;
    };
    /// Work until the next batch that was waited for; named after `interval`. Workers fetch in
    /// advance, so that is not the host's time, as the name of the call says.
    void addUnseen(Unseen &unseen, IntervalId interval, uint32_t taken) {
        for (const uint32_t early : unseen.taken)
            if (unseen.any) addTaken(unseen.ready, early);
        const uint32_t ready = m_draft.addNode(m_draft.times[taken], m_draft.tracks[taken]);
        m_draft.addActivity(unseen.ready, ready, interval, EdgeType::Loader);
        m_draft.addLag(ready, taken, 0, EdgeType::Loader,
                       m_workers ? Evidence::Inferred : Evidence::Assumed);
        unseen = {ready, {}, true};
    }
    /// A batch that nobody waited for was ready some time between the one before and its take.
    void addTaken(uint32_t before, uint32_t taken) {
        if (!m_takenFamily) m_takenFamily = m_draft.unknownLag();
        m_draft.addLag(before, taken, Lag{0, m_takenFamily}, EdgeType::Loader, Evidence::Inferred);
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    const uint32_t m_track;
    std::vector<IntervalId> m_calls;
    TimeNs m_own = 0, m_waitLeast = kWaitLeast;
    bool m_workers = false; ///< the loader has workers, by the name of its calls
    uint16_t m_takenFamily = 0;
};

} // namespace

void addLoader(GraphDraft &draft) {
    if (!draft.rules.has(GraphRule::Loader)) return;
    for (uint32_t t = 0; t < draft.trace.tracks.size(); ++t)
        if (draft.trace.tracks[t].kind == TrackKind::Thread && !draft.hosts[t].empty())
            Loader(draft, t).run();
}

} // namespace longpole
