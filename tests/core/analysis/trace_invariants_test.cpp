// SPDX-License-Identifier: Apache-2.0
//
// What must hold on the graph of any trace, the invariants I1–I15 and I17, on random programs with
// threads, streams, events, waits, graphs and a loader. I16 is in trace_properties_test.cpp.
#include "core/analysis/idle.h"
#include "core/analysis/variants.h"
#include "core/analysis/what_if.h"
#include "core/analysis/window_curve.h"
#include "tests/support/plain_variant.h"
#include "tests/support/random_trace.h"
#include "tests/support/simulated_machine.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

/// A trace seen whole, with its graph.
struct Sample {
    explicit Sample(const std::string &text)
        : trace(traceFromText(text)), steps(findSteps(*trace)), phased(phases(*trace, steps)) {
        Progress progress;
        auto built = buildGraph(*trace, steps, phased, progress);
        if (!built) qFatal("%s", built.error().message.c_str());
        graph = std::move(*built);
        WindowRequest all;
        all.all = true;
        window = *resolveWindow(*trace, steps, all);
        terms = windowTerms(*trace, steps, graph, window);
        path = criticalPath(*trace, steps, graph, window);
    }
    explicit Sample(uint64_t seed) : Sample(joined(randomTraceLines(seed))) {}

    TimeNs length() const { return windowLength(terms, graph.time); }
    TimeNs lengthWith(const Scaling &scaling) const {
        return windowLength(terms, replay(graph, scaling));
    }
    TimeNs lengthOf(const DependencyGraph &changed) const {
        return windowLength(terms, replay(changed, {}));
    }

    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phased;
    DependencyGraph graph;
    Window window;
    WindowTerms terms;
    CriticalPath path;
};

/// An oracle that shares no code with the replay: relaxes edges until nothing moves.
std::vector<TimeNs> relaxed(const DependencyGraph &graph, const Scaling &scaling = {}) {
    std::vector<TimeNs> times(graph.nodes(), graph.time.front());
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t v = 1; v < graph.nodes(); ++v) {
            TimeNs at = std::numeric_limits<TimeNs>::min();
            for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
                TimeNs weight = graph.weight[e];
                if (!scaling.empty() && graph.activity[e] != kNone) {
                    const SpeedFactor f = scaling.factors[scaling.group[graph.activity[e]]];
                    weight = weight * f.num / f.den;
                }
                at = std::max(at, times[graph.source[e]] + weight + graph.delta[v]);
            }
            if (at == times[v]) continue;
            times[v] = at;
            moved = true;
        }
    }
    return times;
}

/// About half of the work, by draws.
Scaling someWork(const DependencyGraph &graph, uint64_t seed, SpeedFactor factor) {
    Random random(seed ^ 0xABCD);
    Scaling scaling;
    scaling.factors = {{1, 1}, factor};
    for (size_t a = 0; a < graph.activities.size(); ++a) {
        const bool chosen = random.between(0, 1);
        scaling.group.push_back(chosen);
        scaling.selected.push_back(chosen);
    }
    return scaling;
}
/// Scaled weights are rounded down, each by less than 1 ns.
TimeNs roundingOf(const Scaling &scaling) {
    return std::count(scaling.selected.begin(), scaling.selected.end(), true);
}

/// The only edge of each activity, kNone where it was split.
std::vector<uint32_t> edgeOfWork(const DependencyGraph &graph) {
    std::vector<uint32_t> edges(graph.activities.size(), kNone), count(graph.activities.size());
    for (uint32_t e = 0; e < graph.activity.size(); ++e) {
        if (graph.activity[e] == kNone) continue;
        edges[graph.activity[e]] = e;
        ++count[graph.activity[e]];
    }
    for (size_t a = 0; a < edges.size(); ++a)
        if (count[a] != 1) edges[a] = kNone;
    return edges;
}

/// Nodes from which an end of the window can be reached.
std::vector<bool> leadsToEnd(const Sample &s) {
    std::vector<bool> leads(s.graph.nodes());
    for (const uint32_t node : s.terms.ends) leads[node] = true;
    for (uint32_t v = s.graph.nodes(); v-- > 1;)
        for (uint32_t e = s.graph.firstEdge[v]; leads[v] && e < s.graph.firstEdge[v + 1]; ++e)
            leads[s.graph.source[e]] = true;
    return leads;
}

/// The path as text, with times from the begin of the window.
QString textOf(const Sample &s) {
    QString text;
    for (const PathSegment &segment : s.path.segments)
        text += QString("%1..%2 %3 %4 %5\n")
                    .arg(segment.begin - s.window.range.begin)
                    .arg(segment.end - s.window.range.begin)
                    .arg(int(segment.type))
                    .arg(int(segment.evidence))
                    .arg(segment.interval.valid() && segment.interval.row != kNone
                             ? QString::fromStdString(std::string(s.trace->name(segment.interval)))
                             : QString());
    return text;
}

