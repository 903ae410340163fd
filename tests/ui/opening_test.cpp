// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/files.h"
#include "tests/support/training_trace.h"
#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/pages/reading_page.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QDir>
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

private:
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

QTEST_MAIN(OpeningTest)
#include "opening_test.moc"
