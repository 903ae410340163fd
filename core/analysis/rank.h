// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

/// Something that could be made faster, and what the replay says it would bring.
struct Lever {
    std::string selector; ///< for --speed
    std::string label;    ///< for people
    uint64_t count = 0;   ///< intervals of it inside the window
    TimeNs onPath = 0, sum = 0;
    TimeNs gain125 = 0, gain2 = 0, gainInf = 0; ///< of the window at 1.25×, 2× and infinite speed
    TimeNs low = 0, high = 0;                   ///< interval of the gain at 2×
    std::optional<double> knee; ///< scale (1 / speed-up) beyond which it pays less; none: never
    Evidence evidence = Evidence::Recorded; ///< of most of its time on the path
};

enum class RankBy { Phase, Kind, Name, Op, Module, Class };

/// Time on the path of one kind of work, by the evidence for it.
struct OnPath {
    std::array<TimeNs, 3> byEvidence{};
    void add(const PathSegment &segment) {
        byEvidence[size_t(segment.evidence)] += segment.end - segment.begin;
    }
    TimeNs sum() const { return byEvidence[0] + byEvidence[1] + byEvidence[2]; }
    Evidence evidence() const;
};

/// Waits cost nothing of their own: what they wait for is the lever.
bool canBeLever(Kind kind);

/// Replays one lever, the work selected by `scaling` (its factors do not matter). Throws Stopped.
void replayLever(const DependencyGraph &graph, const WindowTerms &terms, const Window &window,
                 const Scaling &scaling, Lever &lever,
                 const Progress &progress = Progress::never());

/// Phases, kinds, names or owners by the low end of what twice the speed gains. Only work on the
/// path can gain; of names at most 60 are replayed, those with most time there. Fails only when
/// stopped.
Result<std::vector<Lever>> rankLevers(const Trace &trace, const Steps &steps, const Phases &phases,
                                      const DependencyGraph &graph, const CriticalPath &path,
                                      RankBy by, Progress &progress);

} // namespace longpole
