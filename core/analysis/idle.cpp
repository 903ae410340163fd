// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/idle.h"

#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

bool containsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return contains(text, part); });
}

/// What work on a host thread says about a device that waits for its next launch.
class HostCauses {
public:
    HostCauses(const Trace &trace, const Phases &phases)
        : m_trace(trace), m_dataWait(phases.rules.find("data_wait")) {}

    IdleCause of(const Activity &activity) const {
        if (activity.interval.row == kNone) return IdleCause::HostBound;
        if (m_dataWait && activity.phase == *m_dataWait) return IdleCause::DataWait;
        if (activity.kind == Kind::Overhead) return IdleCause::Profiler;
        if (activity.kind == Kind::Sync) return IdleCause::SyncWait;
        const TrackTable &table = *m_trace.track(activity.interval).table;
        for (uint32_t row = activity.interval.row; row != kNone; row = table.parent[row]) {
            const IdleCause cause = byName((*table.strings)[table.name[row]]);
            if (cause != IdleCause::HostBound) return cause;
        }
        return IdleCause::HostBound;
    }

    static IdleCause ofOperation(Kind kind) {
        if (kind == Kind::Comm) return IdleCause::CollectiveWait;
        return isCopyKind(kind) ? IdleCause::TransferWait : IdleCause::StreamDependency;
    }

private:
    static IdleCause byName(std::string_view name) {
        if (containsAny(name, {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cuMemAlloc", "cuMemFree",
                               "hipMalloc", "hipFree", "hipHostMalloc"}))
            return IdleCause::Allocator;
        if (containsAny(name, {"cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad", "hipModuleLoad",
                               "nvrtc", "hiprtc", "compile_fx", "convert_frame", "codecache"}))
            return IdleCause::Compile;
        if (contains(name, "emcpy") && !contains(name, "Async")) return IdleCause::TransferBlocking;
        if (contains(name, "c10d::") && containsAny(name, {"barrier", "monitored"}))
            return IdleCause::CollectiveWait;
        return IdleCause::HostBound;
    }

    const Trace &m_trace;
    const std::optional<uint8_t> m_dataWait;
};

/// The operations of one device by begin.
struct Operations {
    std::vector<IntervalId> order;
    TimeNs kernelGapMax = 0;
};

/// Walks from the begin of an operation back to the begin of the idle stretch before it.
class GapWalk {
public:
    GapWalk(const Trace &trace, const DependencyGraph &graph, const HostCauses &causes,
            TimeNs kernelGapMax)
        : m_trace(trace), m_graph(graph), m_causes(causes), m_kernelGapMax(kernelGapMax) {}

    void run(TimeRange gap, IntervalId next, std::vector<IdleInterval> &into) {
        m_gap = gap;
        m_next = next;
        m_evidence = Evidence::Recorded;
        m_pieces.clear();
        m_call = m_trace.callOf(next);
        uint32_t v = m_graph.opNodes[next.track][next.row].begin;
        for (m_at = m_graph.time[v]; m_at > gap.begin && v != 0;) v = back(v);
        add(gap.begin, IdleCause::WindowEdge, {});
        into.insert(into.end(), m_pieces.rbegin(), m_pieces.rend());
    }

private:
    /// One edge backwards; returns its source.
    uint32_t back(uint32_t v) {
        const uint32_t e = tightEdge(m_graph, v), u = m_graph.source[e];
        const bool edge = m_graph.type[e] == EdgeType::Window;
        const TimeNs from = m_graph.time[u];
        m_evidence = std::max(m_evidence, m_graph.evidence[e]);
        if (m_graph.delta[v] > 0)
            add(m_at - m_graph.delta[v], edge ? IdleCause::WindowEdge : IdleCause::Unexplained, {});
        if (m_graph.activity[e] == kNone)
            addLag(e, u, v);
        else
            addWork(from, m_graph.activities[m_graph.activity[e]]);
        return u;
    }

    void addLag(uint32_t e, uint32_t u, uint32_t v) {
        const TimeNs from = m_graph.time[u];
        const IntervalId source = workInto(u);
        switch (m_graph.type[e]) {
        case EdgeType::Launch:
            return add(from, IdleCause::LaunchLatency, m_call);
        case EdgeType::Graph:
        case EdgeType::BackPressure:
            return add(from, IdleCause::LaunchLatency, source);
        case EdgeType::Stream:
            return add(
                from, m_at - from <= m_kernelGapMax ? IdleCause::KernelGap : IdleCause::Unexplained,
                source);
        case EdgeType::Event:
        case EdgeType::Collective:
            return add(from,
                       source.valid() && source.row != kNone
                           ? HostCauses::ofOperation(m_trace.kind(source))
                           : IdleCause::StreamDependency,
                       source);
        case EdgeType::Sync:
            return add(from, IdleCause::SyncWait, workInto(v));
        case EdgeType::Copy:
            return add(from, IdleCause::TransferBlocking, workInto(v));
        case EdgeType::Handoff:
            return add(from, IdleCause::HandoffWait, workInto(v));
        case EdgeType::Loader:
            return add(from, IdleCause::DataWait, workInto(v));
        case EdgeType::Program:
        case EdgeType::Window:
            break;
        }
        add(from, IdleCause::WindowEdge, {});
    }

