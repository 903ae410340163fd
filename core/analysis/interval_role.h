// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

#include <optional>
#include <vector>

namespace longpole {

/// What one interval means for the end of a window.
struct IntervalRole {
    TimeNs onPath = 0;                      ///< of itself; on a thread also of what is nested in it
    Evidence evidence = Evidence::Recorded; ///< the weakest of those segments
    /// How much later it could end without delaying the window: the least of its own pieces. None
    /// where the graph does not hold it, or outside the window.
    std::optional<TimeNs> slack;

    /// A dependency that decided when something happened.
    struct Link {
        IntervalId interval;
        EdgeType type = EdgeType::Program;
        Evidence evidence = Evidence::Recorded;
        friend bool operator==(const Link &, const Link &) = default;
    };
    std::vector<Link> waitedFor; ///< on other tracks, or before it on its stream
    std::vector<Link> waiting;   ///< what it decided, in order of time

    bool critical() const { return onPath > 0 || slack == TimeNs(0); }
};

IntervalRole roleOf(const Trace &trace, const DependencyGraph &graph, const CriticalPath &path,
                    IntervalId id);

} // namespace longpole
