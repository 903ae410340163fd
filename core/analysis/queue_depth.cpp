// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/queue_depth.h"

#include <algorithm>

namespace longpole {

namespace {

CounterSeries depthOf(const Trace &trace, uint32_t track) {
    std::vector<std::pair<TimeNs, int>> changes;
    for (uint32_t row = 0; row < trace.tracks[track].table->size(); ++row) {
        const IntervalId op{track, row}, call = trace.callOf(op);
        if (!call.valid()) continue;
        const TimeNs begin = trace.begin(op), enqueued = std::min(begin, trace.end(call));
        if (enqueued == begin) continue; // stood in no queue
        changes.emplace_back(enqueued, 1);
        changes.emplace_back(begin, -1);
    }
    std::sort(changes.begin(), changes.end());
    CounterSeries series;
    series.track = track;
    series.name = "queue depth";
    series.series = trace.tracks[track].name;
    double depth = 0;
    for (size_t i = 0; i < changes.size();) {
        const TimeNs time = changes[i].first;
        const double before = depth;
        for (; i < changes.size() && changes[i].first == time; ++i) depth += changes[i].second;
        if (depth == before) continue;
        series.time.push_back(time);
        series.value.push_back(depth);
    }
    return series;
}

} // namespace

std::vector<CounterSeries> queueDepths(const Trace &trace) {
    std::vector<CounterSeries> all;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        if (trace.tracks[t].kind != TrackKind::Stream) continue;
        CounterSeries series = depthOf(trace, t);
        if (!series.time.empty()) all.push_back(std::move(series));
    }
    return all;
}

double valueAt(const CounterSeries &series, TimeNs time) {
    const auto after = std::upper_bound(series.time.begin(), series.time.end(), time);
    return after == series.time.begin() ? 0 : series.value[size_t(after - series.time.begin()) - 1];
}

} // namespace longpole
