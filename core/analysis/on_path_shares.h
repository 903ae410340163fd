// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"
#include "core/analysis/statistics.h"

namespace longpole {

/// Fills in what of each row is on the critical path of the same window, for rows grouped by `by`.
/// Throws Stopped.
void addOnPath(Statistics &statistics, const Trace &trace, const Phases &phases,
               const CriticalPath &path, GroupBy by, const Progress &progress = Progress::never());

} // namespace longpole
