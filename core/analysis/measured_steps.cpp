// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/measured_steps.h"

#include <algorithm>

namespace longpole {

namespace {

const Measurement *measurementOf(const Trace &trace, std::optional<uint32_t> file) {
    for (uint32_t f = 0; f < trace.files.size(); ++f)
        if ((!file || f == *file) && trace.files[f].measurement)
            return trace.files[f].measurement.get();
    return nullptr;
}

} // namespace

FoundMarkers markedSteps(const Trace &trace, std::optional<uint32_t> file,
                         const Progress &progress) {
    FoundMarkers found;
    const Measurement *measurement = measurementOf(trace, file);
    if (!measurement || measurement->steps.empty()) return found;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const uint32_t owner = trace.processes[track.process].file;
        if (track.kind != TrackKind::Thread || track.thread != measurement->thread ||
            trace.files[owner].measurement.get() != measurement)
            continue;
        // of the ranges that begin and end just then, any is as good as another
        std::vector<std::pair<TimeRange, uint32_t>> ranges;
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (progress.look(row); StepMarkers::isRange(track.table->kind[row]))
                ranges.push_back({{track.begin(row), track.end(row)}, row});
        const auto before = [](const auto &a, const auto &b) {
            return std::pair(a.first.begin, a.first.end) < std::pair(b.first.begin, b.first.end);
        };
        std::sort(ranges.begin(), ranges.end(), before);
        for (const Measurement::Step &step : measurement->steps) {
            const TimeRange range{step.begin - trace.origin, step.end - trace.origin};
            const auto at =
                std::lower_bound(ranges.begin(), ranges.end(), std::pair(range, 0u), before);
            if (at != ranges.end() && at->first == range) found.rows.push_back(at->second);
        }
        if (found.rows.empty()) continue;
        found.thread = t;
        found.wrap = true;
        const std::string_view name = track.nameOf(found.rows.front());
        if (!isStepMarker(name)) found.family = nameFamily(name);
        break;
    }
    return found;
}

void applyMeasurement(Steps &steps, const Trace &trace, std::optional<uint32_t> file) {
    const Measurement *measurement = measurementOf(trace, file);
    if (!measurement || steps.steps.empty()) return;
    const auto at = [&](TimeNs t) { return t - trace.origin; };
    TimeNs first = steps.steps.front().begin;
    if (measurement->whole()) {
        MeasuredRun run;
        run.steps = measurement->asked;
        run.warmup = measurement->warmup;
        run.range = {at(*measurement->begin), at(*measurement->end)};
        run.waited = measurement->synchronise;
        run.synchronised = measurement->synchronised;
        first = run.range.begin;
        for (Step &step : steps.steps) {
            const bool before = step.begin < run.range.begin, after = step.begin >= run.range.end;
            if (!before && !after) continue;
            step.leftOut = true;
            step.reason = before ? "warm-up, kept apart" : "after the measured steps";
        }
        steps.measured = run;
    }
    if (measurement->processBegin && at(*measurement->processBegin) < first)
        steps.startup = first - at(*measurement->processBegin);
}

std::string MeasuredRun::policy() const {
    const auto count = [](uint32_t n, const char *what) {
        return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
    };
    std::string text = count(steps, "step") + " in " + formatDuration(range.length()) + " after " +
                       count(warmup, "step") + " of warm-up, ";
    if (synchronised)
        text += "with the device waited for before the first and after the last.";
    else if (waited)
        text += "but the device could not be waited for at both ends.";
    else
        text += "without waiting for the device: work that is still enqueued is not in it.";
    return text;
}

} // namespace longpole
