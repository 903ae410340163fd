// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/path_gaps.h"

#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>
#include <optional>

namespace longpole {

namespace {

using DeviceKey = std::pair<uint32_t, int64_t>;

DeviceKey deviceOf(const Trace &trace, uint32_t track) {
    const Track &t = trace.tracks[track];
    return {trace.processes[t.process].file, t.device.value_or(0)};
}

std::map<DeviceKey, TimeNs> firstOperations(const Trace &trace, const Progress &progress) {
    std::map<DeviceKey, TimeNs> first;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            progress.look(row);
            const auto [it, isNew] = first.try_emplace(deviceOf(trace, t), track.begin(row));
            it->second = std::min(it->second, track.begin(row));
        }
    }
    return first;
}

/// When each stream is at work.
class Busy {
public:
    Busy(const Trace &trace, const Progress &progress)
        : m_trace(trace), m_parts(trace.tracks.size()) {
        for (uint32_t t = 0; t < trace.tracks.size(); ++t)
            if (trace.tracks[t].kind == TrackKind::Stream) m_parts[t] = partsOf(trace.tracks[t], progress);
    }

    /// Whether other streams of its device are at work during all of a time before an operation,
    /// but for what is usual between two operations.
    bool besideOthers(uint32_t stream, TimeNs begin, TimeNs end) const {
        const DeviceKey device = deviceOf(m_trace, stream);
        std::vector<TimeRange> beside;
        for (uint32_t t = 0; t < m_parts.size(); ++t) {
            if (t == stream || m_parts[t].empty() || deviceOf(m_trace, t) != device) continue;
            for (auto it = firstBehind(m_parts[t], begin);
                 it != m_parts[t].end() && it->begin < end; ++it)
                beside.push_back(*it);
        }
        std::sort(beside.begin(), beside.end(), byBegin);
        TimeNs covered = begin;
        for (const TimeRange part : beside) {
            if (part.begin > covered + kGraphThresholds.kernelGapMax) return false;
            covered = std::max(covered, part.end);
        }
        return covered + kGraphThresholds.kernelGapMax >= end;
    }

private:
    static bool byBegin(TimeRange a, TimeRange b) { return a.begin < b.begin; }
    static std::vector<TimeRange>::const_iterator firstBehind(const std::vector<TimeRange> &parts,
                                                              TimeNs begin) {
        return std::lower_bound(parts.begin(), parts.end(), begin,
                                [](TimeRange part, TimeNs t) { return part.end <= t; });
    }
    static std::vector<TimeRange> partsOf(const Track &track, const Progress &progress) {
        std::vector<TimeRange> all, parts;
        all.reserve(track.table->size());
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            progress.look(row);
            all.push_back({track.begin(row), track.begin(row) + track.table->duration[row]});
        }
        sortLooking(all, byBegin, progress);
        for (const TimeRange part : all) {
            progress.look(parts.size());
            if (!parts.empty() && part.begin <= parts.back().end)
                parts.back().end = std::max(parts.back().end, part.end);
            else
                parts.push_back(part);
        }
        return parts;
    }

    const Trace &m_trace;
    std::vector<std::vector<TimeRange>> m_parts; ///< by track; disjoint
};

} // namespace

PathGaps pathGaps(const Trace &trace, const DependencyGraph &graph, const CriticalPath &path,
                  const Progress &progress) {
    PathGaps gaps;
    std::map<DeviceKey, TimeNs> first;
    std::optional<Busy> busy;
    size_t count = 0;
    for (const PathSegment &segment : path.segments) {
        progress.look(count++);
        if (segment.type != PathSegment::Type::Unexplained) continue;
        const TimeNs length = segment.end - segment.begin;
        const IntervalId id = segment.interval;
        const bool ofDevice = id.valid() && id.row != kNone &&
                              trace.tracks[id.track].kind == TrackKind::Stream &&
                              segment.track == id.track && !graph.opNodes[id.track].empty();
        if (!ofDevice) {
            gaps.waits += length;
        } else if (!trace.callOf(id).valid()) {
            gaps.launches += length;
        } else {
            if (first.empty()) first = firstOperations(trace, progress);
            const bool isFirst = segment.end <= first[deviceOf(trace, id.track)];
            (isFirst ? gaps.before : gaps.waits) += length;
            if (isFirst) continue;
            if (!busy) busy.emplace(trace, progress);
            if (busy->besideOthers(id.track, segment.begin, segment.end)) gaps.beside += length;
        }
    }
    return gaps;
}

} // namespace longpole
