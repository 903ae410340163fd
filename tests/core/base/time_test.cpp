// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <QtTest>

#include <cstdint>

using namespace longpole;

class TimeTest : public QObject {
    Q_OBJECT
private slots:
    void durations_data() {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("text"); // _ stands for the no-break space
        auto row = [](qint64 ns, const char *text) { QTest::addRow("%lld", ns) << ns << text; };
        row(0, "0_ns");
        row(1, "1_ns");
        row(27, "27_ns");
        row(999, "999_ns");
        row(1'000, "1.00_µs");
        row(6'194, "6.19_µs");
        row(9'994, "9.99_µs");
        row(9'996, "10.0_µs");
        row(99'940, "99.9_µs");
        row(99'960, "100_µs");
        row(938'000, "938_µs");
        row(999'499, "999_µs");
        row(999'501, "1.00_ms");
        row(83'900'000, "83.9_ms");
        row(999'600'000, "1.00_s");
        row(59'400'000'000, "59.4_s");
        row(60'000'000'000, "1_min");
        row(570'000'000'000, "9_min_30_s");
        row(599'700'000'000, "10_min");
        row(3'600'000'000'000, "1_h");
        row(7'500'000'000'000, "2_h_5_min");
        row(7'530'000'000'000, "2_h_5_min");
        row(86'400'000'000'000, "1_d");
        row(180'000'000'000'000, "2_d_2_h");
        row(-83'900'000, "−83.9_ms");
        row(-1, "−1_ns");
        row(INT64_MAX, "106,751_d_23_h");
        row(INT64_MIN, "−106,751_d_23_h");
    }
    void durations() {
        QFETCH(qint64, ns);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(formatDuration(ns)), text.replace('_', QChar(0xa0)));
    }

    void exactValues() {
        auto exact = [](int64_t ns) { return QString::fromStdString(formatExactNs(ns)); };
        QCOMPARE(exact(0), QString("0\u00a0ns"));
        QCOMPARE(exact(999), QString("999\u00a0ns"));
        QCOMPARE(exact(27'800), QString("27,800\u00a0ns"));
        QCOMPARE(exact(-1'000'000), QString("\u22121,000,000\u00a0ns"));
        QCOMPARE(exact(INT64_MIN), QString("\u22129,223,372,036,854,775,808\u00a0ns"));
    }

    void counts() {
        auto count = [](int64_t n) { return QString::fromStdString(formatCount(n)); };
        QCOMPARE(count(0), QString("0"));
        QCOMPARE(count(100), QString("100"));
        QCOMPARE(count(1'000), QString("1,000"));
        QCOMPARE(count(31'204), QString("31,204"));
        QCOMPARE(count(-1'234'567), QString("\u22121,234,567"));
    }

    void rangesAreHalfOpen() {
        const TimeRange range{10, 20};
        QVERIFY(range.contains(10));
        QVERIFY(range.contains(19));
        QVERIFY(!range.contains(20));
        QVERIFY(!range.contains(9));
        QCOMPARE(range.length(), TimeNs(10));
        QVERIFY(!range.empty());
        QVERIFY((TimeRange{10, 10}.empty()));
        QVERIFY((TimeRange{10, 9}.empty()));
    }

    /// Neighbours do not touch; an interval of length 0 touches where it lies inside.
    void touching() {
        const TimeRange range{10, 20};
        QVERIFY(range.touches(0, 11));
        QVERIFY(range.touches(19, 30));
        QVERIFY(range.touches(0, 30));
        QVERIFY(!range.touches(0, 10));
        QVERIFY(!range.touches(20, 30));
        QVERIFY(range.touches(10, 10));
        QVERIFY(range.touches(15, 15));
        QVERIFY(!range.touches(20, 20));
        QVERIFY(!range.touches(9, 9));
    }

    /// What two ranges share; never of negative length, also where they share nothing.
    void clipping() {
        const TimeRange range{10, 20};
        QCOMPARE(range.clipped({0, 30}), (TimeRange{10, 20}));
        QCOMPARE(range.clipped({12, 30}), (TimeRange{12, 20}));
        QCOMPARE(range.clipped({0, 15}), (TimeRange{10, 15}));
        QVERIFY(range.clipped({30, 40}).empty());
        QCOMPARE(range.clipped({30, 40}).length(), TimeNs(0));
        QCOMPARE(range.clipped({0, 5}).length(), TimeNs(0));
    }
};

QTEST_APPLESS_MAIN(TimeTest)
#include "time_test.moc"
