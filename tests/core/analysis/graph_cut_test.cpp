// SPDX-License-Identifier: Apache-2.0
//
// Long captures are replayed around the window alone: that must not change what they forecast.
#include "core/analysis/graph_cut.h"
#include "core/analysis/idle.h"
#include "tests/support/loop_pairs.h"

#include <QTest>

#include <algorithm>
#include <cstdlib>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr uint32_t kSteps = 18, kWindow = 14;
constexpr CutLimits kTight{1000, 8, 2, 0};

LoopCase longRun(const LoopRegime &from) {
    LoopRegime regime = from;
    regime.shape.steps = kSteps;
    return loopCase(regime, simulateLoop(regime.shape));
}

/// What lies on the path, and when the device was idle, as text.
std::string pathOf(const LoopCase &run, const DependencyGraph &graph, const Window &window) {
    std::string text;
    for (const PathSegment &s : criticalPath(*run.trace, run.steps, graph, window).segments)
        text += std::to_string(s.begin) + " " + std::string(segmentTypeName(s.type)) + " " +
                std::to_string(s.interval.track) + "/" + std::to_string(s.interval.row) + "\n";
    return text;
}
std::string idleOf(const LoopCase &run, const DependencyGraph &graph, const Window &window) {
    Progress progress;
    const auto books = idleBooks(*run.trace, run.phases, graph, window, progress);
    std::string text;
    for (const DeviceIdle &device : *books)
        text +=
            std::to_string(device.idle) + " in " + std::to_string(device.intervals.size()) + "\n";
    return text;
}

} // namespace

class GraphCutTest : public QObject {
    Q_OBJECT
private slots:
    void shortCapturesStayWhole() {
        const LoopCase run = longRun(loopRegimes().front());
        DependencyGraph graph = graphOf(run);
        const uint32_t nodes = graph.nodes();
        for (const LoopReading &reading : run.readings) {
            QVERIFY(!replayBegin(*run.trace, run.steps, graph, reading.window));
            cutIfLong(graph, *run.trace, run.steps, reading.window);
            QCOMPARE(graph.nodes(), nodes);
        }
    }

    void eightStepsAndTwiceTheQueue() {
        for (const LoopRegime &regime : loopRegimes()) {
            if (regime.shape.recordedFrom) continue;
            const LoopCase run = longRun(regime);
            const DependencyGraph graph = graphOf(run);
            WindowRequest request;
            request.step = std::to_string(kWindow);
            const Window window = *resolveWindow(*run.trace, run.steps, request);
            const auto begin = replayBegin(*run.trace, run.steps, graph, window, kTight);
            TimeNs longest = 0;
            for (const Launch &launch : run.trace->launches)
                longest =
                    std::max(longest, run.trace->begin(launch.op) - run.trace->end(launch.call));
            if (!begin) { // the queue is deeper than what lies before
                QVERIFY(2 * longest > window.range.begin - run.steps.steps[1].begin);
                continue;
            }
            QVERIFY(window.range.begin - *begin >= 2 * longest);
            QVERIFY(*begin <= run.steps.steps[kWindow - 8].begin);
            CutLimits launches = kTight;
            launches.launchesBefore = run.trace->launches.size();
            QVERIFY(!replayBegin(*run.trace, run.steps, graph, window, launches));
            request.step = "3";
            const Window early = *resolveWindow(*run.trace, run.steps, request);
            QVERIFY(!replayBegin(*run.trace, run.steps, graph, early, kTight));
        }
    }

    void forecastsStayTheSame() {
        double worst = 0;
        for (const LoopRegime &regime : loopRegimes()) {
            if (regime.shape.recordedFrom) continue;
            const LoopCase run = longRun(regime);
            const DependencyGraph graph = graphOf(run);
            WindowRequest request;
            request.steps = {std::to_string(kWindow), std::to_string(kWindow + 1)};
            const Window window = *resolveWindow(*run.trace, run.steps, request);
            const auto begin = replayBegin(*run.trace, run.steps, graph, window, kTight);
            if (!begin) continue;
            const WindowTerms terms = windowTerms(*run.trace, run.steps, graph, window);
            const DependencyGraph part =
                cutAround(graph, *begin, lastNeeded(*run.trace, graph, window, terms));
            QVERIFY(part.nodes() < graph.nodes() * 3 / 4);
            QCOMPARE(replay(part, {}), part.time);
            const WindowTerms partTerms = windowTerms(*run.trace, run.steps, part, window);
            QCOMPARE(windowLength(partTerms, part.time), window.range.length());
            QCOMPARE(pathOf(run, part, window), pathOf(run, graph, window));
            QCOMPARE(idleOf(run, part, window), idleOf(run, graph, window));
            for (const LoopChange &change : changesOf(regime.shape)) {
                for (const SpeedFactor factor : {SpeedFactor{1, 2}, {2, 1}}) {
                    // the queue fills over more steps than are left
                    if (regime.name.ends_with("queue fills when slower") && factor.isSlowDown())
                        continue;
                    std::vector<std::string> unmatched;
                    const Scaling scaling = *resolveScaling(*run.trace, run.phases, graph,
                                                            {{change.selector, factor}}, unmatched);
                    const TimeNs whole = windowLength(terms, replay(graph, scaling));
                    const TimeNs alone = windowLength(partTerms, replay(part, scaling));
                    const double error = double(std::abs(whole - alone)) / double(whole);
                    worst = std::max(worst, error);
                }
            }
        }
        QVERIFY2(worst <= 0.015, std::to_string(worst).c_str());
    }
};

QTEST_APPLESS_MAIN(GraphCutTest)
#include "graph_cut_test.moc"
