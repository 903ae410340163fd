// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs with names, and what the panel shows while another window is worked out.
#include <QTest>

#include "tests/support/files.h"
#include "tests/ui/window_hands.h"
#include "ui/examples.h"
#include "ui/panels/speed_slider.h"
#include "ui/panels/what_if_panel.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUndoStack>

using namespace longpole;

class ScenariosTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup();
    void savedChosenUndoneRemoved();
    void keptWithTheTrace();
    void aNameIsKeptOnce();
    void anotherWindowIsPending();
    void refusalsAreWarnings();
    void nothingLeftIsInfinite();

private:
    void open(const QString &path);
    void enter(const char *lever, const char *factor);
    void save(const char *name);
    WhatIfPanel &panel() { return *m_window->findChild<WhatIfPanel *>(); }
    QString speed(const char *lever) {
        return child<QLineEdit>(qPrintable(QStringLiteral("factor_%1").arg(lever)))->text();
    }
    QString listed() { return child<QComboBox>("scenarioList")->currentText(); }
    QString text(const char *label) { return child<QLabel>(label)->text(); }
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }

    QTemporaryDir m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<test::WindowHands> m_hands;
};

void ScenariosTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("scenarios"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    qputenv("XDG_DATA_HOME", m_settings.path().toLocal8Bit());
    useBundledFont();
    applyStyle(false);
}

void ScenariosTest::init() {
    QSettings().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("overlap.json"));
    QVERIFY(QFile::copy(QDir(examplesFolder()).filePath("overlapping_timeline.json"), m_path));
    open(m_path);
}

void ScenariosTest::open(const QString &path) {
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    m_hands = std::make_unique<test::WindowHands>(*m_window);
    QVERIFY(m_hands->activate());
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait());
    auto *dock = child<QDockWidget>("whatIf");
    dock->show();
    dock->raise();
    QTRY_VERIFY(m_window->findChild<SpeedSlider *>("slider_forward"));
    QTRY_VERIFY(text("whatIfReplay").contains("ms"));
}

void ScenariosTest::cleanup() {
    m_hands.reset();
    m_window.reset();
}

void ScenariosTest::enter(const char *lever, const char *factor) {
    auto *field = child<QLineEdit>(qPrintable(QStringLiteral("factor_%1").arg(lever)));
    field->setFocus();
    field->selectAll();
    m_hands->type(factor);
    m_hands->key(Qt::Key_Return);
}

