// SPDX-License-Identifier: Apache-2.0
//
// What must hold on any graph (the invariants I1–I15 and I17; I16 and I17 on traces are in
// trace_properties_test.cpp), on random small graphs and against an oracle that walks along every
// path there is.
#include "core/analysis/window_curve.h"
#include "tests/support/hand_graph.h"
#include "tests/support/simulated_machine.h"

#include <QTest>

#include <algorithm>
#include <functional>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr uint64_t kGraphs = 1'500;
constexpr TimeNs kUnit = 12; ///< of all lengths of work: halves, thirds and quarters are exact

struct Sample {
    HandGraph hand;
    DependencyGraph graph;
};

/// The same seed gives the same graph, whatever its begin and its number of idle tracks.
Sample sampleOf(uint64_t seed, TimeNs begin = 0, uint32_t idleTracks = 0) {
    Random random(seed);
    const uint32_t tracks = uint32_t(random.between(1, 4));
    HandGraph hand(tracks + idleTracks, begin);
    std::vector<uint32_t> last(tracks, 0);
    const uint32_t nodes = uint32_t(random.between(3, 14));
    for (uint32_t v = 1; v <= nodes; ++v) {
        const uint32_t track = uint32_t(random.between(0, tracks - 1));
        const bool unexplained = random.between(0, 5) == 0;
        hand.node(track, unexplained ? random.between(1, 20) : 0);
        std::vector<uint32_t> sources;
        const TimeNs more = random.between(0, 2);
        for (TimeNs i = 0; i <= more; ++i) {
            const uint32_t from = i == 0 ? last[track] : uint32_t(random.between(0, v - 1));
            if (std::find(sources.begin(), sources.end(), from) != sources.end()) continue;
            sources.push_back(from);
            const TimeNs length = kUnit * random.between(0, 9);
            const auto evidence = Evidence(random.between(0, 2));
            if (random.between(0, 3) > (i == 0 ? 0 : 2))
                hand.work(from, length, EdgeType::Program, evidence);
            else
                hand.lag(from, length / 4, EdgeType::Handoff, evidence);
        }
        last[track] = v;
    }
    DependencyGraph graph = hand.finish();
    return {std::move(hand), std::move(graph)};
}

TimeNs scaledWeight(const DependencyGraph &graph, uint32_t edge, const Scaling &scaling) {
    const uint32_t activity = graph.activity[edge];
    if (activity == kNone || scaling.empty()) return graph.weight[edge];
    const SpeedFactor factor = scaling.factors[scaling.group[activity]];
    return graph.weight[edge] * factor.num / factor.den;
}

/// Walks along every path from the begin of the capture and keeps the longest to each node.
std::vector<TimeNs> longestPaths(const DependencyGraph &graph, const Scaling &scaling = {}) {
    struct Out {
        uint32_t edge, to;
    };
    std::vector<std::vector<Out>> out(graph.nodes());
    for (uint32_t v = 1; v < graph.nodes(); ++v)
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e)
            out[graph.source[e]].push_back({e, v});
    std::vector<TimeNs> longest(graph.nodes(), -1);
    const std::function<void(uint32_t, TimeNs)> visit = [&](uint32_t u, TimeNs at) {
        longest[u] = std::max(longest[u], at);
        for (const Out &o : out[u])
            visit(o.to, at + scaledWeight(graph, o.edge, scaling) + graph.delta[o.to]);
    };
    visit(0, graph.time.front());
    return longest;
}

TimeNs oracleLength(const DependencyGraph &graph, const Scaling &scaling = {}) {
    const auto longest = longestPaths(graph, scaling);
    return *std::max_element(longest.begin(), longest.end()) - graph.time.front();
}

std::vector<uint32_t> someActivities(const DependencyGraph &graph, uint64_t seed) {
    Random random(seed ^ 0xABCD);
    std::vector<uint32_t> chosen;
    for (uint32_t a = 0; a < graph.activities.size(); ++a)
        if (random.between(0, 1)) chosen.push_back(a);
    return chosen;
}

/// The longest chain of edges without the chosen work, from wherever it begins.
TimeNs longestRest(const DependencyGraph &graph, const Scaling &scaling) {
    TimeNs longest = 0;
    const std::function<void(uint32_t, TimeNs)> visit = [&](uint32_t u, TimeNs at) {
        longest = std::max(longest, at);
        for (uint32_t v = u + 1; v < graph.nodes(); ++v)
            for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e)
                if (graph.source[e] == u &&
                    (graph.activity[e] == kNone || !scaling.selected[graph.activity[e]]))
                    visit(v, at + graph.weight[e] + graph.delta[v]);
    };
    for (uint32_t u = 0; u < graph.nodes(); ++u) visit(u, 0);
    return longest;
}

