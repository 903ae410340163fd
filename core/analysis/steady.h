// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/steps.h"

namespace longpole {

/// Chooses the steady window: the steps that are whole and hold no start-up work, from the first on
/// after which the lengths (of a pipelined loop, the periods) no longer change level. Fills steady,
/// steadyReason and the steps' leftOut and reason. (analysis.md §7.2)
void findSteady(Steps &steps, const Trace &trace);

/// Index of the first value from which on the level stays: 0 where no change point is found,
/// nothing where they change until fewer than five are left. Levels that differ by
/// less than 2 % are one. Below 50 values by max-CUSUM on ranks with a permutation test (p < 0.05,
/// 1,000 permutations of a fixed seed), else by PELT on mean and variance with penalty 3 log n,
/// after values beyond 5 scaled MADs were drawn in.
std::optional<size_t> settledFrom(const std::vector<TimeNs> &values);

/// Indices of values farther from the median than 5 × 1.4826 MAD.
std::vector<size_t> outliersOf(const std::vector<TimeNs> &values);

} // namespace longpole