/// Sources are looked for backwards in time, and every edge is kept by the measured times.
void checkGraph(const DependencyGraph &graph) {
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        QVERIFY(graph.firstEdge[v] < graph.firstEdge[v + 1]);
        QVERIFY(graph.time[v - 1] <= graph.time[v] && graph.delta[v] >= 0);
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            QVERIFY(graph.source[e] < v && graph.weight[e] >= 0);
            QVERIFY(graph.time[graph.source[e]] + graph.weight[e] <= graph.time[v]);
        }
    }
}

} // namespace

class TraceInvariantsTest : public QObject {
    Q_OBJECT
private slots:
    void graphsArePossible() {
        uint64_t types = 0, evidence = 0;
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            checkGraph(s.graph);
            for (uint32_t e = 0; e < s.graph.source.size(); ++e) {
                types |= 1u << int(s.graph.type[e]);
                evidence |= 1u << int(s.graph.evidence[e]);
            }
        }
        for (const EdgeType type :
             {EdgeType::Program, EdgeType::Launch, EdgeType::Stream, EdgeType::Event,
              EdgeType::Sync, EdgeType::Copy, EdgeType::Handoff, EdgeType::Loader, EdgeType::Graph,
              EdgeType::Window})
            QVERIFY2(types >> int(type) & 1, edgeTypeName(type).data());
        QCOMPARE(evidence, uint64_t(7));
    }

    void replayIsTheLongestPath() { // I1
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            QCOMPARE(replay(s.graph, {}), s.graph.time);
            QCOMPARE(relaxed(s.graph), s.graph.time);
            const SpeedFactor factor = SpeedFactor{TimeNs(seed % 5), 3};
            const Scaling scaling = someWork(s.graph, seed, factor);
            QCOMPARE(replay(s.graph, scaling), relaxed(s.graph, scaling));
            const VariantLengths lengths(s.graph, {}, s.terms);
            for (const Variant variant : {Variant::D, Variant::P, Variant::S, Variant::LagsLow,
                                          Variant::LagsHigh, Variant::CarryIn, Variant::Taken})
                QCOMPARE(lengths[variant], s.length());
            QVERIFY(lengths[Variant::Floor] <= s.length());
            QCOMPARE(shrunkLength(s.graph, {}, s.terms, 1), s.length());
            const VariantLengths scaled(s.graph, scaling, s.terms);
            for (size_t variant = 0; variant < kVariantCount; ++variant)
                QCOMPARE(scaled[Variant(variant)],
                         plainLength(s.graph, scaling, s.terms, Variant(variant)));
        }
    }

    void pathTilesTheWindow() { // I2, I3, I4
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            TimeNs at = s.window.range.begin;
            for (const PathSegment &segment : s.path.segments) {
                QCOMPARE(segment.begin, at);
                QVERIFY(segment.end >= segment.begin);
                at = segment.end;
            }
            QCOMPARE(at, s.window.range.end);
            const EvidenceSums &sums = s.path.byEvidence;
            QCOMPARE(sums.recorded + sums.inferred + sums.assumed + sums.untraced +
                         sums.unexplained,
                     s.window.range.length());
        }
    }

    void slackIsHowMuchLongerWorkMayTake() { // I5, I6, I7, I8
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            QCOMPARE(s.path.slack.size(), s.graph.activities.size());
            const auto edges = edgeOfWork(s.graph);
            const auto leads = leadsToEnd(s);
            for (const TimeNs slack : s.path.slack) QVERIFY(slack >= 0);
            std::vector<uint32_t> targets(s.graph.source.size());
            for (uint32_t v = 1; v < s.graph.nodes(); ++v)
                for (uint32_t e = s.graph.firstEdge[v]; e < s.graph.firstEdge[v + 1]; ++e)
                    targets[e] = v;
            const TimeNs more = 1 + TimeNs(seed % 40);
            for (size_t a = seed % 7; a < edges.size(); a += 7) { // some of them
                if (edges[a] == kNone) continue;
                DependencyGraph changed = s.graph;
                changed.weight[edges[a]] += s.path.slack[a];
                QVERIFY(s.lengthOf(changed) == s.length() || !leads[targets[edges[a]]]);
                changed.weight[edges[a]] += more;
                if (leads[targets[edges[a]]]) QCOMPARE(s.lengthOf(changed), s.length() + more);
                changed.weight[edges[a]] = s.graph.weight[edges[a]] / 3;
                if (s.path.slack[a] > 0) QCOMPARE(s.lengthOf(changed), s.length());
            }
            for (const PathSegment &segment : s.path.segments) {
                if (segment.type != PathSegment::Type::Activity) continue;
                TimeNs least = std::numeric_limits<TimeNs>::max();
                for (size_t a = 0; a < s.graph.activities.size(); ++a)
                    if (s.graph.activities[a].interval == segment.interval)
                        least = std::min(least, s.path.slack[a]);
                QCOMPARE(least, TimeNs(0));
            }
        }
    }

    void longerWeightsNeverShorten() { // I9, I13
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            Random random(seed);
            for (int i = 0; i < 12; ++i) {
                const auto e = size_t(random.between(0, TimeNs(s.graph.weight.size()) - 1));
                DependencyGraph changed = s.graph;
                changed.weight[e] += 17;
                QVERIFY(s.lengthOf(changed) >= s.length());
                changed.weight[e] = -1'000'000'000'000; // as good as without it
                const auto v = uint32_t(
                    std::upper_bound(s.graph.firstEdge.begin(), s.graph.firstEdge.end(), e) -
                    s.graph.firstEdge.begin() - 1);
                if (s.graph.firstEdge[v + 1] - s.graph.firstEdge[v] > 1)
                    QVERIFY(s.lengthOf(changed) <= s.length());
            }
        }
    }

    void gainIsConvexAndBelowThePathsShare() { // I10, I11, I12
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            const TimeNs rounding = roundingOf(someWork(s.graph, seed, {1, 1}));
            const Scaling chosen = someWork(s.graph, seed, {0, 1});
            TimeNs onPath = 0; // by the edges that decided each node
            std::vector<uint32_t> binding;
            replay(s.graph, {}, &binding);
            uint32_t v = kNone;
            windowLength(s.terms, s.graph.time, &v);
            for (; v != 0; v = s.graph.source[binding[v]])
                if (const uint32_t a = s.graph.activity[binding[v]];
                    a != kNone && chosen.selected[a])
                    onPath += s.graph.weight[binding[v]];
            std::vector<TimeNs> curve;
            for (TimeNs sixths = 0; sixths <= 12; ++sixths) {
                curve.push_back(s.lengthWith(someWork(s.graph, seed, {sixths, 6})));
                QVERIFY(6 * (curve.back() + rounding) >= 6 * s.length() - (6 - sixths) * onPath);
            }
            QCOMPARE(curve[6], s.length());
            for (size_t i = 2; i < curve.size(); ++i) {
                QVERIFY(curve[i] >= curve[i - 1]);
                QVERIFY(curve[i] - curve[i - 1] + 2 * rounding >= curve[i - 1] - curve[i - 2]);
            }
            Progress progress;
            const WindowCurve exact = windowCurve(s.graph, chosen, s.terms, progress);
            QCOMPARE(exact.points.front().ns, s.length());
            QCOMPARE(exact.points.back().ns, curve.front());
            QCOMPARE(exact.points.back().scale, 0.0);
        }
    }

    void orderInTheFileAndIdleRowsDoNotMatter() { // I14
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const auto lines = randomTraceLines(seed);
            const Sample s(joined(lines));
            auto turned = lines;
            Random random(seed);
            for (size_t i = turned.size(); i > 1; --i)
                std::swap(turned[i - 1], turned[size_t(random.between(0, TimeNs(i) - 1))]);
            turned.push_back("~row: note 0..1");
            const Sample other(joined(turned));
            QCOMPARE(replay(other.graph, {}), other.graph.time);
            QCOMPARE(other.length(), s.length());
            if (textOf(other) != textOf(s)) qInfo() << seed << joined(lines).c_str();
            QCOMPARE(textOf(other), textOf(s));
        }
    }

    void zeroOfTheClockDoesNotMatter() { // I15
        constexpr TimeNs shift = 1'700'000'000'000'000'123;
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            DependencyGraph later = s.graph;
            for (TimeNs &time : later.time) time += shift;
            const Scaling scaling = someWork(s.graph, seed, {3, 7});
            const auto times = replay(s.graph, scaling), laterTimes = replay(later, scaling);
            for (size_t v = 0; v < times.size(); ++v) QCOMPARE(times[v] + shift, laterTimes[v]);
        }
    }

    void replayNeverBeatsTheSerialModel() { // I17
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            const char *const selectors[] = {"kind:kernel", "kind:cpu_op", "name:gemm",
                                             "track:main", "kind:launch"};
            const std::string selector = selectors[seed % 5];
            Progress progress;
            const auto result = whatIf(*s.trace, s.steps, s.phased, s.graph, s.window,
                                       {{selector, {TimeNs(seed % 3), 3}}}, {}, progress);
            QVERIFY(result && result->amdahl);
            QVERIFY(result->replay.ns + TimeNs(s.graph.activities.size()) >= result->amdahl->ns);
            QVERIFY(result->replay.low <= result->replay.ns &&
                    result->replay.ns <= result->replay.high);
        }
    }

    void idleBooksBalance() {
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const Sample s(seed);
            Progress progress;
            const auto books = idleBooks(*s.trace, s.phased, s.graph, s.window, progress);
            QVERIFY(books);
            for (const DeviceIdle &device : *books) {
                TimeNs sum = 0, last = s.window.range.begin;
                for (const IdleInterval &i : device.intervals) {
                    QVERIFY(i.begin >= last && i.end > i.begin);
                    last = i.end;
                    sum += i.end - i.begin;
                    QVERIFY(!idleSentence(*s.trace, i).empty());
                }
                QCOMPARE(sum, device.idle);
                QCOMPARE(device.busy + device.idle, s.window.range.length());
                QCOMPARE(device.kernels.busy + device.kernels.idle, s.window.range.length());
                QVERIFY(device.kernels.busy <= device.busy);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TraceInvariantsTest)
#include "trace_invariants_test.moc"
