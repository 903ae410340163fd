// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/files.h"
#include "tests/support/text_trace.h"
#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/numbers.h"
#include "ui/recent_files.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QWheelEvent>

using namespace longpole;

namespace {

// clang-format off
const char *const kTrace = R"json({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":10,"tid":1,"ts":100,"dur":300.0,"args":{"External id":5,"Input Dims":[[8,16],[16]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":1,"ts":150,"dur":20,"args":{"correlation":77}},
{"ph":"X","cat":"kernel","name":"void gemm<float, 128>(int)","pid":0,"tid":7,"ts":300,"dur":427.8,"args":{"device":0,"stream":7,"correlation":77,"grid":[320,1,1]}},
{"ph":"X","cat":"cpu_op","name":"aten::relu","pid":10,"tid":1,"ts":500,"dur":400,"args":{}},
{"ph":"E","name":"nobody began this","pid":10,"tid":1,"ts":950}
]})json";
// clang-format on

QString plain(QString text) {
    return text.replace(QChar(0xA0), QLatin1Char(' '));
}

} // namespace

/// The whole window, driven as a person does.
class WindowTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }

    void startsWithWaysToOpen();
    void opensZoomsSelectsAndExports();
    void theOverlappingExampleAddsUp();
    void statisticsFollowTheRange();
    void aRefusedFileIsExplained();
    void aRefusedFileLeavesTheTraceOpen();
    void dropsOpenFiles();
    void closingShowsTheRecentFiles();
    void panelsComeBackAsTheyWere();
    void smallWindowsStartWithoutPanels();
    void theTimelineKeepsItsRoom();
    void importLogBalances();
    void themesChangeWhileATraceIsOpen();
    void copiesTheSelection();
    void withoutPhasesKindsAreShown();

private:
    void open(const QString &path);
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }
    QWidget *page() { return m_window->findChild<QStackedWidget *>()->currentWidget(); }
    void trigger(const char *action) { child<QAction>(action)->trigger(); }

    QTemporaryDir m_folder;
    std::unique_ptr<test::TempFile> m_file;
    std::unique_ptr<MainWindow> m_window;
};

void WindowTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("window"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
    m_file = std::make_unique<test::TempFile>(kTrace);
}

void WindowTest::init() {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1280, 720);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void WindowTest::open(const QString &path) {
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait());
    QTRY_VERIFY(m_window->session().statistics());
}

void WindowTest::startsWithWaysToOpen() {
    QCOMPARE(page()->objectName(), QStringLiteral("startPage"));
    QVERIFY(child<QPushButton>("openButton")->isVisible());
    QVERIFY(child<QPushButton>("example_overlapping_timeline.json")->isVisible());
    QVERIFY(!child<QDockWidget>("statistics")->isVisible());
    QVERIFY(!child<QAction>("export")->isEnabled());
    QVERIFY(child<QAction>("open")->isEnabled());
}

void WindowTest::opensZoomsSelectsAndExports() {
    open(QString::fromStdString(m_file->path()));
    ViewState &state = m_window->state();
    TimelineView &timeline = m_window->timeline();
    QCOMPARE(page(), static_cast<QWidget *>(&timeline));
    QVERIFY(m_window->windowTitle().contains(QLatin1String("Longpole")));

    trigger("whole");
    const TimeRange whole = state.view();
    const QPoint middle = timeline.lanesRect().center();
    QWheelEvent wheel(middle, timeline.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&timeline, &wheel);
    QVERIFY(state.view().length() < whole.length());
    const TimeRange zoomed = state.view();
    timeline.setFocus();
    QTest::keyClick(&timeline, Qt::Key_W);
    QVERIFY(state.view().length() < zoomed.length());
    QTest::keyClick(&timeline, Qt::Key_0);
    QCOMPARE(state.view(), whole);

    const IntervalId kernel = test::find(*state.trace(), "void gemm<float, 128>(int)");
    QVERIFY(kernel.valid());
    state.reveal(kernel);
    const QRect rect = timeline.rectOf(kernel);
    QVERIFY(rect.width() > 20);
    for (const int x : {rect.center().x(), rect.left(), rect.right()}) {
        state.select({});
        QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(x, rect.center().y()));
        QCOMPARE(state.selected(), kernel);
    }

    const auto *details = child<QTextBrowser>("detailsText");
    QTRY_VERIFY(details->toPlainText().contains(QLatin1String("grid")));
    const QString text = plain(details->toPlainText());
    for (const char *expected : {"void gemm<float, 128>(int)", "427,800 ns", "428 µs", "stream 7",
                                 "cudaLaunchKernel", "77", "320"})
        QVERIFY2(text.contains(QString::fromUtf8(expected)), expected);
    trigger("follow");
    QCOMPARE(state.selected(), test::find(*state.trace(), "cudaLaunchKernel"));
    QTest::mouseClick(child<QPushButton>("goToParent"), Qt::LeftButton);
    QCOMPARE(state.selected(), test::find(*state.trace(), "aten::linear"));
    QTRY_VERIFY(plain(details->toPlainText()).contains(QLatin1String("Input Dims")));

    const QString picture = m_folder.filePath(QStringLiteral("view.png"));
    QCOMPARE(m_window->savePicture(picture, 2), QString());
    QCOMPARE(QImage(picture).size(), m_window->size() * 2);
    QVERIFY(
        !m_window->savePicture(m_folder.filePath(QStringLiteral("no/such/view.png"))).isEmpty());
}

