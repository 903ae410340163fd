// SPDX-License-Identifier: Apache-2.0
//
// Forecasts against the truth: the same simulated program twice, the second time with one kind of
// work scaled. What the graph of the first run says about the second is compared with the second.
#include "tests/support/files.h"
#include "tests/support/loop_pairs.h"

#include <QTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace longpole;
using namespace longpole::test;

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kSeries = 1; // takes 20 times as long
#else
constexpr uint64_t kSeries = 3;
#endif

/// The same file with its events in reverse.
std::string reversed(const std::string &text) {
    const std::string head = "\"traceEvents\": [\n";
    const size_t begin = text.find(head) + head.size(), end = text.rfind("\n]}");
    std::string turned;
    for (size_t to = end; to > begin;) {
        const size_t before = text.rfind(",\n", to - 1);
        const size_t from = before == std::string::npos || before < begin ? begin : before + 2;
        turned += (turned.empty() ? "" : ",\n") + text.substr(from, to - from);
        to = from == begin ? begin : before;
    }
    return text.substr(0, begin) + turned + text.substr(end);
}

/// What a run would take with some work at half its time.
std::vector<TimeNs> someForecasts(LoopCase run) {
    for (const char *selector : {"kind:kernel", "kind:cpu_op", "phase:backward"}) {
        LoopQuestion &question = run.questions.emplace_back();
        question.edit = {selector, {1, 2}};
        question.truth.assign(run.readings.size(), 1);
    }
    std::vector<TimeNs> lengths;
    for (const LoopPair &pair : forecastsOf(run, graphOf(run))) lengths.push_back(pair.predicted);
    return lengths;
}

/// The pairs in which the change moves the window by more than 1 %.
std::vector<LoopPair> moved(std::vector<LoopPair> pairs) {
    std::erase_if(pairs, [](const LoopPair &pair) {
        return std::abs(double(pair.truth - pair.before)) <= 0.01 * double(pair.before);
    });
    return pairs;
}

void printErrors(const char *what, const std::vector<LoopPair> &pairs) {
    const LoopErrors errors = errorsOf(pairs);
    std::printf("%zu %s: median %.4f %%, p95 %.4f %%, worst %.4f %%, %zu above 1 %%\n",
                pairs.size(), what, 100 * errors.median, 100 * errors.p95, 100 * errors.worst,
                errors.wrong);
}

void print(std::vector<LoopPair> pairs) {
    printErrors("pairs", pairs);
    printErrors("of them moved", moved(pairs));
    std::sort(pairs.begin(), pairs.end(),
              [](const LoopPair &a, const LoopPair &b) { return a.error() > b.error(); });
    if (!std::getenv("LONGPOLE_ALL_PAIRS")) pairs.resize(std::min<size_t>(pairs.size(), 12));
    for (const LoopPair &pair : pairs)
        std::printf("  %8.4f %%  %9lld -> predicted %9lld, truth %9lld  %s\n", 100 * pair.error(),
                    static_cast<long long>(pair.before), static_cast<long long>(pair.predicted),
                    static_cast<long long>(pair.truth), pair.what.c_str());
    std::fflush(stdout);
}

void printCoverage(const char *what, const std::vector<LoopPair> &pairs) {
    const LoopCoverage c = coverageOf(pairs);
    std::printf("intervals of %zu %s: coverage %.2f %%, width median %.3f %%, p95 %.2f %%\n",
                pairs.size(), what, 100 * c.covered, 100 * c.median, 100 * c.p95);
}

