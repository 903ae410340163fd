// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/steps.h"

#include "core/analysis/step_markers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr std::string_view kMarkerPrefix = "ProfilerStep#";
constexpr uint64_t kSeed = 20240501;

/// The rows that mark steps on one track, by begin; a marker inside another one repeats it.
std::vector<uint32_t> markersOf(const Track &track, StepMarkers &markers) {
    std::vector<uint32_t> rows;
    const TrackTable &table = *track.table;
    if (track.kind != TrackKind::Thread || table.size() == 0) return rows;
    markers.use(table);
    if (!markers.any()) return rows;
    for (uint32_t row = 0; row < table.size(); ++row)
        if (markers.has(row)) rows.push_back(row);
    std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(table.start[a], -table.duration[a]) <
               std::pair(table.start[b], -table.duration[b]);
    });
    TimeNs lastEnd = std::numeric_limits<TimeNs>::min();
    std::erase_if(rows, [&](uint32_t row) {
        if (table.end(row) <= lastEnd) return true;
        lastEnd = table.end(row);
        return false;
    });
    return rows;
}

void addSteps(Steps &result, const Trace &trace, const std::vector<uint32_t> &rows) {
    const Track &track = trace.tracks[result.thread];
    for (const uint32_t row : rows) {
        Step step;
        step.name = track.nameOf(row);
        step.marker = {result.thread, row};
        step.begin = track.begin(row);
        step.end = step.drainedEnd = track.end(row);
        if (!result.steps.empty())
            result.steps.back().period = step.begin - result.steps.back().begin;
        result.steps.push_back(std::move(step));
    }
}

/// A step is drained when the device work that its own calls enqueued has ended, on any thread of
/// the same file; whether the host waited for it is its boundary.
void drain(Steps &result, const Trace &trace) {
    auto &steps = result.steps;
    const auto fileOf = [&](uint32_t track) {
        return trace.processes[trace.tracks[track].process].file;
    };
    const uint32_t file = fileOf(result.thread);
    struct DeviceWork {
        TimeNs lastLaunch = std::numeric_limits<TimeNs>::min(), end = lastLaunch;
    };
    std::vector<DeviceWork> work(steps.size());
    for (const Launch &launch : trace.launches) {
        if (fileOf(launch.call.track) != file) continue;
        const TimeNs at = trace.begin(launch.call);
        auto it = std::upper_bound(steps.begin(), steps.end(), at,
                                   [](TimeNs t, const Step &s) { return t < s.begin; });
        if (it == steps.begin() || at >= (--it)->end) continue;
        DeviceWork &own = work[size_t(it - steps.begin())];
        own.lastLaunch = std::max(own.lastLaunch, at);
        own.end = std::max(own.end, trace.end(launch.op));
        it->drainedEnd = std::max(it->drainedEnd, own.end);
    }
    const EnqueueTails tails(trace, result.thread);
    for (size_t i = 0; i < steps.size(); ++i)
        if (work[i].end > steps[i].begin)
            steps[i].boundary = tails.boundary(result.thread, {steps[i].begin, steps[i].end},
                                               work[i].lastLaunch, work[i].end);
}

bool runsOn(const std::vector<Step> &steps) {
    std::vector<TimeNs> excess, periods;
    for (const Step &step : steps) {
        if (!step.period) continue;
        periods.push_back(*step.period);
        excess.push_back(step.length() - *step.period);
    }
    if (periods.empty()) return false;
    std::sort(periods.begin(), periods.end());
    std::sort(excess.begin(), excess.end());
    return quantile(excess, 0.5) > quantile(periods, 0.5) / 20;
}

void findSteady(Steps &result) {
    auto &steps = result.steps;
    if (steps.empty()) {
        result.steadyReason = "The trace has no steps.";
        return;
    }
    if (steps.size() < 3) {
        result.steadyReason =
            "A steady window needs three steps: the first and the last are left out.";
        return;
    }
    steps.front().leftOut = steps.back().leftOut = true;
    steps.front().reason = "First step: the profiler and caches warm up in it.";
    steps.back().reason = "Last step: the end of the capture may cut it.";
    SteadyWindow steady;
    steady.first = 1;
    steady.last = uint32_t(steps.size()) - 2;
    std::vector<TimeNs> lengths;
    for (uint32_t i = steady.first; i <= steady.last; ++i) lengths.push_back(steps[i].length());
    describe(steady, {lengths});
    result.steady = steady;
    result.steadyReason =
        "All steps but the first and the last; that they are steady is not tested.";
}

} // namespace

void describe(SteadyWindow &steady, const RunValues &runs) {
    std::vector<TimeNs> lengths;
    for (const auto &run : runs) lengths.insert(lengths.end(), run.begin(), run.end());
    steady.n = uint32_t(lengths.size());
    if (steady.n >= kMinForInterval) steady.ci95 = interval95(resampledMedians(runs, kSeed));
    std::sort(lengths.begin(), lengths.end());
    steady.median = quantile(lengths, 0.5);
    steady.iqr = quantile(lengths, 0.75) - quantile(lengths, 0.25);
    steady.p5 = quantile(lengths, 0.05);
    steady.p95 = quantile(lengths, 0.95);
    steady.min = lengths.front();
    steady.max = lengths.back();
}

Boundary Steps::boundary() const {
    bool all = !steps.empty();
    for (const Step &step : steps) {
        if (step.boundary == Boundary::EnqueueOnly) return Boundary::EnqueueOnly;
        all = all && step.boundary == Boundary::Synchronised;
    }
    return all ? Boundary::Synchronised : Boundary::Unknown;
}

bool isStepMarker(std::string_view name) {
    if (!name.starts_with(kMarkerPrefix) || name.size() == kMarkerPrefix.size()) return false;
    return std::all_of(name.begin() + kMarkerPrefix.size(), name.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

TimeNs quantile(const std::vector<TimeNs> &sorted, double q) {
    if (sorted.empty()) return 0;
    const double at = q * double(sorted.size() - 1);
    const size_t low = size_t(at);
    if (low + 1 >= sorted.size()) return sorted.back();
    return sorted[low] +
           TimeNs(std::llround((at - double(low)) * double(sorted[low + 1] - sorted[low])));
}

namespace {

Steps markedSteps(const Trace &trace, std::optional<uint32_t> file) {
    Steps result;
    StepMarkers markers;
    std::vector<uint32_t> best;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        if (file && trace.processes[trace.tracks[t].process].file != *file) continue;
        std::vector<uint32_t> rows = markersOf(trace.tracks[t], markers);
        if (rows.size() <= best.size()) continue;
        best = std::move(rows);
        result.thread = t;
    }
    if (!best.empty()) {
        result.foundBy = "ProfilerStep#N";
        addSteps(result, trace, best);
        drain(result, trace);
        result.pipelined = runsOn(result.steps);
        const Step &first = result.steps.front();
        // Only a capture that begins with the program shows how long it takes to reach step 0.
        if (first.name == "ProfilerStep#0" && trace.range.begin < first.begin)
            result.startup = first.begin - trace.range.begin;
    }
    return result;
}

Steps stepsOf(const Trace &trace, std::optional<uint32_t> file) {
    Steps result = markedSteps(trace, file);
    findSteady(result);
    return result;
}

} // namespace

Boundary boundaryOf(const Trace &trace) {
    return markedSteps(trace, std::nullopt).boundary();
}

Steps findSteps(const Trace &trace) {
    return stepsOf(trace, std::nullopt);
}

Steps findStepsOfFile(const Trace &trace, uint32_t file) {
    return stepsOf(trace, file);
}

} // namespace longpole
