// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_columns.h"

#include <QtTest>

#include <random>

using namespace longpole;

namespace {

/// Owns what a LaneSource points to.
struct Lane {
    std::vector<TimeNs> start, duration;
    std::vector<uint8_t> slot;

    void add(TimeNs begin, TimeNs end, int group = 0) {
        start.push_back(begin);
        duration.push_back(end - begin);
        slot.push_back(uint8_t(group));
    }
    LaneSource source(TimeNs offset = 0) const {
        return {start.data(), duration.data(), slot.data(), uint32_t(start.size()), offset};
    }
};

SlotGroups identity(uint32_t groups) {
    SlotGroups slotGroups;
    for (uint32_t i = 0; i < 256; ++i) slotGroups.groupOf[i] = uint8_t(std::min(i, groups - 1));
    slotGroups.groups = groups;
    return slotGroups;
}

Lane randomLane(uint32_t count, TimeNs longest, uint32_t seed) {
    std::mt19937 random(seed);
    Lane lane;
    TimeNs now = 0;
    for (uint32_t i = 0; i < count; ++i) {
        now += TimeNs(random() % uint32_t(longest));
        const TimeNs end = now + TimeNs(random() % uint32_t(longest));
        lane.add(now, end, int(random() % 5));
        now = end;
    }
    return lane;
}

} // namespace

/// A row reduced to pixels: nothing is dropped, sums are those of a walk over every interval.
class ColumnsTest : public QObject {
    Q_OBJECT
private slots:
    void summariesEqualAWalk();
    void aLoneNanosecondFillsOnePixel();
    void nothingIsDropped();
    void columnsAddUp();
    void wideMarksKeepTheirEdges();
    void theColourIsThatOfMostTime();
    void marksWithoutLengthAreSeen();
    void searchingIsExact();
};

