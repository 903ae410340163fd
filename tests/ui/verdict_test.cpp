// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/training_trace.h"
#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/panels/path_model.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"
#include "ui/verdict_banner.h"
#include "ui/verdict_row.h"

#include <QAbstractProxyModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

using namespace longpole;

/// The verdict above the timeline, from a file on disk to where its numbers lead.
class VerdictTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }

    void saysWhatTheCommandLineSays();
    void theLengthFramesTheWindow();
    void phasesLeadToThePath();
    void pathSumsAddUpToTheWindow();
    void idleLeadsToTheLongestStretch();
    void leversLeadToTheirRow();
    void trustLeadsToItsPieces();
    void keysFollowNumbers();
    void nothingOverflows_data();
    void nothingOverflows();
    void smallWindowsHaveOneLine();
    void nothingJumpsWhileItAnalyses();
    void aTraceWithoutWorkSaysWhy();
    void anotherWindowHasItsOwn();

private:
    void open(const QString &path);
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }
    /// Of the table of the path, in its own order.
    const PathModel *pathModel() {
        auto *shown = qobject_cast<QAbstractProxyModel *>(table("pathTable")->model());
        auto *model = shown ? qobject_cast<PathModel *>(shown->sourceModel()) : nullptr;
        if (!model) qFatal("the table of the path shows no path");
        return model;
    }
    /// The visible numbers of a row, from left to right.
    QList<VerdictNumber *> numbers(const char *row) {
        QList<VerdictNumber *> found;
        for (auto *number : child<QWidget>(row)->findChildren<VerdictNumber *>())
            if (number->isVisible()) found << number;
        return found;
    }
    VerdictNumber *number(const char *row, VerdictLink::To to) {
        for (VerdictNumber *number : numbers(row))
            if (number->link().to == to) return number;
        qFatal("no such number in %s", row);
        return nullptr;
    }
    void click(VerdictNumber *number) { QTest::mouseClick(number, Qt::LeftButton); }
    QTableView *table(const char *name) { return child<QTableView>(name); }
    QString cell(QTableView *table, int row, int column) {
        return table->model()->index(row, column).data().toString();
    }
    bool isInFront(const char *dock) {
        auto *widget = child<QDockWidget>(dock);
        const QPoint middle = widget->mapTo(m_window.get(), widget->rect().center());
        return widget->isVisible() && widget->isAncestorOf(m_window->childAt(middle));
    }
    const Verdict &verdict() { return *m_window->session().verdict(); }

    QTemporaryDir m_folder;
    QString m_example;
    std::unique_ptr<MainWindow> m_window;
};

void VerdictTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("verdict"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
    m_example = examplesFolder() + QStringLiteral("/training.json.gz");
}

void VerdictTest::init() {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void VerdictTest::open(const QString &path) {
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait());
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().verdict(), 20'000);
    QTRY_VERIFY(!numbers("verdictHeadline").isEmpty());
}

void VerdictTest::saysWhatTheCommandLineSays() {
    open(m_example);
    QString all;
    for (const VerdictLine &line : verdict().lines) all += QString::fromStdString(line.text());
    for (const char *row : {"verdictHeadline", "verdictDevice", "verdictLevers", "verdictTrust"}) {
        QVERIFY2(!numbers(row).isEmpty(), row);
        for (VerdictNumber *number : numbers(row)) {
            QVERIFY2(all.contains(number->text()), qPrintable(number->text()));
            QVERIFY(!number->toolTip().isEmpty());
            QVERIFY(!number->accessibleDescription().isEmpty());
        }
    }
    const QString headline = child<QWidget>("verdictHeadline")->accessibleName();
    QVERIFY2(headline.startsWith(QStringLiteral("Step 9 takes 86.9\u00a0ms. Its path runs ")),
             qPrintable(headline));
    QCOMPARE(child<QWidget>("verdict")->height(), 70);
}

void VerdictTest::theLengthFramesTheWindow() {
    open(m_example);
    ViewState &state = m_window->state();
    child<QAction>("whole")->trigger();
    const TimeRange window = state.window().range;
    QVERIFY(state.view().length() > 5 * window.length());
    click(number("verdictHeadline", VerdictLink::To::Window));
    QVERIFY(state.view().begin < window.begin && window.end < state.view().end);
    QVERIFY(state.view().length() < 2 * window.length());
}

