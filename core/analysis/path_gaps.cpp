// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/path_gaps.h"

#include <algorithm>
#include <limits>
#include <map>

namespace longpole {

namespace {

using DeviceKey = std::pair<uint32_t, int64_t>;

DeviceKey deviceOf(const Trace &trace, uint32_t track) {
    const Track &t = trace.tracks[track];
    return {trace.processes[t.process].file, t.device.value_or(0)};
}

std::map<DeviceKey, TimeNs> firstOperations(const Trace &trace) {
    std::map<DeviceKey, TimeNs> first;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            const auto [it, isNew] = first.try_emplace(deviceOf(trace, t), track.begin(row));
            it->second = std::min(it->second, track.begin(row));
        }
    }
    return first;
}

} // namespace

PathGaps pathGaps(const Trace &trace, const DependencyGraph &graph, const CriticalPath &path) {
    PathGaps gaps;
    std::map<DeviceKey, TimeNs> first;
    for (const PathSegment &segment : path.segments) {
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
            if (first.empty()) first = firstOperations(trace);
            (segment.end <= first[deviceOf(trace, id.track)] ? gaps.before : gaps.waits) += length;
        }
    }
    return gaps;
}

} // namespace longpole