void ScenariosTest::save(const char *name) {
    m_hands->key(Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(QApplication::focusWidget(), child<QLineEdit>("scenarioName"));
    m_hands->type(name); // over the suggestion
    m_hands->key(Qt::Key_Return);
}

void ScenariosTest::savedChosenUndoneRemoved() {
    QUndoStack &undo = m_window->state().undoStack();
    m_hands->key(Qt::Key_S, Qt::ControlModifier); // nothing to save yet
    QVERIFY(!child<QLineEdit>("scenarioName")->isVisible());
    enter("forward", "2");
    QCOMPARE(listed(), QString("Not saved"));
    save("fast forward");
    QCOMPARE(listed(), QString("fast forward"));
    enter("forward", "4");
    enter("data_wait", "3");
    QCOMPARE(listed(), QString("Not saved"));
    save("both");
    auto *list = child<QComboBox>("scenarioList");
    list->setFocus();
    m_hands->key(Qt::Key_Down); // "both", then "fast forward"
    QCOMPARE(listed(), QString("fast forward"));
    QVERIFY(speed("forward").startsWith("2"));
    QVERIFY(speed("data_wait").startsWith("1"));
    undo.undo(); // of the choice
    QCOMPARE(listed(), QString("both"));
    QVERIFY(speed("forward").startsWith("4"));
    QVERIFY(speed("data_wait").startsWith("3"));
    undo.undo(); // of saving it
    QCOMPARE(listed(), QString("Not saved"));
    undo.redo();
    QCOMPARE(listed(), QString("both"));
    m_hands->click(*child<QToolButton>("scenarioRemove"));
    QCOMPARE(panel().scenarios().all().size(), size_t(1));
    m_window->timeline().setFocus();
    m_hands->key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(panel().scenarios().all().size(), size_t(2));
    QCOMPARE(listed(), QString("both"));
    // Escape in the name keeps nothing
    enter("forward", "8");
    m_hands->key(Qt::Key_S, Qt::ControlModifier);
    m_hands->key(Qt::Key_Escape);
    QCOMPARE(panel().scenarios().all().size(), size_t(2));
    QCOMPARE(listed(), QString("Not saved"));
    // and the palette knows them
    m_window->timeline().setFocus();
    m_hands->key(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClicks(child<QLineEdit>("paletteField"), "Scenario fast");
    QTest::keyClick(child<QLineEdit>("paletteField"), Qt::Key_Return);
    QTRY_COMPARE(listed(), QString("fast forward"));
}

void ScenariosTest::keptWithTheTrace() {
    enter("forward", "2");
    save("kept \"so\"");
    enter("forward", "1");
    m_window->close();
    QFile file(m_path + ".longpole.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("\"scenarios\""));
    open(m_path);
    QCOMPARE(listed(), QString("Scenarios: 1"));
    auto *list = child<QComboBox>("scenarioList");
    list->setFocus();
    m_hands->key(Qt::Key_Down);
    QCOMPARE(listed(), QString("kept \"so\""));
    QVERIFY(speed("forward").startsWith("2"));
    // another trace has its own
    const test::TempFile other(
        R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":10}])");
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({QString::fromStdString(other.path())});
    QVERIFY(opened.wait());
    QVERIFY(panel().scenarios().all().empty());
}

void ScenariosTest::aNameIsKeptOnce() {
    enter("forward", "2");
    save("one");
    enter("forward", "5");
    save("one");
    QCOMPARE(panel().scenarios().all().size(), size_t(1));
    QCOMPARE(panel().scenarios().all()[0].stand.speeds.at("forward").milli, 5000);
    m_window->state().undoStack().undo();
    QCOMPARE(panel().scenarios().all()[0].stand.speeds.at("forward").milli, 2000);
}

/// Numbers of the last window are not to be read as those of the next.
void ScenariosTest::anotherWindowIsPending() {
    enter("forward", "2");
    QTRY_VERIFY(!text("whatIfDifference").isEmpty());
    const QString before = text("whatIfMeasured"), sums = text("onPath_forward");
    m_window->state().setRange(TimeRange{22'000'000, 37'000'000});
    for (const char *label : {"whatIfMeasured", "whatIfReplay", "whatIfReplayInfinite",
                              "whatIfAmdahl", "onPath_forward"})
        QCOMPARE(text(label), QString("…"));
    QCOMPARE(text("whatIfReplayInterval"), QString());
    QVERIFY(text("whatIfBaseline").startsWith("Working out"));
    child<SpeedSlider>("slider_forward")->setFocus();
    m_hands->key(Qt::Key_Right); // a change meanwhile is not answered for the old window
    QCOMPARE(text("whatIfReplay"), QString("…"));
    QTRY_VERIFY(text("whatIfMeasured").startsWith("15.0"));
    QTRY_VERIFY(text("whatIfReplay").contains("ms"));
    QVERIFY(text("whatIfMeasured") != before);
    QVERIFY(text("onPath_forward") != QString("…") && text("onPath_forward") != sums);
    QVERIFY(text("whatIfBaseline").startsWith("Baseline"));
}

void ScenariosTest::refusalsAreWarnings() {
    const auto warned = [this] {
        for (QLabel *label : m_window->findChildren<QLabel *>("editSentence")) {
            if (!label->isVisible() || !label->text().startsWith("Not applied")) continue;
            const QImage picture = label->grab().toImage();
            int count = 0;
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x)
                    count += picture.pixelColor(x, y).rgb() == theme().warn.rgb();
            return count;
        }
        return -1;
    };
    auto *operand = child<QLineEdit>("editOperand");
    operand->setFocus();
    operand->selectAll();
    m_hands->type("name:(");
    m_hands->key(Qt::Key_Return);
    QTRY_VERIFY(warned() > 5);
    chooseTheme("dark"); // and in the colours of another theme
    QTRY_VERIFY(warned() > 5);
    chooseTheme("light");
}

void ScenariosTest::nothingLeftIsInfinite() {
    cleanup();
    const test::TempFile alone(
        R"([{"ph":"X","cat":"cpu_op","name":"forward","pid":1,"tid":1,"ts":0,"dur":10000}])");
    open(QString::fromStdString(alone.path()));
    enter("forward", "inf");
    QTRY_COMPARE(text("whatIfReplaySpeedup"), QString("∞"));
    QTRY_VERIFY(child<QWidget>("speedupPlot")->accessibleDescription().contains("∞"));
}

QTEST_MAIN(ScenariosTest)
#include "scenarios_test.moc"
