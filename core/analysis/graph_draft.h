// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/dependency_graph.h"
#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <compare>
#include <functional>
#include <limits>
#include <vector>

namespace longpole {

/// Every threshold of the graph in one place; the sources are analysis.md §2 and replay-rules.md.
struct GraphThresholds {
    TimeNs launchLagCap = 8'000;     ///< R6: of a lag learned from almost nothing
    TimeNs launchLagSpread = 20'000; ///< R6: samples above p5 + this are queueing, not latency
    size_t launchSamples = 5, launchSamplesAll = 3;
    TimeNs ownSyncCost = 3'000;   ///< E6: of a wait whose own cost is not known
    TimeNs resumeLag = 6'000;     ///< E6: from the end of the work to the return, likewise
    TimeNs clockSkew = 20'000;    ///< E6: a wait may return so long before what it waited for ends
    TimeNs queuedBefore = 20'000; ///< R7: the next operation was enqueued so long before
    TimeNs kernelGapMax = 10'000; ///< R7
    TimeNs overlapClip = 2'000;   ///< R13: only where all times are whole microseconds
    TimeNs idleGap = 50'000;      ///< R3, R4: shorter holes of a thread are work
    TimeNs wakeUp = 5'000'000;    ///< R4: a longer sleep has no known waker
    TimeNs handoffLeast = 1'000'000; ///< R3: tolerance …
    double handoffShare = 0.05;      ///< … or this share of the waiting segment
    double handoffBusy = 0.5;        ///< R3: how busy an assumed worker must be
    TimeNs residualOnLag = 50'000;   ///< R8
    uint32_t queueLeast = 900;       ///< E8: outstanding operations that mean a full queue
    uint32_t queueSlack = 3;
    uint32_t queueUsual = 1'024;     ///< R9: places of a queue that was never full
    double blockedFactor = 5;        ///< E8: a blocked launch takes so many times the median
    TimeNs coincidence = 20'000;     ///< R10: from the end of the source to the begin it allowed
    TimeNs closeCoincidence = 5'000; ///< R10, R11: so close is hardly chance
    int closeEnds = 64;              ///< R11: where more end at once, none of them tells anything
    uint32_t coincidences = 3;       ///< R10, R11: least number, and times what chance would give
    double brokenOrder = 0.01;       ///< E10: share of operations that do not keep to the order
    size_t graphRuns = 3;            ///< E11: of a graph, after which its inner order is inferred
};
inline constexpr GraphThresholds kGraphThresholds;

/// A host thread as a row of segments without holes: segment i lies between nodes[i] and nodes[i +
/// 1].
struct HostLine {
    std::vector<uint32_t> nodes;
    std::vector<uint32_t> edges; ///< of each segment
    std::vector<uint32_t> rows;  ///< its owner, kNone where the thread ran without an event
    bool empty() const { return nodes.empty(); }
};

/// Order in which calls reach a stream (R12): by begin, then by correlation id, since times of
/// whole microseconds tie.
struct EnqueueKey {
    TimeNs begin = std::numeric_limits<TimeNs>::min();
    int64_t correlation = -1;
    friend auto operator<=>(const EnqueueKey &, const EnqueueKey &) = default;
};

/// The least time that an edge takes, and the family it was learned from (0: none).
struct Lag {
    TimeNs typical = 0;
    uint16_t family = 0;
};

/// A stream in the order in which its operations begin.
struct StreamLine {
    std::vector<uint32_t> rows;
    std::vector<EnqueueKey> enqueued; ///< when each was enqueued, or a later one; ascends
    Lag gap;                          ///< between two that are both queued
};

/// Quantile of unsorted values (type 7); they are sorted on the way. Throws Stopped.
template <class Values>
TimeNs quantileOf(Values &values, double q, const Progress &progress = Progress::never()) {
    sortLooking(values, std::less<>(), progress);
    return quantile(values, q);
}

/// Nodes and edges in the order they are found; finish() turns them into a graph. What is asked
/// once for each node or operation looks for a stop now and then, and throws Stopped.
class GraphDraft {
public:
    GraphDraft(const Trace &trace, const Steps &steps, const Phases &phases, GraphRules rules,
               const Progress &progress);

    struct Edge {
        uint32_t from = kNone, to = kNone;
        TimeNs weight = 0;
        uint32_t activity = kNone;
        EdgeType type = EdgeType::Program;
        Evidence evidence = Evidence::Recorded;
        uint16_t family = 0; ///< of a learned lag
    };

