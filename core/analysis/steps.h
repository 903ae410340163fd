// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/bootstrap.h"
#include "core/analysis/boundary.h"
#include "core/model/trace.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace longpole {

struct Step {
    std::string name;  ///< "ProfilerStep#7", "train_step 7", "period 7"
    IntervalId marker; ///< the range that marks it; invalid where none does
    TimeNs begin = 0;
    TimeNs end = 0;        ///< on the host: of ProfilerStep#N, else the begin of the next step
    TimeNs drainedEnd = 0; ///< last end of the device work launched inside, >= end
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
    std::vector<uint32_t>
        outliers; ///< steps far from the median (5 scaled MADs); counted all the same
};

/// Steps over elapsed time, as the recorder measured it between two stamps.
struct MeasuredRun {
    uint32_t steps = 0, warmup = 0;
    TimeRange range;         ///< from the first measured step's begin to the stamp after the last
    bool waited = false;       ///< the device was to be waited for at both
    bool synchronised = false; ///< and was
    TimeNs perStep() const { return range.length() / TimeNs(steps); }
    std::string policy() const; ///< a sentence
};

struct Steps {
    std::vector<Step> steps; ///< by begin
    /// "ProfilerStep#N", "range NAME", "period of KERNEL" or "none"
    std::string foundBy = "none";
    std::string markers;     ///< nameFamily() of the ranges that wrap steps; else empty
    uint32_t thread = kNone; ///< the step thread: track of the markers, or of the launches
    std::optional<SteadyWindow> steady;
    std::string steadyReason;      ///< how the steady window was chosen, or why there is none
    bool pipelined = false;        ///< device work of a step runs on into the next one (>5 % of it)
    std::optional<TimeNs> startup; ///< first event to the first step, where the file shows it
    std::optional<MeasuredRun> measured; ///< where the recorder kept to a protocol
    /// Of all steps: enqueue only where one of them is, synchronised where all are.
    Boundary boundary() const;
};

/// Steps by ProfilerStep#N; else by ranges of the user that come back evenly (step_markers.h); else
/// by the period of the kernels (step_period.h). (analysis.md §7.1)
/// Throws Stopped.
Steps findSteps(const Trace &trace, const Progress &progress = Progress::never());
/// The same for one file of a job, on its own threads.
Steps findStepsOfFile(const Trace &trace, uint32_t file,
                      const Progress &progress = Progress::never());
/// Of the steps of a trace, without what else findSteps() works out about them.
Boundary boundaryOf(const Trace &trace, const Progress &progress = Progress::never());
/// Fills in all but the place: the distribution of these lengths. There must be one.
void describe(SteadyWindow &steady, const RunValues &lengths);
/// Quantile q in [0, 1] by linear interpolation between order statistics (type 7); 0 when empty.
TimeNs quantile(std::span<const TimeNs> sorted, double q);

} // namespace longpole
