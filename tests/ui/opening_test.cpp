// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/files.h"
#include "tests/support/training_trace.h"
#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/pages/reading_page.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/preview_view.h"
#include "ui/timeline/timeline_view.h"

#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QProgressBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

/// A trace of 50 MB whose reading is stopped again and again.
class OpeningTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cancelAtAnyMoment_data();
    void cancelAtAnyMoment();
    void escapeStopsReading();
    void quickReadingsDoNotFlash();
    void anotherFileReplacesTheReading();
    void closeWhileReading();
    void whatIsReadIsShown();
    void theViewStays();
    void cancellingBringsTheTraceBack();

private:
    QStringList large(int files) const;
    std::unique_ptr<MainWindow> windowWithExample();

    QTemporaryDir m_folder;
    QString m_large;
};

void OpeningTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("opening"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
    m_large = m_folder.filePath(QStringLiteral("large.json"));
    QFile file(m_large);
    QVERIFY(file.open(QIODevice::WriteOnly));
    test::writeTrainingTrace(test::shapeOfSize(50'000'000), [&](std::string_view text) {
        file.write(text.data(), qint64(text.size()));
    });
    QVERIFY2(file.size() > 40'000'000, qPrintable(QString::number(file.size())));
}

std::unique_ptr<MainWindow> OpeningTest::windowWithExample() {
    auto window = std::make_unique<MainWindow>();
    window->resize(1280, 720);
    window->show();
    QSignalSpy opened(&window->session(), &Session::opened);
    window->openPaths({QDir(examplesFolder()).filePath(QStringLiteral("serial_step.json"))});
    opened.wait();
    return window;
}

void OpeningTest::cancelAtAnyMoment_data() {
    QTest::addColumn<double>("fraction");
    for (const double fraction : {0.0, 0.001, 0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97})
        QTest::addRow("%g", fraction) << fraction;
}

