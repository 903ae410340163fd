// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include "core/analysis/statistics.h"
#include "core/analysis/steps.h"
#include "core/base/sha256.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace longpole::cli {

namespace {

constexpr size_t kPrintedTracks = 60; ///< as text

std::optional<std::string> sha256Of(const std::string &path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                                std::fclose);
    if (path == "-" || !file) return std::nullopt;
    Sha256 hash;
    std::vector<char> block(1 << 20);
    while (const size_t size = std::fread(block.data(), 1, block.size(), file.get()))
        hash.add(block.data(), size);
    return std::ferror(file.get()) ? std::nullopt : std::optional(hash.finish());
}

std::optional<std::string> known(const std::string &text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

const SourceFile &fileOf(const Trace &trace, const Track &track) {
    return trace.files[trace.processes[track.process].file];
}

/// Nothing in the trace has a time.
bool timeless(const Trace &trace) {
    return trace.range.empty() && trace.intervalCount() == 0 && trace.instants.empty() &&
           trace.counters.empty();
}

void writeFiles(JsonWriter &json, const Trace &trace, bool sha256) {
    json.key("files");
    json.beginArray();
    for (const SourceFile &file : trace.files) {
        json.line();
        json.beginObject();
        json.field("name", file.name);
        json.field("fingerprint", file.fingerprint);
        json.field("sha256", sha256 ? sha256Of(file.path) : std::nullopt);
        json.field("format", file.format);
        json.field("producer", known(file.producer));
        json.field("clock", known(file.clock));
        json.endObject();
    }
    json.endArray();
    json.key("job");
    json.beginObject();
    json.key("ranks");
    json.beginArray();
    std::optional<int64_t> worldSize;
    for (const SourceFile &file : trace.files) {
        if (file.rank) json.value(*file.rank);
        if (file.worldSize) worldSize = file.worldSize;
    }
    json.endArray();
    json.field("world_size", worldSize);
    json.endObject();
}

void writeEvents(JsonWriter &json, const EventCounts &events) {
    json.key("events");
    json.line();
    json.beginObject();
    json.field("read", events.read);
    json.field("intervals", events.intervals);
    json.field("paired", events.paired);
    json.field("counters", events.counters);
    json.field("flows", events.flows);
    json.field("instants", events.instants);
    json.field("metadata", events.metadata);
    json.field("set_aside", events.setAside);
    json.endObject();
}

void writeReasons(JsonWriter &json, const char *key, const Trace &trace, Severity severity) {
    json.key(key);
    json.beginArray();
    for (const Reason reason : trace.diagnostics.occurred(severity)) {
        const Diagnostics::Entry &entry = trace.diagnostics[reason];
        json.line();
        json.beginObject();
        json.field("reason", reasonText(reason).id);
        json.field("count", entry.count);
        const SourceFile &file = trace.files[entry.file];
        json.field("first_offset",
                   file.tables.empty() ? std::optional(entry.firstOffset) : std::nullopt);
        json.field("first_place", placeText(file, entry.firstOffset));
        json.field("file", entry.file);
        json.endObject();
    }
    json.endArray();
}

void writeTracks(JsonWriter &json, const Trace &trace) {
    json.key("tracks");
    json.beginArray();
    for (const Track &track : trace.tracks) {
        const Process &process = trace.processes[track.process];
        json.line();
        json.beginObject();
        json.field("name", track.name);
        json.field("kind", trackKindName(track.kind));
        json.field("process", process.pid);
        json.field("process_name", known(process.name));
        json.field("rank", fileOf(trace, track).rank);
        const std::string_view order = streamOrderName(track.order);
        json.field("stream_order", order.empty() ? std::nullopt : std::optional(order));
        json.field("device", track.device);
        json.field("stream", track.stream);
        json.field("thread", known(track.thread));
        json.field("intervals", track.table->size());
        json.field("lanes", track.table->lanes());
        json.endObject();
    }
    json.endArray();
}

void writeDevices(JsonWriter &json, const Trace &trace) {
    json.key("devices");
    json.beginArray();
    for (const DeviceFacts &device : deviceFacts(trace)) {
        json.line();
        json.beginObject();
        json.field("device", device.device);
        json.field("rank", trace.files[device.file].rank);
        json.field("kernels", device.kernels);
        json.field("copies", device.copies);
        json.field("memsets", device.memsets);
        json.field("kernel_union_ns", device.kernelUnion);
        json.field("busy_union_ns", device.busyUnion);
        json.field("skew_ns", device.skew);
        json.endObject();
    }
    json.endArray();
}

int writeJson(const Trace &trace, const Options &options) {
    JsonWriter json;
    json.beginObject();
    writeFiles(json, trace, options.sha256);
    writeEvents(json, trace.events);
    writeReasons(json, "set_aside", trace, Severity::SetAside);
    writeReasons(json, "repaired", trace, Severity::Repaired);
    writeReasons(json, "noticed", trace, Severity::Noticed);
    writeTracks(json, trace);
    writeDevices(json, trace);
    json.line();
    json.field("sync_records", trace.syncs.size());
    const bool none = timeless(trace);
    json.field("begin_ns", none ? std::nullopt : std::optional(trace.range.begin));
    json.field("end_ns", none ? std::nullopt : std::optional(trace.range.end));
    json.field("origin_ns", none ? std::nullopt : std::optional(trace.origin));
    json.field("boundary", boundaryName(boundaryOf(trace)));
    json.endObject();
    return finish(json);
}

void printFiles(const Trace &trace, const Options &options) {
    for (const SourceFile &file : trace.files) {
        std::string more;
        if (!file.producer.empty()) more += ", by " + file.producer;
        if (file.rank) more += ", rank " + std::to_string(*file.rank);
        if (file.rank && file.worldSize) more += " of " + std::to_string(*file.worldSize);
        std::printf("%s\n  %s, %s bytes%s\n  fingerprint %s\n", printable(file.name).c_str(),
                    file.format.c_str(), formatCount(int64_t(file.bytes)).c_str(), more.c_str(),
                    file.fingerprint.c_str());
        if (options.sha256)
            std::printf("  sha256 %s\n", sha256Of(file.path).value_or("unknown").c_str());
    }
    if (timeless(trace))
        std::printf("\nNothing in it has a time.\n");
    else
        std::printf("\nSpan  %s, from %s to %s\n", formatDuration(trace.range.length()).c_str(),
                    formatDuration(trace.range.begin).c_str(),
                    formatDuration(trace.range.end).c_str());
}

void printEvents(const EventCounts &e) {
    TextTable table;
    std::vector<std::string> counts;
    for (const uint64_t n :
         {e.intervals, e.paired, e.counters, e.flows, e.instants, e.metadata, e.setAside, e.read})
        counts.push_back(formatCount(int64_t(n)));
    table.column("Events", TextTable::Align::Left,
                 {"intervals", "ends paired with a begin", "counters", "flows", "instants",
                  "metadata", "set aside", "read"});
    table.column("", TextTable::Align::Right, std::move(counts));
    table.ruleBeforeLast();
    std::printf("\n");
    table.print();
}

void printReasons(const Trace &trace, const char *title, Severity severity) {
    const auto reasons = trace.diagnostics.occurred(severity);
    if (reasons.empty()) return;
    std::printf("\n%s\n", title);
    for (const Reason reason : reasons) {
        const Diagnostics::Entry &entry = trace.diagnostics[reason];
        const SourceFile &file = trace.files[entry.file];
        std::string place = (entry.firstOffset == kWholeFile ? "" : "first at ") +
                            placeText(file, entry.firstOffset);
        if (trace.files.size() > 1) place += " of " + file.name;
        std::printf("  %s × %.*s (%s): %.*s\n", formatCount(int64_t(entry.count)).c_str(),
                    int(reasonText(reason).id.size()), reasonText(reason).id.data(),
                    printable(place).c_str(), int(reasonText(reason).sentence.size()),
                    reasonText(reason).sentence.data());
    }
}

void printTracks(const Trace &trace) {
    std::vector<std::string> index, kind, name, process, intervals, lanes;
    for (const Track &track : trace.tracks) {
        index.push_back(std::to_string(index.size()));
        kind.emplace_back(trackKindName(track.kind));
        name.push_back(track.name);
        const Process &p = trace.processes[track.process];
        process.push_back(p.name.empty() ? p.pid : p.pid + " " + p.name);
        intervals.push_back(formatCount(track.table->size()));
        lanes.push_back(formatCount(track.table->lanes()));
    }
    if (index.empty()) return;
    const size_t all = index.size();
    for (auto *column : {&index, &kind, &name, &process, &intervals, &lanes})
        column->resize(std::min(all, kPrintedTracks));
    TextTable table;
    table.column("Track", TextTable::Align::Right, std::move(index));
    table.column("kind", TextTable::Align::Left, std::move(kind));
    table.column("name", TextTable::Align::Left, std::move(name));
    table.column("process", TextTable::Align::Left, std::move(process));
    table.column("intervals", TextTable::Align::Right, std::move(intervals));
    table.column("lanes", TextTable::Align::Right, std::move(lanes));
    std::printf("\n");
    table.print(40);
    if (all > kPrintedTracks)
        std::printf("… and %s more tracks; --json holds them all.\n",
                    formatCount(int64_t(all - kPrintedTracks)).c_str());
}

void printDevices(const Trace &trace) {
    const std::vector<DeviceFacts> devices = deviceFacts(trace);
    if (devices.empty()) return;
    std::vector<std::string> device, rank, kernels, copies, memsets;
    std::vector<TimeNs> kernelUnion, busyUnion;
    for (const DeviceFacts &d : devices) {
        const auto &known = trace.files[d.file].rank;
        device.push_back(std::to_string(d.device));
        rank.push_back(known ? std::to_string(*known) : "–");
        kernels.push_back(formatCount(int64_t(d.kernels)));
        copies.push_back(formatCount(int64_t(d.copies)));
        memsets.push_back(formatCount(int64_t(d.memsets)));
        kernelUnion.push_back(d.kernelUnion);
        busyUnion.push_back(d.busyUnion);
    }
    TextTable table;
    table.column("Device", TextTable::Align::Right, std::move(device));
    table.column("rank", TextTable::Align::Right, std::move(rank));
    table.column("kernels", TextTable::Align::Right, std::move(kernels));
    table.column("copies", TextTable::Align::Right, std::move(copies));
    table.column("memsets", TextTable::Align::Right, std::move(memsets));
    table.column("union of kernels", timeColumn(kernelUnion, busyUnion));
    table.column("union of all", timeColumn(busyUnion));
    std::printf("\n");
    table.print();
    for (const DeviceFacts &d : devices)
        if (d.skew)
            std::printf(
                "Device %s begins work up to %s before it is launched: its clock differs from the "
                "host's. Nothing is moved.\n",
                std::to_string(d.device).c_str(), formatDuration(*d.skew).c_str());
}

} // namespace

