// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/analysis/steady.h"
#include "tests/support/text_trace.h"

#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

/// n lengths around a level, spread by 1 %.
void addLevel(std::vector<TimeNs> &values, size_t n, double level, std::mt19937_64 &random) {
    std::normal_distribution<double> noise(level, level / 100);
    for (size_t i = 0; i < n; ++i) values.push_back(TimeNs(noise(random)));
}

std::string step(int i, int begin, int end) {
    return "main: ProfilerStep#" + std::to_string(i) + " " + std::to_string(begin) + ".." +
           std::to_string(end) + "\n";
}

/// Steps of these lengths in µs, one after the other.
std::string stepsOf(const std::vector<int> &lengths) {
    std::string text;
    int at = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
        text += step(int(i), at, at + lengths[i]);
        at += lengths[i];
    }
    return text;
}

} // namespace

class SteadyTest : public QObject {
    Q_OBJECT
private slots:
    void aLevelThatStaysIsSteadyFromTheBegin_data() {
        QTest::addColumn<int>("n");
        QTest::newRow("five") << 5;
        QTest::newRow("twenty") << 20;
        QTest::newRow("two hundred") << 200;
        QTest::newRow("ten thousand") << 10'000;
    }
    void aLevelThatStaysIsSteadyFromTheBegin() {
        QFETCH(int, n);
        int changed = 0;
        const int runs = n > 1'000 ? 5 : 100;
        for (int seed = 0; seed < runs; ++seed) {
            std::mt19937_64 random{uint64_t(seed)};
            std::vector<TimeNs> values;
            addLevel(values, size_t(n), 1e6, random);
            changed += settledFrom(values) != 0u;
        }
        QVERIFY2(changed <= runs / 10, qPrintable(QString::number(changed)));
    }

    void theChangeIsFoundWhereItIs_data() {
        QTest::addColumn<int>("before");
        QTest::addColumn<int>("after");
        QTest::addColumn<double>("factor");
        QTest::newRow("short run, warm-up") << 6 << 18 << 1.3;
        QTest::newRow("short run, slow-down") << 12 << 18 << 0.7;
        QTest::newRow("long run, warm-up") << 30 << 170 << 1.3;
        QTest::newRow("long run, slow-down") << 150 << 50 << 0.8;
        QTest::newRow("very long run") << 1'000 << 9'000 << 1.2;
    }
    void theChangeIsFoundWhereItIs() {
        QFETCH(int, before);
        QFETCH(int, after);
        QFETCH(double, factor);
        int missed = 0; // of 20, one in twenty by chance
        for (uint64_t seed = 0; seed < 20; ++seed) {
            std::mt19937_64 random{seed};
            std::vector<TimeNs> values;
            addLevel(values, size_t(before), 1e6 * factor, random);
            addLevel(values, size_t(after), 1e6, random);
            const auto at = settledFrom(values);
            missed += !at || std::abs(int(*at) - before) > std::max(1, (before + after) / 1'000);
        }
        QVERIFY2(missed <= 2, qPrintable(QString::number(missed)));
    }

    void outliersDoNotMoveTheWindow() {
        std::mt19937_64 random{7};
        std::vector<TimeNs> values;
        addLevel(values, 120, 1e6, random);
        values[40] = 9'000'000;
        values[90] = 7'000'000;
        QCOMPARE(settledFrom(values), std::optional<size_t>(0));
        QCOMPARE(outliersOf(values), (std::vector<size_t>{40, 90}));
    }

    void aTinyShiftIsOneLevel() { // 1 %, however certain
        std::vector<TimeNs> values;
        for (int i = 0; i < 40; ++i) values.push_back((i < 20 ? 1'000'000 : 1'010'000) + i % 3);
        QCOMPARE(settledFrom(values), std::optional<size_t>(0));
    }

    void aChangeAtTheVeryEndLeavesNothingSteady() {
        std::vector<TimeNs> values;
        for (int i = 0; i < 20; ++i) values.push_back((i < 17 ? 1'000'000 : 2'000'000) + i % 3);
        QVERIFY(!settledFrom(values));
    }

    void warmUpStepsAreLeftOutWithTheirReason() {
        std::vector<int> lengths{900, 400, 410, 390, 405, 395, 402};
        for (int i = 0; i < 20; ++i) lengths.push_back(200 + i % 3);
        const Steps steps = findSteps(*traceFromText(stepsOf(lengths)));
        QVERIFY(steps.steady);
        QCOMPARE(steps.steady->first, 7u);
        QCOMPARE(steps.steady->last, 25u);
        QCOMPARE(steps.steady->n, 19u);
        QCOMPARE(steps.steady->median, 201'000);
        QVERIFY(steps.steps[3].leftOut);
        QCOMPARE(steps.steps[3].reason, "Warm-up: before the lengths settle.");
        QCOMPARE(steps.steadyReason,
                 "Without the steps left out below. The lengths change level before step 7: after "
                 "it they are 50 % shorter.");
    }

    void aRunThatSlowsDownSaysSo() {
        std::vector<int> lengths;
        for (int i = 0; i < 30; ++i) lengths.push_back((i < 14 ? 200 : 300) + i % 3);
        const Steps steps = findSteps(*traceFromText(stepsOf(lengths)));
        QCOMPARE(steps.steady->first, 14u);
        QVERIFY(steps.steadyReason.ends_with("50 % longer, so the run slows down."));
    }

    void tooFewStepsEstablishNothing() {
        const Steps steps = findSteps(*traceFromText(stepsOf({900, 200, 210, 205, 200})));
        QCOMPARE(steps.steady->n, 3u);
        QCOMPARE(steps.steadyReason,
                 "All steps but the first and the last. That they are steady is "
                 "not established: 3 are left, and a test needs 5.");
    }

    void stepsThatCompileAreLeftOut() {
        std::string text = stepsOf({200, 200, 900, 200, 200, 200, 200, 200, 200, 200});
        text += "main: cuModuleLoadData 500..1100\n";    // in step 2
        text += "helper: cuModuleLoadData 1500..1501\n"; // 0.5 % of step 4: nothing
        const Steps steps = findSteps(*traceFromText(text));
        QVERIFY(steps.steps[2].leftOut);
        QCOMPARE(QString::fromStdString(steps.steps[2].reason),
                 "It holds start-up work: cuModuleLoadData, 600\u00a0\u00b5s.");
        QVERIFY(!steps.steps[4].leftOut);
        QCOMPARE(steps.steady->first, 1u);
        QCOMPARE(steps.steady->n, 7u);
        QCOMPARE(steps.steady->max, 200'000);
    }

    void aLoopThatAlwaysCompilesIsMeasuredSo() {
        std::string text = stepsOf({200, 200, 200, 200, 200});
        for (int i = 0; i < 5; ++i)
            text += "main: cuModuleLoadData " + std::to_string(200 * i + 10) + ".." +
                    std::to_string(200 * i + 100) + "\n";
        QCOMPARE(findSteps(*traceFromText(text)).steady->n, 3u);
    }
};

QTEST_APPLESS_MAIN(SteadyTest)
#include "steady_test.moc"
