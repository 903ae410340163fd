// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/idle.h"

#include "core/analysis/graph_draft.h"
#include "core/analysis/host_causes.h"
#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

bool isKernel(Kind kind) {
    return isDeviceKind(kind) && !isCopyKind(kind) && kind != Kind::Memset;
}

/// The operations of one device by begin.
struct Operations {
    std::vector<IntervalId> order, kernels;
    TimeNs kernelGapMax = 0;
};

/// Walks from the begin of an operation back to the begin of the idle stretch before it.
class GapWalk {
public:
    GapWalk(const Trace &trace, const DependencyGraph &graph, HostCauses &causes,
            TimeNs kernelGapMax, const Progress &progress)
        : m_trace(trace), m_graph(graph), m_causes(causes), m_kernelGapMax(kernelGapMax),
          m_progress(progress) {}

    /// `first`: the first operation of the device in the trace.
    void run(TimeRange gap, IntervalId next, IntervalId first, GrowArray<IdleInterval> &into) {
        m_gap = gap;
        m_first = next == first;
        m_next = next;
        m_evidence = Evidence::Recorded;
        m_pieces.clear();
        m_call = m_trace.callOf(next);
        m_lastWork = {};
        uint32_t v = m_graph.opNodes[next.track][next.row].begin;
        m_at = v == kNone ? gap.end : m_graph.time[v]; // kNone: behind the end of a graph
        while (v != kNone && v != 0 && m_at > gap.begin) {
            if (++m_walked % 4096 == 0) m_progress.look();
            v = back(v);
        }
        add(gap.begin, IdleCause::WindowEdge, {});
        for (size_t i = m_pieces.size(); i-- > 0;) into.push_back(m_pieces[i]);
    }

private:
    /// One edge backwards, or one wait of the host; returns where it begins.
    uint32_t back(uint32_t v) {
        const uint32_t e = tightEdge(m_graph, v), u = m_graph.source[e];
        const bool edge = m_graph.type[e] == EdgeType::Window;
        const TimeNs from = m_graph.time[u];
        m_evidence = std::max(m_evidence, m_graph.evidence[e]);
        if (const auto cause = hostWait(m_graph.type[e]); cause && onHost(v))
            return addWait(v, u, *cause);
        const bool inCall = m_graph.type[e] == EdgeType::Launch && stages() &&
                            m_at <= m_trace.end(m_call); // nothing to wonder about
        if (m_graph.delta[v] > 0 && !inCall && m_first && !edge && !onHost(v)) {
            // enqueued long before, behind what had been launched before the records begin
            m_evidence = Evidence::Assumed;
            add(m_at - m_graph.delta[v], IdleCause::WindowEdge, {});
        } else if (m_graph.delta[v] > 0 && !inCall)
            add(m_at - m_graph.delta[v], edge ? IdleCause::WindowEdge : IdleCause::Unexplained, {});
        if (m_graph.activity[e] == kNone)
            addLag(e, u, v);
        else
            addWork(from, m_graph.activities[m_graph.activity[e]]);
        return u;
    }

    bool onHost(uint32_t v) const {
        return m_graph.track[v] != kNone &&
               m_trace.tracks[m_graph.track[v]].kind == TrackKind::Thread;
    }

    /// What a thread that is held up by such an edge was doing meanwhile.
    static std::optional<IdleCause> hostWait(EdgeType type) {
        switch (type) {
        case EdgeType::Sync:
            return IdleCause::SyncWait;
        case EdgeType::Copy:
            return IdleCause::TransferBlocking;
        case EdgeType::Loader:
            return IdleCause::DataWait;
        case EdgeType::BackPressure:
            return IdleCause::LaunchLatency;
        default:
            return std::nullopt;
        }
    }

    /// A thread that waits is to blame for as long as it waits, whatever runs elsewhere: this
    /// device has nothing to do because that thread launches nothing (C3). Returns where the wait
    /// began.
    uint32_t addWait(uint32_t v, uint32_t from, IdleCause cause) {
        uint32_t begin = from;
        IntervalId subject = workInto(v);
        // memory that is given back waits, too
        if (subject.valid() && subject.row != kNone && cause == IdleCause::SyncWait &&
            m_causes.ofRange(subject) == IdleCause::Allocator)
            cause = IdleCause::Allocator;
        for (uint32_t e = m_graph.firstEdge[v]; e < m_graph.firstEdge[v + 1]; ++e)
            if (m_graph.type[e] == EdgeType::Program &&
                m_graph.track[m_graph.source[e]] == m_graph.track[v])
                begin = m_graph.source[e];
        if (subject.valid())
            subject = waitingIn(subject.track, subject.row, m_graph.time[begin], m_graph.time[v]);
        add(m_graph.time[begin], cause, subject);
        return begin;
    }

