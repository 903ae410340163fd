// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/text_trace.h"
#include "ui/command_palette.h"
#include "ui/commands.h"
#include "ui/main_window.h"
#include "ui/marks.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/overview_bar.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_choices.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QUndoStack>

#include <set>

using namespace longpole;

namespace {

/// Three steps of four kernels, in a file.
std::string traceText() {
    std::string events;
    const auto add = [&](const std::string &name, const char *cat, int pid, int tid, int ts,
                         int dur, const std::string &args) {
        events += (events.empty() ? "" : ",\n") + std::string("{\"ph\":\"X\",\"cat\":\"") + cat +
                  "\",\"name\":\"" + name + "\",\"pid\":" + std::to_string(pid) +
                  ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(ts) +
                  ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + args + "}}";
    };
    int correlation = 0;
    for (int step = 0; step < 3; ++step) {
        const int at = step * 10000;
        add("ProfilerStep#" + std::to_string(step), "user_annotation", 10, 1, at, 9000, "");
        for (int i = 0; i < 4; ++i) {
            const int begin = at + 100 + i * 1000;
            const std::string link = "\"correlation\":" + std::to_string(++correlation);
            add("aten::mm", "cpu_op", 10, 1, begin, 800, "\"External id\":" + std::to_string(i));
            add("cudaLaunchKernel", "cuda_runtime", 10, 1, begin + 100, 50, link);
            add(i % 2 ? "gemm_odd" : "gemm_even", "kernel", 0, 7, begin + 200, 1500,
                link + ",\"device\":0,\"stream\":7,\"grid\":[" + std::to_string(i) + ",1,1]");
        }
        add("Memcpy HtoD", "gpu_memcpy", 0, 9, at + 500, 300,
            "\"device\":0,\"stream\":9,\"bytes\":4096");
    }
    return "{\"schemaVersion\": 1, \"traceEvents\": [\n" + events + "]}";
}

int accentPixels(const QImage &image) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y).rgb() == theme().accent.rgb();
    return count;
}

} // namespace

/// What a hand does in the whole window: searching, walking, marking, undoing; each with real keys.
class WindowHandsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup();

    void searchFindsWalksAndMarks();
    void enterBeforeTheHitsWalksWhenTheyCome();
    void searchKeepsToACategory();
    void searchSaysWhatIsWrong();
    void searchReadsArguments();
    void searchTableLeadsToTracks();
    void everyShortcutOfTheListIsTheActions();
    void helpListsTheTable();
    void paletteRunsWhatIsTyped();
    void paletteScores();
    void marksComeAndGoWithUndo();
    void aRangeMarksItsLength();
    void notesAreWrittenInPlace();
    void windowsAndWhatIfsAreUndone();
    void whatIsKeptComesBack();
    void editsAreAppliedRefusedAndUndone();
    void detailsGoUpAndDown();

private:
    void open();
    void key(const char *keys);
    void type(QWidget *into, const char *text) { QTest::keyClicks(into, QLatin1String(text)); }
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }
    IntervalId named(const char *name) { return test::find(*m_window->state().trace(), name); }

    QTemporaryDir m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    std::unique_ptr<MainWindow> m_window;
};

void WindowHandsTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("hands"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    qputenv("XDG_DATA_HOME", m_settings.path().toLocal8Bit());
    useBundledFont();
    applyStyle(false);
}

void WindowHandsTest::init() {
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("three steps.json"));
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(traceText()));
    file.close();
    open();
}

void WindowHandsTest::open() {
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1400, 900);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->activateWindow();
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({m_path});
    QVERIFY(opened.wait());
    m_window->timeline().setFocus();
}

void WindowHandsTest::cleanup() {
    m_window.reset();
}

