// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/support/text_trace.h"
#include "ui/main_window.h"
#include "ui/panels/what_if_panel.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QAction>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTextBrowser>

using namespace longpole;

namespace {

QString plain(QString text) {
    return text.replace(QChar(0xA0), QLatin1Char(' '));
}

} // namespace

/// Path, slack and prediction in the whole window, from the file of an example.
class WindowPathTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }

    void thePathComesByItself();
    void detailsSayTheSlack();
    void pSwitchesItOffAndOn();
    void picturesShowThePath();
    void theSlidersPredict();

private:
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }
    QString details() { return plain(child<QTextBrowser>("detailsText")->toPlainText()); }
    void select(const char *name) {
        m_window->state().select(test::find(*m_window->state().trace(), name));
    }

    QTemporaryDir m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void WindowPathTest::initTestCase() {
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("window_path"));
    useBundledFont();
}

void WindowPathTest::init() {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths(
        {QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples/overlapping_timeline.json")});
    QVERIFY(opened.wait(10'000));
    QTRY_VERIFY(m_window->timeline().hasPath());
}

void WindowPathTest::thePathComesByItself() {
    QVERIFY(m_window->state().pathShown());
    QVERIFY(child<QAction>("path")->isChecked());
    QTest::keyClick(&m_window->timeline(), Qt::Key_N);
    QCOMPARE(m_window->state().selected(), test::find(*m_window->state().trace(), "prepare"));
    child<QAction>("nextOnPath")->trigger();
    QCOMPARE(m_window->state().selected(), test::find(*m_window->state().trace(), "compute"));
}

void WindowPathTest::detailsSayTheSlack() {
    select("logging");
    QVERIFY2(
        details().contains(QLatin1String("Could end 17.0 ms later without delaying the window.")),
        qPrintable(details()));
    select("compute");
    QVERIFY2(details().contains(
                 QLatin1String("Critical: every nanosecond longer moves the end of the window.")),
             qPrintable(details()));
    QVERIFY2(details().contains(QLatin1String("waited for")), qPrintable(details()));
    select("prepare");
    QVERIFY2(details().contains(QLatin1String("waits for it")), qPrintable(details()));
}

void WindowPathTest::pSwitchesItOffAndOn() {
    TimelineView &timeline = m_window->timeline();
    const QImage on = timeline.grab().toImage();
    const QRect strip = timeline.stripRect();
    QVERIFY(!strip.isNull());
    child<QAction>("path")->trigger();
    QVERIFY(timeline.stripRect().isNull());
    const QImage off = timeline.grab().toImage();
    int red = 0;
    for (int y = 0; y < off.height(); ++y)
        for (int x = 0; x < off.width(); ++x) red += off.pixelColor(x, y) == theme().path;
    QCOMPARE(red, 0);
    child<QAction>("path")->trigger();
    QCOMPARE(timeline.grab().toImage(), on);
}

void WindowPathTest::picturesShowThePath() {
    const QString file = m_settings.filePath(QStringLiteral("picture.png"));
    const auto red = [&] {
        if (!m_window->savePicture(file).isEmpty()) return -1;
        const QImage image(file);
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == theme().path;
        return count;
    };
    QVERIFY(red() > 3000);
    m_window->state().setPathShown(false);
    QCOMPARE(red(), 0);
}

void WindowPathTest::theSlidersPredict() {
    const IntervalId compute = test::find(*m_window->state().trace(), "compute");
    const int measured = m_window->timeline().rectOf(compute).width();
    child<QAction>("predicted")->trigger();
    QVERIFY(m_window->state().predictedShown());
    auto *panel = m_window->findChild<WhatIfPanel *>();
    QVERIFY(panel && panel->isVisible());
    panel->setSpeed(QStringLiteral("forward"), Speed{2000});
    QTRY_VERIFY(m_window->session().prediction());
    QCOMPARE(m_window->session().prediction()->length, TimeNs(35'000'000));
    QTRY_COMPARE(m_window->timeline().rectOf(compute).width(), measured / 2);
    child<QAction>("predicted")->trigger();
    QCOMPARE(m_window->timeline().rectOf(compute).width(), measured);
}

QTEST_MAIN(WindowPathTest)
#include "window_path_test.moc"
