// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/phases.h"
#include "core/analysis/workload.h"
#include "core/base/progress.h"

#include <memory>

namespace longpole {

struct ComparedRun {
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phases;
    std::vector<RecordedShape> shapes; ///< of shapesWanted()
};
/// Repeated runs of one thing; at least one.
using ComparedSide = std::vector<ComparedRun>;

struct CompareRequest {
    std::optional<uint64_t> runSteps;         ///< how long the run is to be
    std::optional<TimeNs> startupA, startupB; ///< in place of what the traces show
    bool reusedA = false, reusedB = false;    ///< what start-up makes is reused: it counts 0
};

/// B over A, of steady steps: 1.2 means that A is 1.2 times as fast.
struct StepRatio {
    double median = 1;
    std::optional<std::pair<double, double>> ci95; ///< none below n = 8 on either side
    TimeNs shift = 0;        ///< Hodges–Lehmann: median of all differences B − A
    std::optional<double> p; ///< Mann–Whitney, two-sided; where there is an interval
};

enum class First : uint8_t { A, B, Tie };
std::string_view firstName(First first);

/// Start-up and so many steps. A tie: equal, or the 95 % interval of the difference holds 0.
struct AfterSteps {
    uint64_t steps = 0;
    TimeNs a = 0, b = 0;
    First first = First::Tie;
};

struct Crossover {
    enum class State : uint8_t { Crosses, AAlways, BAlways, Parallel };
    State state = State::Parallel;   ///< parallel: the steps of both cannot be told apart
    std::optional<double> steps;     ///< where the two meet
    std::optional<double> low, high; ///< 95 %; without an upper end they may never meet
};
std::string_view crossoverName(Crossover::State state);

/// What the median step gives to one phase, or to nothing; shares of a partition of the step.
struct Delta {
    std::string key;   ///< of the phase, "nothing_ran" for the rest
    std::string label; ///< for people
    TimeNs a = 0, b = 0;
};

struct Comparison {
    std::string refused; ///< a sentence where one verdict over both would mean nothing; else empty
    WorkDifferences work;
    bool sameBoundary = true; ///< of the steps compared
    Steps a, b;               ///< of all runs of a side, one after the other
    /// Where the loop of a side is pipelined, its steps last longer than one after the other takes:
    /// then both are measured from begin to begin, and all below is about that.
    bool byPeriod = false;
    TimeNs medianA = 0, medianB = 0;
    std::optional<StepRatio> ratio;
    std::optional<AfterSteps> at; ///< none unless asked for and both start-ups are known
    std::optional<Crossover> crossover;
    std::vector<Delta> deltas; ///< each column adds up to the median step of its side, to the ns
};

/// Differences of work first, then of time. Fails only when stopped.
Result<Comparison> compare(const ComparedSide &a, const ComparedSide &b,
                           const CompareRequest &request, Progress &progress);

/// Whether a step's time in a pipelined loop goes by when its device work ends: where the recorder
/// waited for the device before the first measured step. Begins then only tell how fast the host
/// enqueues.
inline bool byCompletion(const Steps &steps) {
    return steps.pipelined && steps.measured && steps.measured->synchronised;
}
/// What is compared of a step: until its device work has ended, or by period from its begin to the
/// next one's, or from the end of the one's device work before to the end of its own.
std::optional<TimeRange> comparedRange(const Steps &steps, uint32_t index, bool byPeriod);

/// Lengths of the steady steps (or times from begin to begin) run by run; runs without are left
/// out.
RunValues steadyValues(const ComparedSide &side, bool byPeriod);

} // namespace longpole
