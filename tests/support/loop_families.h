// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/loop_pairs.h"

#include <string>
#include <vector>

namespace longpole::test {

/// What a family of pairs must keep to; shares.
struct LoopLimits {
    double median = 1, p95 = 1, worst = 1, covered = 0, widthMedian = 1e9, widthP95 = 1e9;
};

/// Pairs of one kind of trace: recorded whole, with something left out, or with something between
/// the two runs that no forecast knows.
struct LoopFamily {
    std::string name;
    std::vector<LoopPair> pairs;
    LoopLimits limits;
};

/// Loops held back by the device, launches, the loader, copies and waits, each with every change
/// that can be asked of it; `series` draws of each.
std::vector<LoopFamily> loopFamilies(uint64_t series);

/// CUDA graphs of each step, and what came true where they took the host's work between the
/// launches with them.
std::vector<LoopPair> graphsWithoutHostWork(uint64_t series);

/// What of its limits a family breaks; empty when nothing.
std::string broken(const LoopFamily &family);

} // namespace longpole::test
