// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

namespace longpole {

/// The unexplained time of a path by what a recording would have to hold to explain it.
struct PathGaps {
    TimeNs launches = 0; ///< what it leads to was launched by a call that is not in the trace
    TimeNs before = 0; ///< before the first operation of a device, enqueued in the trace: what ran
                       ///< then had been launched before the recording began
    TimeNs waits = 0;  ///< anything else: a wait without a record
    TimeNs beside = 0; ///< of these waits, operations while another stream of their device was at
                       ///< work all the time: maybe it was full, and there is nothing to record
};
/// Throws Stopped.
PathGaps pathGaps(const Trace &trace, const DependencyGraph &graph, const CriticalPath &path,
                  const Progress &progress = Progress::never());

} // namespace longpole