void VerdictTest::phasesLeadToThePath() {
    open(m_example);
    ViewState &state = m_window->state();
    VerdictNumber *phase = number("verdictHeadline", VerdictLink::To::Phase);
    click(phase);
    QTRY_VERIFY(isInFront("path"));
    const CriticalPath &path = m_window->session().path()->path;
    uint64_t count = 0;
    TimeNs sum = 0, longest = 0;
    for (const PathSegment &s : path.segments) {
        if (PathKeys::of(*state.loaded(), s, PathBy::Phase) != phase->link().index) continue;
        ++count;
        sum += s.end - s.begin;
        longest = std::max(longest, s.end - s.begin);
    }
    QCOMPARE(phase->text(), durationText(sum));
    QCOMPARE(table("pathTable")->model()->rowCount(), int(count));
    // the longest is selected, in the table and in the timeline
    const PathModel *model = pathModel();
    const PathSegment *current = model->segment(table("pathTable")->currentIndex().row());
    QVERIFY(current);
    QCOMPARE(current->end - current->begin, longest);
    QCOMPARE(state.selected(), current->interval);
    QVERIFY(state.view().begin <= current->begin && current->end <= state.view().end);
    // and another row leads elsewhere
    const int before = table("pathTable")->currentIndex().row();
    QTest::keyClick(table("pathTable"), Qt::Key_Up);
    const PathSegment *next = model->segment(before - 1);
    const bool ran = next->type == PathSegment::Type::Activity;
    QCOMPARE(state.selected(), ran ? next->interval : IntervalId{});
    QVERIFY(state.view().begin <= next->begin && next->end <= state.view().end);
    // an interval that is selected elsewhere finds its row
    state.reveal(current->interval);
    QCOMPARE(model->segment(table("pathTable")->currentIndex().row()), current);
    // the last sum lists the whole path again
    QTableView *totals = table("pathTotals");
    totals->selectRow(totals->model()->rowCount() - 1);
    QCOMPARE(model->rowCount(), int(path.segments.size()));
}

void VerdictTest::pathSumsAddUpToTheWindow() {
    open(m_example);
    child<QDockWidget>("path")->show();
    child<QDockWidget>("path")->raise();
    auto *by = child<QComboBox>("pathBy");
    QTableView *totals = table("pathTotals");
    for (int choice = 0; choice < by->count(); ++choice) {
        by->setCurrentIndex(choice);
        emit by->activated(choice);
        const int rows = totals->model()->rowCount();
        QVERIFY(rows >= 2);
        double sum = 0;
        for (int row = 0; row + 1 < rows; ++row)
            sum += cell(totals, row, PathTotals::Time).remove(',').toDouble();
        const double window = cell(totals, rows - 1, PathTotals::Time).remove(',').toDouble();
        QVERIFY2(std::abs(sum - window) < 1e-6,
                 qPrintable(QStringLiteral("%1 %2").arg(sum).arg(window)));
        QCOMPARE(window, double(m_window->state().window().range.length() / 1000) / 1000);
    }
}

void VerdictTest::idleLeadsToTheLongestStretch() {
    open(m_example);
    VerdictNumber *idle = nullptr;
    for (VerdictNumber *number : numbers("verdictDevice"))
        if (number->link().index < kIdleCauseCount) idle = number;
    QVERIFY(idle);
    click(idle);
    const TimeRange view = m_window->state().view();
    const TimeRange range = idle->link().range;
    QVERIFY(view.begin <= range.begin && range.end <= view.end);
    QVERIFY(range.length() * 300 >= view.length());
    QCOMPARE(m_window->state().selected(), idle->link().interval);
}

void VerdictTest::leversLeadToTheirRow() {
    open(m_example);
    const auto levers = numbers("verdictLevers");
    QCOMPARE(levers.size(), qsizetype(verdict().levers.size()));
    click(levers[1]);
    QTRY_VERIFY(isInFront("levers"));
    QTRY_COMPARE(table("rankTable")->currentIndex().row(), 1);
    QCOMPARE(cell(table("rankTable"), 1, 0),
             QString::fromStdString(verdict().levers[1].lever.label));
    // its longest piece is what is looked at
    const CriticalPath &path = m_window->session().path()->path;
    QCOMPARE(m_window->state().selected(), path.segments[verdict().levers[1].longest].interval);
}

void VerdictTest::trustLeadsToItsPieces() {
    open(m_example);
    VerdictNumber *trust = numbers("verdictTrust").first();
    click(trust);
    QTRY_VERIFY(isInFront("path"));
    QCOMPARE(child<QComboBox>("pathBy")->currentData().toInt(), int(PathBy::Trust));
    const PathModel *model = pathModel();
    QVERIFY(model->rowCount() > 0);
    for (int row = 0; row < model->rowCount(); ++row)
        QCOMPARE(int(trustOf(*model->segment(row))), int(trust->link().index));
}

