// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/loop_simulator.h"

#include <vector>

namespace longpole::test {

/// A training loop that some resource holds back.
struct LoopRegime {
    std::string name;
    LoopShape shape;
    bool special = false; ///< for the sake of one rule: each change is tried faster and slower
};

/// One kind of work, as the what-if selects it and as the simulator does.
struct LoopChange {
    std::string selector;
    std::function<bool(const LoopWork &)> selects;
};

/// GPU-bound, launch-bound and loader-bound programs; the same with other draws for another
/// `series`.
std::vector<LoopRegime> loopRegimes(uint64_t series = 0);

/// Everything in a loop that can be scaled.
std::vector<LoopChange> changesOf(const LoopShape &shape);

} // namespace longpole::test