    uint32_t addNode(TimeNs time, uint32_t track);
    /// A lag of at least that much; edges that run backwards in time are counted and left out.
    void addLag(uint32_t from, uint32_t to, Lag lag, EdgeType type, Evidence evidence);
    void addLag(uint32_t from, uint32_t to, TimeNs weight, EdgeType type, Evidence evidence) {
        addLag(from, to, Lag{weight}, type, evidence);
    }
    /// A lag that was learned from samples, which are sorted on the way.
    template <class Samples>
    Lag learned(TimeNs typical, Samples &samples) {
        if (samples.empty()) return {typical, 0};
        const TimeNs low = quantileOf(samples, 0.1, progress);
        return learnedSpread(typical,
                             {std::min(typical, low), std::max(typical, quantile(samples, 0.9))});
    }
    /// A family of lags that may be as long as what was measured allows (kUnknownLag).
    uint16_t unknownLag();
    uint32_t addActivity(uint32_t from, uint32_t to, IntervalId interval, EdgeType type);
    /// The node at which the host saw an operation end: its end, or `at` where the clocks disagree
    /// and it ends later than that. `at` lies behind its begin.
    uint32_t seenEnd(IntervalId op, TimeNs at);
    /// Makes the time of a thread between two of its nodes a wait with `own` cost of its own.
    void makeWait(uint32_t track, TimeNs begin, TimeNs end, TimeNs own);

    /// Gives a thread nodes at these ascending times; segments are cut there, and both parts are
    /// the same work.
    void cutThread(uint32_t track, const std::vector<TimeNs> &at);

    /// First node of a thread at or after t, last node at or before t; kNone where there is none.
    uint32_t nodeFrom(uint32_t track, TimeNs t) const;
    uint32_t nodeUntil(uint32_t track, TimeNs t) const;
    size_t nodeIndexFrom(uint32_t track, TimeNs t) const; ///< into HostLine::nodes

    uint32_t fileOf(uint32_t track) const {
        return trace.processes[trace.tracks[track].process].file;
    }
    /// Whose the correlation ids and streams of a process are: its own, or its file's.
    uint32_t ownerOf(uint32_t process) const {
        const Process &p = trace.processes[process];
        return p.ownIds ? uint32_t(trace.files.size()) + process : p.file;
    }
    uint32_t ownerOfTrack(uint32_t track) const { return ownerOf(trace.tracks[track].process); }
    /// The outermost API call of a correlation id of an owner; invalid when it is not in the trace.
    IntervalId callOf(uint32_t owner, int64_t correlation) const;
    EnqueueKey keyOf(IntervalId call) const;
    /// Index behind the last operation of a stream that was enqueued before a call.
    size_t enqueuedBefore(uint32_t stream, EnqueueKey call) const;

    DependencyGraph finish();

    const Trace &trace;
    const Steps &steps;
    const Phases &phases;
    const GraphRules rules;
    const Progress &progress;
    GrowArray<TimeNs> times;
    GrowArray<uint32_t> tracks;
    GrowArray<Edge> edges;
    std::vector<Activity> activities;
    std::vector<HostLine> hosts;     ///< by track
    std::vector<StreamLine> streams; ///< by track
    std::vector<std::vector<DependencyGraph::OpNodes>> ops;
    std::vector<std::vector<uint32_t>> opEdges; ///< of each operation's work
    GraphCounters counters;
    std::vector<LagSpread> lagSpreads{{}};
    uint32_t stepThread = kNone;
    bool wholeUs = true; ///< all times of the trace are whole microseconds

private:
    struct Call {
        uint32_t owner;
        int64_t correlation;
        TimeNs begin;
        IntervalId id;
    };
    /// Looks for a stop once in so many searches.
    void look() const {
        if (++m_asked % 4096 == 0) progress.look();
    }

    Lag learnedSpread(TimeNs typical, LagSpread spread);

    std::vector<Call> m_calls; ///< by owner, correlation, begin
    mutable size_t m_asked = 0;
};

// The steps of building, in order; each in a file of its own.
void addHosts(GraphDraft &draft);         ///< E1, E15
void addStreams(GraphDraft &draft);       ///< device operations, E2, E3 (R6, R7, R13)
void addDefaultStream(GraphDraft &draft); ///< E10
void addGraphs(GraphDraft &draft);        ///< E11
void addWaits(GraphDraft &draft);         ///< E6, E7
void addPolls(GraphDraft &draft);         ///< spins of queries
void addLoader(GraphDraft &draft);        ///< E13, E13b (R5)
void addEventWaits(GraphDraft &draft);    ///< E4, E4b (R10)
void addCoincidences(GraphDraft &draft);  ///< E4c (R11), after everything else
void addFlows(GraphDraft &draft);         ///< E9
void addHandoffs(GraphDraft &draft);      ///< R3, R4
void addBackPressure(GraphDraft &draft);  ///< E8, R9

} // namespace longpole