/// The end of the serial model: what lies outside the chosen work, and the rest of that work.
TimeNs amdahlLength(const DependencyGraph &graph, const std::vector<uint32_t> &chosen,
                    SpeedFactor factor) {
    const TimeNs length = lengthOf(graph), begin = graph.time.front();
    TimeNs covered = 0;
    for (TimeNs t = begin; t < begin + length; ++t)
        covered += std::any_of(chosen.begin(), chosen.end(), [&](uint32_t a) {
            const Activity &work = graph.activities[a];
            return work.begin <= t && t < work.begin + work.length;
        });
    return length - covered + covered * factor.num / factor.den;
}

/// The edges that carry work, by activity.
std::vector<uint32_t> edgesOfWork(const DependencyGraph &graph) {
    std::vector<uint32_t> edges(graph.activities.size());
    for (uint32_t e = 0; e < graph.activity.size(); ++e)
        if (graph.activity[e] != kNone) edges[graph.activity[e]] = e;
    return edges;
}

bool samePath(const CriticalPath &a, const CriticalPath &b, TimeNs shift) {
    return std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                      [&](const PathSegment &x, const PathSegment &y) {
                          return x.begin + shift == y.begin && x.end + shift == y.end &&
                                 x.type == y.type && x.interval == y.interval &&
                                 x.evidence == y.evidence && x.track == y.track;
                      });
}

bool isWork(const PathSegment &segment) {
    return segment.type == PathSegment::Type::Activity;
}

} // namespace

