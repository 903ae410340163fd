// SPDX-License-Identifier: Apache-2.0
// E6, E7: calls of the host that return when device work has ended. A call that waited costs its
// own time only; the rest follows the work it waited for (analysis.md §2.2).
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <optional>

namespace longpole {

namespace {

struct Wait {
    IntervalId call;
    std::vector<uint32_t> ends; ///< nodes of the device operations it waited for
    TimeNs lastEnd = 0;         ///< measured, of the last of them, as the host saw it
    EdgeType type = EdgeType::Sync;
    Evidence evidence = Evidence::Inferred;
    bool skewed = false; ///< it returned before that, by the clocks of the file
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

class Waits {
public:
    explicit Waits(GraphDraft &draft) : m_draft(draft), m_trace(draft.trace) {}

    void run() {
        collect();
        learn();
        for (const Wait &wait : m_waits) add(wait);
    }

private:
    void collect() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            if (m_trace.tracks[t].kind != TrackKind::Thread) continue;
            const TrackTable &table = *m_trace.tracks[t].table;
            for (uint32_t row = 0; row < table.size(); ++row) {
                m_draft.progress.look(row);
                const IntervalId call{t, row};
                if (table.kind[row] == Kind::Sync) addSync(call);
                if (table.kind[row] != Kind::Runtime) continue;
                addCopy(call);
                addAllocation(call);
            }
        }
    }

    /// The last operation of each stream that was enqueued before the call; a device call waits for
    /// all of them, a stream or event call for the stream that its record names, or else for the
    /// one that ended last before the call returned.
    void addSync(IntervalId call) {
        const std::string_view name = m_trace.name(call);
        const TimeNs end = m_trace.end(call);
        const bool device =
            contains(name, "Device") || contains(name, "Ctx") || contains(name, "Context");
        const bool event = contains(name, "Event");
        const SyncRecord *record = recordOf(call);
        const int64_t stream = device || !record ? -1
                               : event           ? record->waitOnStream
                                                 : record->stream;
        // of a device's wait; PyTorch writes device 0 where it does not know
        const bool ownIds = m_trace.processes[m_trace.track(call).process].ownIds;
        const int64_t onDevice = device && record && ownIds ? record->device : -1;
        const EnqueueKey until = m_draft.keyOf(event ? eventOf(call, record) : call);
        Wait wait{call, {}, 0, EdgeType::Sync};
        if (stream >= 0 || onDevice >= 0) wait.evidence = Evidence::Recorded;
        for (uint32_t t = 0; t < m_draft.streams.size(); ++t) {
            if (m_draft.streams[t].rows.empty() ||
                m_draft.ownerOfTrack(t) != m_draft.ownerOfTrack(call.track))
                continue;
            if (stream >= 0 && m_trace.tracks[t].stream != stream) continue;
            if (onDevice >= 0 && m_trace.tracks[t].device != onDevice) continue;
            const size_t count = m_draft.enqueuedBefore(t, until);
            if (count == 0) continue;
            IntervalId op{t, m_draft.streams[t].rows[count - 1]};
            if (m_trace.end(op) > end) {
                // What is known to have been waited for can only seem to end later.
                const bool known = device || stream >= 0;
                op = known ? lastBegunBefore(t, count, end) : IntervalId{};
                if (!op.valid() || m_trace.end(op) > end + kGraphThresholds.clockSkew) continue;
                wait.skewed |= m_trace.end(op) > end;
            }
            const TimeNs opEnd = std::min(end, m_trace.end(op));
            const uint32_t node = m_draft.seenEnd(op, end);
            if (device || wait.ends.empty())
                wait.ends.push_back(node);
            else if (opEnd > wait.lastEnd)
                wait.ends = {node};
            wait.lastEnd = std::max(wait.lastEnd, opEnd);
        }
        m_waits.push_back(std::move(wait));
    }

    /// The last of the first `count` operations of a stream that had begun by then.
    IntervalId lastBegunBefore(uint32_t stream, size_t count, TimeNs t) const {
        const auto &rows = m_draft.streams[stream].rows;
        for (; count > 0 && m_trace.begin({stream, rows[count - 1]}) >= t; --count)
            m_draft.progress.look(count);
        return count == 0 ? IntervalId{} : IntervalId{stream, rows[count - 1]};
    }

    /// The cuda_sync row of a call that waits on the host, if there is one.
    const SyncRecord *recordOf(IntervalId call) {
        const int64_t correlation = m_trace.track(call).table->sideOf(call.row).correlation;
        if (correlation < 0) return nullptr;
        if (m_records.empty())
            for (const SyncRecord &s : m_trace.syncs)
                if (m_draft.progress.look(m_records.size()); !s.streamWait)
                    m_records[{m_draft.ownerOf(s.process), s.correlation}] = &s;
        const auto it = m_records.find({m_draft.ownerOfTrack(call.track), correlation});
        return it == m_records.end() ? nullptr : it->second;
    }

    /// The call that recorded the event that `call` waits for: as its row says, else the last one
    /// before it on its thread, else the waiting call itself.
    IntervalId eventOf(IntervalId call, const SyncRecord *record) {
        if (record && record->waitOnCorrelation >= 0) {
            const IntervalId known =
                m_draft.callOf(m_draft.ownerOfTrack(call.track), record->waitOnCorrelation);
            if (known.valid()) return known;
        }
        const auto &calls = eventCalls(call.track);
        const auto after = std::upper_bound(calls.begin(), calls.end(),
                                            std::pair(m_trace.begin(call), UINT32_MAX));
        return after == calls.begin() ? call : IntervalId{call.track, (after - 1)->second};
    }

