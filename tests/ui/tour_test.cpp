// SPDX-License-Identifier: GPL-3.0-or-later
// One tour through the whole window, over the bundled examples, or with LONGPOLE_TOUR=recorded over
// every file of the folder that LONGPOLE_TRACES names.
#include "tests/ui/window_hands.h"
#include "ui/numbers.h"
#include "ui/panels/speed_slider.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QAction>
#include <QDir>
#include <QDirIterator>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBrowser>

#include <cstdio>

using namespace longpole;

namespace {

constexpr TimeNs kMicrosecond = 1000;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSlower = 12;
#else
constexpr int kSlower = 1;
#endif
constexpr int kStageMs = 20'000 * kSlower; ///< the longest that one stage may take
constexpr int kNoteMs = 3'000 * kSlower;   ///< stages that take longer are told of

} // namespace

class TourTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void tour_data();
    void tour();
    void mostOfTheFilesWereTraces();

private:
    using Done = std::function<bool()>;
    bool wait(const char *stage, const Done &done);
    bool analysed();
    void openAndAnalyse(const QString &path, bool &opened);
    void chooseAStep();
    void walkThePath();
    void zoomAndReturn();
    void selectByClick();
    void measureARange();
    void search();
    void askWhatIf();
    void rankTheLevers();
    void exportAPicture();
    void closeTheTrace();
    QPoint somethingUnderTheMouse();

    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }
    TimelineView &timeline() { return m_window->timeline(); }
    ViewState &state() { return m_window->state(); }
    Session &session() { return m_window->session(); }

    QTemporaryDir m_folder;
    std::unique_ptr<test::Complaints> m_complaints;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<test::WindowHands> m_hands;
    QStringList m_slow;
    int m_opened = 0, m_files = 0;
};

void TourTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("tour"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
    m_complaints = std::make_unique<test::Complaints>();
}

void TourTest::tour_data() {
    QTest::addColumn<QString>("path");
    QString folder = QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples");
    if (qEnvironmentVariable("LONGPOLE_TOUR") == QLatin1String("recorded"))
        folder = qEnvironmentVariable("LONGPOLE_TRACES");
    if (folder.isEmpty() || !QDir(folder).exists()) {
        QTest::newRow("no folder") << QString();
        return;
    }
    QStringList paths;
    QDirIterator files(folder, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) paths << files.next();
    paths.sort();
    for (const QString &path : paths)
        if (!path.endsWith(QLatin1String(".md")) && !path.endsWith(QLatin1String(".longpole.json")))
            QTest::newRow(qPrintable(QDir(folder).relativeFilePath(path))) << path;
}

/// Lets the window live until `done`, and tells of what is slow.
bool TourTest::wait(const char *stage, const Done &done) {
    QElapsedTimer time;
    time.start();
    const bool reached = QTest::qWaitFor(done, kStageMs);
    if (!reached || time.elapsed() > kNoteMs) {
        std::printf("%s: %s %s %.1f s\n", QTest::currentDataTag(), stage,
                    reached ? "takes" : "is not done after", double(time.elapsed()) / 1000);
        std::fflush(stdout);
    }
    return reached;
}

/// All that is to be known of the window that is looked at, or why it cannot be.
bool TourTest::analysed() {
    if (!session().graphProblem().empty()) return true;
    const auto path = session().path();
    return path && path->path.window.range == state().window().range && session().verdict() &&
           timeline().hasPath();
}

void TourTest::tour() {
    QFETCH(QString, path);
    if (path.isEmpty()) QSKIP("LONGPOLE_TRACES names no folder with traces");
    QSettings().clear();
    test::Complaints::taken();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1440, 900);
    m_window->show();
    m_hands = std::make_unique<test::WindowHands>(*m_window);
    QVERIFY(m_hands->activate());
    ++m_files;
    bool opened = false;
    QTemporaryDir place; // what is remembered of a trace is kept beside it
    const QString copy = place.filePath(QFileInfo(path).fileName());
    QVERIFY(QFile::copy(path, copy));
    openAndAnalyse(copy, opened);
    m_opened += opened;
    using Stage = void (TourTest::*)();
    for (Stage stage : {&TourTest::chooseAStep, &TourTest::walkThePath, &TourTest::zoomAndReturn,
                        &TourTest::selectByClick, &TourTest::measureARange, &TourTest::search,
                        &TourTest::askWhatIf, &TourTest::rankTheLevers, &TourTest::exportAPicture,
                        &TourTest::closeTheTrace}) {
        if (!opened || QTest::currentTestFailed()) break;
        (this->*stage)();
    }
    m_hands.reset();
    m_window->close();
    m_window.reset();
    QCoreApplication::processEvents();
    const QStringList complaints = test::Complaints::taken();
    QVERIFY2(complaints.isEmpty(), qPrintable(complaints.join(QLatin1Char('\n'))));
}