void WindowTest::theOverlappingExampleAddsUp() {
    open(QDir(examplesFolder()).filePath(QStringLiteral("overlapping_timeline.json")));
    m_window->state().setRange(m_window->state().trace()->range);
    QTRY_COMPARE(plain(child<QLabel>("statSum")->text()), QStringLiteral("68.0 ms"));
    QCOMPARE(plain(child<QLabel>("statUnion")->text()), QStringLiteral("50.0 ms"));
    QCOMPARE(plain(child<QLabel>("statElapsed")->text()), QStringLiteral("50.0 ms"));
}

void WindowTest::statisticsFollowTheRange() {
    open(QString::fromStdString(m_file->path()));
    const TimeNs zero =
        m_window->state().trace()->begin(test::find(*m_window->state().trace(), "aten::relu"));
    m_window->state().setRange(TimeRange{zero, zero + 100'000});
    QTRY_COMPARE(plain(child<QLabel>("statElapsed")->text()), QStringLiteral("100 µs"));
    auto *by = child<QComboBox>("statisticsBy");
    by->setCurrentIndex(by->findText(QStringLiteral("By name")));
    emit by->activated(by->currentIndex());
    auto *model = child<QTableView>("statisticsTable")->model();
    QTRY_COMPARE(model->rowCount(), 2); // aten::relu and the kernel that runs into the range
    m_window->state().setRange({});
    QTRY_COMPARE(model->rowCount(), 4);
}

void WindowTest::aRefusedFileIsExplained() {
    test::TempFile file("{\"nodes\": [1, 2]}");
    QSignalSpy failed(&m_window->session(), &Session::openFailed);
    m_window->openPaths({QString::fromStdString(file.path())});
    QVERIFY(failed.wait());
    QCOMPARE(page()->objectName(), QStringLiteral("errorPage"));
    QVERIFY(child<QLabel>("errorMessage")->text().contains(QString::fromStdString(file.path())));
    QVERIFY(child<QLabel>("errorFacts")->text().contains(QLatin1String("no_trace_events")));
    QVERIFY(!child<QLabel>("errorFacts")->text().contains(QLatin1String("longpole-cli")));
    QVERIFY(child<QWidget>("errorBytes")->isVisible());
    QVERIFY(recentFiles().isEmpty());
    QTest::mouseClick(child<QPushButton>("errorBack"), Qt::LeftButton);
    QCOMPARE(page()->objectName(), QStringLiteral("startPage"));
}

void WindowTest::aRefusedFileLeavesTheTraceOpen() {
    open(QString::fromStdString(m_file->path()));
    const Trace *before = m_window->state().trace();
    QSignalSpy failed(&m_window->session(), &Session::openFailed);
    m_window->openPaths({m_folder.filePath(QStringLiteral("not there.json"))});
    QVERIFY(failed.wait());
    QCOMPARE(page()->objectName(), QStringLiteral("errorPage"));
    QTest::mouseClick(child<QPushButton>("errorBack"), Qt::LeftButton);
    QCOMPARE(page(), static_cast<QWidget *>(&m_window->timeline()));
    QCOMPARE(m_window->state().trace(), before);
    QVERIFY(child<QDockWidget>("statistics")->isVisible());
}

void WindowTest::dropsOpenFiles() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(m_file->path()))});
    QSignalSpy opened(&m_window->session(), &Session::opened);
    QDragEnterEvent enter({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({200, 200}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QVERIFY(opened.wait());
}

void WindowTest::closingShowsTheRecentFiles() {
    open(QString::fromStdString(m_file->path()));
    trigger("close");
    QCOMPARE(page()->objectName(), QStringLiteral("startPage"));
    QVERIFY(!m_window->state().trace());
    auto *recent = child<QTableView>("recentTable");
    QCOMPARE(recent->model()->rowCount(), 1);
    QSignalSpy opened(&m_window->session(), &Session::opened);
    recent->setCurrentIndex(recent->model()->index(0, 0));
    QTest::keyClick(recent, Qt::Key_Return);
    QVERIFY(opened.wait());
    trigger("close");
    recent->setCurrentIndex(recent->model()->index(0, 0));
    QTest::keyClick(recent, Qt::Key_Delete);
    QVERIFY(recentFiles().isEmpty());
}

void WindowTest::panelsComeBackAsTheyWere() {
    open(QString::fromStdString(m_file->path()));
    child<QDockWidget>("details")->hide();
    child<QDockWidget>("steps")->show();
    m_window->close();
    m_window = std::make_unique<MainWindow>();
    m_window->show();
    open(QString::fromStdString(m_file->path()));
    QVERIFY(!child<QDockWidget>("details")->isVisible());
    QVERIFY(child<QDockWidget>("steps")->isVisible());
    QVERIFY(child<QDockWidget>("statistics")->isVisible());
}

void WindowTest::smallWindowsStartWithoutPanels() {
    m_window->resize(1024, 640);
    open(QString::fromStdString(m_file->path()));
    for (const char *dock : {"details", "statistics", "importLog", "steps"})
        QVERIFY2(!child<QDockWidget>(dock)->isVisible(), dock);
    trigger("back"); // disabled, and harmless
    QTest::mouseClick(child<QPushButton>("statusEvents"), Qt::LeftButton);
    QVERIFY(child<QDockWidget>("importLog")->isVisible());
}

void WindowTest::theTimelineKeepsItsRoom() {
    open(QString::fromStdString(m_file->path()));
    QTRY_VERIFY(child<QWidget>("verdict")->isVisible());
    // the whole bottom, with the tabs that statistics share
    QTRY_VERIFY(child<QDockWidget>("details")->height() >= 140);
    QTRY_VERIFY2(m_window->timeline().height() >= 380,
                 qPrintable(QString::number(m_window->timeline().height())));
}

void WindowTest::importLogBalances() {
    open(QString::fromStdString(m_file->path()));
    const QString balance = plain(child<QLabel>("importBalance")->text());
    QVERIFY2(balance.startsWith(QLatin1String("5 events read = 4 intervals")), qPrintable(balance));
    QVERIFY(balance.endsWith(QLatin1String("1 set aside")));
    QCOMPARE(child<QTableView>("importTable")->model()->rowCount(), 1);
    QVERIFY(child<QPushButton>("statusEvents")->text().contains(QLatin1String("1 set aside")));
    const auto click = [this](int row) {
        QTableView *table = child<QTableView>("importTable");
        emit table->clicked(table->model()->index(row, 0));
        return m_window->state().selected();
    };
    QVERIFY(!click(0).valid()); // what is set aside is nowhere on the timeline
    const test::TempFile odd(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"late","pid":1,"tid":1,"ts":5,"dur":10}])");
    open(QString::fromStdString(odd.path()));
    const IntervalId late = click(0);
    QVERIFY(late.valid());
    QCOMPARE(m_window->state().loaded()->trace->name(late), std::string_view("late"));
}

