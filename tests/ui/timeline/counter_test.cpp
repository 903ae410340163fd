// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_trace.h"
#include "ui/timeline/rows.h"

#include <QtTest>

#include <random>

using namespace longpole;

/// Counters by their pyramid are those by their points.
class CounterTest : public QObject {
    Q_OBJECT
private slots:
    void extremesEqualAWalk();
    void searchingIsExact();
    void queuesAreCounters();
};

namespace {
CounterSeries randomSeries(size_t count) {
    std::mt19937 random(1);
    CounterSeries series;
    for (size_t i = 0; i < count; ++i) {
        series.time.push_back(TimeNs(i * 10 + random() % 10));
        series.value.push_back(double(random() % 100'000) - 50'000);
    }
    return series;
}
} // namespace

void CounterTest::extremesEqualAWalk() {
    std::mt19937 random(2);
    for (size_t count : {size_t(1), size_t(15), size_t(16), size_t(17), size_t(5'000)}) {
        const CounterSeries series = randomSeries(count);
        const CounterSummary summary(series);
        QVERIFY(summary.bytes() <= 2 * count);
        for (int n = 0; n < 300; ++n) {
            size_t from = random() % count, to = from + 1 + random() % (count - from);
            const auto [least, most] = std::minmax_element(series.value.begin() + long(from),
                                                           series.value.begin() + long(to));
            const CounterSummary::Extremes found = summary.over(series, from, to);
            QCOMPARE(found.least, *least);
            QCOMPARE(found.most, *most);
        }
        QCOMPARE(summary.all().most, *std::max_element(series.value.begin(), series.value.end()));
    }
}

void CounterTest::searchingIsExact() {
    const CounterSeries series = randomSeries(700);
    for (TimeNs t = -5; t < 7'020; t += 3) {
        const auto expected = size_t(std::lower_bound(series.time.begin(), series.time.end(), t) -
                                     series.time.begin());
        QCOMPARE(firstPointAt(series, t, 0), expected);
        QCOMPARE(firstPointAt(series, t, expected / 2), expected);
    }
    QCOMPARE(firstPointAt(CounterSeries(), 3, 0), size_t(0));
}

void CounterTest::queuesAreCounters() {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = test::traceFromText("main: cudaLaunchKernel 0..2 launch corr=1\n"
                                        "main: cudaLaunchKernel 2..4 launch corr=2\n"
                                        "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 20..30 corr=2\n");
    loaded->phases = phases(*loaded->trace, loaded->steps);
    const TimelineData data(loaded);
    const auto rows = layoutRows(data, {});
    const Row &last = rows.back();
    QCOMPARE(int(last.type), int(Row::Type::Counter));
    QCOMPARE(last.label, QString("queue depth"));
    QCOMPARE(last.detail, QString("stream 7"));
    QCOMPARE(data.counter(last.item).value, (std::vector<double>{1, 2, 1, 0}));
    QCOMPARE(data.counterSummary(last.item).all().most, 2.0);
}

QTEST_MAIN(CounterTest)
#include "counter_test.moc"
