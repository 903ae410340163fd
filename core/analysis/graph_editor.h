// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/edits.h"

#include <functional>
#include <map>
#include <span>

namespace longpole {

/// Weight of an edge that an edit has taken away: it arrives years before anything else, and is
/// small enough to be added and scaled.
inline constexpr TimeNs kDropped = -(TimeNs(1) << 52);

/// Where an edit leaves something open, the headline and the other reading of it.
enum class EditReading : uint8_t { Usual, Other };

/// A call of the API with what the graph made of it.
struct CallPieces {
    std::vector<uint32_t> edges; ///< of its own segments and of those nested in it
    std::vector<uint32_t> nodes; ///< at which they end, ascending; the last one is its return
};

/// A graph while edits change it, and the ways from intervals to its edges.
class GraphEditor {
public:
    GraphEditor(const Trace &trace, const Steps &steps, const Phases &phases,
                const DependencyGraph &base, EditReading reading);

    /// The activities that a selector names; usage errors as for --speed.
    Result<std::vector<bool>> select(const std::string &selector) const;
    /// The outermost calls of some kinds, of all threads.
    using Calls = std::map<IntervalId, CallPieces>;
    Calls callsOf(const std::function<bool(Kind)> &kinds) const;
    /// Those of them that are selected, by themselves or by a piece nested in them.
    Calls selected(const Calls &calls, const std::vector<bool> &activities) const;
    /// The device operation that ends at a node; invalid where none does.
    IntervalId operationEnding(uint32_t node) const;

    /// In-edges of a node of one type that have not been dropped.
    std::vector<uint32_t> edgesInto(uint32_t node, EdgeType type) const;
    void drop(uint32_t edge) { graph.weight[edge] = kDropped; }
    void scale(uint32_t edge, SpeedFactor factor);

    const Trace &trace;
    const Steps &steps;
    const Phases &phases;
    const EditReading reading;
    DependencyGraph graph;
    std::vector<std::string> assumptions, warnings;
};

/// What an edit changed, in words ("8 calls"); empty: it matched nothing.
using Applied = Result<std::string>;

// Each edit in the file of its kind.
Applied applyUnsync(GraphEditor &editor, const GraphEdit &edit);
Applied applyLaunch(GraphEditor &editor, const GraphEdit &edit);

} // namespace longpole
