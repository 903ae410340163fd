// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/named_levers.h"

#include <string>
#include <vector>

namespace longpole {

/// Where a number of the verdict is counted.
struct VerdictLink {
    enum class To : uint8_t { Nothing, Window, Phase, Kind, Idle, Lever, Trust };
    To to = To::Nothing;
    uint8_t index = 0;   ///< the rule, Kind, IdleCause (their count: any), lever, or PathTrust
    TimeRange range;     ///< the longest stretch of it
    IntervalId interval; ///< what ran there; row kNone or invalid: nothing recorded
};

struct VerdictPart {
    std::string text;
    VerdictLink link;
    bool detail = false; ///< can be left out where only the essence fits
};

/// One sentence or two; read in order and without a gap, the parts are the line.
struct VerdictLine {
    enum class About : uint8_t { Window, Device, Path, Lever, NoLever, Trust, Advice };
    About about = About::Window;
    std::vector<VerdictPart> parts;
    std::string text() const;
};

/// The answer to "why is this step so slow", in at most eight lines.
struct Verdict {
    Window window;
    std::vector<VerdictLine> lines;
    std::vector<NamedLever> levers; ///< at most three
    EvidenceSums trust;             ///< adds up to the window
};

/// Fails only when stopped.
Result<Verdict> verdict(const Trace &trace, const Steps &steps, const Phases &phases,
                        const DependencyGraph &graph, const Window &window, Progress &progress);

} // namespace longpole