void setupInfo(CLI::App &app, Options &options) {
    app.add_flag("--sha256", options.sha256, "also hash the whole files");
    std::string footer = "Diagnostics (ids are stable):\n";
    for (size_t i = 0; i < kReasonCount; ++i) {
        const ReasonText &text = reasonText(Reason(i));
        const char *severity[] = {"set aside", "repaired", "noticed"};
        std::string id(text.id);
        id.resize(std::max<size_t>(id.size() + 1, 20), ' ');
        std::string what = severity[size_t(text.severity)];
        what.resize(11, ' ');
        footer += "  " + id + what + std::string(text.sentence) + "\n";
    }
    app.footer(footer);
}

int runInfo(const Options &options) {
    const auto trace = openAll(options);
    if (!trace) return fail(options, trace.error());
    if (options.json) return writeJson(**trace, options);
    printFiles(**trace, options);
    printEvents((*trace)->events);
    printReasons(**trace, "Set aside", Severity::SetAside);
    printReasons(**trace, "Repaired", Severity::Repaired);
    printReasons(**trace, "Noticed, and left as recorded", Severity::Noticed);
    printTracks(**trace);
    printDevices(**trace);
    const std::string_view boundary = boundarySentence(boundaryOf(**trace));
    if (!boundary.empty()) std::printf("\n%s\n", std::string(boundary).c_str());
    return finish();
}

} // namespace longpole::cli
