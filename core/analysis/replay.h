// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/dependency_graph.h"
#include "core/analysis/window.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

// What takes a progress throws Stopped.

/// A factor as it was written, exactly: work takes 1 / factor of its time. "inf" means none at all.
struct SpeedFactor {
    int64_t num = 1, den = 1; ///< the time is multiplied by num / den; 0 / 1 for infinite speed
    bool isOne() const { return num == den; }
    bool isSlowDown() const { return num > den; }
};
/// A number > 0, as in 2, 1.5 or 2e1, or "inf".
std::optional<SpeedFactor> parseSpeedFactor(std::string_view text);

/// One --speed: which activities, and how much faster.
struct SpeedEdit {
    std::string selector; ///< as written
    SpeedFactor factor;
};

/// SELECTOR=FACTOR; the factor follows the last '='. Usage errors say what was expected.
Result<SpeedEdit> parseSpeedEdit(const std::string &text);

/// The time multiplier of every activity; edits are applied together, products of factors where
/// several select the same activity.
struct Scaling {
    std::vector<uint32_t> group;      ///< by activity: index into factors
    std::vector<SpeedFactor> factors; ///< factors[0] is 1
    std::vector<bool> selected; ///< by activity: touched by some edit, also by one of factor 1
    bool empty() const { return factors.size() <= 1; }
};

/// Resolves selectors (cli.md) against a graph. Usage errors name the selector; selectors that
/// match nothing are no error and come back in `unmatched`.
Result<Scaling> resolveScaling(const Trace &trace, const Phases &phases,
                               const DependencyGraph &graph, const std::vector<SpeedEdit> &edits,
                               std::vector<std::string> &unmatched,
                               const Progress &progress = Progress::never());

/// `weight` × the factor, rounded down.
TimeNs scaledBy(TimeNs weight, SpeedFactor factor);
/// The weights of all edges with the scaling applied.
std::vector<TimeNs> scaledWeights(const DependencyGraph &graph, const Scaling &scaling,
                                  const Progress &progress = Progress::never());

/// Times of all nodes with the scaling applied; `binding` gets the in-edge that decided each node.
/// Without a scaling the measured times come back exactly.
std::vector<TimeNs> replay(const DependencyGraph &graph, const Scaling &scaling,
                           std::vector<uint32_t> *binding = nullptr,
                           const Progress &progress = Progress::never());

/// The nodes whose times define a window's end, and its begin (R2): length = max over ends of the
/// replayed time + its tail − the replayed time of the begin − its lead.
struct WindowTerms {
    uint32_t begin = 0; ///< node at or before the window's begin …
    TimeNs lead = 0;    ///< … and the measured distance from it to the begin
    std::vector<uint32_t> ends;
    TimeNs tail = 0; ///< from the last term to the window's end (ranges that end inside work)
};
WindowTerms windowTerms(const Trace &trace, const Steps &steps, const DependencyGraph &graph,
                        const Window &window, const Progress &progress = Progress::never());
/// Length of the window at replayed times, and the end term that decided it.
TimeNs windowLength(const WindowTerms &terms, const std::vector<TimeNs> &times,
                    uint32_t *last = nullptr);

} // namespace longpole
