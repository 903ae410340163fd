// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/replayed_graph.h"

#include "core/analysis/idle.h"
#include "core/analysis/predicted_trace.h"
#include "tests/support/files.h"
#include "tests/support/loop_simulator.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Run {
    explicit Run(std::shared_ptr<const Trace> of) : trace(std::move(of)) {
        steps = findSteps(*trace);
        phased = phases(*trace, steps);
        graph = std::move(*buildGraph(*trace, steps, phased, progress));
        window = *resolveWindow(*trace, steps, {});
        path = criticalPath(*trace, steps, graph, window);
        auto books = idleBooks(*trace, phased, graph, window, progress);
        if (books) idle = std::move(*books);
    }
    Progress progress;
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phased;
    DependencyGraph graph;
    Window window;
    CriticalPath path;
    std::vector<DeviceIdle> idle;
};

/// A run as a what-if makes it; its window begins where the measured one does.
struct Replayed {
    Replayed(const Run &run, const std::vector<SpeedEdit> &edits) {
        std::vector<std::string> unmatched;
        const Scaling scaling =
            *resolveScaling(*run.trace, run.phased, run.graph, edits, unmatched);
        const WindowTerms terms = windowTerms(*run.trace, run.steps, run.graph, run.window);
        const std::vector<TimeNs> times = replay(run.graph, scaling);
        window = run.window;
        window.range.end = window.range.begin + windowLength(terms, times);
        const TimeNs shift = window.range.begin - times[terms.begin] - terms.lead;
        trace = predictedTrace(*run.trace, run.graph, times, shift);
        graph = replayedGraph(run.graph, scaling, times, shift);
        path = criticalPath(graph, terms, window);
        const KernelGaps gaps = kernelGaps(*run.trace, run.graph);
        Progress progress;
        auto books = idleBooks(*trace, run.phased, graph, window, progress, &gaps);
        if (books) idle = std::move(*books);
    }
    Window window;
    std::shared_ptr<const Trace> trace;
    DependencyGraph graph;
    CriticalPath path;
    std::vector<DeviceIdle> idle;
};

std::vector<SpeedEdit> speed(const std::string &selector, const char *factor) {
    return {{selector, *parseSpeedFactor(factor)}};
}

std::shared_ptr<const Trace> simulated(const LoopShape &shape, const LoopScale &scale = {}) {
    return *openText(simulateLoop(shape, scale), 1);
}

LoopShape shapeOf(uint64_t seed) {
    LoopShape shape;
    shape.seed = seed;
    shape.steps = 5;
    shape.allReduce = seed % 2 ? 900'000 : 0;
    shape.fetch = seed % 3 ? 3'000'000 : 0;
    shape.sync = seed % 4 == 0 ? LoopShape::Sync::Device : LoopShape::Sync::Item;
    return shape;
}

/// Time in which some operation runs on a device, counted without the books.
TimeNs busyIn(const Trace &trace, int64_t device, TimeRange window) {
    std::vector<TimeRange> all;
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::Stream || track.device.value_or(0) != device) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (isDeviceKind(track.table->kind[row]))
                all.push_back(window.clipped({track.begin(row), track.end(row)}));
    }
    std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.begin < b.begin; });
    TimeNs busy = 0, until = window.begin;
    for (const TimeRange &range : all) {
        busy += std::max<TimeNs>(0, range.end - std::max(range.begin, until));
        until = std::max(until, range.end);
    }
    return busy;
}

std::map<uint8_t, TimeNs> byPhase(const CriticalPath &path) {
    std::map<uint8_t, TimeNs> sums;
    for (const PathSegment &segment : path.segments)
        if (segment.type == PathSegment::Type::Activity)
            sums[segment.phase] += segment.end - segment.begin;
    return sums;
}

bool sameSegments(const CriticalPath &a, const CriticalPath &b) {
    return std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                      [](const PathSegment &x, const PathSegment &y) {
                          return x.begin == y.begin && x.end == y.end && x.type == y.type &&
                                 x.edge == y.edge && x.evidence == y.evidence &&
                                 x.interval == y.interval && x.track == y.track &&
                                 x.phase == y.phase;
                      });
}

} // namespace

