// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/named_levers.h"

#include <string>
#include <vector>

namespace longpole {

/// The answer to "why is this step so slow", in at most eight lines.
struct Verdict {
    Window window;
    std::vector<std::string> lines;
    std::vector<NamedLever> levers; ///< at most three
    EvidenceSums trust;             ///< adds up to the window
};

/// Fails only when stopped.
Result<Verdict> verdict(const Trace &trace, const Steps &steps, const Phases &phases,
                        const DependencyGraph &graph, const Window &window, Progress &progress);

} // namespace longpole
