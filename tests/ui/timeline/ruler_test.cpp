// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ruler.h"

#include <QtTest>

using namespace longpole;

/// Times to pixels and back at every zoom, and the ruler's steps and words.
class RulerTest : public QObject {
    Q_OBJECT
private slots:
    void pixelsAndTimesAgree_data();
    void pixelsAndTimesAgree();
    void farTimesDoNotOverflow();
    void zoomKeepsTheTimeUnderTheCursor();
    void steps_data();
    void steps();
    void texts_data();
    void texts();
    void ticksAreFarApartAndOnWholeSteps();
};

void RulerTest::pixelsAndTimesAgree_data() {
    QTest::addColumn<qint64>("begin");
    QTest::addColumn<qint64>("length");
    constexpr qint64 day = 86'400'000'000'000;
    QTest::newRow("20 ns a week into the trace") << 7 * day + 123 << qint64(20);
    QTest::newRow("1 us") << qint64(-500) << qint64(1'000);
    QTest::newRow("a step") << qint64(83'000'123) << qint64(83'888'000);
    QTest::newRow("ten days") << qint64(0) << 10 * day;
}

void RulerTest::pixelsAndTimesAgree() {
    QFETCH(qint64, begin);
    QFETCH(qint64, length);
    const TimeScale scale{{begin, begin + length}, 1733};
    QCOMPARE(scale.x(begin), 0.0);
    QCOMPARE(scale.x(begin + length), 1733.0);
    for (int column = 0; column <= 1733; column += 7) {
        const TimeNs first = scale.firstTimeOf(column);
        QVERIFY(scale.x(first) >= column);
        QVERIFY(scale.x(first - 1) < column);
    }
    const TimeNs at = begin + length / 3; // one nanosecond is never lost
    QVERIFY(scale.x(at + 1) > scale.x(at));
    QVERIFY(std::abs(scale.timeAt(scale.x(at)) - at) <= 1 + TimeNs(scale.nsPerPixel()) / 1000);
}

void RulerTest::farTimesDoNotOverflow() {
    const TimeScale scale{{INT64_MAX / 2, INT64_MAX / 2 + 20}, 1000};
    QVERIFY(scale.x(INT64_MIN + 1) < -1e9);
    QVERIFY(scale.x(INT64_MAX) > 1e9);
}

void RulerTest::zoomKeepsTheTimeUnderTheCursor() {
    const TimeRange view{1'000, 2'000};
    const TimeRange closer = zoomed(view, 1'250, 2);
    QCOMPARE(closer, (TimeRange{1'125, 1'625}));
    QCOMPARE(zoomed(closer, 1'250, 0.5), view);
}

void RulerTest::steps_data() {
    QTest::addColumn<double>("nsPerPixel");
    QTest::addColumn<qint64>("step");
    QTest::newRow("ns") << 0.02 << qint64(2);
    QTest::newRow("us") << 302'000.0 / 1050 << qint64(50'000);
    QTest::newRow("ms") << 84e6 / 1050 << qint64(10'000'000);
    QTest::newRow("minutes") << 570e9 / 1050 << qint64(60'000'000'000);
    QTest::newRow("days") << 3.6e12 << qint64(24 * 4) * 3'600'000'000'000;
}

void RulerTest::steps() {
    QFETCH(double, nsPerPixel);
    QFETCH(qint64, step);
    QCOMPARE(qint64(tickStep(nsPerPixel, 90)), step);
}

void RulerTest::texts_data() {
    QTest::addColumn<qint64>("time");
    QTest::addColumn<qint64>("step");
    QTest::addColumn<QString>("text");
    constexpr qint64 us = 1'000, ms = 1'000 * us, s = 1'000 * ms, min = 60 * s;
    QTest::newRow("zero") << qint64(0) << 10 * ms << "0 ms";
    QTest::newRow("ms") << 40 * ms << 10 * ms << "40 ms";
    QTest::newRow("split") << 75 * ms + 450 * us << 50 * us << "75 ms + 450 µs";
    QTest::newRow("whole coarse") << 76 * ms << 50 * us << "76 ms";
    QTest::newRow("decimal") << 1200 * ms << 100 * ms << "1.2 s";
    QTest::newRow("deep") << 2 * s + 75 * ms + 450 * us << 50 * us << "2.075 s + 450 µs";
    QTest::newRow("deeper") << 75 * ms + 450 * us + 20 << qint64(20) << "75.450 ms + 20 ns";
    QTest::newRow("deep decimal") << 193 * ms + 946 * us + 800 << qint64(200)
                                  << "193 ms + 946.8 µs";
    QTest::newRow("deep decimal, whole") << 193 * ms + 948 * us << qint64(200) << "193 ms + 948 µs";
    QTest::newRow("below the split") << 946 * us + 800 << qint64(200) << "946.8 µs";
    QTest::newRow("seconds") << 20 * s << 5 * s << "20 s";
    QTest::newRow("minutes") << 3 * min << min << "3 min";
    QTest::newRow("minutes and seconds") << 3 * min + 20 * s << 20 * s << "3 min 20 s";
    QTest::newRow("hours") << 125 * min << 5 * min << "2 h 5 min";
    QTest::newRow("negative") << -10 * ms << 10 * ms << "−10 ms";
}

void RulerTest::texts() {
    QFETCH(qint64, time);
    QFETCH(qint64, step);
    QFETCH(QString, text);
    QString got = tickText(time, step);
    QVERIFY(!got.contains(QChar(' ')) || text.contains('+')); // units never break
    QCOMPARE(got.replace(QChar(0x00A0), ' '), text);
}

void RulerTest::ticksAreFarApartAndOnWholeSteps() {
    for (TimeNs length = 20; length < 100'000'000'000'000; length = length * 17 / 5) {
        const TimeScale scale{{-length / 3, length - length / 3}, 1050};
        const auto ticks = rulerTicks(scale, 7);
        QVERIFY(ticks.size() >= 1);
        for (size_t i = 1; i < ticks.size(); ++i) {
            QVERIFY(ticks[i].x - ticks[i - 1].x >= 89.9);
            QVERIFY(ticks[i].text != ticks[i - 1].text);
        }
    }
}

QTEST_GUILESS_MAIN(RulerTest)
#include "ruler_test.moc"
