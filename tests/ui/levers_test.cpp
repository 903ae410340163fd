// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/support/files.h"
#include "ui/examples.h"
#include "ui/main_window.h"
#include "ui/panels/rank_model.h"
#include "ui/panels/speed_slider.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

using namespace longpole;

/// The table of levers, from a file on disk to the slider that a row moves.
class LeversTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_window.reset(); }

    void isAModel();
    void theButtonRanks();
    void rowsAreWhatTheReplaySays_data();
    void rowsAreWhatTheReplaySays();
    void aPhaseSetsItsSlider();
    void aNameShowsItsLongestPiece();
    void copiesAsText();
    void spreadTimeIsSaid();
    void stopsAndBeginsAgain();

private:
    void open(const QString &path);
    template <class T>
    T *child(const char *name) {
        T *found = m_window->findChild<T *>(QLatin1String(name));
        if (!found) qFatal("there is no %s", name);
        return found;
    }
    QTableView *table() { return child<QTableView>("rankTable"); }
    int rows() { return table()->model()->rowCount(); }
    QString label(int row) { return table()->model()->index(row, 0).data().toString(); }
    void rankBy(const QString &text) {
        auto *by = child<QComboBox>("rankBy");
        by->setCurrentText(text);
        emit by->activated(by->currentIndex());
    }
    QString example(int index) { return examples()[index].path(); }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void LeversTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("levers"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
}

void LeversTest::init() {
    QSettings().clear();
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void LeversTest::open(const QString &path) {
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait());
    QTRY_VERIFY(m_window->session().path());
    QTest::mouseClick(child<QPushButton>("rankLevers"), Qt::LeftButton);
    QTRY_VERIFY(child<QComboBox>("rankBy")->isVisible());
}

void LeversTest::isAModel() {
    RankModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    Lever lever;
    lever.label = "forward";
    lever.onPath = 40'000'000;
    lever.gain2 = 20'000'000;
    lever.low = -1'000'000;
    lever.high = 21'000'000;
    model.setLevers({lever, lever}, QStringLiteral("phase"));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, RankModel::Interval).data().toString(),
             QStringLiteral("0.000 – 21.000")); // a lever is no loss
    model.setLevers({}, {});
    QCOMPARE(model.rowCount(), 0);
}

void LeversTest::theButtonRanks() {
    open(example(0));
    QTRY_COMPARE(rows(), 4);
    QVERIFY(table()->isVisible());
    QVERIFY(!child<QToolButton>("rankStop")->isVisible());
}

void LeversTest::rowsAreWhatTheReplaySays_data() {
    QTest::addColumn<int>("by");
    QTest::addColumn<QString>("text");
    QTest::newRow("phase") << int(RankBy::Phase) << QStringLiteral("By phase");
    QTest::newRow("kind") << int(RankBy::Kind) << QStringLiteral("By kind");
    QTest::newRow("name") << int(RankBy::Name) << QStringLiteral("By name");
}

void LeversTest::rowsAreWhatTheReplaySays() {
    QFETCH(int, by);
    QFETCH(QString, text);
    open(example(6));
    rankBy(text);
    const auto loaded = m_window->state().loaded();
    const auto path = m_window->session().path();
    Progress progress;
    const auto levers = rankLevers(*loaded->trace, loaded->steps, loaded->phases, *path->graph,
                                   path->path, RankBy(by), progress);
    QVERIFY(levers && levers->size() > 2);
    QTRY_COMPARE(rows(), int(levers->size()));
    for (int row = 0; row < rows(); ++row) {
        const Lever &lever = (*levers)[size_t(row)];
        QCOMPARE(label(row), QString::fromStdString(lever.label));
        const double ms = table()
                              ->model()
                              ->index(row, RankModel::At2)
                              .data()
                              .toString()
                              .remove(QStringLiteral("< "))
                              .toDouble();
        QVERIFY(std::abs(ms - double(lever.gain2) / 1e6) < 0.002);
    }
}

void LeversTest::aPhaseSetsItsSlider() {
    open(example(0));
    QTRY_COMPARE(rows(), 4);
    int row = 0;
    while (label(row) != QStringLiteral("forward")) ++row;
    table()->setFocus();
    table()->setCurrentIndex(table()->model()->index(row, 0));
    QVERIFY(child<QLabel>("rankSentence")->text().startsWith(QStringLiteral("forward: ")));
    QTest::keyClick(table(), Qt::Key_Return);
    QTRY_VERIFY(m_window->findChild<SpeedSlider *>(QStringLiteral("slider_forward")));
    auto *slider = child<SpeedSlider>("slider_forward");
    QTRY_VERIFY(slider->isVisible());
    QVERIFY(slider->speed() == Speed{2000});
    QTest::mouseClick(child<QToolButton>("whatIfUndo"), Qt::LeftButton);
    QVERIFY(slider->speed().isOne());
}

void LeversTest::aNameShowsItsLongestPiece() {
    open(example(6));
    rankBy(QStringLiteral("By name"));
    QTRY_VERIFY(rows() > 2);
    const QPoint at = table()->visualRect(table()->model()->index(1, 0)).center();
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table()->viewport(), Qt::LeftButton, {}, at);
    const IntervalId selected = m_window->state().selected();
    QVERIFY(selected.valid());
    const Trace &trace = *m_window->state().trace();
    const std::string_view name = trace.name(selected);
    QCOMPARE(QString::fromUtf8(name.data(), qsizetype(name.size())), label(1));
    const TimeRange view = m_window->state().view();
    QVERIFY(view.begin <= trace.begin(selected) && trace.end(selected) <= view.end);
}

void LeversTest::copiesAsText() {
    open(example(0));
    QTRY_COMPARE(rows(), 4);
    QTest::mouseClick(child<QToolButton>("rankCopy"), Qt::LeftButton);
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 7); // head, rule, four levers, the last line's end
    QCOMPARE(lines[0].count(QLatin1Char('|')), int(RankModel::ColumnCount) + 1);
    QVERIFY(lines[2].startsWith(QStringLiteral("| ") + label(0)));
}

void LeversTest::spreadTimeIsSaid() {
    QString events;
    for (int i = 0; i < 80; ++i)
        events += QStringLiteral("%1{\"ph\":\"X\",\"name\":\"w%2\",\"pid\":1,\"tid\":1,"
                                 "\"ts\":%3,\"dur\":100}")
                      .arg(i ? QStringLiteral(",\n") : QString())
                      .arg(i)
                      .arg(i * 100);
    const test::TempFile file("[" + events.toStdString() + "]");
    open(QString::fromStdString(file.path()));
    rankBy(QStringLiteral("By name"));
    QTRY_VERIFY(rows() > 20);
    QVERIFY(child<QLabel>("rankMessage")
                ->text()
                .startsWith(QStringLiteral("No single change gains more than 2")));
    rankBy(QStringLiteral("Of the verdict"));
    QTRY_COMPARE(rows(), 0);
    QVERIFY(child<QLabel>("rankMessage")->isVisible());
}

void LeversTest::stopsAndBeginsAgain() {
    open(example(6));
    rankBy(QStringLiteral("By name"));
    QVERIFY(child<QToolButton>("rankStop")->isVisible()); // the job has no chance to end yet
    QTest::mouseClick(child<QToolButton>("rankStop"), Qt::LeftButton);
    QVERIFY(!child<QToolButton>("rankStop")->isVisible());
    QTest::qWait(100);
    QCOMPARE(rows(), 0);
    rankBy(QStringLiteral("By kind"));
    QTRY_VERIFY(rows() > 0);
}

QTEST_MAIN(LeversTest)
#include "levers_test.moc"