    /// The outermost range around a row that lies inside a wait; of a row that is none, the range
    /// that ended last.
    IntervalId waitingIn(uint32_t track, uint32_t row, TimeNs begin, TimeNs end) const {
        const Track &t = m_trace.tracks[track];
        for (uint32_t lane = 0; row == kNone && lane < t.table->lanes(); ++lane) {
            const uint32_t next = t.table->firstAfter(lane, end - 1 - t.offset);
            if (next > t.table->laneBegin[lane] && t.begin(next - 1) >= begin) row = next - 1;
        }
        if (row == kNone) return {track, row};
        for (uint32_t up = t.table->parent[row]; up != kNone && t.begin(up) >= begin;
             up = t.table->parent[up])
            row = up;
        return {track, row};
    }

    /// What a thread went on with at a node from which the walk came.
    IntervalId goneOnWith(uint32_t v) const {
        const IntervalId work = m_lastWork.valid() ? m_lastWork : m_call;
        if (!work.valid() || work.track != m_graph.track[v]) return workInto(v);
        return waitingIn(work.track, work.row, m_graph.time[v], m_graph.time[v]);
    }

    void addLag(uint32_t e, uint32_t u, uint32_t v) {
        const TimeNs from = m_graph.time[u];
        const IntervalId source = workInto(u);
        const bool ofDevice = source.valid() && source.row != kNone && !onHost(u);
        switch (m_graph.type[e]) {
        case EdgeType::Launch:
            return addLaunch(from);
        case EdgeType::Graph:
            if (!ofDevice) return addLaunch(from);
            [[fallthrough]]; // the order inside a graph is that of streams
        case EdgeType::Stream:
            return add(
                from, m_at - from <= m_kernelGapMax ? IdleCause::KernelGap : IdleCause::Unexplained,
                source);
        case EdgeType::Event:
        case EdgeType::Collective:
            return add(from,
                       ofDevice ? HostCauses::ofOperation(m_trace.kind(source))
                                : IdleCause::StreamDependency,
                       source);
        case EdgeType::Handoff:
            return add(from, IdleCause::HandoffWait, goneOnWith(v));
        case EdgeType::Sync:
        case EdgeType::Copy:
        case EdgeType::Loader:
        case EdgeType::BackPressure:
        case EdgeType::Program:
        case EdgeType::Window:
            break;
        }
        add(from, IdleCause::WindowEdge, {});
    }

    bool stages() const { return m_call.valid() && m_causes.copiesBlocking(m_call); }

    /// From the begin of the call on it is latency, except while the call itself stages a copy.
    void addLaunch(TimeNs from) {
        addNoted(from, stages() ? IdleCause::TransferBlocking : IdleCause::LaunchLatency, m_call);
    }

    void addWork(TimeNs from, const Activity &activity) {
        const IntervalId id = m_lastWork = activity.interval;
        if (m_trace.tracks[id.track].kind == TrackKind::Stream)
            return add(from, HostCauses::ofOperation(activity.kind), id);
        // the call that launched the operation is part of its latency
        const bool launching = m_call.valid() && m_call.track == id.track &&
                               m_at <= m_trace.end(m_call) && from >= m_trace.begin(m_call);
        if (launching) return addLaunch(from);
        addNoted(from, m_causes.of(activity), id);
    }

    /// Host time, in which what the profiler noted stands before what the thread was in.
    void addNoted(TimeNs from, IdleCause cause, IntervalId subject) {
        while (subject.valid() && m_at > std::max(from, m_gap.begin)) {
            const HostCauses::Note *note = m_causes.lastBefore(subject.track, m_at);
            if (!note || note->range.end <= std::max(from, m_gap.begin)) break;
            add(std::max(from, note->range.end), cause, subject);
            // whose time it took is not recorded
            const Evidence before = m_evidence;
            m_evidence = std::max(m_evidence, Evidence::Inferred);
            add(std::max(from, note->range.begin), note->cause, note->id);
            m_evidence = before;
        }
        add(from, cause, subject);
    }