/// Refused files end at the page that names them; of all others everything becomes known.
void TourTest::openAndAnalyse(const QString &path, bool &opened) {
    bool refused = false;
    connect(&session(), &Session::openFailed, m_window.get(), [&refused] { refused = true; });
    connect(&session(), &Session::opened, m_window.get(), [&opened] { opened = true; });
    m_window->openPaths({path});
    QVERIFY(wait("opening", [&] { return opened || refused; }));
    auto *pages = m_window->findChild<QStackedWidget *>();
    if (refused) {
        QCOMPARE(pages->currentWidget()->objectName(), QStringLiteral("errorPage"));
        QVERIFY(child<QLabel>("errorMessage")->text().contains(QFileInfo(path).fileName()));
        m_hands->click(*child<QPushButton>("errorBack"));
        QCOMPARE(pages->currentWidget()->objectName(), QStringLiteral("startPage"));
        return;
    }
    QCOMPARE(pages->currentWidget(), static_cast<QWidget *>(&timeline()));
    QVERIFY(wait("counting", [this] { return session().statistics() != nullptr; }));
    QVERIFY(wait("the verdict", [this] { return analysed(); }));
    timeline().setFocus();
}

void TourTest::chooseAStep() {
    const size_t steps = state().loaded()->steps.steps.size();
    const auto next = state().stepBeside(1);
    m_hands->key(Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(state().step(), next);
    if (steps < 2) return;
    m_hands->key(Qt::Key_Home, Qt::ControlModifier);
    QVERIFY(!state().step());
    const auto before = state().stepBeside(-1) ? state().stepBeside(-1) : state().stepBeside(1);
    m_hands->click(*child<QWidget>(state().stepBeside(-1) ? "previousStep" : "nextStep"));
    QCOMPARE(state().step(), before);
    QVERIFY(wait("the verdict of a step", [this] { return analysed(); }));
}

void TourTest::walkThePath() {
    timeline().setFocus();
    const bool shown = state().pathShown();
    m_hands->key(Qt::Key_P);
    QCOMPARE(state().pathShown(), !shown);
    m_hands->key(Qt::Key_P);
    QCOMPARE(state().pathShown(), shown);
    state().select({});
    QSet<QString> met;
    const auto note = [&] {
        if (const IntervalId id = state().selected(); id.valid())
            met << QStringLiteral("%1:%2").arg(id.track).arg(id.row);
    };
    for (int i = 0; i < 6; ++i) {
        m_hands->key(Qt::Key_N);
        note();
    }
    for (int i = 0; i < 2; ++i) m_hands->key(Qt::Key_N, Qt::ShiftModifier);
    const auto path = session().path();
    const bool anyWork =
        path && std::any_of(path->path.segments.begin(), path->path.segments.end(),
                            [](const PathSegment &s) {
                                return s.type == PathSegment::Type::Activity && s.interval.valid();
                            });
    QCOMPARE(!met.isEmpty(), anyWork);
}

/// With the wheel to a microsecond and back: the same view, but for rounding.
void TourTest::zoomAndReturn() {
    state().frameWindow();
    const TimeRange before = state().view();
    const QPoint at = timeline().lanesRect().center();
    QList<TimeNs> lengths;
    while (state().view().length() > kMicrosecond && lengths.size() < 200) {
        lengths << state().view().length();
        m_hands->wheel(timeline(), at, 1, Qt::ControlModifier);
    }
    QVERIFY(state().view().length() <= std::max(kMicrosecond, before.length()));
    for (qsizetype i = 0; i < lengths.size(); ++i)
        m_hands->wheel(timeline(), at, -1, Qt::ControlModifier);
    const TimeRange after = state().view();
    // each notch rounds by a nanosecond, which the notches that follow make larger
    const double allowed = 2 + 0.004 * double(before.length());
    QVERIFY2(std::abs(double(after.begin - before.begin)) <= allowed &&
                 std::abs(double(after.end - before.end)) <= allowed,
             qPrintable(QStringLiteral("%1…%2, not %3…%4")
                            .arg(after.begin)
                            .arg(after.end)
                            .arg(before.begin)
                            .arg(before.end)));
    m_hands->key(Qt::Key_0);
    m_hands->key(Qt::Key_Backspace);
    for (int i = 0; i < 3; ++i) m_hands->wheel(timeline(), at, -1, Qt::ShiftModifier);
    for (int i = 0; i < 3; ++i) m_hands->wheel(timeline(), at, 1, Qt::ShiftModifier);
    for (int i = 0; i < 60; ++i) m_hands->wheel(timeline(), at, -1);
    for (int i = 0; i < 60; ++i) m_hands->wheel(timeline(), at, 1);
    QCOMPARE(timeline().scroll(), 0);
}

/// The first place of a grid over the lanes that has an interval; null where none has.
QPoint TourTest::somethingUnderTheMouse() {
    const QRect lanes = timeline().lanesRect();
    for (int y = lanes.top() + 5; y < lanes.bottom(); y += 9)
        for (int x = lanes.left() + 7; x < lanes.right(); x += lanes.width() / 24) {
            m_hands->move(timeline(), {x, y});
            if (state().hovered().valid()) return {x, y};
        }
    return {};
}

void TourTest::selectByClick() {
    m_hands->key(Qt::Key_0);
    state().select({});
    const QPoint at = somethingUnderTheMouse();
    if (at.isNull()) {
        QVERIFY2(state().trace()->intervalCount() < 60, "no interval is under any of the places");
        return;
    }
    const IntervalId hovered = state().hovered();
    m_hands->click(timeline(), at);
    QCOMPARE(state().selected(), hovered);
    const QString name = QString::fromStdString(std::string(state().trace()->name(hovered)));
    const auto *details = child<QTextBrowser>("detailsText");
    QVERIFY(wait("details",
                 [&] { return details->toPlainText().simplified().contains(name.simplified()); }));
    m_hands->key(Qt::Key_F);
    QVERIFY(timeline().rectOf(hovered).width() > 0);
    m_hands->key(Qt::Key_Period);
    m_hands->key(Qt::Key_Comma);
    m_hands->key(Qt::Key_G);
    QVERIFY(state().selected().valid());
    const IntervalId there = state().selected();
    m_hands->key(Qt::Key_G);
    m_hands->key(Qt::Key_G);
    QCOMPARE(state().selected(), there);
}

void TourTest::measureARange() {
    state().frameWindow();
    const QRect lanes = timeline().lanesRect();
    const auto before = session().statistics();
    m_hands->drag(timeline(), {lanes.left() + lanes.width() / 4, 10},
                  {lanes.left() + lanes.width() * 3 / 4, 10});
    QVERIFY(state().range());
    QCOMPARE(state().window().range, *state().range());
    QVERIFY(wait("statistics of the range", [&] { return session().statistics() != before; }));
    QVERIFY(wait("the verdict of the range", [this] { return analysed(); }));
    timeline().setFocus();
    m_hands->key(Qt::Key_Escape);
    QVERIFY(!state().range());
    QVERIFY(wait("the verdict of the step", [this] { return analysed(); }));
}

void TourTest::search() {
    auto *dock = m_window->findChild<QDockWidget *>(QStringLiteral("search"));
    if (!dock) return;
    m_hands->key(Qt::Key_F, Qt::ControlModifier);
    QVERIFY(dock->isVisible());
    for (const Qt::Key key : {Qt::Key_A, Qt::Key_T, Qt::Key_E, Qt::Key_Backspace})
        m_hands->key(key);
    QTest::qWait(300);
    for (int i = 0; i < 3; ++i) m_hands->key(Qt::Key_Return);
    m_hands->key(Qt::Key_Return, Qt::ShiftModifier);
    m_hands->key(Qt::Key_Escape);
    timeline().setFocus();
}

/// A slider to the right: the numbers follow, and the predicted view is the trace at other times.
void TourTest::askWhatIf() {
    timeline().setFocus();
    m_hands->key(Qt::Key_P, Qt::ShiftModifier);
    QVERIFY(state().predictedShown());
    auto *panel = child<QDockWidget>("whatIf");
    QVERIFY(panel->isVisible());
    QPointer<SpeedSlider> slider;
    QElapsedTimer found;
    const auto *message = child<QLabel>("whatIfMessage");
    QVERIFY(wait("the sliders", [&] { // those of the window before last until they are made anew
        if (message->isVisible()) return message->text().startsWith(QLatin1String("No "));
        if (slider) return found.elapsed() > 200;
        for (SpeedSlider *any : panel->findChildren<SpeedSlider *>())
            if (!slider && any->isVisible()) slider = any;
        found.start();
        return false;
    }));
    if (slider) {
        const int middle = slider->height() / 2;
        const int from = slider->xOf(Speed{1000});
        m_hands->drag(*slider, {from, middle}, {from + slider->width() / 5, middle});
        QVERIFY(slider->speed().milli > 1000);
        QVERIFY(wait("the prediction", [this] { return session().prediction() != nullptr; }));
        auto *readout = child<QLabel>("whatIfReplay");
        QVERIFY(wait("the read-out", [&] { return !readout->text().isEmpty(); }));
        QCoreApplication::processEvents();
        timeline().setFocus();
        for (int i = 0; i < 4; ++i)
            m_hands->wheel(timeline(), timeline().lanesRect().center(), i < 2 ? 3 : -3,
                           Qt::ControlModifier);
        m_hands->key(Qt::Key_Tab);
        m_hands->click(*slider, {slider->xOf(slider->speed()), middle});
        m_hands->key(Qt::Key_Home);
        QCOMPARE(slider->speed().milli, 1000);
        QVERIFY(wait("the end of the prediction",
                     [this] { return session().prediction() == nullptr; }));
    }
    timeline().setFocus();
    m_hands->key(Qt::Key_P, Qt::ShiftModifier);
    QVERIFY(!state().predictedShown());
}

void TourTest::rankTheLevers() {
    auto *rank = child<QPushButton>("rankLevers");
    if (!rank->isVisible()) return; // no slider, so nothing to rank
    rank->setFocus();
    m_hands->key(Qt::Key_Space);
    auto *message = child<QLabel>("rankMessage");
    auto *table = child<QTableView>("rankTable");
    QVERIFY(wait("the levers", [&] {
        return table->model()->rowCount() > 0 ||
               (message->isVisible() && message->text().contains(QLatin1String("No ")));
    }));
    if (table->model()->rowCount() == 0) return;
    table->setFocus();
    m_hands->key(Qt::Key_Return);
    QVERIFY(child<QDockWidget>("whatIf")->isVisible());
}

/// Ctrl+E, a name in the dialog, Enter.
void TourTest::exportAPicture() {
    const QString path = m_folder.filePath(QStringLiteral("tour.png"));
    QFile::remove(path);
    // The dialog may still be reading its folder and change the name: typed again until it is
    // taken.
    QTimer answer;
    int tries = 0;
    bool typing = false;
    connect(&answer, &QTimer::timeout, m_window.get(), [&] {
        auto *dialog = qobject_cast<QDialog *>(QApplication::activeModalWidget());
        if (!dialog || std::exchange(typing, true)) return;
        if (++tries > 50) return dialog->reject();
        auto *name = dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
        if (name && name->text() != path) {
            name->setFocus();
            name->selectAll();
            QTest::keyClicks(name, path);
        }
        typing = false; // before the dialog goes
        QTest::keyClick(dialog, Qt::Key_Return);
    });
    answer.start(200);
    // What was typed while a slow dialog changed the name may have gone elsewhere: asked again.
    for (int i = 0; i < 3 && !QFile::exists(path); ++i) {
        tries = 0;
        QVERIFY(m_hands->activate());
        timeline().setFocus();
        m_hands->key(Qt::Key_E, Qt::ControlModifier);
        QVERIFY(tries > 0);
    }
    QVERIFY(QFile::exists(path));
    const QImage picture(path);
    QVERIFY(!picture.isNull() && picture.width() >= m_window->width());
    QVERIFY(m_hands->activate());
}

void TourTest::closeTheTrace() {
    m_hands->key(Qt::Key_W, Qt::ControlModifier);
    QVERIFY(!state().trace());
    QCOMPARE(m_window->findChild<QStackedWidget *>()->currentWidget()->objectName(),
             QStringLiteral("startPage"));
}

void TourTest::mostOfTheFilesWereTraces() {
    if (m_files == 0) QSKIP("LONGPOLE_TRACES names no folder with traces");
    QVERIFY2(m_opened * 10 >= m_files * 8,
             qPrintable(QStringLiteral("%1 of %2").arg(m_opened).arg(m_files)));
}

int main(int argc, char **argv) {
    // Qt would say that it has to choose a folder of its own.
    QTemporaryDir runtime;
    if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR"))
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(runtime.path()));
    QApplication app(argc, argv);
    TourTest test;
    QTEST_SET_MAIN_SOURCE_PATH
    return QTest::qExec(&test, argc, argv);
}

#include "tour_test.moc"