class GraphPropertiesTest : public QObject {
    Q_OBJECT
private slots:
    void replayIsTheLongestPath() { // I1
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            QCOMPARE(replay(graph, {}), graph.time);
            QCOMPARE(longestPaths(graph), graph.time);
            for (const SpeedFactor factor :
                 {SpeedFactor{0, 1}, {1, 2}, {3, 7}, {4, 5}, {1, 1}, {2, 1}, {10, 3}}) {
                const Scaling scaling = scalingOf(graph, someActivities(graph, seed), factor);
                QCOMPARE(replay(graph, scaling), longestPaths(graph, scaling));
            }
        }
    }

    void pathTilesTheWindow() { // I2, I3, I4
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            if (lengthOf(graph) == 0) continue;
            const CriticalPath path = pathOf(hand, graph);
            QVERIFY(!path.segments.empty());
            TimeNs at = path.window.range.begin;
            for (const PathSegment &segment : path.segments) {
                QCOMPARE(segment.begin, at);
                QVERIFY(segment.end >= segment.begin);
                at = segment.end;
            }
            QCOMPARE(at, path.window.range.end);
            const EvidenceSums &sums = path.byEvidence;
            QCOMPARE(sums.recorded + sums.inferred + sums.assumed + sums.untraced +
                         sums.unexplained,
                     path.window.range.length());
        }
    }

    void slackIsHowMuchLongerWorkMayTake() { // I5, I6, I7
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            if (lengthOf(graph) == 0) continue;
            const CriticalPath path = pathOf(hand, graph);
            QCOMPARE(path.slack.size(), graph.activities.size());
            for (const PathSegment &segment : path.segments)
                if (isWork(segment)) QCOMPARE(path.slack[segment.interval.row], TimeNs(0));
            const auto edges = edgesOfWork(graph);
            const TimeNs length = lengthOf(graph), more = 1 + TimeNs(seed % 40);
            for (size_t a = 0; a < edges.size(); ++a) {
                QVERIFY(path.slack[a] >= 0);
                DependencyGraph longer = graph;
                longer.weight[edges[a]] += path.slack[a];
                QCOMPARE(oracleLength(longer), length);
                longer.weight[edges[a]] += more;
                QCOMPARE(oracleLength(longer), length + more);
                QCOMPARE(lengthOf(longer), length + more);
            }
        }
    }

    void shorterWorkWithSlackGainsNothing() { // I8
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            if (lengthOf(graph) == 0) continue;
            const CriticalPath path = pathOf(hand, graph);
            for (uint32_t a = 0; a < path.slack.size(); ++a) {
                if (path.slack[a] == 0) continue;
                QCOMPARE(lengthOf(graph, scalingOf(graph, {a}, {0, 1})), lengthOf(graph));
                QCOMPARE(lengthOf(graph, scalingOf(graph, {a}, {1, 3})), lengthOf(graph));
            }
        }
    }

    void longerWeightsNeverShorten() { // I9, I13
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            const TimeNs length = lengthOf(graph);
            for (uint32_t e = 0; e < graph.weight.size(); ++e) {
                DependencyGraph changed = graph;
                changed.weight[e] += 17;
                QVERIFY(lengthOf(changed) >= length);
                changed.weight[e] = 0; // as good as without it, where another edge leads there
                QVERIFY(lengthOf(changed) <= length);
            }
            for (uint32_t v = 1; v < graph.nodes(); ++v) {
                if (graph.firstEdge[v + 1] - graph.firstEdge[v] < 2) continue;
                DependencyGraph without = graph;
                const uint32_t e = graph.firstEdge[v + 1] - 1;
                without.source.erase(without.source.begin() + e);
                without.weight.erase(without.weight.begin() + e);
                without.activity.erase(without.activity.begin() + e);
                without.type.erase(without.type.begin() + e);
                without.evidence.erase(without.evidence.begin() + e);
                for (uint32_t w = v + 1; w <= graph.nodes(); ++w) --without.firstEdge[w];
                QVERIFY(lengthOf(without) <= length);
                QCOMPARE(lengthOf(without), oracleLength(without));
            }
        }
    }

    void gainIsConvexAndBelowThePathsShare() { // I10, I11
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            const TimeNs length = lengthOf(graph);
            if (length == 0) continue;
            const auto chosen = someActivities(graph, seed);
            TimeNs onPath = 0;
            for (const PathSegment &segment : pathOf(hand, graph).segments)
                if (isWork(segment) &&
                    std::find(chosen.begin(), chosen.end(), segment.interval.row) != chosen.end())
                    onPath += segment.end - segment.begin;
            std::vector<TimeNs> curve;
            for (TimeNs twelfths = 0; twelfths <= 24; ++twelfths) {
                curve.push_back(lengthOf(graph, scalingOf(graph, chosen, {twelfths, 12})));
                QVERIFY(12 * curve.back() >= 12 * length - (12 - twelfths) * onPath);
            }
            QCOMPARE(curve[12], length);
            for (size_t i = 2; i < curve.size(); ++i) {
                QVERIFY(curve[i] >= curve[i - 1]);
                QVERIFY(curve[i] - curve[i - 1] >= curve[i - 1] - curve[i - 2]);
            }
        }
    }

    void withoutTheWorkTheRestRemains() { // I12
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            const Scaling scaling = scalingOf(graph, someActivities(graph, seed), {0, 1});
            const TimeNs floor = lengthOf(graph, scaling);
            QVERIFY(floor >= longestRest(graph, scaling));
            QCOMPARE(floor, oracleLength(graph, scaling));
            WindowTerms terms;
            for (const auto &track : graph.byTrack)
                if (!track.nodes.empty()) terms.ends.push_back(track.nodes.back());
            Progress progress;
            const WindowCurve curve = windowCurve(graph, scaling, terms, progress);
            QCOMPARE(curve.points.back().scale, 0.0);
            QCOMPARE(curve.points.back().ns, floor);
        }
    }

    void replayNeverBeatsTheSerialModel() { // I17
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            const auto chosen = someActivities(graph, seed);
            for (const SpeedFactor factor : {SpeedFactor{0, 1}, {1, 4}, {3, 7}, {4, 5}, {1, 1}})
                QVERIFY(lengthOf(graph, scalingOf(graph, chosen, factor)) + TimeNs(chosen.size()) >=
                        amdahlLength(graph, chosen, factor));
        }
    }

    void orderOfEdgesAndIdleTracksDoNotMatter() { // I14
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            if (lengthOf(graph) == 0) continue;
            DependencyGraph turned = graph;
            for (uint32_t v = 0; v < graph.nodes(); ++v) {
                const auto turn = [&](auto &column) {
                    std::reverse(column.begin() + graph.firstEdge[v],
                                 column.begin() + graph.firstEdge[v + 1]);
                };
                turn(turned.source);
                turn(turned.weight);
                turn(turned.activity);
                turn(turned.type);
                turn(turned.evidence);
            }
            const CriticalPath path = pathOf(hand, graph);
            QVERIFY(samePath(path, pathOf(hand, turned), 0));
            const auto [idleHand, idle] = sampleOf(seed, 0, 2);
            QCOMPARE(replay(idle, {}), graph.time);
            QVERIFY(samePath(path, pathOf(idleHand, idle), 0));
            QCOMPARE(pathOf(idleHand, idle).slack, path.slack);
        }
    }

    void zeroOfTheClockDoesNotMatter() { // I15
        constexpr TimeNs shift = 1'700'000'000'000'000'123;
        for (uint64_t seed = 0; seed < kGraphs; ++seed) {
            const auto [hand, graph] = sampleOf(seed);
            const auto [laterHand, later] = sampleOf(seed, shift);
            const Scaling scaling = scalingOf(graph, someActivities(graph, seed), {3, 7});
            const auto times = replay(graph, scaling), laterTimes = replay(later, scaling);
            for (size_t v = 0; v < times.size(); ++v) QCOMPARE(times[v] + shift, laterTimes[v]);
            if (lengthOf(graph) == 0) continue;
            const CriticalPath path = pathOf(hand, graph), laterPath = pathOf(laterHand, later);
            QVERIFY(samePath(path, laterPath, shift));
            QCOMPARE(path.slack, laterPath.slack);
        }
    }
};

QTEST_APPLESS_MAIN(GraphPropertiesTest)
#include "graph_properties_test.moc"
