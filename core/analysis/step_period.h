// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

/// A sequence of kernels that comes back again and again: a loop that nothing in the trace names.
struct KernelPeriod {
    std::string kernel;            ///< runs once a period; its launch is the border
    uint32_t thread = kNone;       ///< track that launches it
    std::vector<IntervalId> calls; ///< its launches, by begin: n borders of n − 1 periods
};

/// The period of the busiest stream's operations: the least p for which operation i and i + p have
/// one name for 95 of 100 operations (and nearly as often as for any other p), at least three whole
/// periods of two or more names, at even distances. Of the kernels that run once in it, the border
/// is the one before whose launch its thread pauses longest. (analysis.md §7.1)
/// Throws Stopped.
std::optional<KernelPeriod> kernelPeriod(const Trace &trace, std::optional<uint32_t> file,
                                         const Progress &progress = Progress::never());

} // namespace longpole