/// As a keyboard sends it, to whatever has the focus.
void WindowHandsTest::key(const char *keys) {
    const QKeyCombination combination = QKeySequence(QLatin1String(keys))[0];
    if (!m_window->isActiveWindow()) { // without a window manager nobody gives it back
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    QWidget *focus = QApplication::focusWidget() ? QApplication::focusWidget() : m_window.get();
    QTest::keyClick(focus, combination.key(), combination.keyboardModifiers());
}

void WindowHandsTest::searchFindsWalksAndMarks() {
    ViewState &state = m_window->state();
    key("Ctrl+F");
    auto *field = child<QLineEdit>("searchField");
    QTRY_VERIFY(field->hasFocus());
    type(field, "GEMM_e");
    QTRY_VERIFY(state.searchHits());
    QTRY_COMPARE(state.searchHits()->count, size_t(6));
    QVERIFY(child<QLabel>("searchStatus")->text().startsWith(QLatin1String("6 hits")));
    QTRY_COMPARE(child<QTableView>("searchTable")->model()->rowCount(), 6);
    m_window->timeline().showWholeTrace();
    state.select({});
    const int before = accentPixels(child<QWidget>("overview")->grab().toImage());
    std::vector<IntervalId> walked;
    for (int i = 0; i < 7; ++i) {
        QTest::keyClick(field, Qt::Key_Return);
        walked.push_back(state.selected());
        QCOMPARE(state.trace()->name(state.selected()), std::string_view("gemm_even"));
        QVERIFY(!m_window->timeline().rectOf(state.selected()).isNull());
    }
    QVERIFY(walked.front() == walked.back()); // behind the last comes the first
    QCOMPARE((std::set<IntervalId>(walked.begin(), walked.end()).size()), size_t(6));
    QTRY_VERIFY(child<QLabel>("searchStatus")->text().startsWith(QLatin1String("1 of 6 hits")));
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(state.selected() == walked[5]);
    QTest::keyClick(field, Qt::Key_Escape);
    QTRY_VERIFY(!state.searchHits());
    QTRY_VERIFY(accentPixels(child<QWidget>("overview")->grab().toImage()) < before);
}

void WindowHandsTest::enterBeforeTheHitsWalksWhenTheyCome() {
    key("Ctrl+F");
    auto *field = child<QLineEdit>("searchField");
    field->setText(QStringLiteral("Memcpy"));
    QTest::keyClick(field, Qt::Key_Return); // no event loop has run since
    ViewState &state = m_window->state();
    QTRY_VERIFY(state.selected().valid());
    QCOMPARE(state.trace()->name(state.selected()), std::string_view("Memcpy HtoD"));
}

void WindowHandsTest::searchKeepsToACategory() {
    key("Ctrl+F");
    type(child<QLineEdit>("searchField"), "/e/");
    QTRY_VERIFY(m_window->state().searchHits());
    auto *category = child<QComboBox>("searchCategory");
    category->setFocus();
    QTest::keyClicks(category, QStringLiteral("gpu_m"));
    QTRY_COMPARE(m_window->state().searchHits()->count, size_t(3));
}

void WindowHandsTest::searchSaysWhatIsWrong() {
    key("Ctrl+F");
    auto *field = child<QLineEdit>("searchField");
    type(field, "/(/");
    QTRY_VERIFY(child<QLabel>("searchStatus")->text().contains(QLatin1String("is not valid")));
    field->clear();
    type(field, "nobody");
    QTRY_VERIFY(child<QLabel>("searchStatus")->text().contains(QLatin1String("No name contains")));
    QVERIFY(!child<QTableView>("searchTable")->isVisible());
}

void WindowHandsTest::searchReadsArguments() {
    key("Ctrl+F");
    auto *field = child<QLineEdit>("searchField");
    type(field, "[3,1,1]");
    QTRY_VERIFY(m_window->state().searchHits());
    QCOMPARE(m_window->state().searchHits()->count, size_t(0));
    QTest::mouseClick(child<QPushButton>("searchArguments"), Qt::LeftButton);
    QTRY_COMPARE(m_window->state().searchHits()->count, size_t(3));
    QVERIFY(child<QLabel>("searchStatus")->text().contains(QLatin1String("arguments included")));
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_window->state().trace()->name(m_window->state().selected()),
             std::string_view("gemm_odd"));
}

void WindowHandsTest::searchTableLeadsToTracks() {
    const uint32_t track = named("Memcpy HtoD").track;
    m_window->state().tracks().setHidden(track, true);
    key("Ctrl+F");
    type(child<QLineEdit>("searchField"), "stream 9");
    auto *table = child<QTableView>("searchTable");
    QTRY_VERIFY(table->isVisible());
    QTRY_COMPARE(table->model()->rowCount(), 1);
    QTest::keyClick(child<QLineEdit>("searchField"), Qt::Key_Down);
    table->setCurrentIndex(table->model()->index(0, 0));
    QTest::keyClick(table, Qt::Key_Return);
    QVERIFY(!m_window->state().tracks().hidden(track));
}

/// Every line of the table that is the window's has an action with exactly these keys, and no
/// action has keys that are not in the table.
void WindowHandsTest::everyShortcutOfTheListIsTheActions() {
    for (const Command &command : commands()) {
        if (command.where != Command::Where::Window) continue;
        auto *action = m_window->findChild<QAction *>(QLatin1String(command.id));
        QVERIFY2(action, command.id);
        QVERIFY2(action->shortcuts() == keysOf(command), command.id);
    }
    QHash<QKeySequence, QString> owners;
    for (const QAction *action : m_window->findChildren<QAction *>())
        for (const QKeySequence &keys : action->shortcuts()) {
            const Command *command = commandOf(action->objectName());
            QVERIFY2(command, qPrintable(action->text()));
            QVERIFY2(!owners.contains(keys), qPrintable(keys.toString()));
            owners[keys] = action->objectName();
        }
}

