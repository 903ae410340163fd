// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/files.h"
#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/panels/speed_slider.h"
#include "ui/plots/speedup_plot.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/what_if_runner.h"

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace longpole;

namespace {

const QString kOverlap = QStringLiteral("overlapping_timeline.json");
const QString kSerial = QStringLiteral("serial_step.json");

} // namespace

/// The what-if panel, driven by mouse and keys on the worked examples of the lesson.
class WhatIfTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }

    void speedsAreReadAsWritten();
    void theLongestWorkIsChosenFirst();
    void aDragMovesNumbersAndCurve();
    void overlappingExample_data();
    void overlappingExample();
    void serialExampleAgreesWithAmdahl();
    void slowerHasNoCeiling();
    void severalSlidersAddUp();
    void keysAndUndo();
    void theLatestQuestionWins();
    void aTraceWithoutWorkSaysSo();
    void anotherTraceStartsAfresh();

private:
    void open(const QString &example);
    void enter(const char *lever, const QString &factor);
    template <class T>
    T *child(const QString &name) {
        T *found = m_window->findChild<T *>(name);
        if (!found) qFatal("there is no %s", qPrintable(name));
        return found;
    }
    QString text(const char *label) {
        QString text = child<QLabel>(QLatin1String(label))->text();
        return text.replace(QChar(0xA0), QLatin1Char(' '));
    }
    SpeedSlider *slider(const char *lever) {
        return child<SpeedSlider>(QStringLiteral("slider_%1").arg(QLatin1String(lever)));
    }
    QCPGraph *graph(const QString &name);
    /// Speed-up that the drawn curve has at a speed.
    double drawn(const QString &name, double speed);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void WhatIfTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("whatif"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
}

void WhatIfTest::init() {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void WhatIfTest::open(const QString &example) {
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({QDir(examplesFolder()).filePath(example)});
    QVERIFY(opened.wait());
    QTRY_VERIFY(m_window->findChild<SpeedSlider *>(QStringLiteral("slider_forward")));
    QTRY_VERIFY(graph(QStringLiteral("replay"))->dataCount() > 0);
}

void WhatIfTest::enter(const char *lever, const QString &factor) {
    auto *field = child<QLineEdit>(QStringLiteral("factor_%1").arg(QLatin1String(lever)));
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, factor);
    QTest::keyClick(field, Qt::Key_Return);
}

QCPGraph *WhatIfTest::graph(const QString &name) {
    auto *plot = child<SpeedupPlot>(QStringLiteral("speedupPlot"));
    for (int i = 0; i < plot->graphCount(); ++i)
        if (plot->graph(i)->name() == name) return plot->graph(i);
    return nullptr;
}

double WhatIfTest::drawn(const QString &name, double speed) {
    const auto data = graph(name)->data();
    const auto next = data->findBegin(speed, false);
    if (next == data->constBegin() || next == data->constEnd()) return next->value;
    const auto before = next - 1;
    const double share = (speed - before->key) / (next->key - before->key);
    return before->value + (next->value - before->value) * share;
}

