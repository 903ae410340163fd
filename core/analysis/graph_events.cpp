// SPDX-License-Identifier: Apache-2.0
// Streams that wait for events of other streams: from cuda_sync rows (E4), from the calls alone
// (E4b, R10), and where not even calls are recorded from coincidence that chance does not explain
// (E4c, R11).
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <set>

namespace longpole {

namespace {

/// When the edges so far let each node happen.
std::vector<TimeNs> explainedTimes(const GraphDraft &draft) {
    std::vector<TimeNs> explained;
    growTo(explained, draft.times.size(), draft.progress);
    for (size_t i = 0; i < explained.size(); ++i) {
        draft.progress.look(i);
        explained[i] = draft.trace.range.begin;
    }
    for (size_t e = 0; e < draft.edges.size(); ++e) {
        draft.progress.look(e);
        const GraphDraft::Edge &edge = draft.edges[e];
        explained[edge.to] = std::max(explained[edge.to], draft.times[edge.from] + edge.weight);
    }
    return explained;
}

struct StreamPair {
    uint32_t from, to; ///< tracks
    friend auto operator<=>(const StreamPair &, const StreamPair &) = default;
};

/// The work of a stream that an event call stands behind or before.
class StreamWork {
public:
    explicit StreamWork(GraphDraft &draft) : draft(draft) {}

    /// The last operation enqueued on a stream before a call, and the first one enqueued after it.
    IntervalId lastBefore(uint32_t stream, IntervalId call) const {
        const size_t count = draft.enqueuedBefore(stream, draft.keyOf(call));
        return count ? IntervalId{stream, draft.streams[stream].rows[count - 1]} : IntervalId{};
    }
    IntervalId firstAfter(uint32_t stream, IntervalId call) const {
        const size_t count = draft.enqueuedBefore(stream, draft.keyOf(call));
        const auto &rows = draft.streams[stream].rows;
        return count < rows.size() ? IntervalId{stream, rows[count]} : IntervalId{};
    }

    void link(IntervalId source, IntervalId target, Evidence evidence) {
        m_links.try_emplace(
            {draft.ops[source.track][source.row].end, draft.ops[target.track][target.row].begin},
            evidence);
    }

    /// Makes the links edges. Their lag is learned where the wait clearly held the operation back
    /// (R7).
    void addLinks() {
        const std::vector<TimeNs> explained = explainedTimes(draft);
        std::vector<TimeNs> samples;
        for (const auto &[nodes, evidence] : m_links) {
            const auto [from, to] = nodes;
            const TimeNs lag = draft.times[to] - draft.times[from];
            if (lag >= 0 && lag <= kGraphThresholds.coincidence &&
                draft.times[to] - explained[to] > kGraphThresholds.queuedBefore)
                samples.push_back(lag);
        }
        Lag lag;
        const double q = draft.rules.has(GraphRule::TypicalLags) ? 0.5 : 0.05;
        if (samples.size() >= kGraphThresholds.launchSamplesAll)
            lag = draft.learned(quantileOf(samples, q, draft.progress), samples);
        for (const auto &[nodes, evidence] : m_links)
            draft.addLag(nodes.first, nodes.second, lag, EdgeType::Event, evidence);
    }

    GraphDraft &draft;

private:
    std::map<std::pair<uint32_t, uint32_t>, Evidence> m_links; ///< by nodes
};

uint32_t streamTrack(const GraphDraft &draft, uint32_t owner, int64_t device, int64_t stream) {
    for (uint32_t t = 0; t < draft.streams.size(); ++t) {
        const Track &track = draft.trace.tracks[t];
        if (track.kind == TrackKind::Stream && track.stream == stream &&
            draft.ownerOfTrack(t) == owner && (device < 0 || track.device == device))
            return t;
    }
    return kNone;
}

/// Streams of one number on several devices: an event is taken to be recorded on the one that its
/// thread enqueued to last.
class RecordedStream {
public:
    explicit RecordedStream(const Trace &trace) : m_trace(trace) {
        for (const Launch &launch : trace.launches)
            if (const auto stream = trace.track(launch.op).stream)
                m_launches[{launch.call.track, *stream}].emplace_back(trace.begin(launch.call),
                                                                      launch.op.track);
        for (auto &[key, launches] : m_launches) std::sort(launches.begin(), launches.end());
    }

