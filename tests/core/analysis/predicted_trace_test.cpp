// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/predicted_trace.h"

#include "core/analysis/replay.h"
#include "tests/support/files.h"
#include "tests/support/loop_simulator.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Run {
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phased;
    DependencyGraph graph;
};

Run runOf(std::shared_ptr<const Trace> trace) {
    Run run;
    run.trace = std::move(trace);
    run.steps = findSteps(*run.trace);
    run.phased = phases(*run.trace, run.steps);
    Progress progress;
    run.graph = std::move(*buildGraph(*run.trace, run.steps, run.phased, progress));
    return run;
}

std::shared_ptr<const Trace> predicted(const Run &run, const std::string &selector,
                                       std::string_view factor) {
    std::vector<std::string> unmatched;
    const auto scaling = resolveScaling(*run.trace, run.phased, run.graph,
                                        {{selector, *parseSpeedFactor(factor)}}, unmatched);
    return predictedTrace(*run.trace, run.graph, replay(run.graph, *scaling), 0);
}

std::shared_ptr<const Trace> simulated(const LoopShape &shape, const LoopScale &scale = {}) {
    return *openText(simulateLoop(shape, scale), 1);
}

/// Rows of a lane are disjoint and ascend, children lie inside their parents.
bool isWellFormed(const Trace &trace) {
    for (const Track &track : trace.tracks) {
        const TrackTable &table = *track.table;
        for (uint32_t lane = 0; lane < table.lanes(); ++lane)
            for (uint32_t row = table.laneBegin[lane]; row < table.laneBegin[lane + 1]; ++row) {
                if (table.duration[row] < 0) return false;
                if (row > table.laneBegin[lane] && table.start[row] < table.end(row - 1))
                    return false;
                const uint32_t parent = table.parent[row];
                if (parent == kNone) continue;
                if (table.start[row] < table.start[parent] || table.end(row) > table.end(parent))
                    return false;
            }
    }
    return true;
}

} // namespace

class PredictedTraceTest : public QObject {
    Q_OBJECT
private slots:
    void withoutAChangeItIsTheMeasuredOne() {
        LoopShape shape;
        shape.steps = 4;
        shape.allReduce = 900'000;
        shape.fetch = 3'000'000;
        const Run run = runOf(simulated(shape));
        QCOMPARE(textOf(*predictedTrace(*run.trace, run.graph, run.graph.time, 0)),
                 textOf(*run.trace));
    }

    void movesEveryTrackByTheShift() {
        const Run run = runOf(traceFromText("main: cudaLaunchKernel 0..5 launch corr=1\n"
                                            "gpu0/s7: gemm 10..30 corr=1\n"
                                            "~note: annotated 2..12\n"));
        const auto moved = predictedTrace(*run.trace, run.graph, run.graph.time, 7'000);
        for (const std::string_view name : {"cudaLaunchKernel", "gemm", "annotated"}) {
            const IntervalId id = find(*run.trace, name);
            QCOMPARE(moved->begin(id), run.trace->begin(id) + 7'000);
            QCOMPARE(moved->end(id), run.trace->end(id) + 7'000);
        }
        QCOMPARE(moved->range.begin, run.trace->range.begin + 7'000);
    }

    void aFasterKernelIsShorterAndTheNextOneEarlier() {
        const Run run = runOf(traceFromText("main: cudaLaunchKernel 0..5 launch corr=1\n"
                                            "main: cudaLaunchKernel 5..8 launch corr=2\n"
                                            "gpu0/s7: first 10..50 corr=1\n"
                                            "gpu0/s7: second 51..61 corr=2\n"));
        const auto faster = predicted(run, "name:first", "2");
        const IntervalId first = find(*run.trace, "first"), second = find(*run.trace, "second");
        QCOMPARE(faster->begin(first), TimeNs(10'000));
        QCOMPARE(faster->end(first), TimeNs(30'000));
        QCOMPARE(faster->begin(second), TimeNs(31'000));
        QCOMPARE(faster->end(second), TimeNs(41'000));
        QCOMPARE(faster->range.end, TimeNs(41'000));
    }

    void isWhatTheScaledRunReallyLooksLike_data() {
        QTest::addColumn<int>("sync");
        QTest::addColumn<QString>("selector");
        QTest::addColumn<QString>("factor");
        for (const auto sync : {LoopShape::Sync::Item, LoopShape::Sync::Device})
            for (const char *selector : {"kind:kernel", "kind:cpu_op", "kind:launch"})
                for (const char *factor : {"2", "0.5"})
                    QTest::addRow("%d %s %s", int(sync), selector, factor)
                        << int(sync) << selector << factor;
    }
    void isWhatTheScaledRunReallyLooksLike() {
        QFETCH(const int, sync);
        QFETCH(const QString, selector);
        QFETCH(const QString, factor);
        LoopShape shape;
        shape.seed = 5;
        shape.steps = 6;
        shape.sync = LoopShape::Sync(sync);
        const Run run = runOf(simulated(shape));
        const SpeedFactor speed = *parseSpeedFactor(factor.toStdString());
        const std::string kind = selector.mid(5).toStdString();
        const auto truth = simulated(
            shape, {[&](const LoopWork &w) { return w.kind == kind; }, speed.num, speed.den});
        const auto forecast = predicted(run, selector.toStdString(), factor.toStdString());
        QVERIFY(isWellFormed(*forecast));

        // the same program: the same rows on the same tracks, so they can be held together
        QCOMPARE(forecast->tracks.size(), truth->tracks.size());
        std::vector<double> errors;
        for (size_t t = 0; t < truth->tracks.size(); ++t) {
            const Track &expected = truth->tracks[t], &got = forecast->tracks[t];
            QCOMPARE(got.name, expected.name);
            QCOMPARE(got.table->size(), expected.table->size());
            for (uint32_t row = 0; row < got.table->size(); ++row) {
                QCOMPARE(got.nameOf(row), expected.nameOf(row));
                errors.push_back(std::abs(double(got.begin(row) - expected.begin(row))));
                errors.push_back(std::abs(double(got.end(row) - expected.end(row))));
            }
        }
        std::sort(errors.begin(), errors.end());
        const double length = double(truth->range.length());
        QVERIFY2(errors[errors.size() * 95 / 100] < 0.005 * length,
                 qPrintable(QString::number(100 * errors[errors.size() * 95 / 100] / length)));
    }
};

QTEST_APPLESS_MAIN(PredictedTraceTest)
#include "predicted_trace_test.moc"
