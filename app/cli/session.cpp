// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.h"

#include "app/cli/text_table.h"

#include "core/import/importer.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace longpole::cli {

namespace {

/// A line like "Reading 43 %" that a thread of its own keeps up to date while the object lives; it
/// appears only when the work takes long enough to be noticed.
class ProgressLine {
public:
    ProgressLine(const Progress &progress, bool show) {
        if (show)
            m_thread =
                std::jthread([this, &progress](std::stop_token stop) { run(stop, progress); });
    }

private:
    void run(std::stop_token stop, const Progress &progress) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any wake;
        bool shown = false;
        const auto wait = [&](int ms) {
            wake.wait_for(lock, stop, std::chrono::milliseconds(ms), [] { return false; });
        };
        for (wait(300); !stop.stop_requested(); wait(100)) {
            std::fprintf(stderr, "\rReading %3.0f %%", progress.fraction() * 100);
            std::fflush(stderr);
            shown = true;
        }
        if (shown) std::fputs("\r             \r", stderr);
    }
    std::jthread m_thread;
};

int exitCodeOf(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::Unreadable:
        return kUnreadable;
    case ErrorKind::Usage:
        return kUsage;
    case ErrorKind::Impossible:
    case ErrorKind::Cancelled:
        break;
    }
    return kImpossible;
}

} // namespace

Result<std::shared_ptr<const Trace>> openAll(const Options &options) {
    if (std::count(options.files.begin(), options.files.end(), "-") > 1)
        return Error{ErrorKind::Usage, "two_inputs",
                     "Standard input (-) can be read only once: name it once."};
    Progress progress;
    const ProgressLine line(progress, !options.quiet && isatty(STDERR_FILENO));
    return openTraces(options.files, progress);
}

Result<PhaseRules> phaseRules(const Options &options) {
    if (options.phasesFile.empty()) return defaultPhaseRules();
    errno = 0;
    std::ifstream file(options.phasesFile, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return Error{ErrorKind::Unreadable, "unreadable_rules",
                     "The phase rules in " + options.phasesFile + " cannot be read (" +
                         (errno ? std::strerror(errno) : "the file is empty") +
                         "). Check the path, or leave --phases away for the built-in rules."};
    return parsePhaseRules(text.str());
}

Result<WindowRequest> windowRequest(const Options &options) {
    return longpole::windowRequest(
        WindowOptions{options.step, options.steps, options.range, options.all});
}

int fail(const Options &options, const Error &error, std::initializer_list<const char *> keys) {
    std::fprintf(stderr, "longpole-cli: %s\n", printable(error.message).c_str());
    const int code = exitCodeOf(error.kind);
    if (code == kImpossible && options.json) {
        JsonWriter json;
        json.beginObject();
        json.field("reason", error.message);
        for (const char *key : keys) json.nullField(key);
        json.endObject();
    }
    return code;
}

void writeWindow(JsonWriter &json, const Window &window) {
    json.key("window");
    json.beginObject();
    json.field("begin_ns", window.range.begin);
    json.field("end_ns", window.range.end);
    json.field("elapsed_ns", window.range.length());
    json.field("kind", windowKindName(window.kind));
    json.key("steps");
    if (window.steps) {
        json.beginArray();
        json.value(window.steps->first);
        json.value(window.steps->second);
        json.endArray();
    } else {
        json.null();
    }
    json.field("policy", window.policy);
    json.endObject();
}

void printWindow(const Window &window, const Steps &steps) {
    std::string what;
    if (window.steps) {
        what = steps.steps[window.steps->first].name;
        if (window.steps->first != window.steps->second)
            what += " – " + steps.steps[window.steps->second].name;
        what += ", ";
    }
    std::printf("Window  %s%s elapsed, from %s to %s\n        %s\n\n", printable(what).c_str(),
                formatDuration(window.range.length()).c_str(),
                formatDuration(window.range.begin).c_str(),
                formatDuration(window.range.end).c_str(), window.policy.c_str());
}

int finish(JsonWriter &json) {
    json.flush(); // a failure leaves its mark on stdout as well
    return finish();
}

int finish() {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return kDone;
    std::fputs("longpole-cli: the result cannot be written to standard output.\n", stderr);
    return kImpossible;
}

} // namespace longpole::cli