    /// kNone where the thread enqueued nothing to a stream of that number before.
    uint32_t of(IntervalId records, int64_t stream) const {
        const auto found = m_launches.find({records.track, stream});
        if (found == m_launches.end()) return kNone;
        const auto it = std::lower_bound(found->second.begin(), found->second.end(),
                                         std::pair(m_trace.begin(records), uint32_t(0)));
        return it == found->second.begin() ? kNone : std::prev(it)->second;
    }

private:
    const Trace &m_trace;
    std::map<std::pair<uint32_t, int64_t>, std::vector<std::pair<TimeNs, uint32_t>>> m_launches;
};

/// E5: what waits was told so before it began; its launch stands behind that on its own thread
/// only.
void addEnqueued(GraphDraft &draft, IntervalId waits, IntervalId target) {
    const IntervalId launch = draft.trace.callOf(target);
    if (launch.valid() && launch.track == waits.track) return;
    const uint32_t from = draft.nodeFrom(waits.track, draft.trace.begin(waits));
    const uint32_t to = draft.ops[target.track][target.row].begin;
    if (from != kNone && draft.times[from] <= draft.times[to])
        draft.addLag(from, to, 0, EdgeType::Event, Evidence::Recorded);
}

/// E4: both calls and both streams are recorded. Returns the waits that are settled by it.
std::set<IntervalId> addRecorded(StreamWork &work) {
    std::set<IntervalId> settled;
    const Trace &trace = work.draft.trace;
    if (trace.syncs.empty()) return settled;
    const RecordedStream recorded(trace);
    for (const SyncRecord &record : trace.syncs) {
        if (!record.streamWait || record.waitOnCorrelation < 0) continue;
        const uint32_t owner = work.draft.ownerOf(record.process);
        const IntervalId waits = work.draft.callOf(owner, record.correlation);
        const IntervalId records = work.draft.callOf(owner, record.waitOnCorrelation);
        uint32_t from = records.valid() ? recorded.of(records, record.waitOnStream) : kNone;
        if (from == kNone)
            from = streamTrack(work.draft, owner, record.device, record.waitOnStream);
        if (from == kNone) // of another device
            from = streamTrack(work.draft, owner, -1, record.waitOnStream);
        const uint32_t to = streamTrack(work.draft, owner, record.device, record.stream);
        if (!waits.valid() || !records.valid() || from == kNone || to == kNone) continue;
        settled.insert(waits);
        const IntervalId source = work.lastBefore(from, records);
        const IntervalId target = work.firstAfter(to, waits);
        if (!target.valid()) continue;
        if (source.valid()) work.link(source, target, Evidence::Recorded);
        addEnqueued(work.draft, waits, target);
    }
    return settled;
}

/// A wait call without a record of it, the event call it probably waits for, and what it holds
/// back.
struct Candidate {
    IntervalId source, target;
    TimeNs gap = 0; ///< from the end of the source to the begin of the target
    StreamPair streams() const { return {source.track, target.track}; }
};

class Unrecorded {
public:
    Unrecorded(StreamWork &work, const std::set<IntervalId> &settled)
        : m_work(work), m_trace(work.draft.trace), m_settled(settled) {}

    void run() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t)
            if (m_trace.tracks[t].kind == TrackKind::Thread) collect(t);
        std::map<StreamPair, uint32_t> hits, close;
        for (const Candidate &c : m_candidates) {
            hits[c.streams()] += coincides(c);
            close[c.streams()] += c.gap >= 0 && c.gap <= kGraphThresholds.closeCoincidence;
        }
        for (const Candidate &c : m_candidates) {
            const double chance = chanceOf(m_work.draft, c.source.track);
            const bool proven = m_work.draft.rules.has(GraphRule::EventCalls) &&
                                hits[c.streams()] >= kGraphThresholds.coincidences &&
                                close[c.streams()] >= kGraphThresholds.coincidences * chance;
            if (proven && c.gap >= 0)
                m_work.link(c.source, c.target, Evidence::Inferred);
            else if (coincides(c))
                m_work.link(c.source, c.target, Evidence::Assumed);
        }
    }

    /// How many operations of a stream would end within the close distance by chance, per wait.
    static double chanceOf(const GraphDraft &draft, uint32_t stream) {
        const double window = double(std::max<TimeNs>(1, draft.trace.range.length()));
        return double(draft.streams[stream].rows.size()) *
               double(kGraphThresholds.closeCoincidence) / window;
    }

private:
    static bool coincides(const Candidate &c) {
        return c.gap >= 0 && c.gap <= kGraphThresholds.coincidence;
    }

