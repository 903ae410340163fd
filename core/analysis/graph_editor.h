// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/edits.h"

#include <map>
#include <set>

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

/// A graph while edits change it, and the ways from intervals to its edges. Throws Stopped.
class GraphEditor {
public:
    GraphEditor(const Trace &trace, const Steps &steps, const Phases &phases,
                const DependencyGraph &base, EditReading reading, const Progress &progress);

    /// The activities that a selector names; usage errors as for --speed.
    Result<std::vector<bool>> select(const std::string &selector) const;
    /// The outermost calls of some kinds, of all threads.
    using Calls = std::map<IntervalId, CallPieces>;
    Calls callsOf(bool (*kinds)(Kind)) const;
    /// The outermost interval of some kinds that is `id` or around it; invalid where there is none.
    IntervalId outermost(IntervalId id, bool (*kinds)(Kind)) const;
    /// The same for every row of a track: a row, kNone where there is none.
    std::vector<uint32_t> outermostOf(uint32_t track, bool (*kinds)(Kind)) const;
    /// Those of them that are selected, by themselves or by a piece nested in them.
    Calls selected(const Calls &calls, const std::vector<bool> &activities) const;
    /// The device operation that ends at a node; invalid where none does.
    IntervalId operationEnding(uint32_t node) const;

    /// In-edges of a node of one type that have not been dropped.
    std::vector<uint32_t> edgesInto(uint32_t node, EdgeType type) const;
    void drop(uint32_t edge) { graph.weight[edge] = kDropped; }
    void dropInto(const CallPieces &pieces, EdgeType type);
    void scale(uint32_t edge, SpeedFactor factor);
    /// Makes a call take that long in all.
    void setCost(const CallPieces &pieces, TimeNs cost);

    const Trace &trace;
    const Steps &steps;
    const Phases &phases;
    const EditReading reading;
    const Progress &progress;
    DependencyGraph graph;
    std::set<IntervalId> gone; ///< waits that an edit has taken out
    std::vector<std::string> assumptions, warnings;
};

bool isSync(Kind kind);
bool isRuntime(Kind kind); ///< calls that copy and set memory are of this kind
std::string counted(size_t n, std::string_view what); ///< "1 call", "2 calls"

/// The calls in which the host waits for the device, and what each knows to have ended. Of a spin
/// of queries it is the one that found it so.
class HostWaits {
public:
    explicit HostWaits(const GraphEditor &editor);
    const GraphEditor::Calls &calls() const { return m_calls; }
    /// The first wait of the launching thread that covers an operation; invalid where none does.
    IntervalId covering(const Launch &launch) const;

    /// A wait that hands its thread the value of a copy to the host, one that its own call did not
    /// wait for.
    struct Value {
        IntervalId wait, copy;
    };
    std::vector<Value> values() const;

private:
    void addSpins(const GraphEditor &editor);

    struct Waited {
        IntervalId call, op; ///< op: the last one that it waited for on the stream
    };
    const Trace &m_trace;
    GraphEditor::Calls m_calls;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Waited>> m_byPlace; ///< thread, stream
};
/// Takes the wait out of a call; the call itself too, except in the other reading.
void takeOut(GraphEditor &editor, IntervalId call, const CallPieces &wait);

/// What an edit changed, in words ("8 calls"); empty: it matched nothing.
using Applied = Result<std::string>;

// Each edit in the file of its kind.
Applied applyRemove(GraphEditor &editor, const GraphEdit &edit);
Applied applyUnsync(GraphEditor &editor, const GraphEdit &edit);
Applied applyAsync(GraphEditor &editor, const GraphEdit &edit);
Applied applyGraph(GraphEditor &editor, const GraphEdit &edit);
Applied applyLaunch(GraphEditor &editor, const GraphEdit &edit);

} // namespace longpole
