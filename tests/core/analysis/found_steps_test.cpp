// SPDX-License-Identifier: Apache-2.0
// Steps of traces that no profiler marked: by ranges that come back, and by the period of kernels.
#include <QTest>

#include "core/analysis/dependency_graph.h"
#include "core/analysis/statistics.h"
#include "core/analysis/steps.h"
#include "core/analysis/window.h"
#include "tests/support/text_trace.h"

#include <functional>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Text of a loop in µs: events by name with times relative to their turn.
class Loop {
public:
    void range(const std::string &name, int begin, int end) {
        m_text += "main: " + name + " " + at(begin) + ".." + at(end) + " annotation\n";
    }
    void line(const std::string &name, int begin, int end) {
        m_text += "main: " + name + " " + at(begin) + ".." + at(end) + "\n";
    }
    /// A kernel and its launch 5 µs before.
    void kernel(const std::string &name, int begin, int length) {
        const std::string corr = " corr=" + std::to_string(++m_corr);
        m_text += "main: cudaLaunchKernel " + at(begin - 5) + ".." + at(begin - 3) + " launch" +
                  corr + "\n";
        m_text += "gpu0/s7: " + name + " " + at(begin) + ".." + at(begin + length) + corr + "\n";
    }
    std::string turns(int n, int length, const std::function<void(Loop &, int)> &turn) {
        for (int i = 0; i < n; ++i) {
            turn(*this, i);
            m_at += length;
        }
        return m_text;
    }

private:
    std::string at(int t) const { return std::to_string(m_at + t); }
    std::string m_text;
    int m_at = 10, m_corr = 0;
};

Steps stepsOf(const std::string &text) {
    return findSteps(*traceFromText(text));
}

/// One name for each call below: head, then a block of two kernels `layers` times.
void model(Loop &loop, int layers) {
    loop.kernel("embed", 20, 5);
    for (int i = 0; i < layers; ++i) {
        loop.kernel("attention", 30 + 20 * i, 5);
        loop.kernel("mlp", 40 + 20 * i, 5);
    }
}

} // namespace

