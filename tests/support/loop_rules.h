// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/loop_pairs.h"

#include <string_view>

namespace longpole::test {

/// One rule of R1–R13 left out, or a part of one.
struct LoopRule {
    std::string_view name;
    GraphRules rules;
    LoopReadout readout;
    std::string_view shownBy; ///< the regime that needs it most
};

/// Every rule, after a first entry without a name that leaves out none.
std::vector<LoopRule> loopRules();

/// Forecasts of all runs without a rule.
std::vector<LoopPair> forecastsWithout(const LoopRule &rule, const std::vector<LoopCase> &runs);

/// Prints a line of a table per rule: errors over all pairs, and the worst error in the regime that
/// shows it. Returns how many of its lines resources/docs/accuracy.md lacks.
size_t printRules(const std::vector<LoopCase> &runs);

} // namespace longpole::test