void WindowHandsTest::helpListsTheTable() {
    key("?");
    auto *text = child<QLabel>("keyHelpText");
    for (const Command &command : commands()) {
        if (!command.section) continue;
        QVERIFY2(text->text().contains(QString::fromUtf8(command.what).toHtmlEscaped()),
                 command.what);
        QVERIFY2(text->text().contains(keyText(command).toHtmlEscaped()), command.keys);
    }
    QTest::keyClick(child<QWidget>("keyHelp"), Qt::Key_Escape);
}

void WindowHandsTest::paletteRunsWhatIsTyped() {
    key("Ctrl+Shift+P");
    type(child<QLineEdit>("paletteField"), "whole trace");
    m_window->state().setView({0, 1000}, false);
    QTest::keyClick(child<QLineEdit>("paletteField"), Qt::Key_Return);
    QVERIFY(m_window->state().view().length() > 1'000'000);
    const auto run = [this](const char *typed) {
        QTRY_VERIFY(!m_window->findChild<QDialog *>(QStringLiteral("commandPalette")));
        m_window->timeline().setFocus();
        key("Ctrl+Shift+P");
        type(child<QLineEdit>("paletteField"), typed);
        QTest::keyClick(child<QLineEdit>("paletteField"), Qt::Key_Return);
    };
    run("Step 2");
    QVERIFY(m_window->state().step() == 2u);
    run("Notes");
    QTRY_VERIFY(!child<QLabel>("notesEmpty")->visibleRegion().isEmpty());
    const uint32_t track = named("Memcpy HtoD").track;
    m_window->state().tracks().setHidden(track, true);
    run("stream 9");
    QVERIFY(!m_window->state().tracks().hidden(track));
}

void WindowHandsTest::paletteScores() {
    const auto score = [](const char *typed, const char *text) {
        return paletteScore(QLatin1String(typed), QLatin1String(text));
    };
    QVERIFY(score("xyz", "Whole trace") < 0);
    QVERIFY(score("wt", "Whole trace") >= 0);
    QVERIFY(score("whole", "Whole trace") > score("whole", "Who holds the elk"));
    QVERIFY(score("wt", "Whole trace") > score("wt", "How to"));
    QCOMPARE(score("", "anything"), 0);
}

void WindowHandsTest::marksComeAndGoWithUndo() {
    ViewState &state = m_window->state();
    const QImage bare = m_window->timeline().grab().toImage();
    const TimeNs at = state.view().begin + state.view().length() / 3;
    state.setCursor(at);
    key("M");
    QCOMPARE(state.marks().all().size(), size_t(1));
    QCOMPARE(state.marks().all()[0].range, (TimeRange{at, at}));
    QVERIFY(accentPixels(m_window->timeline().grab().toImage()) > accentPixels(bare));
    key("Ctrl+Z");
    QVERIFY(state.marks().all().empty());
    key("Ctrl+Shift+Z");
    QCOMPARE(state.marks().all().size(), size_t(1));
    const TimeRange view = state.view();
    m_window->timeline().zoom(2);
    key("Ctrl+Z"); // the view has a history of its own
    QVERIFY(state.marks().all().empty());
    QVERIFY(state.view() != view);
    key("Backspace");
    QCOMPARE(state.view(), view);
}

void WindowHandsTest::aRangeMarksItsLength() {
    ViewState &state = m_window->state();
    state.setRange(TimeRange{1'000'000, 3'500'000});
    key("M");
    QCOMPARE(state.marks().all()[0].range, (TimeRange{1'000'000, 3'500'000}));
    m_window->findChild<QDockWidget *>(QStringLiteral("notes"))->raise();
    auto *table = child<QTableView>("notesTable");
    QCOMPARE(table->model()->index(0, 1).data().toString().replace(QChar(0xA0), QLatin1Char(' ')),
             QStringLiteral("2.50 ms"));
}

void WindowHandsTest::notesAreWrittenInPlace() {
    ViewState &state = m_window->state();
    state.setCursor(5'000'000);
    key("Ctrl+M");
    auto *table = child<QTableView>("notesTable");
    QTRY_VERIFY(table->findChild<QLineEdit *>());
    auto *editor = table->findChild<QLineEdit *>();
    type(editor, "too late");
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(state.marks().all()[0].text, QStringLiteral("too late"));
    QVERIFY(child<QDockWidget>("notes")->windowTitle().contains(QLatin1String("(1)")));
    table->setFocus();
    table->selectRow(0);
    QTest::keyClick(table, Qt::Key_Delete);
    QVERIFY(state.marks().all().empty());
    state.undoStack().undo();
    QCOMPARE(state.marks().all()[0].text, QStringLiteral("too late"));
    state.undoStack().undo();
    QCOMPARE(state.marks().all()[0].text, QString());
}