void printIntervals(std::vector<LoopPair> pairs) {
    printCoverage("pairs", pairs);
    printCoverage("moved", moved(pairs));
    const bool all = std::getenv("LONGPOLE_ALL_PAIRS");
    for (const LoopPair &pair : pairs)
        if (!pair.covered() && (all || pair.error() > 0.002))
            std::printf("  truth %lld outside [%lld, %lld]  %s\n",
                        static_cast<long long>(pair.truth),
                        static_cast<long long>(pair.interval.low),
                        static_cast<long long>(pair.interval.high), pair.what.c_str());
    std::sort(pairs.begin(), pairs.end(), [](const LoopPair &a, const LoopPair &b) {
        return a.interval.high - a.interval.low > b.interval.high - b.interval.low;
    });
    if (!all) pairs.resize(std::min<size_t>(pairs.size(), 8));
    for (const LoopPair &pair : pairs)
        std::printf("  [%lld, %lld] of %lld, truth %lld  %s\n",
                    static_cast<long long>(pair.interval.low),
                    static_cast<long long>(pair.interval.high), static_cast<long long>(pair.before),
                    static_cast<long long>(pair.truth), pair.what.c_str());
    std::fflush(stdout);
}

} // namespace

class PairsTest : public QObject {
    Q_OBJECT
private slots:
    void sameProgramSameTrace() {
        const auto all = loopRegimes(), others = loopRegimes(1);
        QCOMPARE(simulateLoop(all[0].shape), simulateLoop(all[0].shape));
        QVERIFY(simulateLoop(all[0].shape) != simulateLoop(others[0].shape));
    }

    void aMachineObeysItsOrders() {
        for (const LoopRegime &regime : loopRegimes()) {
            const auto trace = loopCase(regime, simulateLoop(regime.shape)).trace;
            QVERIFY2(booksBalance(*trace), regime.name.c_str());
            // operations may overlap, or come from before the recording
            const bool clean = !regime.shape.shortKernels && !regime.shape.recordedFrom;
            if (clean) QCOMPARE(reasonsOf(*trace), std::string());
            size_t operations = 0;
            for (const Track &track : trace->tracks) {
                if (track.kind != TrackKind::Stream) continue;
                operations += track.table->size();
                for (uint32_t row = 1; row < track.table->size() && !regime.shape.shortKernels;
                     ++row)
                    QVERIFY(track.begin(row) >= track.end(row - 1));
            }
            if (regime.shape.recordedFrom == 0) QCOMPARE(trace->launches.size(), operations);
            for (const Launch &launch : trace->launches)
                QVERIFY(trace->begin(launch.op) > trace->begin(launch.call));
        }
    }

    void orderInTheFileDoesNotMatter() {
        for (const LoopRegime &regime : loopRegimes()) {
            // ranges of no length at one time are nested as they stand in the file
            if (regime.shape.wholeMicroseconds && regime.shape.hostOp < 1'000) continue;
            const LoopCase run = loopCase(regime, simulateLoop(regime.shape));
            const LoopCase turned = loopCase(regime, reversed(run.text));
            QCOMPARE(turned.trace->intervalCount(), run.trace->intervalCount());
            QVERIFY2(someForecasts(run) == someForecasts(turned), regime.name.c_str());
        }
    }

    void forecastsTheScaledRun() {
        std::vector<LoopPair> pairs;
        for (const LoopCase &run : loopCases(kSeries)) {
            const DependencyGraph graph = graphOf(run);
            const auto times = replay(graph, {});
            QVERIFY2(times == graph.time, run.regime.c_str());
            for (const LoopReading &reading : run.readings)
                QCOMPARE(
                    windowLength(windowTerms(*run.trace, run.steps, graph, reading.window), times),
                    reading.window.range.length());
            for (LoopPair &pair : forecastsOf(run, graph, true)) pairs.push_back(std::move(pair));
        }
        QVERIFY(pairs.size() >= 60);
        print(pairs);
        const LoopErrors errors = errorsOf(pairs);
        QVERIFY(errors.median <= 0.005);
        QVERIFY(errors.p95 <= 0.03);
        printIntervals(pairs);
        const LoopCoverage intervals = coverageOf(pairs);
        QVERIFY(intervals.covered >= 0.95);
        QVERIFY(intervals.median <= 0.01);
        for (const auto &[name, some] :
             {std::pair("all", pairs),
              std::pair("the window changes by more than 1 %", moved(pairs))}) {
            const std::string line = accuracyLine(name, some);
            std::printf("%s\n", line.c_str());
            QVERIFY2(kSeries < 3 || inAccuracyPage(line),
                     ("resources/docs/accuracy.md lacks " + line).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(PairsTest)
#include "pairs_test.moc"
