// SPDX-License-Identifier: Apache-2.0
// R3: a thread that stands still while another one works for it. R4: threads that sleep. Both are
// waits and cost nothing of their own; what woke them is an edge.
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace longpole {

namespace {

/// A stretch of work of a thread, over holes too short to be sleep.
struct Burst {
    uint32_t track = kNone;
    TimeNs begin = 0, end = 0, idleSince = 0;
    size_t firstNode = 0; ///< into HostLine::nodes
    bool used = false;
};

/// A segment during which its thread may have waited for a burst of another one.
struct Candidate {
    uint32_t waiter = kNone; ///< track
    size_t segment = 0;
    size_t burst = 0;
    TimeNs startLag = 0, endLag = 0;
    size_t resumeNode = 0; ///< boundary of the worker, into its nodes
    bool inferred = false;
    TimeNs lag() const { return startLag + endLag; }
};

std::string withoutDigits(std::string_view name) {
    std::string text;
    for (const char c : name)
        if (c < '0' || c > '9') text += c;
    return text;
}

bool isApiCall(Kind kind) {
    return kind == Kind::Runtime || kind == Kind::Launch || kind == Kind::Sync ||
           kind == Kind::GraphLaunch || kind == Kind::EventRecord || kind == Kind::EventWait;
}

class Handoffs {
public:
    explicit Handoffs(GraphDraft &draft)
        : m_draft(draft), m_trace(draft.trace), m_settled(draft.hosts.size()) {
        for (size_t t = 0; t < draft.hosts.size(); ++t)
            m_settled[t].resize(draft.hosts[t].rows.size());
        for (size_t e = 0; e < draft.edges.size(); ++e) {
            draft.progress.look(e);
            if (draft.edges[e].type == EdgeType::Handoff) m_begun.insert(draft.edges[e].to);
        }
    }

    void run() {
        findBursts();
        if (m_draft.rules.has(GraphRule::Handoffs)) findCandidates();
        accept();
        if (m_draft.rules.has(GraphRule::Sleepers)) sleepers();
    }

private:
    TimeNs time(uint32_t track, size_t node) const {
        return m_draft.times[m_draft.hosts[track].nodes[node]];
    }
    TimeNs length(uint32_t track, size_t segment) const {
        return time(track, segment + 1) - time(track, segment);
    }
    /// Something else has explained the segment already.
    bool isWait(uint32_t track, size_t segment) const {
        return m_draft.edges[m_draft.hosts[track].edges[segment]].weight < length(track, segment);
    }
    bool asleep(uint32_t track, size_t segment) const {
        return m_draft.hosts[track].rows[segment] == kNone &&
               length(track, segment) >= kGraphThresholds.idleGap;
    }

    void findBursts() {
        m_engine.resize(m_trace.tracks.size());
        for (uint32_t t = 0; t < m_draft.hosts.size(); ++t) {
            const HostLine &line = m_draft.hosts[t];
            if (line.empty()) continue;
            m_engine[t] = isEngine(t);
            TimeNs idleSince = m_trace.range.begin;
            for (size_t s = 0; s < line.rows.size(); ++s) {
                m_draft.progress.look(m_bursts.size());
                if (asleep(t, s)) continue;
                Burst burst{t, time(t, s), 0, idleSince, s, 0};
                for (; s < line.rows.size() && !asleep(t, s); ++s) m_draft.progress.look(s);
                burst.end = idleSince = time(t, s);
                m_bursts.push_back(burst);
            }
        }
        sortLooking(
            m_bursts,
            [](const Burst &a, const Burst &b) {
                return std::tie(a.begin, a.track) < std::tie(b.begin, b.track);
            },
            m_draft.progress);
    }

    bool isEngine(uint32_t t) const {
        const Track &track = m_trace.tracks[t];
        uint32_t backward = 0, roots = 0;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            m_draft.progress.look(row);
            if (track.table->parent[row] != kNone) continue;
            if (isApiCall(track.table->kind[row])) continue;
            const std::string_view name = track.nameOf(row);
            ++roots;
            backward += name.starts_with("autograd::engine::") ||
                        name.starts_with("torch::autograd::") || name.find("Backward") != name.npos;
        }
        return 2 * backward > roots;
    }

    void findCandidates() {
        for (uint32_t t = 0; t < m_draft.hosts.size(); ++t) {
            const HostLine &line = m_draft.hosts[t];
            for (size_t s = 0; s < line.rows.size(); ++s) {
                m_draft.progress.look(s);
                if (length(t, s) < kGraphThresholds.idleGap || isWait(t, s)) continue;
                const uint32_t row = line.rows[s];
                if (row != kNone && isApiCall(m_trace.kind({t, row}))) continue;
                if (row == kNone && t != m_draft.stepThread && !m_engine[t]) continue;
                collect(t, s);
            }
        }
    }

    void collect(uint32_t waiter, size_t segment) {
        const TimeNs from = time(waiter, segment), to = time(waiter, segment + 1);
        const TimeNs tolerance =
            std::max(kGraphThresholds.handoffLeast,
                     TimeNs(double(to - from) * kGraphThresholds.handoffShare));
        auto it = std::lower_bound(m_bursts.begin(), m_bursts.end(), from,
                                   [](const Burst &b, TimeNs t) { return b.begin < t; });
        for (; it != m_bursts.end() && it->begin - from <= tolerance; ++it) {
            if (it->track == waiter || it->idleSince > from) continue;
            Candidate c{waiter, segment, size_t(it - m_bursts.begin()), it->begin - from, 0,
                        0,      false};
            const size_t behind = m_draft.nodeIndexFrom(it->track, to + 1);
            if (behind == 0) continue;
            c.resumeNode = lastReturn(*it, behind - 1); // it may pause for a moment, or run on
            const TimeNs last = time(it->track, c.resumeNode);
            if (last <= it->begin || to - last > tolerance) continue;
            c.endLag = to - last;
            c.inferred =
                (m_engine[it->track] && !m_engine[waiter]) || namesBackward(waiter, segment);
            const bool busyEnough =
                !c.inferred &&
                double(busy(*it, c.resumeNode)) >= kGraphThresholds.handoffBusy * double(to - from);
            if (!c.inferred &&
                (!busyEnough || m_begun.contains(m_draft.hosts[it->track].nodes[it->firstNode])))
                continue;
            if (!c.inferred) ++m_seen[keyOf(c)];
            m_candidates.push_back(c);
        }
    }

    /// A worker wakes whoever waits when a task has ended, which is where its outermost range does:
    /// the last such node of a burst up to `node`, which is taken itself where there is none.
    size_t lastReturn(const Burst &burst, size_t node) const {
        const HostLine &line = m_draft.hosts[burst.track];
        const auto outermost = [&](size_t segment) {
            uint32_t row = line.rows[segment];
            const TrackTable &table = *m_trace.tracks[burst.track].table;
            while (row != kNone && table.parent[row] != kNone) row = table.parent[row];
            return row;
        };
        if (!m_engine[burst.track]) return node;
        for (size_t at = node; at > burst.firstNode; --at) {
            m_draft.progress.look(at);
            if (at == line.rows.size() || outermost(at) != outermost(at - 1)) return at;
        }
        return node;
    }

    /// Time that a worker worked from the begin of a burst to one of its nodes.
    TimeNs busy(const Burst &burst, size_t node) const {
        TimeNs sum = 0;
        for (size_t s = burst.firstNode; s < node; ++s)
            if (m_draft.progress.look(s); !asleep(burst.track, s)) sum += length(burst.track, s);
        return sum;
    }

    bool namesBackward(uint32_t track, size_t segment) const {
        const uint32_t row = m_draft.hosts[track].rows[segment];
        return row != kNone &&
               m_trace.name({track, row}).find("backward") != std::string_view::npos;
    }

    std::tuple<uint32_t, uint32_t, std::string> keyOf(const Candidate &c) const {
        const uint32_t row = m_draft.hosts[c.waiter].rows[c.segment];
        return {c.waiter, m_bursts[c.burst].track,
                row == kNone ? std::string() : withoutDigits(m_trace.name({c.waiter, row}))};
    }

    /// Every segment and every burst is used once: what is inferred first, then the least lag.
    void accept() {
        stableSortLooking(
            m_candidates,
            [](const Candidate &a, const Candidate &b) {
                return std::pair(!a.inferred, a.lag()) < std::pair(!b.inferred, b.lag());
            },
            m_draft.progress);
        std::set<std::pair<uint32_t, size_t>> waiting;
        for (const Candidate &c : m_candidates) {
            m_draft.progress.look(waiting.size());
            Burst &burst = m_bursts[c.burst];
            if (burst.used || waiting.contains({c.waiter, c.segment})) continue;
            if (!c.inferred && m_seen[keyOf(c)] < 2) continue;
            if (waitsFor(c.burst, c)) continue;
            burst.used = true;
            waiting.insert({c.waiter, c.segment});
            link(c, burst);
        }
    }

    /// Threads that begin in one instant may each seem to wait for the next one, and the last for
    /// the first: whether the burst waits for that of the candidate already. Else remembers that
    /// the candidate waits for it.
    bool waitsFor(size_t burst, const Candidate &c) {
        if (c.startLag > 0) return false;
        const std::pair from(time(c.waiter, c.segment), c.waiter);
        const auto own = std::lower_bound(
            m_bursts.begin(), m_bursts.end(), from,
            [](const Burst &b, const auto &key) { return std::pair(b.begin, b.track) < key; });
        if (own == m_bursts.end() || std::pair(own->begin, own->track) != from) return false;
        const auto waiter = size_t(own - m_bursts.begin());
        while (burst != waiter) {
            const auto next = m_waitsFor.find(burst);
            if (next == m_waitsFor.end()) {
                m_waitsFor[waiter] = c.burst;
                return false;
            }
            burst = next->second;
        }
        return true;
    }

    void link(const Candidate &c, const Burst &burst) {
        const Evidence evidence = c.inferred ? Evidence::Inferred : Evidence::Assumed;
        const auto &waiter = m_draft.hosts[c.waiter].nodes;
        const auto &worker = m_draft.hosts[burst.track].nodes;
        m_draft.addLag(waiter[c.segment], worker[burst.firstNode], c.startLag, EdgeType::Handoff,
                       evidence);
        m_draft.addLag(worker[c.resumeNode], waiter[c.segment + 1], c.endLag, EdgeType::Handoff,
                       evidence);
        // While somebody waits for it the worker does not sleep: its holes are work without an
        // event.
        for (size_t s = burst.firstNode; s < c.resumeNode; ++s) settle(burst.track, s);
        costNothing(c.waiter, c.segment);
        if (burst.firstNode == 0) return;
        if (m_draft.rules.has(GraphRule::HandoffGap))
            costNothing(burst.track, burst.firstNode - 1);
        else
            settle(burst.track, burst.firstNode - 1);
    }

    void settle(uint32_t track, size_t segment) { m_settled[track][segment] = true; }

    void costNothing(uint32_t track, size_t segment) {
        m_draft.makeWait(track, time(track, segment), time(track, segment + 1), 0);
        settle(track, segment);
    }

    /// R4: the running thread woke every other one; a sleep too long for that stays unexplained.
    void sleepers() {
        const uint32_t runner = m_draft.stepThread;
        for (uint32_t t = 0; t < m_draft.hosts.size(); ++t) {
            if (t == runner) continue;
            for (size_t s = 0; s < m_draft.hosts[t].rows.size(); ++s) {
                m_draft.progress.look(s);
                if (!asleep(t, s) || m_settled[t][s] || isWait(t, s)) continue;
                costNothing(t, s);
                const TimeNs wakes = time(t, s + 1);
                const uint32_t from = runner == kNone ? kNone : m_draft.nodeUntil(runner, wakes);
                if (from == kNone || wakes - m_draft.times[from] > kGraphThresholds.wakeUp)
                    continue;
                m_draft.addLag(from, m_draft.hosts[t].nodes[s + 1], wakes - m_draft.times[from],
                               EdgeType::Handoff, Evidence::Assumed);
            }
        }
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    std::vector<bool> m_engine;
    std::vector<Burst> m_bursts;
    std::vector<Candidate> m_candidates;
    std::map<std::tuple<uint32_t, uint32_t, std::string>, uint32_t> m_seen;
    std::map<size_t, size_t> m_waitsFor;      ///< bursts that begin in the same instant
    std::vector<std::vector<bool>> m_settled; ///< by track: segments that are no sleep any more
    std::set<uint32_t> m_begun;               ///< nodes that a recorded arrow begins
};

} // namespace

void addHandoffs(GraphDraft &draft) {
    Handoffs(draft).run();
}

} // namespace longpole
