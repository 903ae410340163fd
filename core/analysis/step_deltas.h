// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/compare.h"

namespace longpole {

/// What each phase takes of the median step of either side, by falling difference. Where the median
/// lies between two steps, the mean of both. Both sides need a steady window. Fails when stopped.
Result<std::vector<Delta>> stepDeltas(const ComparedSide &a, const ComparedSide &b, bool byPeriod,
                                      Progress &progress);

} // namespace longpole
