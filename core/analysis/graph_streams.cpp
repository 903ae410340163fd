// SPDX-License-Identifier: Apache-2.0
// Device operations, what enqueued them (E2, R6) and the order of their streams (E3, R7, R13).
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace longpole {

namespace {

/// One device operation as the rules look at it.
struct Operation {
    IntervalId id;
    IntervalId call; ///< invalid: its launch is not in the file
    TimeNs begin, end;
    TimeNs streamFree;  ///< end of the operation before it on its stream; the begin of time if none
    bool inner = false; ///< of a graph of which others had ended before: no launch starts it
};

/// Lags are learned per family: what kind of call, of what kind of operation, seen from which end.
using Family = std::tuple<Kind, Kind, bool>;

class LaunchLags {
public:
    explicit LaunchLags(GraphDraft &draft) : m_draft(draft) {}

    /// R6: an operation that begins behind the return is measured from the return.
    bool behindReturn(const Operation &op) const {
        return m_draft.rules.has(GraphRule::LaunchAnchor) && op.begin >= m_draft.trace.end(op.call);
    }
    Family familyOf(const Operation &op) const {
        const Trace &trace = m_draft.trace;
        return {trace.kind(op.call), trace.kind(op.id), behindReturn(op)};
    }

    /// A long call (it loads a module first) enqueues at its end: an operation that begins shortly
    /// before the return, and that neither the begin of the call nor the stream explains.
    bool atEndOfCall(const Operation &op) {
        const Trace &trace = m_draft.trace;
        const TimeNs most = kGraphThresholds.residualOnLag;
        return m_draft.rules.has(GraphRule::LaunchAnchor) && op.call.valid() && !op.inner &&
               op.begin < trace.end(op.call) && op.begin > trace.end(op.call) - most &&
               op.begin - most > op.streamFree &&
               op.begin - most > trace.begin(op.call) + of(op).typical;
    }

    /// A sample is an operation whose stream was idle when it was enqueued.
    void see(const Operation &op) {
        if (op.inner) return;
        const Trace &trace = m_draft.trace;
        const TimeNs anchor = behindReturn(op) ? trace.end(op.call) : trace.begin(op.call);
        const TimeNs lag = op.begin - anchor;
        if (lag < 0) return;
        m_least = std::min(m_least, lag);
        if (op.streamFree > trace.begin(op.call)) return;
        m_samples[familyOf(op)].push_back(lag);
        m_pooled[behindReturn(op)].push_back(lag);
    }

    Lag of(const Operation &op) {
        const Family family = familyOf(op);
        const auto known = m_known.find(family);
        if (known != m_known.end()) return known->second;
        if (!m_draft.rules.has(GraphRule::LaunchLag)) return m_known[family] = {least(family)};
        // A family whose operations all waited for something unseen would learn the wait as its
        // lag: it may not exceed what all families show.
        const bool behind = std::get<2>(family);
        const Lag common = commonOf(behind);
        const auto own = typical(m_samples[family], kGraphThresholds.launchSamples);
        const TimeNs most = common.typical + kGraphThresholds.launchLagSpread;
        return m_known[family] = own && own->typical <= most ? *own : common;
    }

private:
    /// What all families show. An operation is not longer on its way from the return of its call
    /// than others are from the begin: where those behind the return seem to be, they all waited
    /// for something (a device clock that is early leaves no others there).
    Lag commonOf(bool behind) {
        const Lag least{std::min(m_least, kGraphThresholds.launchLagCap)};
        const auto pooled = [&](bool b) {
            return typical(m_pooled[b], kGraphThresholds.launchSamplesAll);
        };
        const auto common = pooled(behind);
        if (!common) return least;
        const auto fromBegin = behind ? pooled(false) : std::nullopt;
        const TimeNs most = kGraphThresholds.launchLagSpread;
        return fromBegin && common->typical > fromBegin->typical + most ? least : *common;
    }

    /// Without R6: p5 of many samples, else the least lag of all.
    TimeNs least(const Family &family) {
        GrowArray<TimeNs> &samples = m_samples[family];
        return samples.size() >= 20 ? quantileOf(samples, 0.05, m_draft.progress)
                                    : std::min(m_least, kGraphThresholds.launchLagCap);
    }

    /// Median of the samples that are latency, not queueing; none from too few.
    std::optional<Lag> typical(GrowArray<TimeNs> samples, size_t least) {
        if (samples.size() < least) return std::nullopt;
        const TimeNs limit =
            quantileOf(samples, 0.05, m_draft.progress) + kGraphThresholds.launchLagSpread;
        samples.cut(
            size_t(std::upper_bound(samples.begin(), samples.end(), limit) - samples.begin()));
        return m_draft.learned(quantile(samples, 0.5), samples);
    }

    GraphDraft &m_draft;
    std::map<Family, GrowArray<TimeNs>> m_samples;
    std::map<bool, GrowArray<TimeNs>> m_pooled;
    std::map<Family, Lag> m_known;
    TimeNs m_least = kGraphThresholds.launchLagCap;
};

/// When the first operation of each launch of a graph had ended.
std::map<IntervalId, TimeNs> firstEndsOfGraphs(const Trace &trace, const Progress &progress) {
    std::map<IntervalId, TimeNs> firstEnds;
    size_t count = 0;
    for (const Launch &launch : trace.launches) {
        progress.look(count++);
        if (trace.kind(launch.call) != Kind::GraphLaunch) continue;
        const auto [it, isNew] = firstEnds.try_emplace(launch.call, trace.end(launch.op));
        it->second = std::min(it->second, trace.end(launch.op));
    }
    return firstEnds;
}

/// The operations of a stream in order of begin, with their launches.
std::vector<Operation> operationsOf(const GraphDraft &draft, uint32_t t,
                                    const std::map<IntervalId, TimeNs> &firstEndsOfGraphs) {
    const bool rounded = draft.wholeUs || !draft.rules.has(GraphRule::OverlapClip);
    const Track &track = draft.trace.tracks[t];
    std::vector<uint32_t> rows;
    growTo(rows, track.table->size(), draft.progress);
    std::iota(rows.begin(), rows.end(), 0u);
    sortLooking(
        rows,
        [&](uint32_t a, uint32_t b) {
            return std::tuple(track.begin(a), track.end(a), a) <
                   std::tuple(track.begin(b), track.end(b), b);
        },
        draft.progress);
    std::vector<Operation> operations;
    operations.reserve(rows.size());
    TimeNs streamFree = std::numeric_limits<TimeNs>::min();
    for (const uint32_t row : rows) {
        if (operations.size() % 4096 == 0) draft.progress.look();
        const IntervalId id{t, row};
        Operation op{id, draft.trace.callOf(id), track.begin(row), track.end(row), streamFree};
        if (rounded && op.begin < streamFree &&
            streamFree - op.begin <= kGraphThresholds.overlapClip)
            op.begin = std::min(streamFree, op.end);
        if (const auto ends = firstEndsOfGraphs.find(op.call); ends != firstEndsOfGraphs.end())
            op.inner = op.begin >= ends->second;
        operations.push_back(op);
        streamFree = std::max(streamFree, track.end(row));
    }
    return operations;
}

/// Gaps of a stream between two operations of which the second was queued long before.
std::vector<TimeNs> queuedGaps(const GraphDraft &draft, const std::vector<Operation> &operations) {
    std::vector<TimeNs> gaps;
    for (size_t i = 1; i < operations.size(); ++i) {
        draft.progress.look(i);
        const Operation &op = operations[i];
        if (!op.call.valid() || op.begin < op.streamFree) continue;
        const TimeNs enqueued = draft.trace.end(op.call);
        if (enqueued + kGraphThresholds.queuedBefore > op.streamFree) continue;
        gaps.push_back(op.begin - op.streamFree);
    }
    return gaps;
}

/// R7: their mean without the long ones; none from too few, or where a typical gap is no kernel gap
/// but a wait for something unseen.
std::optional<Lag> kernelGap(GraphDraft &draft, std::vector<TimeNs> gaps) {
    if (gaps.size() < kGraphThresholds.launchSamples) return std::nullopt;
    const TimeNs median = quantileOf(gaps, 0.5, draft.progress);
    if (median > kGraphThresholds.kernelGapMax) return std::nullopt;
    if (!draft.rules.has(GraphRule::TypicalLags)) return Lag{quantile(gaps, 0.05)};
    const TimeNs limit =
        std::min(std::max(kGraphThresholds.kernelGapMax, 4 * median), quantile(gaps, 0.95));
    gaps.erase(std::upper_bound(gaps.begin(), gaps.end(), limit), gaps.end());
    if (gaps.empty()) return std::nullopt;
    const TimeNs sum = std::accumulate(gaps.begin(), gaps.end(), TimeNs(0));
    return draft.learned(sum / TimeNs(gaps.size()), gaps);
}

void addLaunch(GraphDraft &draft, const Operation &op, uint32_t node, LaunchLags &lags) {
    const Trace &trace = draft.trace;
    if (!op.call.valid()) {
        ++draft.counters.unlinked;
        return;
    }
    ++draft.counters.launched;
    if (op.begin < trace.begin(op.call)) {
        // clocks disagree: the latest host time that can still come before it
        const uint32_t from = draft.nodeUntil(op.call.track, op.begin);
        if (from != kNone) draft.addLag(from, node, 0, EdgeType::Launch, Evidence::Recorded);
        ++draft.counters.skewed;
        return;
    }
    const bool behind = lags.behindReturn(op);
    const uint32_t from = behind ? draft.nodeUntil(op.call.track, trace.end(op.call))
                          : lags.atEndOfCall(op)
                              ? draft.nodeUntil(op.call.track, op.begin - lags.of(op).typical)
                              : draft.nodeFrom(op.call.track, trace.begin(op.call));
    if (from != kNone) draft.addLag(from, node, lags.of(op), EdgeType::Launch, Evidence::Recorded);
}

/// Nodes inside long calls where they enqueue.
void cutLongCalls(GraphDraft &draft, const std::vector<std::vector<Operation>> &all,
                  LaunchLags &lags) {
    std::map<uint32_t, std::vector<TimeNs>> cuts; ///< by thread
    size_t count = 0;
    for (const auto &operations : all)
        for (const Operation &op : operations) {
            if (++count % 4096 == 0) draft.progress.look();
            if (lags.atEndOfCall(op)) cuts[op.call.track].push_back(op.begin - lags.of(op).typical);
        }
    for (auto &[track, times] : cuts) {
        sortLooking(times, std::less<>(), draft.progress);
        draft.cutThread(track, times);
    }
}

void addStreamOrder(GraphDraft &draft, const std::vector<Operation> &operations, Lag gap) {
    for (size_t i = 1; i < operations.size(); ++i) {
        const Operation &before = operations[i - 1], &op = operations[i];
        const auto &from = draft.ops[before.id.track][before.id.row];
        const auto &to = draft.ops[op.id.track][op.id.row];
        if (op.begin >= before.end) {
            draft.addLag(from.end, to.begin, gap, EdgeType::Stream, Evidence::Inferred);
        } else {
            // they really overlap: both ends keep their distance
            draft.addLag(from.begin, to.begin, op.begin - before.begin, EdgeType::Stream,
                         Evidence::Inferred);
            if (op.end >= before.end)
                draft.addLag(from.end, to.end, op.end - before.end, EdgeType::Stream,
                             Evidence::Inferred);
        }
    }
}

} // namespace

void addStreams(GraphDraft &draft) {
    const Trace &trace = draft.trace;
    std::vector<std::vector<Operation>> all(trace.tracks.size());
    const auto firstEnds = firstEndsOfGraphs(trace, draft.progress);
    LaunchLags lags(draft);
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        if (trace.tracks[t].kind != TrackKind::Stream) continue;
        all[t] = operationsOf(draft, t, firstEnds);
        growTo(draft.ops[t], all[t].size(), draft.progress);
        growTo(draft.opEdges[t], all[t].size(), draft.progress);
        StreamLine &line = draft.streams[t];
        line.rows.reserve(all[t].size());
        line.enqueued.reserve(all[t].size());
        EnqueueKey enqueued;
        for (const Operation &op : all[t]) {
            const uint32_t begin = draft.addNode(op.begin, t), end = draft.addNode(op.end, t);
            draft.ops[t][op.id.row] = {begin, end};
            draft.opEdges[t][op.id.row] = draft.addActivity(begin, end, op.id, EdgeType::Program);
            if (op.call.valid()) {
                enqueued = std::max(enqueued, draft.keyOf(op.call));
                lags.see(op);
            }
            line.rows.push_back(op.id.row);
            line.enqueued.push_back(enqueued);
        }
    }
    cutLongCalls(draft, all, lags);
    std::vector<TimeNs> pooled;
    std::vector<std::optional<Lag>> gapOf(trace.tracks.size());
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const std::vector<TimeNs> gaps = queuedGaps(draft, all[t]);
        gapOf[t] = kernelGap(draft, gaps);
        if (gapOf[t]) pooled.insert(pooled.end(), gaps.begin(), gaps.end());
    }
    const Lag common = kernelGap(draft, std::move(pooled)).value_or(Lag{});
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        for (const Operation &op : all[t])
            addLaunch(draft, op, draft.ops[t][op.id.row].begin, lags);
        draft.streams[t].gap = gapOf[t].value_or(common);
        addStreamOrder(draft, all[t], draft.streams[t].gap);
    }
}

} // namespace longpole
