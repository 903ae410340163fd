// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/trace.h"

#include <functional>
#include <string>

namespace longpole {

/// Arguments of events as JSON objects, however they are read.
struct EventArguments {
    std::function<Result<std::string>(IntervalId)> ofInterval;
    std::function<Result<std::string>(uint32_t file, uint64_t offset)> ofEvent;
};

/// Writes the intervals of an excerpt as a trace like those of PyTorch's profiler, gzip where the
/// name ends in .gz: each whole, with all its arguments; instants, counters and flows of the
/// window; the launches as flows; and the excerpt under a key of its own. Of the source's other
/// keys only rank, world size and names of devices. Fails when arguments cannot be read or the file
/// not be written.
Result<bool> writeWindowTrace(const Trace &trace, const Excerpt &excerpt,
                              const EventArguments &arguments, const std::string &fileName);

/// How a file that writeWindowTrace() wrote begins.
inline constexpr std::string_view kWindowTraceHead = "{\"producer\":\"longpole-cli convert\"";

} // namespace longpole
