// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/rank.h"

namespace longpole {

/// What an engineer could do about a lever, and so what would refute it.
enum class LeverNature { DataWait, Launches, Calls, Collective, Copies, Kernels, Code };

/// A lever as a person would name it, by the innermost range, operator or call that can be edited.
struct NamedLever {
    Lever lever;
    LeverNature nature = LeverNature::Code;
    uint32_t longest = 0; ///< its longest segment, in CriticalPath::segments
};

/// The changes that would gain most, at most three that do not mean the same time: each at least 2
/// % of the window at twice the speed; those whose whole interval is come first. Fails only when
/// stopped.
Result<std::vector<NamedLever>> namedLevers(const Trace &trace, const Steps &steps,
                                            const Phases &phases, const DependencyGraph &graph,
                                            const CriticalPath &path, Progress &progress);

} // namespace longpole