    /// The work that ends at a node, as far as one does.
    IntervalId workInto(uint32_t v) const {
        for (uint32_t e = m_graph.firstEdge[v]; e < m_graph.firstEdge[v + 1]; ++e)
            if (m_graph.activity[e] != kNone)
                return m_graph.activities[m_graph.activity[e]].interval;
        return {};
    }

    void add(TimeNs from, IdleCause cause, IntervalId subject) {
        const TimeRange piece = m_gap.clipped({from, m_at});
        m_at = std::min(m_at, from);
        if (piece.empty()) return;
        if (!m_pieces.empty() && m_pieces.back().cause == cause) {
            IdleInterval &last = m_pieces.back();
            last.begin = piece.begin;
            last.evidence = std::max(last.evidence, m_evidence);
            describe(last, subject, piece.length());
        } else {
            m_pieces.push_back({piece.begin, piece.end, cause, m_evidence, m_next, subject});
            m_longest = piece.length();
        }
    }

    /// Of several things that the host did the piece names what encloses all, else the longest.
    void describe(IdleInterval &piece, IntervalId subject, TimeNs length) {
        if (!piece.mostly) {
            const IntervalId common = commonOf(piece.subject, subject);
            if (common.valid()) {
                piece.subject = common;
                m_longest = std::max(m_longest, length);
                return;
            }
            piece.mostly = true;
        }
        if (length <= m_longest) return;
        m_longest = length;
        piece.subject = subject;
    }

    /// The innermost range around both, if it says more than which step it is.
    IntervalId commonOf(IntervalId a, IntervalId b) const {
        if (a == b) return a;
        if (a.track != b.track || a.row == kNone || b.row == kNone) return {};
        const TrackTable &table = *m_trace.track(a).table;
        uint32_t x = a.row, y = b.row;
        while (x != y) {
            uint32_t &deeper = table.depth[x] >= table.depth[y] ? x : y;
            deeper = table.parent[deeper];
            if (deeper == kNone) return {};
        }
        const IntervalId common{a.track, x};
        return m_causes.marksStep(common) ? IntervalId{} : common;
    }

    const Trace &m_trace;
    const DependencyGraph &m_graph;
    HostCauses &m_causes;
    const TimeNs m_kernelGapMax;
    const Progress &m_progress;
    size_t m_walked = 0; ///< edges, of all gaps
    TimeRange m_gap;
    bool m_first = false;
    IntervalId m_next, m_call, m_lastWork;
    TimeNs m_at = 0, m_longest = 0;
    Evidence m_evidence = Evidence::Recorded;
    std::vector<IdleInterval> m_pieces; ///< last first
};

/// C4: what is still a gap between two queued operations; longer ones have another reason.
TimeNs kernelGapMax(const Trace &trace, const DependencyGraph &graph,
                    const std::vector<IntervalId> &operations, const Progress &progress) {
    std::vector<TimeNs> gaps;
    size_t count = 0;
    for (const IntervalId op : operations) {
        if (++count % 4096 == 0) progress.look();
        const uint32_t v = graph.opNodes[op.track][op.row].begin;
        if (v == kNone) continue; // outside a graph that was cut
        const uint32_t e = tightEdge(graph, v);
        const IntervalId call = trace.callOf(op);
        if (graph.type[e] != EdgeType::Stream || !call.valid()) continue;
        const TimeNs free = graph.time[graph.source[e]];
        if (trace.end(call) + kGraphThresholds.queuedBefore <= free)
            gaps.push_back(graph.time[v] - free);
    }
    if (gaps.size() < kGraphThresholds.launchSamples) return kGraphThresholds.kernelGapMax;
    return std::min(kGraphThresholds.kernelGapMax, quantileOf(gaps, 0.95, progress));
}

using DeviceKey = std::pair<uint32_t, int64_t>;