void WhatIfTest::speedsAreReadAsWritten() {
    QCOMPARE(Speed::parse(QStringLiteral("2"))->milli, 2000);
    QCOMPARE(Speed::parse(QStringLiteral(" 1.25× "))->milli, 1250);
    QVERIFY(Speed::parse(QStringLiteral("INF"))->isInfinite());
    QVERIFY(Speed::parse(QStringLiteral("∞"))->isInfinite());
    for (const char *bad : {"", "0", "-1", "fast", "nan", "0.001", "5000"})
        QVERIFY2(!Speed::parse(QLatin1String(bad)), bad);
    QCOMPARE(Speed{1350}.text(), QStringLiteral("1.35×"));
    QCOMPARE(Speed{2000}.text(), QStringLiteral("2×"));
    QCOMPARE(Speed{2000}.field(), QStringLiteral("2.00×"));
    QCOMPARE(Speed{}.stepped(1).milli, 1100);
    QCOMPARE(Speed{1234}.stepped(-1).milli, 1200);
    QVERIFY(Speed{10'000}.stepped(1).isInfinite());
    QCOMPARE(Speed::infinite().stepped(-1).milli, 10'000);
    QCOMPARE(Speed{250}.stepped(-1).milli, 250);
}

void WhatIfTest::theLongestWorkIsChosenFirst() {
    open(kOverlap);
    QTRY_COMPARE(text("whatIfReplayInfinite"), QStringLiteral("33.0 ms")); // of forward
    QCOMPARE(text("whatIfMeasured"), QStringLiteral("50.0 ms"));
    QCOMPARE(text("whatIfReplay"), QStringLiteral("50.0 ms"));
    QCOMPARE(text("onPath_data_wait"), QStringLiteral("on path 20.0 ms"));
    QCOMPARE(text("onPath_logging"), QStringLiteral("off the path"));
    QVERIFY(text("whatIfBaseline").contains(QLatin1String("to the nanosecond")));
    QVERIFY(text("whatIfShares").contains(QLatin1String("100.0 % recorded")));
    QTRY_VERIFY(text("whatIfDifference")
                    .contains(QLatin1String("13.0 ms of forward's 30.0 ms (union) run beside")));
    QVERIFY(text("whatIfDifference").contains(QLatin1String("logging takes over")));
}

void WhatIfTest::aDragMovesNumbersAndCurve() {
    open(kOverlap);
    SpeedSlider *handle = slider("data_wait");
    const int from = handle->xOf({}), to = handle->xOf({2000}), y = handle->height() / 2;
    QSet<QString> seen;
    QTest::mousePress(handle, Qt::LeftButton, {}, {from, y});
    for (int x = from; x <= to; x += 2) {
        QTest::mouseMove(handle, {x, y});
        QTest::qWait(8);
        seen << text("whatIfReplay");
    }
    QTest::mouseMove(handle, {to, y});
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("45.0 ms")); // before the button is released
    QVERIFY2(seen.size() >= 5, "the numbers follow the drag");
    QTest::mouseRelease(handle, Qt::LeftButton, {}, {to, y});
    QCOMPARE(handle->speed(), Speed{2000});
    QCOMPARE(text("whatIfReplaySpeedup"), QStringLiteral("1.11×"));
    QCOMPARE(text("whatIfAmdahl"), QStringLiteral("40.0 ms"));
    QTRY_COMPARE(text("whatIfReplayInfinite"), QStringLiteral("40.0 ms"));
    QCOMPARE(text("whatIfAmdahlInfinite"), QStringLiteral("30.0 ms"));
    QCOMPARE(text("whatIfAmdahlInfiniteInterval"), QStringLiteral("ceiling"));
    QTRY_COMPARE(text("whatIfReplayInterval"), QStringLiteral("± 50.0 µs"));
    QCOMPARE(text("whatIfEdits"), QStringLiteral("data wait 2×"));
    QTRY_VERIFY(
        text("whatIfDifference")
            .startsWith(QLatin1String("10.0 ms of data wait's 20.0 ms (union) run beside")));
    QVERIFY(text("whatIfDifference").contains(QLatin1String("H2D holds it back")));

    QTRY_VERIFY(graph(QStringLiteral("now 2×")));
    const QCPGraph *now = graph(QStringLiteral("now 2×"));
    QTRY_COMPARE(now->data()->size(), 1);
    QCOMPARE(now->data()->at(0)->key, 2.0);
    QVERIFY(std::abs(now->data()->at(0)->value - 50.0 / 45) < 1e-6);
    QStringList written;
    const auto *plot = child<SpeedupPlot>(QStringLiteral("speedupPlot"));
    const auto write = [&] {
        written.clear();
        for (int i = 0; i < plot->itemCount(); ++i)
            if (const auto *item = qobject_cast<QCPItemText *>(plot->item(i)))
                if (item->visible()) written << item->text();
        return written.join(QLatin1Char('|'));
    };
    QTRY_COMPARE(write(), QStringLiteral("Speed-up of the window, data wait scaled|Amdahl|replay|"
                                         "knee 1.0×: H2D takes over"));
    // Half of prepare runs beside the transfer: 40 + 10 / s, where Amdahl has 30 + 20 / s.
    for (const double speed : {1.5, 2.0, 5.0}) {
        QVERIFY(std::abs(drawn(QStringLiteral("replay"), speed) - 50 / (40 + 10 / speed)) < 1e-3);
        QVERIFY(std::abs(drawn(QStringLiteral("Amdahl"), speed) - 50 / (30 + 20 / speed)) < 1e-3);
    }
}

void WhatIfTest::overlappingExample_data() {
    QTest::addColumn<QString>("lever");
    QTest::addColumn<QString>("factor");
    QTest::addColumn<QString>("replayed");
    const auto row = [](const char *lever, const char *factor, const char *replayed) {
        QTest::addRow("%s %s", lever, factor)
            << QString::fromLatin1(lever) << QString::fromLatin1(factor)
            << QString::fromLatin1(replayed);
    };
    row("data_wait", "2", "45.0 ms");
    row("data_wait", "inf", "40.0 ms");
    row("forward", "2", "35.0 ms");
    row("forward", "inf", "33.0 ms");
    row("transfer", "2", "50.0 ms");
    row("logging", "inf", "50.0 ms");
}

void WhatIfTest::overlappingExample() {
    QFETCH(QString, lever);
    QFETCH(QString, factor);
    QFETCH(QString, replayed);
    open(kOverlap);
    enter(lever.toLatin1(), factor);
    QTRY_COMPARE(text("whatIfReplayName"),
                 QStringLiteral("replay at %1").arg(factor == QLatin1String("2") ? "2×" : "∞"));
    QCOMPARE(text("whatIfReplay"), replayed);
}

void WhatIfTest::serialExampleAgreesWithAmdahl() {
    open(kSerial);
    enter("forward", QStringLiteral("2"));
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("80.0 ms"));
    QCOMPARE(text("whatIfReplaySpeedup"), QStringLiteral("1.25×"));
    QCOMPARE(text("whatIfAmdahl"), QStringLiteral("80.0 ms"));
    QTRY_COMPARE(text("whatIfReplayInfinite"), QStringLiteral("60.0 ms"));
    QCOMPARE(text("whatIfReplayInfiniteSpeedup"), QStringLiteral("1.67×"));
    QTRY_VERIFY(text("whatIfDifference").contains(QLatin1String("replay and Amdahl agree")));
    enter("forward", QStringLiteral("1"));
    enter("data_wait", QStringLiteral("2"));
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("80.0 ms"));
}