    /// Pairs each wait call with the last event record before it and the next launch behind it
    /// (R10).
    void collect(uint32_t t) {
        std::vector<uint32_t> calls;
        const TrackTable &table = *m_trace.tracks[t].table;
        const Progress &progress = m_work.draft.progress;
        for (uint32_t row = 0; row < table.size(); ++row) {
            progress.look(row);
            if (table.kind[row] == Kind::EventRecord || table.kind[row] == Kind::EventWait ||
                table.kind[row] == Kind::Launch || table.kind[row] == Kind::Runtime)
                calls.push_back(row);
        }
        sortLooking(
            calls,
            [&](uint32_t a, uint32_t b) {
                return std::pair(table.start[a], table.sideOf(a).correlation) <
                       std::pair(table.start[b], table.sideOf(b).correlation);
            },
            progress);
        IntervalId record;
        std::vector<IntervalId> waiting; // the records that the next launch waits for
        size_t count = 0;
        for (const uint32_t row : calls) {
            if (++count % 4096 == 0) progress.look();
            const IntervalId call{t, row};
            if (table.kind[row] == Kind::EventRecord) {
                record = call;
            } else if (table.kind[row] == Kind::EventWait) {
                if (record.valid() && !m_settled.contains(call)) waiting.push_back(record);
            } else if (!waiting.empty()) {
                const std::vector<IntervalId> ops = m_trace.opsOf(call);
                if (ops.empty()) continue;
                for (const IntervalId recorded : waiting) addCandidates(recorded, ops.front());
                waiting.clear();
            }
        }
    }

    void addCandidates(IntervalId recorded, IntervalId target) {
        for (uint32_t s = 0; s < m_work.draft.streams.size(); ++s) {
            if (s == target.track || m_work.draft.streams[s].rows.empty()) continue;
            if (m_work.draft.ownerOfTrack(s) != m_work.draft.ownerOfTrack(target.track)) continue;
            const IntervalId source = m_work.lastBefore(s, recorded);
            if (source.valid())
                m_candidates.push_back(
                    {source, target, m_trace.begin(target) - m_trace.end(source)});
        }
    }

    StreamWork &m_work;
    const Trace &m_trace;
    const std::set<IntervalId> &m_settled;
    std::vector<Candidate> m_candidates;
};

} // namespace

void addEventWaits(GraphDraft &draft) {
    StreamWork work(draft);
    const std::set<IntervalId> settled = addRecorded(work);
    Unrecorded(work, settled).run();
    work.addLinks();
}

void addCoincidences(GraphDraft &draft) {
    if (!draft.rules.has(GraphRule::Coincidences)) return;
    const Trace &trace = draft.trace;
    const std::vector<TimeNs> explained = explainedTimes(draft);
    struct End {
        uint32_t owner;
        TimeNs time;
        uint32_t stream, row;
        auto operator<=>(const End &) const = default;
    };
    std::vector<End> ends;
    for (uint32_t s = 0; s < draft.streams.size(); ++s)
        for (const uint32_t row : draft.streams[s].rows) {
            draft.progress.look(ends.size());
            ends.push_back({draft.ownerOfTrack(s), trace.tracks[s].end(row), s, row});
        }
    sortLooking(ends, std::less<>(), draft.progress);
    std::map<StreamPair, std::vector<std::pair<IntervalId, IntervalId>>> hits;
    size_t count = 0;
    for (uint32_t t = 0; t < draft.streams.size(); ++t)
        for (const uint32_t row : draft.streams[t].rows) {
            draft.progress.look(count++ * 16);
            const TimeNs begin = trace.tracks[t].begin(row);
            if (begin - explained[draft.ops[t][row].begin] <= kGraphThresholds.queuedBefore)
                continue;
            const uint32_t owner = draft.ownerOfTrack(t);
            const TimeNs earliest = begin - kGraphThresholds.closeCoincidence;
            const auto first =
                std::lower_bound(ends.begin(), ends.end(), End{owner, earliest, 0, 0});
            auto it = std::upper_bound(first, ends.end(), End{owner, begin, kNone, kNone});
            if (it - first > kGraphThresholds.closeEnds) continue;
            while (it-- != first) {
                if (it->stream == t) continue;
                auto &found = hits[{it->stream, t}]; // its last operation before the begin
                if (found.empty() || found.back().second != IntervalId{t, row})
                    found.push_back({{it->stream, it->row}, {t, row}});
            }
        }
    StreamWork work(draft);
    for (const auto &[pair, found] : hits) {
        const double chance = Unrecorded::chanceOf(draft, pair.from) * double(found.size());
        if (found.size() < kGraphThresholds.coincidences ||
            double(found.size()) < kGraphThresholds.coincidences * chance)
            continue;
        for (const auto &[source, target] : found) work.link(source, target, Evidence::Assumed);
    }
    work.addLinks();
}

} // namespace longpole