void WindowHandsTest::windowsAndWhatIfsAreUndone() {
    ViewState &state = m_window->state();
    key("Ctrl+PgDown");
    const auto step = state.step();
    QVERIFY(step);
    state.setRange(TimeRange{1'000'000, 2'000'000});
    state.setRange(TimeRange{1'000'000, 2'500'000}); // of one drag
    key("Ctrl+Z");
    QVERIFY(!state.range());
    QVERIFY(state.step() == step);
    key("Ctrl+Shift+Z");
    QCOMPARE(*state.range(), (TimeRange{1'000'000, 2'500'000}));
    key("Ctrl+Z");
    key("Ctrl+Z");
    QVERIFY(!state.step());
    QVERIFY(!state.undoStack().canUndo());
}

void WindowHandsTest::whatIsKeptComesBack() {
    const QString kept = m_path + QStringLiteral(".longpole.json");
    const uint32_t copies = named("Memcpy HtoD").track, kernels = named("gemm_odd").track;
    m_window->state().marks().add({7'000'000, 7'000'000}, QStringLiteral("here"));
    m_window->state().tracks().setHidden(copies, true);
    m_window->state().tracks().setPinned(kernels, true);
    QVERIFY(!QFile::exists(kept));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(kept), 4000); // two seconds after a change
    m_window->state().marks().add({9'000'000, 9'000'000});
    m_window->close(); // and at close
    QFile file(kept);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    QVERIFY(content.contains("9000000"));
    QVERIFY2(!content.contains(m_folder->path().toLocal8Bit()), "no folder is written down");
    open();
    QCOMPARE(m_window->state().marks().all().size(), size_t(2));
    QCOMPARE(m_window->state().marks().all()[0].text, QStringLiteral("here"));
    QVERIFY(m_window->state().tracks().hidden(copies));
    QVERIFY(m_window->state().tracks().isPinned(kernels));
    QVERIFY(!m_window->state().undoStack().canUndo());
}

void WindowHandsTest::editsAreAppliedRefusedAndUndone() {
    QTRY_VERIFY(m_window->session().graph());
    m_window->findChild<QDockWidget *>(QStringLiteral("whatIf"))->raise();
    auto *operand = child<QLineEdit>("editOperand");
    QTRY_VERIFY(operand->isVisible());
    operand->setFocus();
    operand->selectAll();
    type(operand, "name:Memcpy HtoD");
    QTest::keyClick(operand, Qt::Key_Return);
    QTRY_COMPARE(m_window->findChildren<QWidget *>(QStringLiteral("editRow")).size(), 1);
    QVERIFY(!child<QLabel>("editSentence")->text().startsWith(QLatin1String("Not applied")));
    operand->selectAll();
    type(operand, "name:(");
    QTest::keyClick(operand, Qt::Key_Return);
    const auto refused = [this] {
        for (const QLabel *label : m_window->findChildren<QLabel *>(QStringLiteral("editSentence")))
            if (label->text().startsWith(QLatin1String("Not applied"))) return true;
        return false;
    };
    QTRY_VERIFY(refused());
    m_window->timeline().setFocus();
    key("Ctrl+Z");
    QTRY_VERIFY(!refused());
    QTRY_COMPARE(m_window->findChildren<QWidget *>(QStringLiteral("editRow")).size(), 1);
    key("Ctrl+Z");
    QTRY_COMPARE(m_window->findChildren<QWidget *>(QStringLiteral("editRow")).size(), 0);
}

void WindowHandsTest::detailsGoUpAndDown() {
    ViewState &state = m_window->state();
    const IntervalId op = named("aten::mm"), launch = named("cudaLaunchKernel");
    state.reveal(launch);
    auto *details = child<QWidget>("detailsText");
    m_window->findChild<QDockWidget *>(QStringLiteral("details"))->raise();
    details->setFocus();
    QTest::keyClick(details, Qt::Key_Up);
    QVERIFY(state.selected() == op);
    QTest::keyClick(details, Qt::Key_Down);
    QVERIFY(state.selected() == launch);
    QTest::keyClick(details, Qt::Key_Down);
    QVERIFY(state.selected() == launch); // nothing is inside it
}

QTEST_MAIN(WindowHandsTest)
#include "hands_test.moc"
