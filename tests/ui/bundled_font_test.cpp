// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QRawFont>
#include <QtTest>

/// The font travels inside the program: nothing of the system is needed to draw the same picture.
class BundledFontTest : public QObject {
    Q_OBJECT
private slots:
    void liesInTheProgram_data() {
        QTest::addColumn<QString>("path");
        for (const char *weight : {"Regular", "Medium", "Bold"})
            QTest::newRow(weight) << QStringLiteral(":/fonts/Roboto-%1.ttf").arg(weight);
    }
    void liesInTheProgram() {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const int id = QFontDatabase::addApplicationFontFromData(file.readAll());
        QVERIFY(id >= 0);
        QVERIFY(QFontDatabase::applicationFontFamilies(id).contains("Roboto"));
    }

    void becomesTheFontOfTheApplication() {
        longpole::useBundledFont();
        QCOMPARE(QFontInfo(QGuiApplication::font()).family(), QString("Roboto"));
    }

    /// Columns of numbers stay in line because all digits are equally wide.
    void digitsAreEquallyWide() {
        longpole::useBundledFont();
        const QFontMetricsF metrics(QGuiApplication::font());
        for (char digit = '1'; digit <= '9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QChar(digit)), metrics.horizontalAdvance('0'));
    }

    void hasTheSignsOfNumbers_data() { liesInTheProgram_data(); }
    void hasTheSignsOfNumbers() {
        QFETCH(QString, path);
        const QRawFont font(path, 12);
        QVERIFY(font.isValid());
        for (const QChar sign : QStringLiteral("0123456789.,µ×−–≤∞½\u00a0"))
            QVERIFY2(font.supportsCharacter(sign), qPrintable(QString(sign)));
        QVERIFY(!font.supportsCharacter(QChar(u'→'))); // so views draw arrows themselves
    }
};

QTEST_MAIN(BundledFontTest)
#include "bundled_font_test.moc"
