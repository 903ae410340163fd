// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QtTest>

using namespace longpole;

/// The measured figures of the design's table, worked out anew from the colours in code.
class ThemeTest : public QObject {
    Q_OBJECT
private slots:
    void dataColours_data();
    void dataColours();
    void interfaceColours();
    void unknownNamesFallBack();
    void kindsShareThePhaseColours();
    void mixing();
    void paletteFollowsTheme();
};

void ThemeTest::dataColours_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<double>("onFill");
    QTest::addColumn<double>("onDimmed");
    QTest::addColumn<double>("onBase");
    QTest::newRow("light") << "light" << 4.75 << 5.48 << 3.11;
    QTest::newRow("dark") << "dark" << 4.77 << 5.12 << 3.50;
    QTest::newRow("cvd") << "cvd" << 4.75 << 5.09 << 3.09;
}

void ThemeTest::dataColours() {
    QFETCH(QString, id);
    QFETCH(double, onFill);
    QFETCH(double, onDimmed);
    QFETCH(double, onBase);
    const Theme &t = themeById(id);
    double fill = 21, dimmed = 21, base = 21;
    for (QColor c : t.phase) {
        fill = std::min(fill, contrast(t.textOn(c), c));
        dimmed = std::min(dimmed, contrast(t.dimText, mix(t.base, c, t.dimShare)));
        base = std::min(base, contrast(c, t.base));
    }
    QVERIFY2(fill >= 4.5 && std::abs(fill - onFill) < 0.011, qPrintable(QString::number(fill)));
    QVERIFY2(dimmed >= 4.5 && std::abs(dimmed - onDimmed) < 0.05,
             qPrintable(QString::number(dimmed)));
    QVERIFY2(base >= 3 && std::abs(base - onBase) < 0.011, qPrintable(QString::number(base)));
}

void ThemeTest::interfaceColours() {
    struct Row {
        QColor Theme::*a, Theme::*b;
        double light, dark;
    };
    const Row rows[] = {
        {&Theme::text, &Theme::base, 17.7, 14.6},  {&Theme::text2, &Theme::base, 7.0, 8.1},
        {&Theme::text2, &Theme::win, 6.3, 6.8},    {&Theme::text2, &Theme::head, 5.9, 6.1},
        {&Theme::accent, &Theme::base, 7.2, 7.8},  {&Theme::accent, &Theme::selected, 5.6, 5.1},
        {&Theme::path, &Theme::base, 5.4, 6.9},    {&Theme::fieldBorder, &Theme::base, 3.6, 4.3},
        {&Theme::disabled, &Theme::base, 3.1, 4.1}};
    const Theme &light = themeById("light"), &dark = themeById("dark");
    for (const Row &r : rows) {
        const double l = contrast(light.*r.a, light.*r.b), d = contrast(dark.*r.a, dark.*r.b);
        QVERIFY2(std::abs(l - r.light) < 0.06, qPrintable(QString::number(l)));
        QVERIFY2(std::abs(d - r.dark) < 0.06, qPrintable(QString::number(d)));
    }
}

void ThemeTest::unknownNamesFallBack() {
    QCOMPARE(themeById("sepia").id, QString("light"));
    const Theme &t = themeById("dark");
    QCOMPARE(t.phaseColour("no such phase"), t.phase.back());
    QCOMPARE(t.phaseColour("data_wait"), t.phase.front());
    QCOMPARE(t.phaseColour("update"), t.phase[6]);
}

void ThemeTest::kindsShareThePhaseColours() {
    const Theme &t = themeById("light");
    QCOMPARE(t.kindColour(Kind::Kernel), t.phaseColour("forward"));
    QCOMPARE(t.kindColour(Kind::CpuOp), t.phaseColour("backward"));
    QCOMPARE(t.kindColour(Kind::D2H), t.phaseColour("transfer"));
    QCOMPARE(t.kindColour(Kind::Comm), t.phaseColour("communication"));
    QCOMPARE(t.kindColour(Kind::D2D), t.phaseColour("other"));
    QCOMPARE(t.kindColour(Kind::GraphLaunch), t.phaseColour("update"));
}

void ThemeTest::mixing() {
    QCOMPARE(mix(Qt::black, Qt::white, 0), QColor(Qt::black));
    QCOMPARE(mix(Qt::black, Qt::white, 1), QColor(Qt::white));
    QCOMPARE(mix(Qt::black, Qt::white, 0.5), QColor(128, 128, 128));
    QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
}

void ThemeTest::paletteFollowsTheme() {
    setTheme("dark");
    QCOMPARE(theme().id, QString("dark"));
    QCOMPARE(theme().palette().color(QPalette::Base), theme().base);
    QCOMPARE(theme().palette().color(QPalette::Disabled, QPalette::Text), theme().disabled);
    setTheme("light");
}

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
