// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/steps.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace longpole {

/// The stretch of a trace that a question is about, and how it was chosen.
struct Window {
    enum class Kind { Drained, Period, Range, All };
    TimeRange range;
    Kind kind = Kind::All;
    std::optional<std::pair<uint32_t, uint32_t>> steps; ///< indices, inclusive
    std::string policy;                                 ///< a sentence
};
std::string_view windowKindName(Window::Kind kind);

/// What the user asked for: at most one of the members is set; none means the default window.
struct WindowRequest {
    std::optional<std::string> step;                          ///< a name, else an index
    std::optional<std::pair<std::string, std::string>> steps; ///< names or indices, inclusive
    std::optional<TimeRange> range;
    bool all = false;
};

/// The options --step, --steps, --range and --all as they were written.
struct WindowOptions {
    std::optional<std::string> step, steps, range;
    bool all = false;
};
/// Fails with the sentence to print when they contradict each other or are not well written.
Result<WindowRequest> windowRequest(const WindowOptions &options);

/// Default: pipelined loop → the steps that the recorder measured between two waits for the device,
/// else the period over the min(5, n) consecutive steady steps whose median
/// length is closest to the overall median; else the median uncut step; one step → it; none → all.
Result<Window> resolveWindow(const Trace &trace, const Steps &steps, const WindowRequest &request);

/// "12.5ms", "1.5 s", "250" (ns) …; nothing for anything else. Exact decimal arithmetic.
std::optional<TimeNs> parseTime(std::string_view text);
/// "FROM..TO" in such times.
std::optional<TimeRange> parseRange(std::string_view text);

/// The range a view shows on opening: the default window plus 3 %; without steps the shortest range
/// that holds 95 % of the busy time of threads and streams, or all of it where that is hardly
/// shorter.
TimeRange openingView(const Trace &trace, const Steps &steps);

} // namespace longpole
