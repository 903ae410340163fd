// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/numbers.h"

#include <QRandomGenerator>
#include <QTest>

#include <numeric>

using namespace longpole;

class NumbersTest : public QObject {
    Q_OBJECT
private slots:
    void printedColumnAddsUpToThePrintedTotal() {
        QRandomGenerator random(11);
        const TimeUnit ms = unitFor(50'000'000);
        QCOMPARE(ms.name, QStringLiteral("ms"));
        for (int round = 0; round < 200; ++round) {
            std::vector<TimeNs> values(1 + random.bounded(20));
            for (TimeNs &value : values) value = random.bounded(90'000'000);
            const TimeNs total = std::accumulate(values.begin(), values.end(), TimeNs(0));
            const auto column = roundedColumn(values, total, ms);
            const int64_t sum = std::accumulate(column.begin(), column.end(), int64_t(0));
            QCOMPARE(sum, (total + 500) / 1000);
            for (size_t i = 0; i < values.size(); ++i)
                QVERIFY(std::abs(column[i] * 1000 - values[i]) < 1000);
        }
    }

    void whatDoesNotAddUpIsRoundedToTheNearest() {
        const auto column = roundedColumn({1'499, 1'500, 2'501}, 4'000, unitFor(20'000'000));
        QCOMPARE(column, (std::vector<int64_t>{1, 2, 3}));
    }

    void printing_data() {
        QTest::addColumn<qint64>("value");
        QTest::addColumn<qint64>("largest");
        QTest::addColumn<QString>("text");
        QTest::newRow("ms") << 83'888'400LL << 83'888'400LL << "83.888";
        QTest::newRow("thousands") << 1'234'567'890LL << 2'000'000'000LL << "1,234.568";
        QTest::newRow("small is never a bare zero") << 12LL << 50'000'000LL << "<\u00a00.001";
        QTest::newRow("zero is") << 0LL << 50'000'000LL << "0.000";
        QTest::newRow("minus") << -1'500'000LL << 50'000'000LL << "\u22121.500";
        QTest::newRow("ns") << 999LL << 999LL << "999";
        QTest::newRow("s") << 61'000'400'000LL << 61'000'400'000LL << "61.000";
    }
    void printing() {
        QFETCH(qint64, value);
        QFETCH(qint64, largest);
        QFETCH(QString, text);
        QCOMPARE(printed(value, unitFor(largest)), text);
    }

    void bytes_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("B") << 54LL << "54\u00a0B";
        QTest::newRow("kB") << 1'590LL << "1.59\u00a0kB";
        QTest::newRow("MB") << 12'400'000LL << "12.4\u00a0MB";
        QTest::newRow("carry") << 999'600LL << "1.00\u00a0MB";
        QTest::newRow("GB") << 688'000'000'000LL << "688\u00a0GB";
    }
    void bytes() {
        QFETCH(qint64, bytes);
        QFETCH(QString, text);
        QCOMPARE(bytesText(bytes), text);
    }

    void ranges() {
        QCOMPARE(rangeText(64'600'000, 65'300'000), QString("64.6 – 65.3\u00a0ms"));
        QCOMPARE(rangeText(938'000, 1'200'000), QString("938\u00a0µs – 1.20\u00a0ms"));
        QCOMPARE(rangeText(0, 5'000'000'000), QString("0\u00a0ns – 5.00\u00a0s"));
    }

    void csv() {
        QCOMPARE(csvField(QStringLiteral("plain")), QStringLiteral("plain"));
        QCOMPARE(csvField(QStringLiteral("f<a, b>(\"x\")")),
                 QStringLiteral("\"f<a, b>(\"\"x\"\")\""));
    }
};

QTEST_GUILESS_MAIN(NumbersTest)
#include "numbers_test.moc"