    void addWork(TimeNs from, const Activity &activity) {
        const IntervalId id = activity.interval;
        if (m_trace.tracks[id.track].kind == TrackKind::Stream)
            return add(from, HostCauses::ofOperation(activity.kind), id);
        // the call that launched the operation is part of its latency
        const bool launching = m_call.valid() && m_call.track == id.track &&
                               m_at <= m_trace.end(m_call) && from >= m_trace.begin(m_call);
        add(from, launching ? IdleCause::LaunchLatency : m_causes.of(activity), id);
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
        return isStepMarker(m_trace.name(common)) ? IntervalId{} : common;
    }

    const Trace &m_trace;
    const DependencyGraph &m_graph;
    const HostCauses &m_causes;
    const TimeNs m_kernelGapMax;
    TimeRange m_gap;
    IntervalId m_next, m_call;
    TimeNs m_at = 0, m_longest = 0;
    Evidence m_evidence = Evidence::Recorded;
    std::vector<IdleInterval> m_pieces; ///< last first
};

/// C4: what is still a gap between two queued operations; longer ones have another reason.
TimeNs kernelGapMax(const Trace &trace, const DependencyGraph &graph,
                    const std::vector<IntervalId> &operations) {
    std::vector<TimeNs> gaps;
    for (const IntervalId op : operations) {
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
    return std::min(kGraphThresholds.kernelGapMax, quantileOf(gaps, 0.95));
}

using DeviceKey = std::pair<uint32_t, int64_t>;

std::map<DeviceKey, Operations> operationsByDevice(const Trace &trace,
                                                   const DependencyGraph &graph) {
    std::map<DeviceKey, Operations> devices;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (isDeviceKind(track.table->kind[row]))
                devices[{trace.processes[track.process].file, track.device.value_or(0)}]
                    .order.push_back({t, row});
    }
    for (auto &[key, device] : devices) {
        std::sort(device.order.begin(), device.order.end(), [&](IntervalId a, IntervalId b) {
            return std::pair(trace.begin(a), a) < std::pair(trace.begin(b), b);
        });
        device.kernelGapMax = kernelGapMax(trace, graph, device.order);
    }
    return devices;
}

/// False when stopped.
bool fillBooks(const Trace &trace, const Operations &operations, TimeRange window, GapWalk &walk,
               Progress &progress, DeviceIdle &books) {
    TimeNs at = window.begin;
    size_t count = 0;
    for (const IntervalId op : operations.order) {
        if (++count % 4096 == 0 && progress.stopped()) return false;
        const TimeRange range{trace.begin(op), trace.end(op)};
        if (range.empty()) continue;
        if (range.begin > at)
            walk.run({at, std::min(range.begin, window.end)}, op, books.intervals);
        at = std::max(at, range.end);
        if (at >= window.end || range.begin >= window.end) {
            at = std::max(at, window.end);
            break;
        }
    }
    if (at < window.end)
        books.intervals.push_back(
            {at, window.end, IdleCause::WindowEdge, Evidence::Recorded, {}, {}});
    for (const IdleInterval &interval : books.intervals) {
        books.byCause[size_t(interval.cause)] += interval.end - interval.begin;
        books.idle += interval.end - interval.begin;
    }
    books.busy = window.length() - books.idle;
    return true;
}

} // namespace

Result<std::vector<DeviceIdle>> idleBooks(const Trace &trace, const Phases &phases,
                                          const DependencyGraph &graph, const Window &window,
                                          Progress &progress) {
    const auto devices = operationsByDevice(trace, graph);
    if (devices.empty())
        return Error{ErrorKind::Impossible, "no_device",
                     "No device stream of this trace holds an operation, so there is no device "
                     "whose idle time could be explained."};
    const HostCauses causes(trace, phases);
    std::vector<DeviceIdle> result;
    for (const auto &[key, operations] : devices) {
        GapWalk walk(trace, graph, causes, operations.kernelGapMax);
        DeviceIdle &books = result.emplace_back();
        books.file = key.first;
        books.device = key.second;
        if (!fillBooks(trace, operations, window.range, walk, progress, books))
            return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
    return result;
}

} // namespace longpole