void WhatIfTest::slowerHasNoCeiling() {
    open(kOverlap);
    enter("data_wait", QStringLiteral("0.5"));
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("70.0 ms"));
    QCOMPARE(text("whatIfAmdahl"), QStringLiteral("–"));
    QTRY_VERIFY(graph(QStringLiteral("now 0.5×")));
    QTRY_COMPARE(graph(QStringLiteral("now 0.5×"))->data()->at(0)->key, 0.5);
    QTRY_VERIFY(std::abs(drawn(QStringLiteral("replay"), 0.5) - 50.0 / 70) < 1e-3);
}

void WhatIfTest::severalSlidersAddUp() {
    open(kOverlap);
    enter("data_wait", QStringLiteral("inf"));
    enter("transfer", QStringLiteral("inf"));
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("30.0 ms"));
    QCOMPARE(text("whatIfAmdahl"), QStringLiteral("30.0 ms")); // they share 10 ms: counted once
    QVERIFY(text("whatIfEdits").contains(QStringLiteral("transfer ∞")));
    // The curve of the transfer starts where the other slider has brought it.
    QTRY_VERIFY(std::abs(drawn(QStringLiteral("replay"), 1) - 50.0 / 40) < 1e-3);
}

void WhatIfTest::keysAndUndo() {
    open(kOverlap);
    SpeedSlider *handle = slider("forward");
    handle->setFocus();
    QTest::keyClick(handle, Qt::Key_Right);
    QCOMPARE(handle->speed(), Speed{1100});
    QTest::keyClick(handle, Qt::Key_End);
    QVERIFY(handle->speed().isInfinite());
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("33.0 ms"));
    QTest::keyClick(handle, Qt::Key_Home);
    QCOMPARE(handle->speed(), Speed{});
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("50.0 ms"));
    QTest::keyClick(handle, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(handle->speed().isInfinite());
    child<QToolButton>(QStringLiteral("whatIfUndo"))->click();
    QCOMPARE(handle->speed(), Speed{1100});
    child<QToolButton>(QStringLiteral("whatIfReset"))->click();
    QCOMPARE(handle->speed(), Speed{});
    QVERIFY(!child<QToolButton>(QStringLiteral("whatIfReset"))->isEnabled());

    auto *field = child<QLineEdit>(QStringLiteral("factor_forward"));
    enter("forward", QStringLiteral("quick"));
    QCOMPARE(field->text(), QStringLiteral("1.00×"));
    QTest::keyClick(field, Qt::Key_Up);
    QCOMPARE(field->text(), QStringLiteral("1.10×"));
    QCOMPARE(handle->speed(), Speed{1100});
}

