// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/time.h"

#include <map>
#include <string>
#include <vector>

namespace longpole {

struct Trace;

/// What a file that holds one window of a capture keeps beside its events: the window, and what was
/// learned from the whole capture (steps, dependencies, phases), since the window alone would teach
/// other lags. Written and understood by core/analysis/excerpt.h; here it is only numbers.
struct Excerpt {
    TimeRange window;
    std::string kind;             ///< of the window: "drained" …
    std::string foundBy, markers; ///< of the steps
    std::vector<std::string> stepNames;
    TimeNs zero = 0; ///< the capture's zero on the file's clock
    std::map<std::string, std::vector<int64_t>> columns;
    /// All intervals of the trace in the order of the file: columns count them so.
    std::vector<IntervalId> intervals;

    const std::vector<int64_t> &column(const char *name) const; ///< empty where it is not there
};

/// Fills in the intervals. False where the columns do not belong to this trace or do not give the
/// measured times back: then nothing of them may be used.
bool fitExcerpt(Excerpt &excerpt, const Trace &trace);

} // namespace longpole
