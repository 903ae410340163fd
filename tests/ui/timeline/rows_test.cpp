// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_trace.h"
#include "ui/timeline/rows.h"

#include <QtTest>

#include <sstream>

using namespace longpole;

namespace {

std::shared_ptr<const Loaded> loadedFrom(const std::string &text) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = test::traceFromText(text);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    return loaded;
}

/// `thread: name begin..end`, a line of a trace.
std::string line(const std::string &thread, const std::string &name, int begin, int end) {
    std::ostringstream text;
    text << thread << ": " << name << ' ' << begin << ".." << end << '\n';
    return text.str();
}

/// `depth` nested ranges on one thread.
std::string nested(const std::string &thread, int depth, int length) {
    std::string text;
    for (int d = 0; d < depth; ++d) text += line(thread, 'f' + std::to_string(d), d, length - d);
    return text;
}

/// `count` threads that do next to nothing.
std::string helpers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line('w' + std::to_string(i), "tick", i, i + 1);
    return text;
}

/// "CPU|main|  depth 3 – 9|…": the labels from top to bottom.
QString labelsOf(const std::vector<Row> &rows) {
    QStringList labels;
    for (const Row &row : rows) labels << row.label;
    return labels.join('|');
}

} // namespace

/// Which rows there are, in which order, and what is folded so that the GPU stays in sight.
class RowsTest : public QObject {
    Q_OBJECT
private slots:
    void sharesOfABudget_data();
    void sharesOfABudget();
    void groupsInOrder();
    void transfersAreViewsOnly();
    void overlappingCopiesGetLanes();
    void theStepThreadComesFirst();
    void idleThreadsShareARow();
    void deepNestingFolds();
    void everythingFitsASmallScreen();
    void closedAndHidden();
    void rowsAreFoundAgain();
};

void RowsTest::sharesOfABudget_data() {
    QTest::addColumn<QList<int>>("depths");
    QTest::addColumn<int>("budget");
    QTest::addColumn<QList<int>>("shares");
    QTest::newRow("room for all") << QList<int>{5, 3} << 20 << QList<int>{5, 3};
    QTest::newRow("none") << QList<int>{5, 3} << 0 << QList<int>{1, 1};
    QTest::newRow("first first") << QList<int>{30, 8} << 8 << QList<int>{6, 2};
    QTest::newRow("then others") << QList<int>{30, 8} << 12 << QList<int>{8, 4};
    QTest::newRow("nobody") << QList<int>{} << 12 << QList<int>{};
}

void RowsTest::sharesOfABudget() {
    QFETCH(QList<int>, depths);
    QFETCH(int, budget);
    QFETCH(QList<int>, shares);
    const auto got = shareLanes({depths.begin(), depths.end()}, budget);
    QCOMPARE(QList<int>(got.begin(), got.end()), shares);
}

void RowsTest::groupsInOrder() {
    const auto loaded = loadedFrom("gpu0/s7: gemm 20..50 corr=1\n"
                                   "gpu0/s20: copy 10..20 h2d\n"
                                   "gpu0/s24: reduce 30..60 comm\n"
                                   "main: launch 1..2 launch corr=1\n"
                                   "~ranges: epoch 0..60\n");
    const TimelineData data(loaded);
    const auto rows = layoutRows(data, {});
    QCOMPARE(labelsOf(rows), QString("CPU|main|Transfers|H2D|GPU 0|stream 7|stream 20|stream 24|"
                                     "Annotations|ranges|Counters|queue depth"));
    QCOMPARE(rows[5].detail, QString("compute"));
    QCOMPARE(rows[6].detail, QString("copy"));
    QCOMPARE(rows[7].detail, QString("communication"));
    for (size_t i = 1; i < rows.size(); ++i) QCOMPARE(rows[i].y, rows[i - 1].bottom());
}

void RowsTest::transfersAreViewsOnly() {
    const auto loaded = loadedFrom("gpu0/s7: a 0..10 h2d bytes=1000\n"
                                   "gpu0/s8: b 10..20 h2d bytes=1000\n"
                                   "gpu0/s7: c 10..20 d2h\n"
                                   "gpu0/s7: d 20..30 d2d\n");
    const TimelineData data(loaded);
    QCOMPARE(data.transfers().size(), size_t(2));
    const TransferRow &h2d = data.transfers()[0];
    QCOMPARE(h2d.ids.size(), size_t(2));
    QCOMPARE(h2d.ids[1], test::find(*loaded->trace, "b"));
    QCOMPARE(h2d.bytes, 2000);
    QCOMPARE(data.transfers()[1].bytes, -1); // one copy does not say
    QCOMPARE(loaded->trace->intervalCount(), uint64_t(4));
}