void WhatIfTest::theLatestQuestionWins() {
    open(kOverlap);
    Progress progress;
    Window window;
    window.range = m_window->state().trace()->range;
    const auto basis =
        makeWhatIfBasis(m_window->state().loaded(), m_window->session().graph(), window, {}, progress);
    QVERIFY(basis);
    WhatIfRunner runner;
    std::vector<WhatIfAnswer> answers;
    connect(&runner, &WhatIfRunner::answered, this,
            [&](const WhatIfAnswer &answer) { answers.push_back(answer); });
    WhatIfQuestion question{*basis, std::vector<Speed>((*basis)->levers.size()), 0};
    for (int milli = 1001; milli <= 2000; ++milli) {
        question.speeds[0] = {milli};
        runner.ask(question);
    }
    QTRY_VERIFY(!answers.empty() && answers.back().curve);
    QCOMPARE(answers.back().question.speeds[0], Speed{2000});
    QCOMPARE(answers.back().ns, TimeNs(45'000'000));
    int last = 0;
    for (const WhatIfAnswer &answer : answers) {
        QVERIFY(answer.question.speeds[0].milli >= last); // never an older one after a newer
        last = answer.question.speeds[0].milli;
    }
    answers.clear();
    runner.ask(question);
    runner.forget();
    QTest::qWait(100);
    QVERIFY(answers.empty());
}

void WhatIfTest::aTraceWithoutWorkSaysSo() {
    const test::TempFile file(
        R"({"traceEvents": [{"ph":"C","name":"memory","pid":1,"ts":1,"args":{"bytes":1}}]})");
    m_window->openPaths({QString::fromStdString(file.path())});
    auto *message = child<QLabel>(QStringLiteral("whatIfMessage"));
    QTRY_VERIFY(m_window->state().trace());
    QVERIFY(message->isVisible());
    QTRY_VERIFY(!m_window->session().graphProblem().empty());
    QVERIFY(message->text().contains(QString::fromStdString(m_window->session().graphProblem())));
}

void WhatIfTest::anotherTraceStartsAfresh() {
    open(kOverlap);
    enter("forward", QStringLiteral("2"));
    QTRY_COMPARE(text("whatIfReplay"), QStringLiteral("35.0 ms"));
    open(kSerial);
    QTRY_COMPARE(text("whatIfMeasured"), QStringLiteral("100 ms"));
    QCOMPARE(slider("forward")->speed(), Speed{});
    QVERIFY(!child<QToolButton>(QStringLiteral("whatIfUndo"))->isEnabled());
}

QTEST_MAIN(WhatIfTest)
#include "what_if_test.moc"
