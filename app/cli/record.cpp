// SPDX-License-Identifier: Apache-2.0
#include "app/cli/capture_library.h"
#include "app/cli/recorded_command.h"
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include "core/capture/control.h"
#include "core/capture/format.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

extern char **environ;

namespace longpole::cli {

namespace {

namespace fs = std::filesystem;
using capture::ControlPage;

Error usage(std::string id, std::string message) {
    return {ErrorKind::Usage, std::move(id), std::move(message)};
}

/// "2s", "500ms" or seconds as a number, in milliseconds.
Result<uint64_t> milliseconds(const std::string &text, const char *option) {
    double value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    const double scale = unit == "ms"                  ? 1
                         : unit == "s" || unit.empty() ? 1000
                         : unit == "min"               ? 60000
                                                       : 0;
    if (wrong != std::errc() || scale == 0 || !(value >= 0) || value * scale > 1e12)
        return usage("bad_time", std::string(option) +
                                     " takes a time as 10s, 500ms or 2min, not \"" + text + "\".");
    return uint64_t(value * scale);
}

bool isCapture(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    char head[sizeof capture::kFileMagic] = {};
    file.read(head, sizeof head);
    return file && std::memcmp(head, capture::kFileMagic, sizeof head) == 0;
}

/// The file of the first process and those of all others, by name.
std::vector<fs::path> filesOf(const fs::path &first) {
    std::vector<fs::path> files;
    std::error_code failed;
    if (isCapture(first)) files.push_back(first);
    const std::string begin = first.filename().string() + '.';
    const fs::path folder = first.has_parent_path() ? first.parent_path() : fs::path(".");
    for (const auto &entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(begin)) continue;
        const std::string pid = name.substr(begin.size());
        if (!pid.empty() && pid.find_first_not_of("0123456789") == pid.npos &&
            isCapture(entry.path()))
            files.push_back(entry.path());
    }
    std::sort(files.begin() + (files.empty() ? 0 : 1), files.end());
    return files;
}

fs::path jobOf(const fs::path &output) {
    return output.string() + ".job";
}

/// A free name, or the one that is asked for, cleared of what an earlier recording left there.
Result<fs::path> outputOf(const Options &options) {
    std::error_code failed;
    if (options.output.empty()) {
        for (int n = 1;; ++n) {
            const std::string name =
                "longpole" + (n == 1 ? std::string() : '-' + std::to_string(n)) + ".lpcap";
            if (!fs::exists(name, failed)) return fs::absolute(name, failed);
        }
    }
    const fs::path path = fs::absolute(options.output, failed);
    if (fs::exists(path, failed) && !fs::is_empty(path, failed) && !isCapture(path))
        return usage("would_overwrite", options.output +
                                            " exists and is no recording of ours, so it is "
                                            "kept. Choose another name, or remove it first.");
    for (const fs::path &old : filesOf(path)) fs::remove(old, failed);
    fs::remove(path, failed);
    fs::remove(jobOf(path), failed);
    std::ofstream probe(path);
    if (!probe)
        return Error{ErrorKind::Impossible, "not_writable",
                     options.output + " cannot be written: " + std::strerror(errno) +
                         ". Choose another folder with -o."};
    probe.close();
    fs::remove(path, failed);
    return path;
}

std::vector<std::string> environmentOf(const Options &options, const std::string &library,
                                       const fs::path &output, const Control &control,
                                       uint64_t delay, uint64_t duration) {
    std::vector<std::string> environment;
    for (char **at = environ; *at; ++at) {
        const std::string_view entry = *at;
        if (!entry.starts_with("LONGPOLE_CAPTURE_") &&
            !entry.starts_with("CUDA_INJECTION64_PATH=") &&
            !entry.starts_with("NVTX_INJECTION64_PATH="))
            environment.emplace_back(entry);
    }
    const auto set = [&](const std::string &name, const std::string &value) {
        environment.push_back(name + '=' + value);
    };
    set("CUDA_INJECTION64_PATH", library);
    set("NVTX_INJECTION64_PATH", library);
    set(capture::kEnvFile, output.string());
    set(capture::kEnvControl, control.path());
    if (!options.cupti.empty()) set(capture::kEnvCupti, options.cupti);
    if (options.measured > 0) set(capture::kEnvSteps, std::to_string(options.measured));
    if (options.warmup > 0) set(capture::kEnvWarmup, std::to_string(options.warmup));
    set(capture::kEnvBoundary, options.boundary);
    if (!options.stepName.empty()) set(capture::kEnvStepName, options.stepName);
    if (delay > 0) set(capture::kEnvDelay, std::to_string(delay));
    if (duration > 0) set(capture::kEnvDuration, std::to_string(duration));
    set(capture::kEnvMemory, std::to_string(options.memory));
    set(capture::kEnvGraphs, options.graphs);
    if (options.allocations) set(capture::kEnvAllocations, "1");
    return environment;
}

/// Which files are one job: what opens them together.
void writeJob(const fs::path &output, const std::vector<fs::path> &files) {
    std::ofstream job(jobOf(output));
    job << capture::kJobHead;
    for (const fs::path &file : files) job << file.filename().string() << '\n';
}

void printText(const Options &options, const fs::path &output, const std::vector<fs::path> &files,
               const ControlPage &page, uint64_t bytes) {
    if (options.quiet) return;
    std::fprintf(stderr, "Recorded %s records in %s bytes",
                 formatCount(int64_t(page.records.load())).c_str(),
                 formatCount(int64_t(bytes)).c_str());
    if (const uint64_t dropped = page.dropped)
        std::fprintf(stderr, ", %s dropped", formatCount(int64_t(dropped)).c_str());
    std::fprintf(stderr, ":\n");
    std::string all;
    const auto named = [&](const fs::path &file) {
        return ' ' + printable(file.lexically_proximate(fs::current_path()).string());
    };
    for (const fs::path &file : files) all += named(file);
    const std::string what = files.size() > 1 ? named(jobOf(output)) : all;
    std::fprintf(stderr, " %s\nlongpole-cli why%s\n", all.c_str(), what.c_str());
    const uint32_t expected = options.warmup + options.measured;
    if (options.measured > 0 && page.steps < expected)
        std::fprintf(
            stderr,
            "longpole-cli: only %u of %u steps were seen. Mark them with longpole_steps.h or "
            "longpole_steps.py, or name their ranges with --step-name.\n",
            unsigned(page.steps.load()), unsigned(expected));
}

} // namespace