void VerdictTest::keysFollowNumbers() {
    open(m_example);
    const auto headline = numbers("verdictHeadline");
    m_window->activateWindow();
    headline[0]->setFocus();
    QTRY_VERIFY(headline[0]->hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget *>(headline[1]));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTRY_VERIFY(isInFront("path"));
    headline[0]->setFocus();
    child<QAction>("whole")->trigger();
    QTest::keyClick(headline[0], Qt::Key_Space);
    QVERIFY(m_window->state().view().length() < 2 * m_window->state().window().range.length());
    // every number can be reached
    QSet<QWidget *> reached;
    headline[0]->setFocus();
    for (int i = 0; i < 200; ++i) {
        reached << QApplication::focusWidget();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    for (const char *row : {"verdictHeadline", "verdictDevice", "verdictLevers", "verdictTrust"})
        for (VerdictNumber *number : numbers(row)) QVERIFY2(reached.contains(number), row);
}

void VerdictTest::nothingOverflows_data() {
    QTest::addColumn<int>("width");
    for (const int width : {900, 1024, 1100, 1280, 1366, 1600, 1920, 2560, 3840})
        QTest::newRow(qPrintable(QString::number(width))) << width;
}

void VerdictTest::nothingOverflows() {
    QFETCH(int, width);
    m_window->resize(width, width <= 1024 ? 640 : 1000);
    open(m_example);
    QCOMPARE(m_window->width(), width);
    const auto *banner = child<QWidget>("verdict");
    QCOMPARE(banner->width(), width);
    for (const char *row : {"verdictHeadline", "verdictDevice", "verdictLevers", "verdictTrust"}) {
        int end = -1, line = -1;
        for (VerdictNumber *number : numbers(row)) {
            const QRect at(number->mapTo(banner, QPoint()), number->size());
            QVERIFY2(banner->rect().contains(at), qPrintable(number->text()));
            QVERIFY(number->width() >= number->sizeHint().width());
            if (at.top() != line) end = -1; // the trust has two rows
            line = at.top();
            QVERIFY2(at.left() >= end, qPrintable(number->text()));
            end = at.right() - 8; // the room of the focus rings may overlap
        }
    }
}

void VerdictTest::smallWindowsHaveOneLine() {
    m_window->resize(1024, 640);
    open(m_example);
    auto *banner = child<QWidget>("verdict");
    QCOMPARE(banner->height(), 40);
    QVERIFY(!child<QWidget>("verdictLevers")->isVisible());
    QVERIFY(!child<QWidget>("verdictTrust")->isVisible());
    for (const NamedLever &named : verdict().levers)
        QVERIFY(
            banner->toolTip().contains(QString::fromStdString(named.lever.label).toHtmlEscaped()));
    m_window->resize(1600, 1000);
    QTRY_VERIFY(child<QWidget>("verdictLevers")->isVisible());
    QVERIFY(banner->toolTip().isEmpty());
}

void VerdictTest::nothingJumpsWhileItAnalyses() {
    const QString large = m_folder.filePath(QStringLiteral("large.json"));
    QFile file(large);
    QVERIFY(file.open(QIODevice::WriteOnly));
    test::writeTrainingTrace(test::shapeOfSize(20'000'000), [&](std::string_view text) {
        file.write(text.data(), qint64(text.size()));
    });
    file.close();
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({large});
    QVERIFY(opened.wait(30'000));
    const auto *banner = child<QWidget>("verdict");
    QTRY_VERIFY(banner->isVisible());
    const int height = banner->height(),
              top = m_window->timeline().mapTo(m_window.get(), QPoint()).y();
    QVERIFY(numbers("verdictHeadline").isEmpty());
    const auto *headline = child<QWidget>("verdictHeadline");
    QTRY_COMPARE(headline->accessibleName(), QStringLiteral("Analysing…"));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().verdict(), 60'000);
    QVERIFY(!numbers("verdictHeadline").isEmpty());
    QCOMPARE(banner->height(), height);
    QTest::qWait(50);
    QCOMPARE(m_window->timeline().mapTo(m_window.get(), QPoint()).y(), top);
}

void VerdictTest::aTraceWithoutWorkSaysWhy() {
    const test::TempFile file(R"([{"ph":"C","name":"memory","pid":1,"ts":1,"args":{"bytes":5}},
{"ph":"C","name":"memory","pid":1,"ts":900,"args":{"bytes":7}}])");
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({QString::fromStdString(file.path())});
    QVERIFY(opened.wait());
    QTRY_VERIFY(!m_window->session().graphProblem().empty());
    QCOMPARE(child<QWidget>("verdictHeadline")->accessibleName(),
             QString::fromStdString(m_window->session().graphProblem()));
    QVERIFY(!child<QWidget>("verdictLevers")->isVisible());
}

void VerdictTest::anotherWindowHasItsOwn() {
    open(m_example);
    const QString before = child<QWidget>("verdictHeadline")->accessibleName();
    m_window->state().setStep(0);
    QTRY_VERIFY(m_window->session().verdict() &&
                verdict().window.range == m_window->state().window().range);
    QTRY_VERIFY(child<QWidget>("verdictHeadline")
                    ->accessibleName()
                    .startsWith(QStringLiteral("Step 0 takes ")));
    QVERIFY(child<QWidget>("verdictHeadline")->accessibleName() != before);
    m_window->session().close();
    QVERIFY(numbers("verdictHeadline").isEmpty());
}

QTEST_MAIN(VerdictTest)
#include "verdict_test.moc"
