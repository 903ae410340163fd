// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/grow_array.h"
#include "core/base/looking.h"
#include "tests/support/looks.h"

#include <functional>
#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Row {
    uint32_t key, number;
    friend bool operator==(const Row &, const Row &) = default;
};
bool byKey(const Row &a, const Row &b) {
    return a.key < b.key;
}

/// Rows in no order, or in some runs that are sorted each.
GrowArray<Row> rowsOf(uint32_t count, uint32_t keys, int sortedRuns, std::vector<size_t> &runs) {
    std::mt19937 random(count + keys);
    GrowArray<Row> rows;
    for (uint32_t i = 0; i < count; ++i) rows.push_back({uint32_t(random() % keys), i});
    runs = {0};
    for (int r = 0; r < sortedRuns; ++r) {
        const size_t from = runs.back();
        const size_t to = r + 1 == sortedRuns ? count : from + random() % (count - from + 1);
        std::stable_sort(rows.begin() + from, rows.begin() + to, byKey);
        if (r + 1 < sortedRuns) runs.push_back(to);
    }
    return rows;
}

} // namespace

class LookingTest : public QObject {
    Q_OBJECT
private slots:
    void arraysGrowAndKeepWhatTheyHold() {
        GrowArray<Row> rows;
        QVERIFY(rows.empty() && rows.begin() == rows.end());
        for (uint32_t i = 0; i < 100'000; ++i) rows.push_back({i, i + 1});
        rows.push_back(rows[3]); // lies inside
        const GrowArray<Row> copy = rows;
        rows.cut(50);
        rows.shrink_to_fit();
        QCOMPARE(rows.size(), size_t(50));
        QCOMPARE(copy.size(), size_t(100'001));
        for (uint32_t i = 0; i < 100'000; ++i) QVERIFY(copy[i] == (Row{i, i + 1}));
        QVERIFY(copy.end()[-1] == (Row{3, 4}));
        GrowArray<Row> moved = std::move(rows);
        QVERIFY(moved.size() == 50 && rows.empty());
        rows = moved;
        moved.clear();
        moved.shrink_to_fit();
        QVERIFY(rows.size() == 50 && moved.empty());
    }

    void sortsAsTheStandardDoes() {
        std::vector<size_t> runs;
        for (const uint32_t count : {0u, 1u, 2u, 1'000u, 65'536u, 65'537u, 300'000u})
            for (const uint32_t keys : {1u, 7u, 1'000'000u}) {
                GrowArray<Row> rows = rowsOf(count, keys, 0, runs), expected = rows;
                std::stable_sort(expected.begin(), expected.end(), byKey);
                stableSortLooking(rows, byKey, Progress::never());
                QVERIFY(std::equal(rows.begin(), rows.end(), expected.begin(), expected.end()));
                std::shuffle(rows.begin(), rows.end(), std::mt19937(1));
                sortLooking(rows, byKey, Progress::never());
                QVERIFY(std::is_sorted(rows.begin(), rows.end(), byKey));
                QCOMPARE(rows.size(), size_t(count));
            }
    }

    void mergesRuns() {
        std::vector<size_t> runs;
        for (const int count : {1, 2, 3, 5, 8})
            for (const uint32_t size : {10u, 100'000u, 200'001u}) {
                GrowArray<Row> rows = rowsOf(size, 50, count, runs), expected = rows;
                std::stable_sort(expected.begin(), expected.end(), byKey);
                mergeRuns(rows, runs, byKey, Progress::never());
                QVERIFY(std::equal(rows.begin(), rows.end(), expected.begin(), expected.end()));
            }
    }

    void stops() {
        std::vector<size_t> runs;
        GrowArray<Row> rows = rowsOf(1'000'000, 1'000'000, 0, runs);
        Looks whole;
        GrowArray<Row> copy = rows;
        sortLooking(copy, byKey, whole.progress());
        QVERIFY(whole.count() >= 16 * 5); // in pieces, then merged four times
        for (const uint64_t at : {uint64_t(1), uint64_t(10), whole.count()}) {
            Looks looks(at);
            copy = rows;
            QVERIFY_EXCEPTION_THROWN(sortLooking(copy, byKey, looks.progress()), Stopped);
        }
        std::vector<int> column;
        growTo(column, 200'000, Progress::never());
        QCOMPARE(column.size(), size_t(200'000));
        Progress stopped;
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(growTo(column, 300'000, stopped), Stopped);
    }
};

QTEST_APPLESS_MAIN(LookingTest)
#include "looking_test.moc"
