// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"
#include "app/cli/text_table.h"

#include "core/analysis/excerpt.h"
#include "core/export/interval_table.h"
#include "core/export/window_trace.h"
#include "core/import/event_args.h"
#include "core/import/job_file.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace longpole::cli {

namespace {

enum class Format { Json, Csv, Unknown };

Format formatOf(const std::string &name) {
    if (name.ends_with(".json") || name.ends_with(".json.gz")) return Format::Json;
    return name.ends_with(".csv") ? Format::Csv : Format::Unknown;
}

/// A file in the place of OUT may be a trace whose OUT was forgotten: only what this command wrote
/// is replaced.
bool mayReplace(const std::string &name, Format format) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(name, failed);
    if (failed || size == 0) return true;
    const auto input = InputFile::open(name);
    if (!input) return false;
    const std::string_view expected = format == Format::Csv ? kIntervalTableHead : kWindowTraceHead;
    std::string head(expected.size(), '\0');
    head.resize(
        TextReader(std::shared_ptr<const InputFile>(*input)).read(head.data(), head.size()));
    return head == expected;
}

Error usage(std::string id, std::string message) {
    return {ErrorKind::Usage, std::move(id), std::move(message)};
}

/// The traces and the name of the file to write, which stands last.
Result<std::pair<Options, std::string>> splitFiles(const Options &options) {
    Options traces = options;
    const std::string out = traces.files.back();
    traces.files.pop_back();
    const Format format = formatOf(out);
    if (traces.files.empty() || format == Format::Unknown)
        return usage("no_output", "The last name says where to write and ends in .json, .json.gz "
                                  "or .csv: convert TRACE window.json.gz.");
    auto files = withoutJobFiles(traces.files);
    if (!files) return files.error();
    traces.files = std::move(*files);
    if (format == Format::Json && traces.files.size() > 1)
        return usage("several_traces", "A JSON trace holds one rank: convert one file at a time. "
                                       "CSV takes several.");
    if (!mayReplace(out, format))
        return usage("would_overwrite", out + " exists and was not written by convert, so it is "
                                              "kept. Choose another name, or remove it first.");
    return std::pair(std::move(traces), out);
}

Result<uint64_t> writeJsonTrace(const Analysed &a, const std::string &out) {
    const Excerpt excerpt = excerptOf(*a.trace, a.steps, a.phases, a.graph, a.window);
    EventArgs args(a.trace);
    const EventArguments arguments{
        [&](IntervalId id) { return args.json(id); },
        [&](uint32_t file, uint64_t offset) { return args.json(file, offset); }};
    const auto written = writeWindowTrace(*a.trace, excerpt, arguments, out);
    if (!written) return written.error();
    return uint64_t(excerpt.intervals.size());
}

Result<uint64_t> writeTable(const Analysed &a, const std::string &out) {
    const CriticalPath path = criticalPath(*a.trace, a.steps, a.graph, a.window);
    uint64_t rows = 0;
    if (writeIntervalTable(*a.trace, a.phases, a.window.range, &path, out, rows)) return rows;
    return Error{ErrorKind::Impossible, "not_written",
                 "The table cannot be written to " + out +
                     ". Check the folder and the space that is left."};
}

} // namespace

void setupConvert(CLI::App &app, Options &) {
    app.footer(
        "The last name is the file to write. JSON (.json, .json.gz): a trace like those of "
        "PyTorch's\n"
        "profiler, which Perfetto opens too. It holds what touches the window, whole, with all "
        "arguments,\n"
        "and what that depends on; times stay as they are. Opened here again it has the same "
        "window "
        "and the\n"
        "same critical path to the nanosecond, because the dependencies that were learned from the "
        "whole\n"
        "capture are kept under the key longpole. CSV: one row for each interval that touches the "
        "window.");
}

int runConvert(const Options &options) {
    const auto keys = {"intervals", "bytes"};
    const auto files = splitFiles(options);
    if (!files) return fail(options, files.error(), keys);
    const auto &[traces, out] = *files;
    const auto analysed = analyse(traces);
    if (!analysed) return fail(options, analysed.error(), keys);
    const auto intervals =
        formatOf(out) == Format::Csv ? writeTable(*analysed, out) : writeJsonTrace(*analysed, out);
    if (!intervals) return fail(options, intervals.error(), keys);
    std::error_code failed;
    const uint64_t bytes = std::filesystem::file_size(out, failed);
    if (options.json) {
        JsonWriter json;
        json.beginObject();
        json.field("intervals", *intervals);
        json.field("bytes", bytes);
        json.endObject();
        return finish(json);
    }
    printWindow(analysed->window, analysed->steps);
    std::printf("%s intervals written to %s, %s bytes.\n", formatCount(int64_t(*intervals)).c_str(),
                printable(out).c_str(), formatCount(int64_t(bytes)).c_str());
    return finish();
}

} // namespace longpole::cli