void OpeningTest::cancelAtAnyMoment() {
    QFETCH(double, fraction);
    const auto window = windowWithExample();
    const auto before = window->state().loaded();
    QVERIFY(before);
    QSignalSpy opened(&window->session(), &Session::opened);
    QSignalSpy failed(&window->session(), &Session::openFailed);
    QSignalSpy cancelled(&window->session(), &Session::openingCancelled);
    connect(&window->session(), &Session::openingProgressed, window.get(), [&](double now) {
        if (now >= fraction && fraction > 0) window->session().cancelOpening();
    });
    window->openPaths({m_large});
    QVERIFY(window->session().opening());
    if (fraction == 0) window->session().cancelOpening();
    // A fast machine may be done between two looks at the progress; then nothing is left to stop.
    QTRY_VERIFY_WITH_TIMEOUT(cancelled.count() == 1 || opened.count() == 1, 60'000);
    QVERIFY(!window->session().opening());
    QCOMPARE(failed.count(), 0);
    if (opened.isEmpty()) QCOMPARE(window->state().loaded(), before);
    QTest::qWait(30);
    QCOMPARE(opened.count() + cancelled.count(), 1);
}

void OpeningTest::escapeStopsReading() {
    ReadingPage page;
    page.show();
    page.start({m_large});
    page.setFraction(0.5);
    QCOMPARE(page.findChild<QProgressBar *>()->value(), 500);
    QVERIFY(page.findChild<QLabel *>(QStringLiteral("readingFigures"))
                ->text()
                .startsWith(QStringLiteral("50\u00a0%")));
    QVERIFY(QTest::qWaitForWindowActive(&page));
    QSignalSpy cancelled(&page, &ReadingPage::cancelRequested);
    QTest::keyClick(&page, Qt::Key_Escape);
    QCOMPARE(cancelled.count(), 1);
}

void OpeningTest::quickReadingsDoNotFlash() {
    const auto window = windowWithExample();
    auto *pages = window->findChild<QStackedWidget *>();
    QWidget *timeline = pages->currentWidget();
    window->openPaths({m_large});
    QTest::qWait(100);
    QCOMPARE(pages->currentWidget(), timeline);
    window->session().cancelOpening();
    QTest::qWait(400); // the page that was due is called off as well
    QCOMPARE(pages->currentWidget(), timeline);
}

void OpeningTest::anotherFileReplacesTheReading() {
    const auto window = windowWithExample();
    QSignalSpy opened(&window->session(), &Session::opened);
    window->openPaths({m_large});
    QTest::qWait(20);
    const QString example =
        QDir(examplesFolder()).filePath(QStringLiteral("overlapping_timeline.json"));
    window->openPaths({example});
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 60'000);
    QTest::qWait(50);
    QCOMPARE(opened.count(), 1);
    QCOMPARE(window->session().paths(), QStringList{example});
}

void OpeningTest::closeWhileReading() {
    auto window = windowWithExample();
    window->openPaths({m_large});
    QTest::qWait(60);
    QVERIFY(window->close());
    window.reset(); // stops the reading and waits for it
}

/// As many ranks of a job, which take as much longer.
QStringList OpeningTest::large(int files) const {
    QStringList paths;
    for (int i = 0; i < files; ++i) paths << m_large;
    return paths;
}

void OpeningTest::whatIsReadIsShown() {
    const auto window = windowWithExample();
    auto *pages = window->findChild<QStackedWidget *>();
    auto *view = window->findChild<PreviewView *>();
    QStringList order;
    uint64_t last = 0, shrunk = 0;
    connect(&window->session(), &Session::previewChanged, window.get(), [&] {
        order << QStringLiteral("preview");
        shrunk += window->session().preview()->intervals < last;
        last = window->session().preview()->intervals;
    });
    connect(&window->session(), &Session::opened, window.get(),
            [&] { order << QStringLiteral("trace"); });
    window->openPaths(large(10));
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible() && view->preview(), 60'000);
    QVERIFY(window->session().opening());
    QVERIFY(pages->currentWidget()->isAncestorOf(view));
    QVERIFY(!window->findChild<QDockWidget *>(QStringLiteral("statistics"))->isVisible());
    const QImage image = view->grab().toImage();
    int stripe = 0;
    for (int x = view->stripRect().left(); x < image.width() - 20; ++x)
        stripe += image.pixelColor(x, view->stripRect().center().y()) == theme().selected;
    QVERIFY2(stripe > 200, qPrintable(QString::number(stripe)));
    QTRY_VERIFY_WITH_TIMEOUT(order.contains(QStringLiteral("trace")), 60'000);
    QVERIFY(order.size() > 2);
    QCOMPARE(order.indexOf(QStringLiteral("trace")), order.size() - 1);
    QCOMPARE(shrunk, uint64_t(0));
    QCOMPARE(last, window->state().trace()->intervalCount());
    QCOMPARE(pages->currentWidget(), static_cast<QWidget *>(&window->timeline()));
    QVERIFY(!window->session().preview());
}

void OpeningTest::theViewStays() {
    const auto window = windowWithExample();
    auto *view = window->findChild<PreviewView *>();
    std::shared_ptr<const Preview> preview;
    connect(&window->session(), &Session::previewChanged, window.get(),
            [&] { preview = window->session().preview(); });
    QSignalSpy opened(&window->session(), &Session::opened);
    window->openPaths(large(6));
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible() && view->preview(), 60'000);
    for (const Qt::Key key : {Qt::Key_W, Qt::Key_W, Qt::Key_W, Qt::Key_D}) QTest::keyClick(view, key);
    QVERIFY(view->chosenView());
    const TimeRange chosen = *view->chosenView();
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 60'000);
    const Trace &trace = *window->state().trace();
    QCOMPARE(window->state().view(), onTrace(*preview, chosen, trace));
    QVERIFY(trace.range.begin < window->state().view().end);
    QVERIFY(window->state().canGoBack()); // to the opening view
}

void OpeningTest::cancellingBringsTheTraceBack() {
    const auto window = windowWithExample();
    auto *pages = window->findChild<QStackedWidget *>();
    auto *view = window->findChild<PreviewView *>();
    const auto before = window->state().loaded();
    const TimeRange range = window->state().view();
    window->openPaths(large(10));
    QTRY_VERIFY_WITH_TIMEOUT(view->isVisible() && view->preview(), 60'000);
    QTest::keyClick(view, Qt::Key_W);
    QTest::keyClick(view, Qt::Key_Escape);
    QVERIFY(!window->session().opening());
    QCOMPARE(pages->currentWidget(), static_cast<QWidget *>(&window->timeline()));
    QVERIFY(window->findChild<QDockWidget *>(QStringLiteral("statistics"))->isVisible());
    QTest::qWait(300);
    QCOMPARE(window->state().loaded(), before);
    QCOMPARE(window->state().view(), range);
    QVERIFY(!window->session().preview());
}

QTEST_MAIN(OpeningTest)
#include "opening_test.moc"
