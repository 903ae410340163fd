// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/what_if.h"
#include "tests/support/loop_regimes.h"

namespace longpole::test {

/// A stretch of a run that is read out of its forecasts.
struct LoopReading {
    std::string name;
    Window window;
};

/// A change of a run and how long each reading takes in the run that was simulated with it.
struct LoopQuestion {
    SpeedEdit edit; ///< without a selector: the edits below
    std::vector<GraphEdit> edits;
    std::vector<TimeNs> truth;
};

/// A simulated run with everything that a forecast needs, and what came true.
struct LoopCase {
    std::string regime;
    std::string text; ///< the file
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phases;
    std::vector<LoopReading> readings;
    std::vector<LoopQuestion> questions;
};

/// Each regime of the first `series` ones with its changes, the factors dealt out in turn.
std::vector<LoopCase> loopCases(uint64_t series);
/// A run alone, without questions.
LoopCase loopCase(const LoopRegime &regime, const std::string &text);
/// A change as the what-if takes it and as the simulator makes it.
struct LoopAsked {
    std::string speed; ///< SELECTOR=FACTOR, or …
    std::string edit;  ///< … an edit
    LoopScale scale;
};
/// Asks for a change of a run and simulates the run with it.
void ask(LoopCase &run, const LoopRegime &regime, const LoopAsked &asked);
void ask(LoopCase &run, const LoopRegime &regime, const LoopChange &change, std::string_view speed);

/// How a forecast is read out of a replay: R1 (of the whole capture), R2 (by the terms of the
/// window's end).
struct LoopReadout {
    bool wholeCapture = true, termsOfTheEnd = true;
};

/// A forecast beside what came true.
struct LoopPair {
    std::string what, regime;
    TimeNs before = 0, predicted = 0, truth = 0;
    Forecast interval; ///< where it was asked for
    bool covered() const { return interval.low <= truth && truth <= interval.high; }
    double error() const { return std::abs(double(predicted - truth)) / double(truth); }
};

DependencyGraph graphOf(const LoopCase &run, GraphRules rules = {});
/// All forecasts of a run, by a graph of these rules.
std::vector<LoopPair> forecastsOf(const LoopCase &run, const DependencyGraph &graph,
                                  bool withInterval = false, LoopReadout readout = {});

/// How many intervals hold what came true, and how wide they are as shares of the measured window.
struct LoopCoverage {
    double covered = 0, median = 0, p95 = 0;
};
LoopCoverage coverageOf(const std::vector<LoopPair> &pairs);

/// Median, 95th percentile and worst error of pairs, and how many err by more than 1 %.
struct LoopErrors {
    double median = 0, p95 = 0, worst = 0;
    size_t wrong = 0;
};
LoopErrors errorsOf(const std::vector<LoopPair> &pairs);

/// A line of the tables of resources/docs/accuracy.md:
/// "| all | 400 | 0.000 %, 0.10 %, 0.52 % | 99.8 % | 0.38 %, 4.1 % |"
std::string accuracyLine(std::string_view name, const std::vector<LoopPair> &pairs);
/// Whether that page holds it.
bool inAccuracyPage(const std::string &line);

} // namespace longpole::test
