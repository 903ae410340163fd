// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the panels in the window, each by mouse and keys: what their models hold is what
// is sorted, filtered and copied.
#include <QTest>

#include "tests/support/files.h"
#include "tests/ui/window_hands.h"
#include "ui/marks.h"
#include "ui/panels/table.h"
#include "ui/panels/table_order.h"
#include "ui/style.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace longpole;

class PanelTablesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void everyTable_data();
    void everyTable();
    void searchIsFilteredToo();
    void statisticsAreFilteredInTheirField();
    void theImportLog();

private:
    Table *table(const char *name) { return m_window->findChild<Table *>(QLatin1String(name)); }
    void show(const char *panel);
    void clickHeader(Table &table, int column);
    void checkOrder(Table &table, int column, bool rising);

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<test::WindowHands> m_hands;
};

void PanelTablesTest::initTestCase() {
    QCoreApplication::setOrganizationName(QStringLiteral("longpole-test"));
    QCoreApplication::setApplicationName(QStringLiteral("panel-tables"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    useBundledFont();
    applyStyle(false);
    const QString path = m_folder.filePath("training.json.gz");
    QVERIFY(QFile::copy(LONGPOLE_SOURCE_DIR "/resources/examples/training.json.gz", path));
    m_window = std::make_unique<MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    m_hands = std::make_unique<test::WindowHands>(*m_window);
    QVERIFY(m_hands->activate());
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({path});
    QVERIFY(opened.wait(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().statistics(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session().path(), 60'000);
    m_window->state().marks().add({5'000'000, 5'000'000}, "late, \"second\" | point");
    m_window->state().marks().add({1'000'000, 3'000'000}, "first");
    m_window->state().marks().add({2'000'000, 2'000'009}, "another");
}

void PanelTablesTest::show(const char *panel) {
    auto *dock = m_window->findChild<QDockWidget *>(QLatin1String(panel));
    QVERIFY(dock);
    dock->show();
    dock->raise();
    QCoreApplication::processEvents();
}

void PanelTablesTest::clickHeader(Table &table, int column) {
    const QHeaderView &header = *table.horizontalHeader();
    table.scrollTo(table.model()->index(0, column));
    m_hands->click(*header.viewport(),
                   {header.sectionViewportPosition(column) + 8, header.height() / 2});
}

/// By the values themselves; the order that is shown must not depend on how they are printed.
void PanelTablesTest::checkOrder(Table &table, int column, bool rising) {
    double before = rising ? -1e300 : 1e300;
    int numbers = 0;
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QVariant value = table.model()->index(row, column).data(kValueRole);
        if (!value.isValid()) continue;
        if (table.objectName() == QLatin1String("pathTotals") &&
            row == table.model()->rowCount() - 1)
            continue; // the window stays below its parts
        ++numbers;
        QVERIFY2(rising ? value.toDouble() >= before : value.toDouble() <= before,
                 qPrintable(QString::number(row)));
        before = value.toDouble();
    }
    QVERIFY2(numbers > 1, qPrintable(table.objectName()));
}

void PanelTablesTest::everyTable_data() {
    QTest::addColumn<QString>("panel");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("column"); ///< one with numbers
    QTest::newRow("statistics") << "statistics"
                                << "statisticsTable" << 2;
    QTest::newRow("path") << "path"
                          << "pathTable" << 1;
    QTest::newRow("path sums") << "path"
                               << "pathTotals" << 2;
    QTest::newRow("search") << "search"
                            << "searchTable" << 4;
    QTest::newRow("notes") << "notes"
                           << "notesTable" << 0;
    QTest::newRow("steps") << "steps"
                           << "stepsTable" << 1;
    QTest::newRow("levers") << "levers"
                            << "rankTable" << 3;
}

void PanelTablesTest::everyTable() {
    QFETCH(QString, panel);
    QFETCH(QString, name);
    QFETCH(int, column);
    show(qPrintable(panel));
    if (panel == QLatin1String("search")) {
        m_window->findChild<QLineEdit *>("searchField")->setText("nccl");
        QTRY_VERIFY(table("searchTable")->model()->rowCount() > 10);
    }
    Table &table = *this->table(qPrintable(name));
    QTRY_VERIFY(table.isVisible() && table.model()->rowCount() > 2);
    QVERIFY(!table.accessibleName().isEmpty());
    table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // as it comes
    const int all = table.model()->rowCount();

    clickHeader(table, column);
    checkOrder(table, column, true);
    clickHeader(table, column);
    checkOrder(table, column, false);

    // from wherever the focus is in the panel
    table.setFocus();
    m_hands->key(Qt::Key_Slash);
    auto *field = qobject_cast<QLineEdit *>(QApplication::focusWidget());
    QVERIFY2(field, qPrintable(name));
    const QString text = table.model()->index(1, 0).data().toString();
    QVERIFY(!text.isEmpty());
    m_hands->type(qPrintable(text.toLower().left(4)));
    const int left = table.model()->rowCount();
    QVERIFY2(left >= 1 && left <= all, qPrintable(text));
    for (int row = 0; row < left; ++row) {
        QString cells;
        for (int c = 0; c < table.model()->columnCount(); ++c)
            cells += table.model()->index(row, c).data().toString() + '\n';
        QVERIFY(cells.contains(text.left(4), Qt::CaseInsensitive) ||
                (name == QLatin1String("pathTotals") && row == left - 1));
    }
    m_hands->key(Qt::Key_Escape);
    QCOMPARE(table.model()->rowCount(), all);
    QCOMPARE(QApplication::focusWidget(), &table);

    table.clearSelection();
    m_hands->key(Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
    const QString csv = QApplication::clipboard()->text();
    const bool total = name == QLatin1String("statisticsTable");
    QCOMPARE(csv.count('\n'), all + 1 + total);
    m_hands->key(Qt::Key_M, Qt::ControlModifier | Qt::AltModifier);
    const QString markdown = QApplication::clipboard()->text();
    QCOMPARE(markdown.count('\n'), all + 2 + total);
    QVERIFY(csv != markdown);
}

void PanelTablesTest::searchIsFilteredToo() {
    show("search");
    auto *field = m_window->findChild<QLineEdit *>("searchField");
    field->setText("nccl");
    Table &table = *this->table("searchTable");
    QTRY_VERIFY(table.model()->rowCount() > 10);
    const int all = table.model()->rowCount();
    m_window->findChild<QComboBox *>("searchCategory")->setFocus(); // not the table itself
    m_hands->key(Qt::Key_Slash);
    QVERIFY(QApplication::focusWidget() != field);
    m_hands->type("stream");
    QVERIFY(table.model()->rowCount() > 0);
    const auto *count = table.findChild<QLabel *>("tableFilterCount");
    QCOMPARE(count->text(), QString("%1 of %2 rows").arg(table.model()->rowCount()).arg(all));
    // what a filtered row leads to is that row's interval
    m_hands->key(Qt::Key_Down);
    m_hands->key(Qt::Key_Return);
    const IntervalId selected = m_window->state().selected();
    QVERIFY(selected.valid());
    QCOMPARE(QString::fromUtf8(m_window->state().trace()->name(selected)),
             table.currentIndex().siblingAtColumn(0).data().toString());
    field->setFocus();
    m_hands->type("/"); // in a field it is a letter
    QCOMPARE(QApplication::focusWidget(), field);
}

void PanelTablesTest::statisticsAreFilteredInTheirField() {
    show("statistics");
    m_window->findChild<QComboBox *>("statisticsBy")->setFocus();
    m_hands->key(Qt::Key_Slash);
    auto *field = m_window->findChild<QLineEdit *>("statisticsFilter");
    QCOMPARE(QApplication::focusWidget(), field);
    m_hands->type("ward");
    Table &table = *this->table("statisticsTable");
    QCOMPARE(table.model()->rowCount(), 2);
    const auto *note = m_window->findChild<QLabel *>("statNote");
    QVERIFY2(note->isVisible() && note->text().startsWith("2 of "), qPrintable(note->text()));
    m_hands->key(Qt::Key_Escape);
    QVERIFY(field->text().isEmpty());
    QVERIFY(table.model()->rowCount() > 2);
}

void PanelTablesTest::theImportLog() {
    const test::TempFile odd(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"late","pid":1,"tid":1,"ts":5,"dur":10},{"ph":"?"},{"ph":"?"},{"ph":"?"},
{"ph":"B","name":"pair","pid":1,"tid":2,"ts":0},{"ph":"E","name":"other","pid":1,"tid":2,"ts":7}])");
    QSignalSpy opened(&m_window->session(), &Session::opened);
    m_window->openPaths({QString::fromStdString(odd.path())});
    QVERIFY(opened.wait(60'000));
    show("importLog");
    Table &table = *this->table("importTable");
    QTRY_VERIFY(table.isVisible());
    QCOMPARE(table.model()->rowCount(), 3);
    clickHeader(table, 1);
    checkOrder(table, 1, true);
    QCOMPARE(table.model()->index(2, 1).data().toString(), QString("3"));
    table.setFocus();
    m_hands->key(Qt::Key_Slash);
    m_hands->type("overlap");
    QCOMPARE(table.model()->rowCount(), 1);
    m_hands->key(Qt::Key_Return);
    m_hands->key(Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(
        QApplication::clipboard()->text().startsWith("what,count,first at byte,what it means\n"));
    QCOMPARE(QApplication::clipboard()->text().count('\n'), 2);
}

QTEST_MAIN(PanelTablesTest)
#include "panel_tables_test.moc"
