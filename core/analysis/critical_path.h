// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

#include <string>
#include <vector>

namespace longpole {

struct PathSegment {
    enum class Type : uint8_t { Activity, Lag, Untraced, Unexplained };
    TimeNs begin = 0, end = 0;
    Type type = Type::Activity;
    EdgeType edge = EdgeType::Program; ///< of the edge walked
    Evidence evidence = Evidence::Recorded;
    IntervalId interval; ///< of an activity; of a lag or wait, the one it leads to, if any
    uint32_t track = kNone;
    uint8_t phase = 0;
};
std::string_view segmentTypeName(PathSegment::Type type);

/// How a piece of the path is known: by the evidence for its edge, or not at all.
enum class PathTrust : uint8_t { Recorded, Inferred, Assumed, Untraced, Unexplained };
inline constexpr size_t kPathTrustCount = size_t(PathTrust::Unexplained) + 1;
PathTrust trustOf(const PathSegment &segment);
std::string_view pathTrustName(PathTrust trust);

struct EvidenceSums {
    TimeNs recorded = 0, inferred = 0, assumed = 0, untraced = 0, unexplained = 0;
};

/// The chain of work and waits that fills the window without a hole: the backward walk over the
/// edges that decided each node (analysis.md §3.1).
struct CriticalPath {
    Window window;
    std::vector<PathSegment> segments; ///< tile the window
    EvidenceSums byEvidence;           ///< adds up to the window
    std::vector<TimeNs> slack;         ///< by activity: how much longer it may take (§3.4)
};

/// The in-edge that decided when a node happened: same track before others, recorded before
/// inferred before assumed, then the earlier source. Every node but the first has one.
uint32_t tightEdge(const DependencyGraph &graph, uint32_t node);

/// Throws Stopped.
CriticalPath criticalPath(const Trace &trace, const Steps &steps, const DependencyGraph &graph,
                          const Window &window, const Progress &progress = Progress::never());
/// The same where it is known which nodes end the window.
CriticalPath criticalPath(const DependencyGraph &graph, const WindowTerms &terms,
                          const Window &window, const Progress &progress = Progress::never());

} // namespace longpole
