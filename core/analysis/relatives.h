// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <vector>

namespace longpole {

/// Intervals directly inside another one, by begin; at most `most` of them.
std::vector<IntervalId> childrenOf(const Trace &trace, IntervalId id, size_t most);

/// Of a forward operator those of the backward pass with its sequence number, of a backward one the
/// operator of the forward pass; by begin, at most `most`. Other intervals have none. Looks through
/// the threads of the process: about 10 ms per 10 million intervals.
std::vector<IntervalId> autogradPartners(const Trace &trace, IntervalId id, size_t most);
/// Whether autogradPartners() would be operators of the forward pass.
bool isBackwardOp(const Trace &trace, IntervalId id);

/// Of a call that records an event the calls that wait for it, of a call that waits the one that
/// recorded, as far as the profiler noted it; by begin, at most `most`. Costs as much.
std::vector<IntervalId> eventPartners(const Trace &trace, IntervalId id, size_t most);

/// The Python frames around an interval, the innermost first; of device work those around its
/// launch.
std::vector<IntervalId> pythonStack(const Trace &trace, IntervalId id);

} // namespace longpole