/// Path and idle books at replayed times.
class ReplayedGraphTest : public QObject {
    Q_OBJECT
private slots:
    void withoutAChangeItIsTheMeasuredOne() {
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            const Run run(simulated(shapeOf(seed)));
            const Replayed replayed(run, {});
            QCOMPARE(replayed.graph.time, run.graph.time);
            QCOMPARE(replayed.graph.weight, run.graph.weight);
            QVERIFY(sameSegments(replayed.path, run.path));
            QCOMPARE(replayed.path.slack, run.path.slack);
            QCOMPARE(replayed.idle.size(), run.idle.size());
            for (size_t d = 0; d < run.idle.size(); ++d)
                QCOMPARE(replayed.idle[d].byCause, run.idle[d].byCause);
        }
    }

    /// From its begin to its end, whatever is scaled; and so are the books.
    void thePathIsUnbrokenAndTheBooksBalance() {
        int devices = 0;
        for (uint64_t seed = 1; seed <= 8; ++seed) {
            const Run run(simulated(shapeOf(seed)));
            for (const char *selector :
                 {"kind:kernel", "kind:cpu_op", "kind:launch", "phase:forward", "phase:backward",
                  "phase:data_wait", "name:.*"})
                for (const char *factor : {"2", "0.3", "inf"}) {
                    const Replayed of(run, speed(selector, factor));
                    TimeNs at = of.window.range.begin, sum = 0;
                    for (const PathSegment &segment : of.path.segments) {
                        QCOMPARE(segment.begin, at);
                        QVERIFY(segment.end >= segment.begin);
                        sum += segment.end - segment.begin;
                        at = segment.end;
                    }
                    if (!of.path.segments.empty()) QCOMPARE(at, of.window.range.end);
                    QCOMPARE(sum, of.window.range.length());
                    QCOMPARE(replay(of.graph, {}), of.graph.time);
                    for (const DeviceIdle &device : of.idle) {
                        ++devices;
                        QCOMPARE(device.busy + device.idle, of.window.range.length());
                        QCOMPARE(device.busy, busyIn(*of.trace, device.device, of.window.range));
                        TimeNs all = 0, last = of.window.range.begin;
                        for (const IdleInterval &idle : device.intervals) {
                            QVERIFY(idle.begin >= last && idle.end > idle.begin);
                            QCOMPARE(busyIn(*of.trace, device.device, {idle.begin, idle.end}),
                                     TimeNs(0));
                            all += idle.end - idle.begin;
                            last = idle.end;
                        }
                        QVERIFY(last <= of.window.range.end);
                        QCOMPARE(all, device.idle);
                    }
                }
        }
        QVERIFY(devices > 100);
    }

    /// Held against the same program that really ran at the other speed.
    void isThePathOfTheRunAtThatSpeed() {
        for (const char *kind : {"kernel", "cpu_op"})
            for (const char *factor : {"2", "0.5"}) {
                const LoopShape shape = shapeOf(5);
                const Run run(simulated(shape));
                const SpeedFactor by = *parseSpeedFactor(factor);
                const Run truth(simulated(
                    shape, {[&](const LoopWork &w) { return w.kind == kind; }, by.num, by.den}));
                const Replayed of(run, speed(std::string("kind:") + kind, factor));
                const double length = double(truth.window.range.length());
                const auto near = [&](TimeNs a, TimeNs b) {
                    return std::abs(double(a - b)) < 0.02 * length;
                };
                auto got = byPhase(of.path), expected = byPhase(truth.path);
                for (uint8_t phase = 0; phase < run.phased.rules.rules.size(); ++phase)
                    QVERIFY2(near(got[phase], expected[phase]),
                             qPrintable(QStringLiteral("%1 %2: %3 for %4")
                                            .arg(kind, factor)
                                            .arg(got[phase])
                                            .arg(expected[phase])));
                QCOMPARE(of.idle.size(), truth.idle.size());
                for (size_t d = 0; d < of.idle.size(); ++d)
                    for (size_t cause = 0; cause < kIdleCauseCount; ++cause)
                        QVERIFY2(near(of.idle[d].byCause[cause], truth.idle[d].byCause[cause]),
                                 idleCauseName(IdleCause(cause)).data());
            }
    }

    /// What nothing explains is kept as long as it was measured, and gets no name.
    void theUnexplainedStaysUnexplained() {
        const Run run(traceFromText("main: cudaLaunchKernel 0..5 launch corr=1\n"
                                    "main: cudaLaunchKernel 5..8 launch corr=2\n"
                                    "gpu0/s7: first 10..50 corr=1\n"
                                    "gpu0/s7: second 950..960 corr=2\n"));
        const auto unexplained = [](const std::vector<DeviceIdle> &idle) {
            return idle.at(0).byCause[size_t(IdleCause::Unexplained)];
        };
        QVERIFY(unexplained(run.idle) > 890'000);
        const Replayed faster(run, speed("name:first", "2"));
        QCOMPARE(faster.window.range.length(), run.window.range.length() - 20'000);
        QCOMPARE(unexplained(faster.idle), unexplained(run.idle));
        QCOMPARE(faster.path.byEvidence.unexplained, run.path.byEvidence.unexplained);
    }
};

QTEST_APPLESS_MAIN(ReplayedGraphTest)
#include "replayed_graph_test.moc"
