// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <memory>
#include <string>
#include <string_view>

namespace longpole::test {

/// A trace from text, one interval a line, so that a test shows what it is about:
///
///     main: ProfilerStep#1 0..100
///     main: cudaLaunchKernel 10..12 launch corr=5
///     gpu0/s7: void gemm<float> 20..50.5 comm corr=5
///
///     wait: 20..20 corr=7 stream=7 on=20 record=6
///     gpu0/s7 is null
///
/// Bare times are microseconds; other units are written out ("10ms..1s"). `gpuD/sS` is stream S of
/// device D, `~name` an annotation row, anything else a host thread. After the times: a kind
/// (kernel on streams and cpu_op elsewhere by default), corr=, seq=, fwd=, bytes= and cat=. `wait`
/// and `sync` are what the profiler noted of a stream that waits and of the host: corr= of the call,
/// device= and stream= of who waits, on= a stream for the event that the call record= recorded. A
/// stream is null, blocking or non-blocking. Blank lines and lines that begin with '#' are skipped. A line that cannot be read ends the program.
std::shared_ptr<const Trace> traceFromText(std::string_view text);

/// The same as text, in display order and nanoseconds, with nesting as indentation.
std::string textOf(const Trace &trace);

/// The id of the first interval with that name; ends the program when there is none.
IntervalId find(const Trace &trace, std::string_view name);

} // namespace longpole::test
