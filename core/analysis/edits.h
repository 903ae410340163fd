// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

/// One --edit: a change of the program that is more than faster or slower work.
struct GraphEdit {
    std::string text;                  ///< as written
    size_t kind = 0;                   ///< its line in the table of edits
    std::string selector;              ///< of those that take one
    std::optional<SpeedFactor> factor; ///< the time is multiplied by num / den
    std::optional<TimeRange> range;    ///< of graph; none: each step
    std::optional<TimeNs> cost;        ///< of a graph's launch
};

/// remove:SELECTOR, unsync:SELECTOR … Usage errors say what was expected.
Result<GraphEdit> parseGraphEdit(const std::string &text);
/// One line per edit with its operands and what it does, for a help text.
std::string graphEditsHelp();

/// A graph as edits make it. Nodes, edges and activities keep their numbers and their measured
/// times; weights, residuals and sources differ, and an edge that was dropped can never bind.
struct EditedGraph {
    DependencyGraph graph;
    /// Another reading of what the edits leave open (a call that no longer waits may still be
    /// made); part of a forecast's interval.
    DependencyGraph other;
    bool changed = false;                 ///< some edit makes a difference
    std::vector<std::string> assumptions; ///< what must hold for the forecast to come true
    std::vector<std::string> warnings;
};

/// Applies edits in the order of their table. Errors: usage (selectors); impossible where the
/// program would not work any more or the trace lacks what the edit needs. Throws Stopped.
Result<EditedGraph> applyEdits(const Trace &trace, const Steps &steps, const Phases &phases,
                               const DependencyGraph &graph, const std::vector<GraphEdit> &edits,
                               const Progress &progress = Progress::never());

} // namespace longpole
