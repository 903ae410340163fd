// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/step_markers.h"
#include "core/analysis/steps.h"
#include "tests/support/text_trace.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

class StepsTest : public QObject {
    Q_OBJECT
private slots:
    void markersAreNamesWithANumber() {
        QVERIFY(isStepMarker("ProfilerStep#0"));
        QVERIFY(isStepMarker("ProfilerStep#1234"));
        QVERIFY(!isStepMarker("ProfilerStep#"));
        QVERIFY(!isStepMarker("ProfilerStep#1x"));
        QVERIFY(!isStepMarker("MyProfilerStep#1"));
    }

    void stepsRunUntilTheirDeviceWorkEnds() {
        const auto trace = traceFromText(R"(
            main: ProfilerStep#5 0..100
            main: cudaLaunchKernel 10..12 launch corr=1
            other: cudaLaunchKernel 50..52 launch corr=2
            main: ProfilerStep#6 100..200
            main: cudaLaunchKernel 110..112 launch corr=3
            main: after 250..260
            gpu0/s7: a 20..60 corr=1
            gpu0/s7: b 90..130 corr=2
            gpu0/s7: c 140..150 corr=3
            gpu0/s7: stray 150..500
        )");
        const Steps steps = findSteps(*trace);
        QCOMPARE(steps.foundBy, "ProfilerStep#N");
        QCOMPARE(steps.steps.size(), size_t(2));
        QCOMPARE(steps.steps[0].end, 100'000);
        QCOMPARE(steps.steps[0].drainedEnd, 130'000); // launched by another thread inside
        QCOMPARE(steps.steps[0].period, 100'000);
        QCOMPARE(steps.steps[1].drainedEnd, 200'000); // its work ended before it did
        QVERIFY(!steps.steps[1].period);
        QVERIFY(!steps.steady);
        QVERIFY(!steps.steadyReason.empty());
    }

    void theThreadWithMostMarkersCounts() {
        const auto trace = traceFromText(R"(
            a: ProfilerStep#1 0..10
            b: ProfilerStep#1 0..10
            b: ProfilerStep#2 10..20
            ~gpu: ProfilerStep#1 0..10
            ~gpu: ProfilerStep#2 10..20
            ~gpu: ProfilerStep#3 20..30
            gpu0/s7: kernel 3..4
        )");
        const Steps steps = findSteps(*trace);
        QCOMPARE(steps.steps.size(), size_t(2));
        QCOMPARE(trace->tracks[steps.thread].name, "b");
    }

    void aMarkerInsideAnotherRepeatsIt() {
        const auto trace = traceFromText("main: ProfilerStep#1 0..10\nmain: ProfilerStep#1 1..9\n");
        QCOMPARE(findSteps(*trace).steps.size(), size_t(1));
    }

    void steadyLeavesOutTheEnds() {
        std::string text;
        const int lengths[] = {900, 100, 110, 120, 130, 140, 150, 160, 170, 500};
        int at = 0;
        for (int i = 0; i < 10; ++i) {
            text += "main: ProfilerStep#" + std::to_string(i) + " " + std::to_string(at) + ".." +
                    std::to_string(at + lengths[i]) + "\n";
            at += lengths[i];
        }
        const Steps steps = findSteps(*traceFromText(text));
        QVERIFY(steps.steady);
        QCOMPARE(steps.steady->first, 1u);
        QCOMPARE(steps.steady->last, 8u);
        QCOMPARE(steps.steady->n, 8u);
        QCOMPARE(steps.steady->median, 135'000);
        QCOMPARE(steps.steady->iqr, 35'000);
        QCOMPARE(steps.steady->min, 100'000);
        QCOMPARE(steps.steady->max, 170'000);
        QVERIFY(steps.steady->ci95);
        QVERIFY(steps.steady->ci95->first <= 135'000 && steps.steady->ci95->second >= 135'000);
        QVERIFY(steps.steps.front().leftOut && steps.steps.back().leftOut &&
                !steps.steps[4].leftOut);
        QVERIFY(!steps.steps.front().reason.empty());
        QCOMPARE(findSteps(*traceFromText(text)).steady->ci95,
                 steps.steady->ci95); // the same draws
    }

    void pipelinedWhenTheDeviceRunsOn_data() {
        QTest::addColumn<int>("deviceEnd");
        QTest::addColumn<bool>("pipelined");
        QTest::newRow("within") << 104 << false;
        QTest::newRow("beyond 5 %") << 107 << true;
    }
    void pipelinedWhenTheDeviceRunsOn() {
        QFETCH(int, deviceEnd);
        std::string text;
        for (int i = 0; i < 4; ++i) {
            const auto us = [&](int at) { return std::to_string(100 * i + at); };
            text += "main: ProfilerStep#" + std::to_string(i) + " " + us(0) + ".." + us(100) + "\n";
            text += "main: launch " + us(10) + ".." + us(12) + " launch corr=" + std::to_string(i) +
                    "\n";
            text += "gpu0/s" + std::to_string(i) + ": k " + us(20) + ".." + us(deviceEnd) +
                    " corr=" + std::to_string(i) + "\n";
        }
        QTEST(findSteps(*traceFromText(text)).pipelined, "pipelined");
    }

    void startUpIsKnownOnlyFromStepZero() {
        QCOMPARE(
            findSteps(*traceFromText("main: import 0..40\nmain: ProfilerStep#0 50..90\n")).startup,
            50'000);
        QVERIFY(!findSteps(*traceFromText("main: import 0..40\nmain: ProfilerStep#7 50..90\n"))
                     .startup);
        QVERIFY(!findSteps(*traceFromText("main: ProfilerStep#0 50..90\n")).startup);
    }

    void nothingHasNoSteps() {
        const Steps steps = findSteps(*traceFromText(""));
        QCOMPARE(steps.foundBy, "none");
        QVERIFY(steps.steps.empty() && !steps.steady && !steps.steadyReason.empty() &&
                !steps.pipelined);
    }

    void quantilesInterpolate() {
        QCOMPARE(quantile({}, 0.5), 0);
        QCOMPARE(quantile(std::vector<TimeNs>{7}, 0.95), 7);
        QCOMPARE(quantile(std::vector<TimeNs>{10, 20}, 0.5), 15);
        QCOMPARE(quantile(std::vector<TimeNs>{0, 10, 20, 30, 40}, 0.95), 38);
        QCOMPARE(quantile(std::vector<TimeNs>{1, 2, 3}, 1.0), 3);
    }
};

QTEST_APPLESS_MAIN(StepsTest)
#include "steps_test.moc"
