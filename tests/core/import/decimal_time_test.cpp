// SPDX-License-Identifier: Apache-2.0
#include "core/import/decimal_time.h"

#include <QTest>

using namespace longpole;

class DecimalTimeTest : public QObject {
    Q_OBJECT
private slots:
    void reads_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<int>("rest");
        const auto row = [](const char *text, qint64 ns, int rest = 0) {
            QTest::newRow(text) << QByteArray(text) << ns << rest;
        };
        row("0", 0);
        row("12", 12'000);
        row("12.5", 12'500);
        row("1716423322416788.066", 1'716'423'322'416'788'066);
        row("1727592872422811.759", 1'727'592'872'422'811'759);
        row("0.001", 1);
        row("0.0015", 1, 500'000);
        row("-3", -3'000);
        row("-0.25", -250);
        row("-0.00025", -1, 750'000);
        row("1.7e15", 1'700'000'000'000'000'000);
        row("17000000000000025e-1", 1'700'000'000'000'002'500);
        row("1.700000000000010125E+15", 1'700'000'000'000'010'125);
        row("1e-3", 1);
        row("1e-9", 0, 1);
        row("0e99999999999", 0);
        row("0.000000000000000000000000001", 0);
        row("2305843009213693.951", 2'305'843'009'213'693'951);
    }
    void reads() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, ns);
        QFETCH(int, rest);
        const DecimalTime t = parseMicroseconds(text.toStdString());
        QCOMPARE(int(t.status), int(DecimalTime::Good));
        QCOMPARE(qint64(t.ns), ns);
        QCOMPARE(int(t.rest), rest);
    }

    void refuses() {
        for (const char *text : {"", "-", ".", "e5", "1e", "1e+", "NaN", "Infinity", "1.2.3", "12 ", "0x10", "--1"})
            QVERIFY2(parseMicroseconds(text).status == DecimalTime::NotANumber, text);
        for (const char *text : {"2305843009213693.952", "-9223372036854775808", "1e30", "1e999999999",
                                 "99999999999999999999999"})
            QVERIFY2(parseMicroseconds(text).status == DecimalTime::OutOfRange, text);
    }

    /// Two ends that are equal as written stay equal after rounding, however their halves are cut.
    void equalEndsStayEqual() {
        for (int split = 0; split <= 10'000; split += 7) {
            const auto at = [](int tenthNs) { return QByteArray::number(tenthNs / 10'000.0, 'f', 4).toStdString(); };
            const DecimalTime begin = parseMicroseconds(at(split));
            const DecimalTime dur = parseMicroseconds(at(10'005 - split));
            QCOMPARE(qint64(roundSumToNs(begin, dur)), qint64(1001));
        }
    }
};

QTEST_APPLESS_MAIN(DecimalTimeTest)
#include "decimal_time_test.moc"