void WindowTest::themesChangeWhileATraceIsOpen() {
    open(QString::fromStdString(m_file->path()));
    const auto corner = [this] {
        const QRect lanes = m_window->timeline().lanesRect();
        return m_window->timeline().grab().toImage().pixelColor(lanes.right() - 2,
                                                                lanes.bottom() - 2);
    };
    QCOMPARE(corner(), themeById(QStringLiteral("light")).base);
    chooseTheme(QStringLiteral("dark"));
    QCOMPARE(corner(), themeById(QStringLiteral("dark")).base);
    QCOMPARE(child<QWidget>("detailsText")->palette().color(QPalette::Base), theme().base);
    chooseTheme(QStringLiteral("light"));
    QCOMPARE(corner(), themeById(QStringLiteral("light")).base);
}

void WindowTest::copiesTheSelection() {
    open(QString::fromStdString(m_file->path()));
    QApplication::clipboard()->clear();
    m_window->state().select(test::find(*m_window->state().trace(), "aten::relu"));
    m_window->timeline().setFocus();
    QTest::keyClick(&m_window->timeline(), Qt::Key_C, Qt::ControlModifier);
    const QString text = plain(QApplication::clipboard()->text());
    QVERIFY2(text.contains(QLatin1String("name\taten::relu\n")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("400,000 ns")), qPrintable(text));
}

void WindowTest::withoutPhasesKindsAreShown() {
    test::TempFile nameless(R"([{"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":10}])");
    open(QString::fromStdString(nameless.path()));
    QTRY_COMPARE(child<QComboBox>("statisticsBy")->currentText(), QStringLiteral("By kind"));
    QTRY_VERIFY(child<QLabel>("statNote")->text().contains(QLatin1String("kinds")));
    open(QDir(examplesFolder()).filePath(QStringLiteral("overlapping_timeline.json")));
    QTRY_COMPARE(child<QComboBox>("statisticsBy")->currentText(), QStringLiteral("By phase"));
}

QTEST_MAIN(WindowTest)
#include "window_test.moc"
