// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/dependency_graph.h"

#include <memory>

namespace longpole {

/// The trace as it would look at replayed times (of replay(), by node), moved by `shift` ns. Tracks
/// and rows are those of `trace`, so that an IntervalId means the same interval in both; what the
/// graph has no node for (device-side copies of ranges, counters, instants, flows) moves with the
/// stream or thread it belongs to. For views: rows that would leave the order of their lane are cut
/// at the next one, and the wait records are left as measured.
std::shared_ptr<const Trace> predictedTrace(const Trace &trace, const DependencyGraph &graph,
                                            const std::vector<TimeNs> &times, TimeNs shift,
                                            const Progress &progress = Progress::never());

} // namespace longpole
