// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/diagnostics.h"
#include "core/model/interval_row.h"
#include "core/model/trace.h"

#include <span>
#include <vector>

namespace longpole {

// What a recorder leaves behind that is odd, but shown as it is written. All throw Stopped.

/// The same interval again: name, times and a known correlation. `rows` is sorted by nestsBefore.
void noticeDuplicates(std::span<const IntervalRow> rows, std::span<const SideRow> sides,
                      Diagnostics &diagnostics, const Progress &progress);

/// Streams run in order: an operation inside another one has a wrong length around it.
void noticeOverruns(const Track &track, Diagnostics &diagnostics, const Progress &progress);

/// Intervals that reach more than 1 µs out of the time that PyTorch's profiler says it recorded. Of
/// one file; nothing where it does not say.
void noticeOutsideCapture(const Trace &trace, Diagnostics &diagnostics, const Progress &progress);

} // namespace longpole
