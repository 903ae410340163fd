// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace longpole {

constexpr uint32_t kMinForInterval = 8; ///< below it an interval of the median means nothing

/// Values of steps, run by run, each in the order of time.
using RunValues = std::vector<std::vector<TimeNs>>;

/// Medians of 2,000 samples drawn with replacement from all runs: runs first where there are
/// several, then steps, in blocks of neighbours where steps resemble the one before. The same
/// values and seed always give the same draws; samples that are to be independent need different
/// seeds. No run may be empty.
std::vector<TimeNs> resampledMedians(const RunValues &runs, uint64_t seed);

/// The 2.5 % and the 97.5 % quantile.
std::pair<TimeNs, TimeNs> interval95(std::vector<TimeNs> draws);

} // namespace longpole