void setupRecord(CLI::App &app, Options &options) {
    app.add_option("-o,--output", options.output,
                   "file to write; default: a free name like longpole.lpcap")
        ->type_name("FILE");
    app.add_option("--steps", options.measured, "measure so many steps, then stop recording")
        ->type_name("N");
    app.add_option("--warmup", options.warmup, "steps before them, kept apart")->type_name("N");
    app.add_option("--boundary", options.boundary,
                   "sync: wait for the device before the first measured step and after the last; "
                   "none: do not")
        ->check(CLI::IsMember({"sync", "none"}));
    app.add_option("--step-name", options.stepName, "ranges whose names begin so mark steps")
        ->type_name("TEXT");
    app.add_option("--delay", options.delay,
                   "begin to record so long after CUDA starts (10s, 500ms)")
        ->type_name("TIME");
    app.add_option("--duration", options.duration, "stop after so long")->type_name("TIME");
    app.add_flag("--paused", options.paused, "record nothing until SIGUSR1 comes");
    app.add_option("--progress", options.progress,
                   "file that gets a line of JSON twice a second: records, per_second, dropped, "
                   "bytes, steps, processes")
        ->type_name("FILE");
    app.add_option("--graphs", options.graphs,
                   "record each operation of a CUDA graph, or graphs as a whole")
        ->check(CLI::IsMember({"node", "whole"}));
    app.add_flag("--allocations", options.allocations,
                 "record what memory is taken and given back");
    app.add_option("--memory", options.memory, "the most memory for records, a process")
        ->type_name("MB")
        ->check(CLI::Range(4, 65536));
    app.add_option("--cupti", options.cupti, "the libcupti to load")->type_name("FILE");
    app.prefix_command();
    app.footer(
        "record [options] [--] COMMAND ARG…\n"
        "Runs COMMAND unchanged and passes on its exit status, and signals when the file is whole; "
        "SIGUSR1 pauses and\n"
        "resumes. Steps are ranges named step, train_step, iteration or ProfilerStep, with or "
        "without a\n"
        "number, or those of --step-name. Each process writes one file; where there are several,\n"
        "FILE.job opens them all. The result as JSON: file, files, job, records, dropped, bytes, "
        "exit.");
}

int runRecord(const Options &options) {
    const auto keys = {"file", "records", "dropped", "bytes", "exit"};
    if (options.command.empty())
        return fail(
            options,
            usage("no_command", "record needs a command to run: record -- python train.py."), keys);
    const std::string library = captureLibrary();
    if (library.empty())
        return fail(options, {ErrorKind::Impossible, "no_capture_library", withoutCaptureLibrary()},
                    keys);
    uint64_t delay = 0, duration = 0;
    for (const auto &[text, to, name] : {std::tuple(&options.delay, &delay, "--delay"),
                                         std::tuple(&options.duration, &duration, "--duration")}) {
        if (text->empty()) continue;
        const auto read = milliseconds(*text, name);
        if (!read) return fail(options, read.error(), keys);
        *to = *read;
    }
    const auto output = outputOf(options);
    if (!output) return fail(options, output.error(), keys);
    const Control control;
    if (!control.page())
        return fail(options,
                    {ErrorKind::Impossible, "no_control",
                     "No temporary file can be made. Set TMPDIR to a folder with space."},
                    keys);
    if (options.paused) control.page()->wanted = ControlPage::kPause;
    const auto exit = runRecorded(
        {options.command, environmentOf(options, library, *output, control, delay, duration),
         control.page(), !options.quiet && isatty(STDERR_FILENO), options.progress});
    if (!exit) return fail(options, exit.error(), keys);
    const std::vector<fs::path> files = filesOf(*output);
    if (files.size() > 1) writeJob(*output, files);
    uint64_t bytes = 0;
    std::error_code failed;
    for (const fs::path &file : files) bytes += fs::file_size(file, failed);
    const ControlPage &page = *control.page();
    if (options.json) {
        JsonWriter json;
        json.beginObject();
        json.field("file", files.empty() ? std::nullopt : std::optional(files.front().string()));
        json.key("files");
        json.beginArray();
        for (const fs::path &file : files) json.value(file.string());
        json.endArray();
        json.field("job", files.size() > 1 ? std::optional(jobOf(*output).string()) : std::nullopt);
        json.field("records", page.records.load());
        json.field("dropped", page.dropped.load());
        json.field("bytes", bytes);
        json.field("exit", *exit);
        json.endObject();
        finish(json);
    } else if (!files.empty()) {
        printText(options, *output, files, page, bytes);
    }
    if (files.empty())
        std::fprintf(stderr,
                     "longpole-cli: nothing was recorded: no process used CUDA or NVTX. See "
                     "longpole-cli doctor.\n");
    return *exit;
}

} // namespace longpole::cli