std::map<DeviceKey, Operations> operationsByDevice(const Trace &trace, const DependencyGraph &graph,
                                                   const Progress &progress) {
    std::map<DeviceKey, Operations> devices;
    std::map<DeviceKey, size_t> room;
    for (const Track &track : trace.tracks)
        if (track.kind == TrackKind::Stream)
            room[{trace.processes[track.process].file, track.device.value_or(0)}] +=
                track.table->size();
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        const DeviceKey key{trace.processes[track.process].file, track.device.value_or(0)};
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            progress.look(row);
            if (!isDeviceKind(track.table->kind[row])) continue;
            auto &order = devices[key].order;
            if (order.empty()) order.reserve(room[key]);
            order.push_back({t, row});
        }
    }
    for (auto &[key, device] : devices) {
        sortLooking(
            device.order,
            [&](IntervalId a, IntervalId b) {
                return std::pair(trace.begin(a), a) < std::pair(trace.begin(b), b);
            },
            progress);
        device.kernels.reserve(device.order.size());
        for (size_t i = 0; i < device.order.size(); ++i) {
            progress.look(i);
            const IntervalId op = device.order[i];
            if (isKernel(trace.kind(op))) device.kernels.push_back(op);
        }
        device.kernelGapMax = kernelGapMax(trace, graph, device.order, progress);
    }
    if (!trace.excerpt) return devices;
    const auto &device = trace.excerpt->column("gap_device"),
               &most = trace.excerpt->column("gap_most"); // as long; learned from the capture
    for (size_t i = 0; i < device.size(); ++i)
        if (const auto it = devices.find({0, device[i]}); it != devices.end())
            it->second.kernelGapMax = most[i];
    return devices;
}

void fillBooks(const Trace &trace, const std::vector<IntervalId> &operations, TimeRange window,
               IntervalId first, GapWalk &walk, const Progress &progress, DeviceIdle &books) {
    TimeNs at = window.begin;
    size_t count = 0;
    GrowArray<IdleInterval> intervals;
    for (const IntervalId op : operations) {
        if (++count % 4096 == 0) progress.look();
        const TimeRange range{trace.begin(op), trace.end(op)};
        if (range.empty()) continue;
        if (range.begin > at)
            walk.run({at, std::min(range.begin, window.end)}, op, first, intervals);
        at = std::max(at, range.end);
        if (at >= window.end || range.begin >= window.end) {
            at = std::max(at, window.end);
            break;
        }
    }
    if (at < window.end)
        intervals.push_back({at, window.end, IdleCause::WindowEdge, Evidence::Recorded, {}, {}});
    books.intervals.reserve(intervals.size());
    for (const IdleInterval &interval : intervals) {
        progress.look(books.intervals.size());
        books.intervals.push_back(interval);
        books.byCause[size_t(interval.cause)] += interval.end - interval.begin;
        books.idle += interval.end - interval.begin;
    }
    books.busy = window.length() - books.idle;
}

} // namespace

KernelGaps kernelGaps(const Trace &trace, const DependencyGraph &graph, const Progress &progress) {
    KernelGaps gaps;
    for (const auto &[key, operations] : operationsByDevice(trace, graph, progress))
        gaps[key] = operations.kernelGapMax;
    return gaps;
}

namespace {

/// Throws Stopped.
Result<std::vector<DeviceIdle>> books(const Trace &trace, const Phases &phases,
                                      const DependencyGraph &graph, const Window &window,
                                      const KernelGaps *gaps, const Progress &progress) {
    auto devices = operationsByDevice(trace, graph, progress);
    if (devices.empty())
        return Error{ErrorKind::Impossible, "no_device",
                     "No device stream of this trace holds an operation, so there is no device "
                     "whose idle time could be explained."};
    HostCauses causes(trace, phases, progress);
    std::vector<DeviceIdle> result;
    for (auto &[key, operations] : devices) {
        if (gaps && gaps->count(key) > 0) operations.kernelGapMax = gaps->at(key);
        GapWalk walk(trace, graph, causes, operations.kernelGapMax, progress);
        DeviceIdle &books = result.emplace_back();
        books.file = key.first;
        books.device = key.second;
        const IntervalId first = operations.order.front();
        DeviceIdle kernels;
        fillBooks(trace, operations.order, window.range, first, walk, progress, books);
        fillBooks(trace, operations.kernels, window.range, first, walk, progress, kernels);
        books.kernels = kernels;
    }
    return result;
}

} // namespace

Result<std::vector<DeviceIdle>> idleBooks(const Trace &trace, const Phases &phases,
                                          const DependencyGraph &graph, const Window &window,
                                          Progress &progress, const KernelGaps *gaps) {
    try {
        return books(trace, phases, graph, window, gaps, progress);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
