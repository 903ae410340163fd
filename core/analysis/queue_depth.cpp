// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/queue_depth.h"

#include <algorithm>
#include <span>

namespace longpole {

namespace {

/// `launches` are those of the track.
CounterSeries depthOf(const Trace &trace, uint32_t track, std::span<const Launch> launches) {
    std::vector<TimeNs> enqueued, begun; // operations begin where they leave the queue
    for (const Launch &launch : launches) {
        if (!launch.call.valid()) continue;
        const TimeNs begin = trace.begin(launch.op), end = trace.end(launch.call);
        if (end >= begin) continue; // stood in no queue
        enqueued.push_back(end);
        begun.push_back(begin);
    }
    for (auto *times : {&enqueued, &begun})
        if (!std::is_sorted(times->begin(), times->end())) std::sort(times->begin(), times->end());
    CounterSeries series;
    series.track = track;
    series.name = "queue depth";
    series.series = trace.tracks[track].name;
    double depth = 0;
    for (size_t in = 0, out = 0; out < begun.size();) {
        const TimeNs time = in < enqueued.size() ? std::min(enqueued[in], begun[out]) : begun[out];
        const double before = depth;
        for (; in < enqueued.size() && enqueued[in] == time; ++in) ++depth;
        for (; out < begun.size() && begun[out] == time; ++out) --depth;
        if (depth == before) continue;
        series.time.push_back(time);
        series.value.push_back(depth);
    }
    return series;
}

} // namespace

std::vector<CounterSeries> queueDepths(const Trace &trace) {
    const std::vector<Launch> &all = trace.launches; // sorted by operation
    const auto ofTrack = [](const Launch &launch, uint32_t track) {
        return launch.op.track < track;
    };
    std::vector<CounterSeries> result;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        if (trace.tracks[t].kind != TrackKind::Stream) continue;
        const auto from = std::lower_bound(all.begin(), all.end(), t, ofTrack);
        const auto to = std::lower_bound(from, all.end(), t + 1, ofTrack);
        CounterSeries series = depthOf(trace, t, {from, to});
        if (!series.time.empty()) result.push_back(std::move(series));
    }
    return result;
}

double valueAt(const CounterSeries &series, TimeNs time) {
    const auto after = std::upper_bound(series.time.begin(), series.time.end(), time);
    return after == series.time.begin() ? 0 : series.value[size_t(after - series.time.begin()) - 1];
}

} // namespace longpole