void RowsTest::overlappingCopiesGetLanes() {
    const TimelineData data(loadedFrom("gpu0/s7: a 0..10 h2d\n"
                                       "gpu0/s8: b 5..20 h2d\n"
                                       "gpu0/s9: c 12..14 h2d\n"));
    QCOMPARE(data.transfers()[0].laneBegin, (std::vector<uint32_t>{0, 2, 3}));
}

void RowsTest::theStepThreadComesFirst() {
    const TimelineData data(loadedFrom("busy: work 0..1000\n"
                                       "loop: ProfilerStep#1 0..100\n"
                                       "loop: ProfilerStep#2 100..200\n"));
    const auto rows = layoutRows(data, {});
    QCOMPARE(rows[1].label, QString("loop"));
    QCOMPARE(rows[2].label, QString("busy"));
}

void RowsTest::idleThreadsShareARow() {
    const TimelineData data(loadedFrom("main: work 0..1000\n" + helpers(12)));
    RowChoices choices;
    auto rows = layoutRows(data, choices);
    QCOMPARE(labelsOf(rows), QString("CPU|main|12 more threads"));
    QCOMPARE(rows[2].tracks.size(), size_t(12));
    choices.openHelpers.insert(data.groups()[0].key);
    rows = layoutRows(data, choices);
    QCOMPARE(rows.size(), size_t(3 + 12));
    QVERIFY(rows[2].open);
}

void RowsTest::deepNestingFolds() {
    const TimelineData data(loadedFrom(nested("main", 26, 100)));
    RowChoices choices;
    choices.height = 180;
    auto rows = layoutRows(data, choices);
    const Row &last = rows.back();
    QCOMPARE(last.type, Row::Type::Density);
    QCOMPARE(last.firstLane + last.lanes, 26u);
    QCOMPARE(last.label, QString("depth %1 – 26").arg(last.firstLane + 1));
    QVERIFY(totalHeight(rows) <= 180);
    choices.openTracks.insert(0);
    rows = layoutRows(data, choices);
    QCOMPARE(rows.size(), size_t(1 + 26));
    QVERIFY(rows[2].toggles); // and folds again
}

void RowsTest::everythingFitsASmallScreen() {
    // What is left for lanes of a window of 1280×720 with its panels open.
    std::string text =
        nested("main", 40, 1000) + nested("autograd", 9, 900) + nested("loader", 3, 800);
    text += helpers(20);
    text += "gpu0/s7: gemm 20..900\ngpu0/s8: in 10..20 h2d\ngpu0/s8: out 900..910 d2h\n";
    const TimelineData data(loadedFrom(text));
    RowChoices choices;
    choices.height = 312;
    bool main = false, h2d = false, stream = false;
    for (const Row &row : layoutRows(data, choices)) {
        if (row.bottom() > choices.height) break;
        main |= row.label == "main", h2d |= row.label == "H2D", stream |= row.label == "stream 7";
    }
    QVERIFY(main);
    QVERIFY(h2d);
    QVERIFY(stream);
}

void RowsTest::closedAndHidden() {
    const TimelineData data(loadedFrom("main: a 0..10\nother: b 0..10\ngpu0/s7: k 0..5\n"));
    RowChoices choices;
    choices.closedGroups.insert(data.groups()[1].key);
    QCOMPARE(labelsOf(layoutRows(data, choices)), QString("CPU|main|other|GPU 0"));
    choices.hiddenTracks.assign(3, false);
    choices.hiddenTracks[test::find(data.trace(), "b").track] = true;
    QCOMPARE(labelsOf(layoutRows(data, choices)), QString("CPU|main|GPU 0"));
    choices.hiddenTracks.assign(3, true);
    QVERIFY(layoutRows(data, choices).empty());
}

void RowsTest::rowsAreFoundAgain() {
    const auto loaded = loadedFrom(nested("main", 5, 100) + "gpu0/s7: k 0..5\n");
    const TimelineData data(loaded);
    const auto rows = layoutRows(data, {});
    for (const char *name : {"f0", "f4", "k"}) {
        const IntervalId id = test::find(*loaded->trace, name);
        const int index = rowOf(rows, *loaded->trace, id);
        QVERIFY(index >= 0);
        QCOMPARE(rows[size_t(index)].track, id.track);
        QCOMPARE(rowAt(rows, rows[size_t(index)].y), index);
    }
    QCOMPARE(rowAt(rows, -1), -1);
    QCOMPARE(rowAt(rows, totalHeight(rows)), -1);
    QCOMPARE(rowOf(rows, *loaded->trace, {}), -1);
}

QTEST_MAIN(RowsTest)
#include "rows_test.moc"
