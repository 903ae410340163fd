// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"
#include "app/cli/text_table.h"

#include "core/analysis/idle.h"
#include "core/analysis/queue_depth.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace longpole::cli {

namespace {

constexpr size_t kPrintedIntervals = 5; ///< as text; JSON holds them all
constexpr double kWorthSaying = 0.005;  ///< of the window

/// Operations of a device that are enqueued and have not begun at a time.
int64_t queuedAt(const Trace &trace, const std::vector<CounterSeries> &depths,
                 const DeviceIdle &device, TimeNs time) {
    double queued = 0;
    for (const CounterSeries &depth : depths) {
        const Track &track = trace.tracks[depth.track];
        if (trace.processes[track.process].file == device.file &&
            track.device.value_or(0) == device.device)
            queued += valueAt(depth, time);
    }
    return int64_t(queued);
}

void writeInterval(JsonWriter &json, const Trace &trace, const IdleInterval &interval,
                   int64_t queued) {
    json.line();
    json.beginObject();
    json.field("begin_ns", interval.begin);
    json.field("end_ns", interval.end);
    json.field("cause", idleCauseName(interval.cause));
    json.field("evidence", idleSentence(trace, interval));
    json.field("queued", queued);
    json.key("responsible");
    const IntervalId id = interval.subject;
    if (id.valid()) {
        json.beginObject();
        json.field("track", int64_t(id.track));
        json.field("track_name", trace.tracks[id.track].name);
        if (id.row != kNone) {
            json.field("name", trace.name(id));
            json.field("begin_ns", trace.begin(id));
            json.field("end_ns", trace.end(id));
        }
        json.endObject();
    } else {
        json.null();
    }
    json.endObject();
}

void writeSums(JsonWriter &json, const IdleSums &sums) {
    json.field("busy_ns", sums.busy);
    json.field("idle_ns", sums.idle);
    json.key("by_cause");
    json.beginObject();
    for (size_t c = 0; c < kIdleCauseCount; ++c)
        json.field(idleCauseName(IdleCause(c)), sums.byCause[c]);
    json.endObject();
}

int writeJson(const Analysed &a, const std::vector<DeviceIdle> &devices) {
    const std::vector<CounterSeries> depths = queueDepths(*a.trace);
    JsonWriter json;
    json.beginObject();
    writeWindow(json, a.window);
    json.key("devices");
    json.beginArray();
    for (const DeviceIdle &device : devices) {
        json.line();
        json.beginObject();
        json.field("device", device.device);
        json.field("rank", a.trace->files[device.file].rank);
        json.field("window_ns", a.window.range.length());
        writeSums(json, device);
        json.key("kernels");
        json.beginObject();
        writeSums(json, device.kernels);
        json.endObject();
        json.key("intervals");
        json.beginArray();
        for (const IdleInterval &interval : device.intervals)
            writeInterval(json, *a.trace, interval,
                          queuedAt(*a.trace, depths, device, interval.begin));
        json.endArray();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return finish(json);
}

void printCauses(const DeviceIdle &device) {
    std::array<uint64_t, kIdleCauseCount> count{};
    for (const IdleInterval &interval : device.intervals) ++count[size_t(interval.cause)];
    std::vector<size_t> order;
    for (size_t c = 0; c < kIdleCauseCount; ++c)
        if (device.byCause[c] > 0) order.push_back(c);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t x, size_t y) { return device.byCause[x] > device.byCause[y]; });
    std::vector<std::string> labels, counts;
    std::vector<TimeNs> times;
    for (const size_t c : order) {
        labels.emplace_back(idleCauseLabel(IdleCause(c)));
        counts.push_back(formatCount(int64_t(count[c])));
        times.push_back(device.byCause[c]);
    }
    labels.emplace_back("idle");
    counts.push_back(formatCount(int64_t(device.intervals.size())));
    times.push_back(device.idle);
    TextTable table;
    table.column("Cause", TextTable::Align::Left, std::move(labels));
    table.column("pieces", TextTable::Align::Right, std::move(counts));
    table.column("time", addingColumn(times));
    table.ruleBeforeLast();
    table.print();
}

/// Where copies keep the device busy, what its kernels wait for is another question.
void printKernels(const DeviceIdle &device, TimeNs window) {
    const IdleSums &sums = device.kernels;
    if (double(sums.idle - device.idle) < kWorthSaying * double(window)) return;
    std::vector<size_t> order;
    for (size_t c = 0; c < kIdleCauseCount; ++c)
        if (sums.byCause[c] > 0) order.push_back(c);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t x, size_t y) { return sums.byCause[x] > sums.byCause[y]; });
    std::string text;
    for (const size_t c : order)
        text += (text.empty() ? ": " : ", ") + std::string(idleCauseLabel(IdleCause(c))) + " " +
                formatDuration(sums.byCause[c]);
    std::printf("\nNo kernel ran for %s (%.1f %%)%s.\n", formatDuration(sums.idle).c_str(),
                100.0 * double(sums.idle) / double(window), text.c_str());
}

void printLongest(const Trace &trace, const DeviceIdle &device) {
    std::vector<const IdleInterval *> longest;
    for (const IdleInterval &interval : device.intervals) longest.push_back(&interval);
    const size_t shown = std::min(kPrintedIntervals, longest.size());
    std::partial_sort(longest.begin(), longest.begin() + long(shown), longest.end(),
                      [](const IdleInterval *x, const IdleInterval *y) {
                          return std::pair(x->begin - x->end, x->begin) <
                                 std::pair(y->begin - y->end, y->begin);
                      });
    std::printf("\n");
    for (size_t i = 0; i < shown; ++i)
        std::printf("at %s  %s\n", formatDuration(longest[i]->begin).c_str(),
                    printable(idleSentence(trace, *longest[i])).c_str());
}

} // namespace

void setupIdle(CLI::App &app, Options &) {
    app.footer(
        "Idle is a device while no operation runs on any of its streams. From the operation that "
        "ends\n"
        "each idle stretch the dependencies are followed backwards, and every piece gets one "
        "cause; "
        "the\n"
        "causes add up to the idle time. Busy is not useful: padding and repeated work count too.");
}

int runIdle(const Options &options) {
    const auto keys = {"window", "devices"};
    const auto analysed = analyse(options);
    if (!analysed) return fail(options, analysed.error(), keys);
    const Analysed &a = *analysed;
    Progress progress;
    const auto devices = idleBooks(*a.trace, a.phases, a.graph, a.window, progress);
    if (!devices) return fail(options, devices.error(), keys);
    if (options.json) return writeJson(a, *devices);
    printWindow(a.window, a.steps);
    const TimeNs length = std::max<TimeNs>(1, a.window.range.length());
    for (size_t i = 0; i < devices->size(); ++i) {
        const DeviceIdle &device = (*devices)[i];
        const auto &rank = a.trace->files[device.file].rank;
        std::printf(
            "%sDevice %lld%s: busy %s (%.1f %%), idle %s (%.1f %%).\n\n", i ? "\n" : "",
            static_cast<long long>(device.device),
            rank ? (" of rank " + std::to_string(*rank)).c_str() : "",
            formatDuration(device.busy).c_str(), 100.0 * double(device.busy) / double(length),
            formatDuration(device.idle).c_str(), 100.0 * double(device.idle) / double(length));
        if (device.idle > 0) {
            printCauses(device);
            printLongest(*a.trace, device);
        }
        printKernels(device, length);
    }
    return finish();
}

} // namespace longpole::cli
