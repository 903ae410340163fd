// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/bootstrap.h"
#include "core/analysis/boundary.h"
#include "core/model/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

struct Step {
    std::string name;  ///< "ProfilerStep#7"
    IntervalId marker; ///< the interval that marks it
    TimeNs begin = 0;
    TimeNs end = 0;                        ///< of the marker, on the host
    TimeNs drainedEnd = 0;                 ///< last end of the device work launched inside, >= end
    std::optional<TimeNs> period;          ///< begin of the next step - begin; none for the last
    bool leftOut = false;                  ///< not in the steady window
    std::string reason;                    ///< why it is left out
    Boundary boundary = Boundary::Unknown; ///< what its length on the host measures
    TimeNs length() const { return drainedEnd - begin; } ///< drained
};

struct SteadyWindow {
    uint32_t first = 0, last = 0; ///< indices of steps, inclusive
    uint32_t n = 0;               ///< steps inside that are not left out
    TimeNs median = 0, iqr = 0, p5 = 0, p95 = 0, min = 0, max = 0; ///< of length()
    std::optional<std::pair<TimeNs, TimeNs>> ci95; ///< of the median, bootstrap; none below n = 8
};

struct Steps {
    std::vector<Step> steps;      ///< by begin
    std::string foundBy = "none"; ///< "ProfilerStep#N" or "none"
    uint32_t thread = kNone;      ///< the step thread: track of the markers
    std::optional<SteadyWindow> steady;
    std::string steadyReason;      ///< how the steady window was chosen, or why there is none
    bool pipelined = false;        ///< device work of a step runs on into the next one (>5 % of it)
    std::optional<TimeNs> startup; ///< first event to the first step, where the file shows it
    /// Of all steps: enqueue only where one of them is, synchronised where all are.
    Boundary boundary() const;
};

/// Steps from ProfilerStep#N on host threads. A name that appears on several threads counts on the
/// thread with most of them.
Steps findSteps(const Trace &trace);
/// The same for one file of a job, on its own threads.
Steps findStepsOfFile(const Trace &trace, uint32_t file);
/// Of the steps of a trace, without what else findSteps() works out about them.
Boundary boundaryOf(const Trace &trace);
/// Fills in all but the place: the distribution of these lengths. There must be one.
void describe(SteadyWindow &steady, const RunValues &lengths);
/// True for an interval that only marks a step: transparent in sums (R0).
bool isStepMarker(std::string_view name);

/// Quantile q in [0, 1] by linear interpolation between order statistics (type 7); 0 when empty.
TimeNs quantile(const std::vector<TimeNs> &sorted, double q);

} // namespace longpole
