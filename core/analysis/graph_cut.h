// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

#include <optional>

namespace longpole {

/// When a capture is replayed around the window alone, and how much of it.
struct CutLimits {
    uint32_t mostNodes = 2'000'000;   ///< of a capture that is replayed whole
    uint32_t stepsBefore = 8;         ///< the window
    TimeNs drainsBefore = 2;          ///< times the longest wait in a queue
    size_t launchesBefore = 8 * 1024; ///< so that slower work can fill a queue that was not full
};

/// Where the replay of a long capture begins (R1): with the last step that lies far enough before
/// the window. None where all of the capture is replayed: it is short, or no step lies so far
/// before it.
std::optional<TimeNs> replayBegin(const Trace &trace, const Steps &steps,
                                  const DependencyGraph &graph, const Window &window,
                                  const CutLimits &limits = {});

/// The last node that questions about a window need: of those that define its end, and of the
/// operation of each device that ends the idle time in which the window closes.
uint32_t lastNeeded(const Trace &trace, const DependencyGraph &graph, const Window &window,
                    const WindowTerms &terms);

/// The part of a graph from a time to its node `last`. What reaches into it starts at that time;
/// node 0 is there. Activities keep their numbers.
DependencyGraph cutAround(const DependencyGraph &graph, TimeNs begin, uint32_t last);

/// Replaces the graph of a capture that is too long by the part that a window needs.
void cutIfLong(DependencyGraph &graph, const Trace &trace, const Steps &steps,
               const Window &window);

} // namespace longpole