    /// Begin and row of the calls of a thread that record events, in order.
    const std::vector<std::pair<TimeNs, uint32_t>> &eventCalls(uint32_t track) {
        const auto [it, isNew] = m_eventCalls.try_emplace(track);
        const TrackTable &table = *m_trace.tracks[track].table;
        for (uint32_t row = 0; isNew && row < table.size(); ++row)
            if (table.kind[row] == Kind::EventRecord)
                it->second.emplace_back(m_trace.tracks[track].begin(row), row);
        if (isNew) std::sort(it->second.begin(), it->second.end());
        return it->second;
    }

    /// A copy call waits where it returned behind the copy and the copy had not ended when it
    /// began; host-to-device copies from pageable memory return after staging and are host work.
    void addCopy(IntervalId call) {
        if (!contains(m_trace.name(call), "emcpy")) return;
        Wait wait{call, {}, 0, EdgeType::Copy};
        for (const IntervalId op : m_trace.opsOf(call)) {
            const Kind kind = m_trace.kind(op);
            const bool blocks = kind == Kind::D2H || kind == Kind::H2H;
            if (!blocks || m_trace.end(op) > m_trace.end(call)) continue;
            wait.ends.push_back(m_draft.ops[op.track][op.row].end);
            wait.lastEnd = std::max(wait.lastEnd, m_trace.end(op));
        }
        if (recordOf(call)) wait.evidence = Evidence::Recorded;
        if (!wait.ends.empty()) m_waits.push_back(std::move(wait));
    }

    /// Taking and giving back memory may wait for the device: where an operation ended just before
    /// the call returned, it is taken to have.
    void addAllocation(IntervalId call) {
        const std::string_view name = m_trace.name(call);
        if (!contains(name, "Malloc") && !contains(name, "Free") && !contains(name, "HostAlloc"))
            return;
        if (contains(name, "Async")) return; // in order of a stream
        const TimeNs begin = m_trace.begin(call), end = m_trace.end(call);
        Wait wait{call, {}, 0, EdgeType::Sync, Evidence::Assumed};
        for (uint32_t t = 0; t < m_draft.streams.size(); ++t) {
            if (m_draft.streams[t].rows.empty() ||
                m_draft.ownerOfTrack(t) != m_draft.ownerOfTrack(call.track))
                continue;
            const size_t count = m_draft.enqueuedBefore(t, m_draft.keyOf(call));
            if (count == 0) continue;
            const IntervalId op{t, m_draft.streams[t].rows[count - 1]};
            const TimeNs ended = m_trace.end(op);
            if (ended <= begin || ended > end || end - ended > 2 * kGraphThresholds.resumeLag)
                continue;
            wait.ends.push_back(m_draft.ops[op.track][op.row].end);
            wait.lastEnd = std::max(wait.lastEnd, ended);
        }
        m_waits.push_back(std::move(wait));
    }

    bool waited(const Wait &wait, TimeNs own) const {
        return !wait.ends.empty() && wait.lastEnd > m_trace.begin(wait.call) + own;
    }

    /// Own cost: p10 of the calls of that name that did not wait, not even for the news of an end
    /// shortly before. Resume lag: median of those that did.
    void learn() {
        for (size_t i = 0; i < m_waits.size(); ++i) {
            if (i % 4096 == 0) m_draft.progress.look();
            const Wait &wait = m_waits[i];
            const TimeNs begin = m_trace.begin(wait.call), end = m_trace.end(wait.call);
            const std::string_view name = m_trace.name(wait.call);
            if (wait.skewed) continue;
            if (waited(wait, 0))
                m_resumes[name].push_back(end - wait.lastEnd);
            else if (wait.lastEnd + kGraphThresholds.queuedBefore <= begin)
                m_idleCalls[name].push_back(end - begin);
        }
        const double q = m_draft.rules.has(GraphRule::TypicalLags) ? 0.5 : 0.05;
        for (auto &[name, lags] : m_resumes)
            m_resume[name] = m_draft.learned(quantileOf(lags, q, m_draft.progress), lags);
        for (auto &[name, lengths] : m_idleCalls)
            m_own[name] = quantileOf(lengths, 0.1, m_draft.progress);
    }

    void add(const Wait &wait) {
        const std::string_view name = m_trace.name(wait.call);
        const auto own = m_own.find(name);
        const TimeNs ownCost = own == m_own.end() ? kGraphThresholds.ownSyncCost : own->second;
        const TimeNs begin = m_trace.begin(wait.call), end = m_trace.end(wait.call);
        const uint32_t resumes = m_draft.nodeUntil(wait.call.track, end);
        if (resumes == kNone || wait.ends.empty()) return;
        const auto resume = m_resume.find(name);
        const Lag lag = resume != m_resume.end() ? resume->second : Lag{kGraphThresholds.resumeLag};
        const bool isWait = waited(wait, ownCost - lag.typical);
        if (isWait) m_draft.makeWait(wait.call.track, begin, end, ownCost);
        for (const uint32_t node : wait.ends)
            m_draft.addLag(node, resumes, lag, wait.type, wait.evidence);
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    std::vector<Wait> m_waits;
    std::map<uint32_t, std::vector<std::pair<TimeNs, uint32_t>>> m_eventCalls; ///< by track
    std::map<std::pair<uint32_t, int64_t>, const SyncRecord *> m_records; ///< by owner, correlation
    std::map<std::string_view, std::vector<TimeNs>> m_resumes, m_idleCalls;
    std::map<std::string_view, Lag> m_resume;
    std::map<std::string_view, TimeNs> m_own;
};

} // namespace

void addWaits(GraphDraft &draft) {
    Waits(draft).run();
}

} // namespace longpole
