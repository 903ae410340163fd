// SPDX-License-Identifier: Apache-2.0
#include "core/model/nesting.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace longpole;

namespace {

/// Intervals with many equal and touching ends, sorted as nest() wants them.
std::vector<IntervalRow> randomRows(std::mt19937 &random, int count, int range) {
    std::vector<IntervalRow> rows;
    for (int i = 0; i < count; ++i) {
        IntervalRow row;
        row.begin = TimeNs(random() % unsigned(range));
        row.end = row.begin + TimeNs(random() % 4 ? random() % 12 : random() % unsigned(range));
        row.offset = uint64_t(i);
        rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), nestsBefore);
    return rows;
}

bool contains(const IntervalRow &outer, const IntervalRow &inner) {
    if (inner.begin < outer.begin || inner.end > outer.end) return false;
    // what begins where the other has ended is behind it
    return inner.begin < outer.end;
}

} // namespace

class NestingTest : public QObject {
    Q_OBJECT
private slots:
    void parentIsTheInnermostContainer() {
        std::mt19937 random(1);
        for (int round = 0; round < 300; ++round) {
            const auto rows = randomRows(random, 60, 80);
            const Nesting nesting = nest(rows);
            for (size_t i = 0; i < rows.size(); ++i) {
                uint32_t expected = kNone;
                for (size_t k = 0; k < i; ++k)
                    if (contains(rows[k], rows[i])) expected = uint32_t(k);
                QCOMPARE(nesting.parent[i], expected);
                QCOMPARE(int(nesting.depth[i]),
                         expected == kNone ? 0 : nesting.depth[expected] + 1);
            }
        }
    }

    void lanesAreDisjointAndBelowTheParent() {
        std::mt19937 random(2);
        for (int round = 0; round < 300; ++round) {
            const auto rows = randomRows(random, 80, 60);
            const Nesting nesting = nest(rows);
            std::vector<TimeNs> laneEnd(nesting.laneSize.size(), INT64_MIN);
            std::vector<uint32_t> laneSize(nesting.laneSize.size());
            for (size_t i = 0; i < rows.size(); ++i) {
                const uint32_t lane = nesting.lane[i];
                QVERIFY(rows[i].begin >= laneEnd[lane]);
                if (nesting.parent[i] != kNone) QVERIFY(lane > nesting.lane[nesting.parent[i]]);
                // first free lane: all between the parent and this one are taken
                const uint32_t from =
                    nesting.parent[i] == kNone ? 0 : nesting.lane[nesting.parent[i]] + 1;
                for (uint32_t l = from; l < lane; ++l) QVERIFY(laneEnd[l] > rows[i].begin);
                laneEnd[lane] = rows[i].end;
                ++laneSize[lane];
            }
            QCOMPARE(laneSize, nesting.laneSize);
        }
    }

    /// What is taken in by rounding ends late by no more than that, and lanes stay disjoint.
    void roundingTakesInWhatEndsLate() {
        std::mt19937 random(3);
        uint64_t out = 0;
        for (int round = 0; round < 300; ++round) {
            const auto rows = randomRows(random, 80, 60);
            const Nesting nesting = nest(rows, 2);
            std::vector<TimeNs> laneEnd(nesting.laneSize.size(), INT64_MIN);
            for (size_t i = 0; i < rows.size(); ++i) {
                QVERIFY(rows[i].begin >= laneEnd[nesting.lane[i]]);
                laneEnd[nesting.lane[i]] = rows[i].end;
                uint32_t root = uint32_t(i);
                while (nesting.parent[root] != kNone) root = nesting.parent[root];
                if (root == i) continue;
                QVERIFY(rows[i].begin >= rows[root].begin && rows[i].begin < rows[root].end);
                QVERIFY(rows[i].end <= rows[root].end + 2);
            }
            QVERIFY(nesting.overlaps <= nest(rows).overlaps);
            out += nesting.sticksOut;
        }
        QVERIFY(out > 100);
    }

    void countsOverlaps() {
        const auto row = [](TimeNs begin, TimeNs end, uint64_t offset) {
            IntervalRow r;
            r.begin = begin;
            r.end = end;
            r.offset = offset;
            return r;
        };
        const std::vector<IntervalRow> rows = {row(0, 100, 1), row(10, 50, 2), row(40, 60, 3),
                                               row(60, 60, 4)};
        const Nesting nesting = nest(rows);
        QCOMPARE(nesting.overlaps, uint64_t(1));
        QCOMPARE(nesting.firstOverlapOffset, uint64_t(3));
        QCOMPARE(nesting.lane, (std::vector<uint32_t>{0, 1, 2, 1}));
    }

    /// 200,000 intervals that all overlap: quadratic work would take minutes.
    void manyOverlapsAreNoTrap() {
        std::vector<IntervalRow> rows(200'000);
        for (size_t i = 0; i < rows.size(); ++i) {
            rows[i].begin = TimeNs(i);
            rows[i].end = TimeNs(1'000'000 + i);
            rows[i].offset = i;
        }
        const Nesting nesting = nest(rows);
        QCOMPARE(nesting.laneSize.size(), rows.size());
        QCOMPARE(nesting.overlaps, uint64_t(rows.size() - 1));
    }
};

QTEST_APPLESS_MAIN(NestingTest)
#include "nesting_test.moc"
