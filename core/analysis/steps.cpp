// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/steps.h"

#include "core/analysis/excerpt.h"
#include "core/analysis/measured_steps.h"
#include "core/analysis/steady.h"
#include "core/analysis/step_markers.h"
#include "core/analysis/step_period.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr uint64_t kSeed = 20240501;

void addStep(Steps &result, Step step) {
    step.drainedEnd = step.end;
    if (!result.steps.empty()) result.steps.back().period = step.begin - result.steps.back().begin;
    result.steps.push_back(std::move(step));
}

void addMarked(Steps &result, const Trace &trace, const FoundMarkers &found) {
    const Track &track = trace.tracks[found.thread];
    for (const uint32_t row : found.rows) {
        Step step;
        step.name = track.nameOf(row);
        step.marker = {found.thread, row};
        step.begin = track.begin(row);
        step.end = track.end(row);
        addStep(result, std::move(step));
    }
    result.thread = found.thread;
}

/// What the loop does between two ranges belongs to a step as well: to the one before.
void closeGaps(Steps &result) {
    for (size_t i = 0; i + 1 < result.steps.size(); ++i)
        result.steps[i].end = result.steps[i].drainedEnd = result.steps[i + 1].begin;
}

void nameRepeated(Steps &result) {
    if (result.steps.front().name != result.steps.back().name) return; // they count by themselves
    for (size_t i = 0; i < result.steps.size(); ++i)
        result.steps[i].name += ' ' + std::to_string(i);
}

void addPeriods(Steps &result, const Trace &trace, const KernelPeriod &period) {
    for (size_t i = 0; i + 1 < period.calls.size(); ++i) {
        Step step;
        step.name = "period " + std::to_string(i);
        step.begin = trace.begin(period.calls[i]);
        step.end = trace.begin(period.calls[i + 1]);
        addStep(result, std::move(step));
    }
    result.thread = period.thread;
}

/// A step is drained when the device work that its own calls enqueued has ended, on any thread of
/// the same file; whether the host waited for it is its boundary.
void drain(Steps &result, const Trace &trace, const Progress &progress) {
    auto &steps = result.steps;
    const auto fileOf = [&](uint32_t track) {
        return trace.processes[trace.tracks[track].process].file;
    };
    const uint32_t file = fileOf(result.thread);
    struct DeviceWork {
        TimeNs lastLaunch = std::numeric_limits<TimeNs>::min(), end = lastLaunch;
    };
    std::vector<DeviceWork> work(steps.size());
    for (size_t i = 0; i < trace.launches.size(); ++i) {
        progress.look(i);
        const Launch &launch = trace.launches[i];
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
    const EnqueueTails tails(trace, result.thread, progress);
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
    if (measured && measured->synchronised) return Boundary::Synchronised;
    bool all = !steps.empty();
    for (const Step &step : steps) {
        if (measured && step.leftOut) continue;
        if (step.boundary == Boundary::EnqueueOnly) return Boundary::EnqueueOnly;
        all = all && step.boundary == Boundary::Synchronised;
    }
    if (all) return Boundary::Synchronised;
    return measured && !measured->waited ? Boundary::EnqueueOnly : Boundary::Unknown;
}

TimeNs quantile(std::span<const TimeNs> sorted, double q) {
    if (sorted.empty()) return 0;
    const double at = q * double(sorted.size() - 1);
    const size_t low = size_t(at);
    if (low + 1 >= sorted.size()) return sorted.back();
    return sorted[low] +
           TimeNs(std::llround((at - double(low)) * double(sorted[low + 1] - sorted[low])));
}

namespace {

Steps stepsWithoutWindow(const Trace &trace, std::optional<uint32_t> file,
                         const Progress &progress) {
    if (auto kept = excerptSteps(trace)) return std::move(*kept);
    Steps result;
    if (const FoundMarkers marked = markedSteps(trace, file, progress); !marked.rows.empty()) {
        result.foundBy = marked.family.empty() ? "ProfilerStep#N" : "range " + marked.family;
        result.markers = marked.family;
        addMarked(result, trace, marked);
        nameRepeated(result);
    } else if (const FoundMarkers found = profilerSteps(trace, file, progress);
               !found.rows.empty()) {
        result.foundBy = "ProfilerStep#N";
        addMarked(result, trace, found);
    } else if (const FoundMarkers ranges = repeatedRanges(trace, file, progress);
               !ranges.rows.empty()) {
        result.foundBy = "range " + ranges.family;
        if (ranges.wrap) result.markers = ranges.family;
        addMarked(result, trace, ranges);
        closeGaps(result);
        nameRepeated(result);
    } else if (const auto period = kernelPeriod(trace, file, progress)) {
        result.foundBy = "period of " + period->kernel;
        addPeriods(result, trace, *period);
    } else {
        return result;
    }
    drain(result, trace, progress);
    result.pipelined = runsOn(result.steps);
    const Step &first = result.steps.front();
    // Only a capture that begins with the program shows how long it takes to reach step 0.
    if (first.name == "ProfilerStep#0" && trace.range.begin < first.begin)
        result.startup = first.begin - trace.range.begin;
    applyMeasurement(result, trace, file);
    return result;
}

Steps stepsOf(const Trace &trace, std::optional<uint32_t> file, const Progress &progress) {
    Steps result = stepsWithoutWindow(trace, file, progress);
    if (!trace.excerpt) findSteady(result, trace);
    return result;
}

} // namespace

Boundary boundaryOf(const Trace &trace, const Progress &progress) {
    return stepsWithoutWindow(trace, std::nullopt, progress).boundary();
}

Steps findSteps(const Trace &trace, const Progress &progress) {
    return stepsOf(trace, std::nullopt, progress);
}

Steps findStepsOfFile(const Trace &trace, uint32_t file, const Progress &progress) {
    return stepsOf(trace, file, progress);
}

} // namespace longpole
