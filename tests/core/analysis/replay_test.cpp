// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/replay.h"

#include <QTest>

using namespace longpole;

class ReplayTest : public QObject {
    Q_OBJECT
private slots:
    /// How a factor may be written; the time is multiplied by num / den, exactly.
    void factors_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("num");
        QTest::addColumn<qint64>("den"); // 0: refused
        const auto row = [](const char *text, qint64 num, qint64 den) {
            QTest::newRow(text) << QByteArray(text) << num << den;
        };
        row("2", 1, 2);
        row("+2", 1, 2);
        row("2.", 1, 2);
        row(".5", 2, 1);
        row("1.25", 4, 5);
        row("1e2", 1, 100);
        row("1.5e1", 1, 15);
        row("1E-3", 1000, 1);
        row("2e+0", 1, 2);
        row("1e9", 1, 1'000'000'000);
        row("inf", 0, 1);
        for (const char *bad : {"", "0", "0.0", "-1", "1e", "e3", "1e10", "9e9", "1e-10", "1e1.5",
                                "0x10", "nan", "1,5", "..5", "99999999999999999999", "1e+-2"})
            row(bad, 0, 0);
    }
    void factors() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, num);
        QFETCH(qint64, den);
        const auto factor = parseSpeedFactor(text.toStdString());
        QCOMPARE(factor.has_value(), den != 0);
        if (!factor) return;
        QCOMPARE(qint64(factor->num), num);
        QCOMPARE(qint64(factor->den), den);
    }
};

QTEST_GUILESS_MAIN(ReplayTest)
#include "replay_test.moc"
