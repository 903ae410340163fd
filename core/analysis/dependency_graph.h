// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/phases.h"
#include "core/analysis/steps.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/trace.h"

#include <string_view>
#include <vector>

namespace longpole {

/// What an edge says; the names are part of the command line's contract.
enum class EdgeType : uint8_t {
    Program,      ///< order on a host thread
    Launch,       ///< call → the device operation it enqueued
    Stream,       ///< order on a device stream
    Event,        ///< event record → stream wait
    Sync,         ///< device work → the call that waited for it
    Copy,         ///< blocking copy → its call
    Handoff,      ///< one thread waits for another
    Loader,       ///< data-loader worker → consumer
    BackPressure, ///< a full launch queue holds the launch back
    Graph,
    Collective,
    Window, ///< from the begin of the capture to the first node of a track
};
std::string_view edgeTypeName(EdgeType type);

/// How an edge is known: both ends are in the trace, order and API semantics say so, or a
/// heuristic.
enum class Evidence : uint8_t { Recorded, Inferred, Assumed };
std::string_view evidenceName(Evidence evidence);

/// Work that an edge stands for and that a what-if can scale.
struct Activity {
    IntervalId interval; ///< row kNone: host time without an event ("untraced") on that track
    TimeNs begin = 0;    ///< measured
    TimeNs length = 0;   ///< measured, without the part that is a wait
    uint8_t phase = 0;   ///< of Phases::rules
    Kind kind = Kind::Untraced;
};

/// The rules of replay-rules.md that shape a graph. Every graph follows all of them; a test leaves
/// one out to show what it is worth.
enum class GraphRule : uint8_t {
    Handoffs,      ///< R3: a thread that stands still waits for another one that works …
    HandoffGap,    ///< … whose idle time before it costs nothing
    Sleepers,      ///< R4: helper threads sleep until they are woken
    Loader,        ///< R5
    LaunchLag,     ///< R6: learned where nothing else held the operation back; else p5 …
    LaunchAnchor,  ///< … and counted from the return of the call
    TypicalLags,   ///< R7: else the least
    ResidualOnLag, ///< R8: else unexplained
    BackPressure,  ///< R9: for every launch; else for those that were held back
    EventCalls,    ///< R10: else only where operations coincide
    Coincidences,  ///< R11
    EnqueueOrder,  ///< R12: else by the begin of the call alone
    OverlapClip,   ///< R13: else whatever the resolution of the times
};
struct GraphRules {
    uint32_t off = 0; ///< a bit per rule
    bool has(GraphRule rule) const { return !(off >> unsigned(rule) & 1); }
    static GraphRules without(GraphRule rule) { return {1u << unsigned(rule)}; }
};

/// How well the trace explains itself; shown as trace quality.
struct GraphCounters {
    uint64_t launched = 0, unlinked = 0, skewed = 0, clamped = 0, dropped = 0, assumed = 0;
};

/// How far a learned lag spreads in its family: 10th and 90th percentile.
struct LagSpread {
    TimeNs low = 0, high = 0;
};
/// As `high`: nothing tells how long such lags are, but for what was measured (Variant::Taken).
inline constexpr TimeNs kUnknownLag = TimeNs(1) << 60;

/// "A node cannot happen before another one plus a lag": T(v) = delta(v) + max over in-edges of
/// (T(u) + weight). Nodes are points in time in topological order; node 0 is the begin of the
/// capture. Exact: with the weights as they are, the recurrence gives the measured times back to
/// the nanosecond. (analysis.md §2–3, replay-rules.md R1–R13.)
struct DependencyGraph {
    std::vector<TimeNs> time;    ///< measured, by node
    std::vector<TimeNs> delta;   ///< what no edge explains, >= 0
    std::vector<uint32_t> track; ///< by node; kNone for node 0
    std::vector<uint32_t>
        firstEdge; ///< nodes + 1: in-edges of v are [firstEdge[v], firstEdge[v + 1])
    // by edge
    std::vector<uint32_t> source;
    std::vector<TimeNs> weight;     ///< >= 0
    std::vector<uint32_t> activity; ///< kNone: a lag
    std::vector<EdgeType> type;
    std::vector<Evidence> evidence;
    std::vector<uint16_t> lagFamily; ///< into lagSpreads; 0: none; empty: no lag was learned
    std::vector<LagSpread> lagSpreads;
    std::vector<Activity> activities;
    GraphCounters counters;

    uint32_t stepThread = kNone; ///< track that is covered to the end of the step
    struct TrackNodes {          ///< nodes of one track in order of time, for binary search
        std::vector<uint32_t> nodes;
    };
    std::vector<TrackNodes> byTrack;
    /// Begin and end node of a device operation: opNodes[track][row]; {kNone, kNone} elsewhere.
    struct OpNodes {
        uint32_t begin = kNone, end = kNone;
    };
    std::vector<std::vector<OpNodes>> opNodes;

    uint32_t nodes() const { return uint32_t(time.size()); }
    /// Last node of a track at or before t; kNone when there is none.
    uint32_t nodeAtOrBefore(uint32_t track, TimeNs t) const;
};

/// Builds the graph of the whole capture (R1). Fails when stopped, or with kind Impossible when no
/// thread or stream holds an interval.
Result<DependencyGraph> buildGraph(const Trace &trace, const Steps &steps, const Phases &phases,
                                   Progress &progress, GraphRules rules = {});

} // namespace longpole