void ColumnsTest::summariesEqualAWalk() {
    const Lane lane = randomLane(1'000, 500, 1);
    const SlotGroups groups = identity(5);
    const LaneSummary summary(lane.source(), groups);
    QVERIFY(summary.bytes() > 0 && summary.bytes() <= 3 * 1'000);
    std::mt19937 random(2);
    for (int i = 0; i < 200; ++i) {
        uint32_t from = random() % 1'001, to = random() % 1'001;
        if (from > to) std::swap(from, to);
        float sums[5] = {};
        double walked[5] = {};
        summary.add(lane.source(), groups, from, to, 1, sums);
        for (uint32_t k = from; k < to; ++k) walked[lane.slot[k]] += double(lane.duration[k]);
        for (int g = 0; g < 5; ++g) QVERIFY(std::abs(double(sums[g]) - walked[g]) < 1);
    }
}

void ColumnsTest::aLoneNanosecondFillsOnePixel() {
    constexpr TimeNs hour = 3'600'000'000'000;
    Lane lane;
    lane.add(2 * hour, 2 * hour + 1, 3);
    const SlotGroups groups = identity(5);
    LaneColumns columns;
    columns.reset(1'000, groups.groups);
    columns.add(lane.source(), LaneSummary(lane.source(), groups), groups, {{0, 5 * hour}, 1'000},
                4);
    for (int x = 0; x < 1'000; ++x) QCOMPARE(columns.merged(x), x == 400);
    QCOMPARE(int(columns.column(400).group), 3);
    QCOMPARE(columns.column(400).covered, 1.0f); // pure, not pale
}

void ColumnsTest::nothingIsDropped() {
    const SlotGroups groups = identity(5);
    for (uint32_t seed = 0; seed < 20; ++seed) {
        const Lane lane = randomLane(3'000, 400, seed);
        const LaneSource source = lane.source(TimeNs(seed) * 1'000);
        const TimeRange view{source.begin(100), source.end(100 + 140 * (seed + 1) - 1)};
        const TimeScale scale{view, 700};
        LaneColumns columns;
        columns.reset(700, groups.groups);
        columns.add(source, LaneSummary(source, groups), groups, scale, 4);
        std::vector<bool> shown(700, false);
        for (int x = 0; x < 700; ++x) shown[size_t(x)] = columns.merged(x);
        for (const auto &wide : columns.wide())
            for (int x = std::max(0, wide.x0); x < std::min(700, wide.x1); ++x)
                shown[size_t(x)] = true;
        for (uint32_t i = 0; i < source.count; ++i) {
            if (!view.touches(source.begin(i), source.end(i)) || source.begin(i) < view.begin)
                continue;
            const int x = int(scale.x(source.begin(i)));
            QVERIFY2(shown[size_t(x)] || (x + 1 < 700 && shown[size_t(x) + 1]),
                     qPrintable(QString::number(i)));
        }
    }
}

void ColumnsTest::columnsAddUp() {
    const SlotGroups groups = identity(5);
    const Lane lane = randomLane(50'000, 100, 7);
    const LaneSource source = lane.source();
    const TimeNs end = source.end(source.count - 1);
    const TimeScale scale{{0, end}, 500};
    LaneColumns columns;
    columns.reset(500, groups.groups);
    columns.add(source, LaneSummary(source, groups), groups, scale, 1e18);
    double covered = 0, all = 0;
    for (int x = 0; x < 500; ++x) covered += double(columns.column(x).covered);
    for (TimeNs d : lane.duration) all += double(d);
    QVERIFY(std::abs(covered * double(end) / 500 / all - 1) < 0.001);
}

void ColumnsTest::wideMarksKeepTheirEdges() {
    Lane lane;
    lane.add(100, 200, 1);
    lane.add(200, 300, 2);
    const SlotGroups groups = identity(5);
    LaneColumns columns;
    columns.reset(1'000, groups.groups);
    columns.add(lane.source(), LaneSummary(lane.source(), groups), groups, {{0, 1'000}, 1'000}, 4);
    QCOMPARE(columns.wide().size(), size_t(2));
    QCOMPARE(columns.wide()[0].x0, 100);
    QCOMPARE(columns.wide()[0].x1, 200);
    QCOMPARE(columns.wide()[1].x0, 200);
    QCOMPARE(columns.wide()[1].x1, 300);
    QCOMPARE(columns.wide()[1].row, 1u);
}

void ColumnsTest::theColourIsThatOfMostTime() {
    Lane lane;
    for (int i = 0; i < 1'000; ++i)
        lane.add(i * 10, i * 10 + (i % 3 == 0 ? 9 : 2), i % 3 == 0 ? 4 : 1);
    const SlotGroups groups = identity(5);
    LaneColumns columns;
    columns.reset(10, groups.groups);
    columns.add(lane.source(), LaneSummary(lane.source(), groups), groups, {{0, 10'000}, 10}, 4);
    for (int x = 0; x < 10; ++x) {
        QCOMPARE(int(columns.column(x).group), 4);
        QVERIFY(std::abs(columns.column(x).covered - 0.433f) < 0.02f);
    }
}

void ColumnsTest::marksWithoutLengthAreSeen() {
    Lane lane;
    for (int i = 0; i < 500; ++i) lane.add(1'000 + i, 1'000 + i, 2);
    const SlotGroups groups = identity(5);
    LaneColumns columns;
    columns.reset(100, groups.groups);
    columns.add(lane.source(), LaneSummary(lane.source(), groups), groups, {{0, 1'000'000}, 100},
                4);
    QVERIFY(columns.merged(0));
    QCOMPARE(int(columns.column(0).group), 2);
}

void ColumnsTest::searchingIsExact() {
    const Lane lane = randomLane(2'000, 30, 11);
    const LaneSource source = lane.source(5);
    for (TimeNs t = -3; t < source.end(source.count - 1) + 10; t += 3) {
        uint32_t expected = 0;
        while (expected < source.count && source.begin(expected) < t) ++expected;
        QCOMPARE(source.firstBeginningAt(t, 0), expected);
        QCOMPARE(source.firstBeginningAt(t, expected / 2), expected);
        if (expected > 0 && source.end(expected - 1) > t) --expected;
        QCOMPARE(source.firstAfter(t), expected);
    }
}

QTEST_GUILESS_MAIN(ColumnsTest)
#include "columns_test.moc"