class FoundStepsTest : public QObject {
    Q_OBJECT
private slots:
    void rangesOfOneNameRunFromBeginToBegin() {
        const Steps steps = stepsOf(Loop().turns(6, 100, [](Loop &loop, int) {
            loop.range("train_step", 0, 90);
            loop.kernel("gemm", 20, 50);
        }));
        QCOMPARE(steps.foundBy, "range train_step");
        QCOMPARE(steps.steps.size(), size_t(6));
        QCOMPARE(steps.steps[2].name, "train_step 2");
        QCOMPARE(steps.steps[2].begin, 200'000);
        QCOMPARE(steps.steps[2].end, 300'000); // what follows the range is a part of the loop
        QCOMPARE(steps.steps[5].end, 590'000); // the last one ends itself
        QCOMPARE(steps.steps[2].period, 100'000);
    }

    void rangesThatCountAreOneFamily() {
        const Steps steps = stepsOf(Loop().turns(12, 100, [](Loop &loop, int i) {
            loop.range("iteration " + std::to_string(i + 95), 0, 99);
            loop.kernel("gemm", 20, 50);
        }));
        QCOMPARE(steps.foundBy, "range iteration N");
        QCOMPARE(steps.steps[7].name, "iteration 102");
    }

    void theOutermostRangeIsTheStep() {
        const Steps steps = stepsOf(Loop().turns(6, 100, [](Loop &loop, int i) {
            loop.range("batch " + std::to_string(i), 0, 95);
            loop.range("forward", 5, 40);
            loop.range("backward", 41, 90);
            loop.kernel("gemm", 20, 50);
        }));
        QCOMPARE(steps.foundBy, "range batch N");
    }

    void aPartOfTheLoopMarksItsTurns() {
        const Steps steps = stepsOf(Loop().turns(6, 100, [](Loop &loop, int) {
            loop.kernel("gemm", 20, 50);
            loop.range("Optimizer.step#SGD.step", 80, 95);
        }));
        QCOMPARE(steps.foundBy, "range Optimizer.step#SGD.step");
        QVERIFY(steps.markers.empty()); // a part of the loop is work
        QCOMPARE(steps.steps[1].begin, 165'000); // 15 µs after the first event
        QCOMPARE(steps.steps[1].end, 265'000);
    }

    void whatDoesNotComeBackEvenlyIsNoStep_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("twice") << QString::fromStdString(Loop().turns(2, 100, [](Loop &loop, int) {
            loop.range("train_step", 0, 90);
            loop.kernel("gemm", 20, 50);
        }));
        QTest::newRow("layers that start again") // the counter falls back
            << QString::fromStdString(Loop().turns(9, 100, [](Loop &loop, int i) {
                   loop.range("layer " + std::to_string(i % 3), 0, 90);
                   loop.kernel("gemm", 20, 50);
               }));
        QTest::newRow("in itself")
            << QString::fromStdString(Loop().turns(6, 100, [](Loop &loop, int) {
                   loop.range("call", 0, 90);
                   loop.range("call", 10, 50);
                   loop.kernel("gemm", 20, 50);
               }));
        QTest::newRow("beside the work") // ranges of another part of the program
            << QString::fromStdString(
                   Loop().turns(6, 100, [](Loop &loop, int) { loop.range("read", 0, 90); }) +
                   "main: cudaLaunchKernel 2000..2001 launch corr=1\ngpu0/s7: k 2005..2006 "
                   "corr=1\n");
        QTest::newRow("uneven") << QString::fromStdString(Loop().turns(1, 100, [](Loop &loop, int) {
            for (const int at : {0, 10, 20, 200, 210, 220, 400, 410, 420, 600})
                loop.range("layer", at, at + 9);
        }));
    }
    void whatDoesNotComeBackEvenlyIsNoStep() {
        QFETCH(QString, text);
        const Steps steps = stepsOf(text.toStdString());
        QCOMPARE(steps.foundBy, "none");
        QVERIFY(steps.steps.empty());
    }

    void profilerStepsComeFirst() {
        const Steps steps = stepsOf(Loop().turns(4, 100, [](Loop &loop, int i) {
            loop.line("ProfilerStep#" + std::to_string(i), 0, 100);
            loop.range("train_step", 10, 99);
            loop.kernel("gemm", 20, 50);
        }));
        QCOMPARE(steps.foundBy, "ProfilerStep#N");
        QVERIFY(steps.markers.empty());
    }

    void rangesThatMarkStepsAreTransparent() { // R0: what only they cover is no work of theirs
        const auto trace = traceFromText(Loop().turns(6, 100, [](Loop &loop, int) {
            loop.range("train_step", 0, 95);
            loop.line("aten::mm", 10, 30);
            loop.kernel("gemm", 20, 50);
        }));
        const Steps steps = findSteps(*trace);
        QCOMPARE(steps.markers, "train_step");
        const Phases phased = phases(*trace, steps);
        Progress progress;
        WindowRequest request;
        request.all = true;
        const Window window = *resolveWindow(*trace, steps, request);
        const auto stats = statistics(*trace, phased, window, GroupBy::Name, progress);
        for (const StatRow &row : stats->rows) QVERIFY(row.key != "train_step");
        const auto graph = buildGraph(*trace, steps, phased, progress);
        for (const Activity &activity : graph->activities)
            QVERIFY(activity.interval.row == kNone ||
                    trace->name(activity.interval) != "train_step");
    }

    void kernelsThatComeBackAreAPeriod() {
        const Steps steps = stepsOf(Loop().turns(8, 300, [](Loop &loop, int) {
            loop.kernel("forward", 20, 30);
            loop.kernel("backward", 60, 50);
            loop.kernel("update", 120, 5);
        }));
        QCOMPARE(steps.foundBy, "period of forward"); // the thread pauses before it
        QCOMPARE(steps.steps.size(), size_t(7));      // seven whole periods
        QCOMPARE(steps.steps[3].name, "period 3");
        QCOMPARE(steps.steps[3].begin, 900'000);
        QCOMPARE(steps.steps[3].end, 1'200'000);
        QVERIFY(!steps.steps[3].marker.valid());
        QCOMPARE(steps.steady->median, 300'000);
    }

    void theWholeModelIsThePeriodNotItsLayers() { // 24 layers repeat for 98 of 100 operations
        const Steps steps = stepsOf(Loop().turns(6, 700, [](Loop &loop, int) { model(loop, 24); }));
        QCOMPARE(steps.foundBy, "period of embed");
        QCOMPARE(steps.steps.size(), size_t(5));
        QCOMPARE(steps.steps[0].end - steps.steps[0].begin, 700'000);
    }

    void layersOfOnePassAreNoPeriod() {
        const std::string layers = Loop().turns(12, 50, [](Loop &loop, int) {
            loop.kernel("attention", 20, 5);
            loop.kernel("mlp", 30, 5);
        });
        QCOMPARE(stepsOf(layers).steps.size(), size_t(11));
        QCOMPARE(stepsOf(layers + "main: nn.Module: Decoder_0 0..2000 python\n").foundBy, "none");
    }

    void oneKernelAgainAndAgainIsNoPeriod() {
        QCOMPARE(stepsOf(Loop().turns(40, 30, [](Loop &loop, int) { loop.kernel("gemm", 20, 5); }))
                     .foundBy,
                 "none");
    }
};

QTEST_APPLESS_MAIN(FoundStepsTest)
#include "found_steps_test.moc"
