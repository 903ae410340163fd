// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/brute_columns.h"
#include "tests/support/lane_model.h"
#include "ui/theme.h"
#include "ui/timeline/hit_test.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_choices.h"

#include <QtTest>

#include <random>

using namespace longpole;

namespace {

constexpr TimeNs kHour = 3'600'000'000'000;

std::shared_ptr<const Loaded> loadedOf(std::shared_ptr<const Trace> trace) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = std::move(trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    return loaded;
}

/// One stream with bursts, long and empty intervals and every distance between them.
std::shared_ptr<const Trace> burstyTrace(uint32_t seed, uint32_t count) {
    std::mt19937 random(seed);
    constexpr Kind kinds[] = {Kind::Kernel, Kind::GraphExec, Kind::Comm, Kind::Memset};
    auto pool = std::make_shared<StringPool>();
    auto table = std::make_shared<TrackTable>();
    table->strings = pool;
    TimeNs now = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (random() % 1'000 == 0) now += TimeNs(random() % 50'000'000);
        now += TimeNs(random() % (random() % 8 == 0 ? 20'000 : 30));
        const TimeNs length =
            random() % 16 == 0 ? 0 : TimeNs(random() % (random() % 16 ? 400 : 90'000));
        table->start.push_back(now);
        table->duration.push_back(length);
        table->name.push_back(pool->intern("k"));
        table->category.push_back({});
        table->kind.push_back(kinds[random() % 4]);
        table->flags.push_back(0);
        table->depth.push_back(0);
        table->parent.push_back(kNone);
        table->offset.push_back(i);
        now += length;
    }
    table->laneBegin.push_back(count);
    auto trace = std::make_shared<Trace>();
    trace->files.emplace_back();
    trace->processes.emplace_back();
    trace->strings.push_back(pool);
    Track &track = trace->tracks.emplace_back();
    track.kind = TrackKind::Stream;
    track.name = "stream 7";
    track.device = 0;
    track.stream = 7;
    track.offset = 12'345;
    track.table = table;
    trace->range = {track.begin(0), track.end(count - 1)};
    return trace;
}

TimeRange randomView(TimeRange all, std::mt19937 &random) {
    const double zoom = std::pow(1.5, double(random() % 300) / 10);
    const auto length = std::max<TimeNs>(20, TimeNs(double(all.length()) / zoom));
    const auto begin = all.begin + TimeNs(double(all.length()) * (random() % 10'000) / 10'000.0);
    return {begin - length / 2, begin - length / 2 + length};
}

std::vector<test::BruteLane> bruteLanes(TimelineData &data, const Row &row) {
    std::vector<test::BruteLane> result;
    for (uint32_t l = row.firstLane; l < row.firstLane + row.lanes; ++l) {
        const LaneSource lane = data.trackLane(row.track, l).source;
        auto &brute = result.emplace_back();
        brute.covers = l == row.firstLane;
        for (uint32_t i = 0; i < lane.count; ++i)
            brute.intervals.push_back(
                {lane.begin(i), lane.end(i), data.slotGroups().groupOf[lane.slot[i]]});
    }
    return result;
}

int difference(QRgb a, QRgb b) {
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)),
                     std::abs(qBlue(a) - qBlue(b))});
}

/// Empty where `pixel` shows `column`, else what it should have shown.
QString complaint(const test::BruteColumn &column, QRgb pixel, const std::vector<QColor> &colours) {
    constexpr int kRounding = 3; // a step of 64 shades, and a rounded channel
    constexpr double kTie = 1e-3;
    const Theme &t = theme();
    using What = test::BruteColumn::What;
    const auto shows = [&](QColor colour) { return difference(pixel, colour.rgb()) <= kRounding; };
    switch (column.what) {
    case What::Nothing:
        return shows(t.base) || shows(t.grid) ? QString() : QStringLiteral("nothing");
    case What::Gap:
        return shows(t.base) ? QString() : QStringLiteral("a gap");
    case What::Mark:
        return shows(colours[column.group]) ? QString() : QStringLiteral("a mark");
    case What::Merged:
        break;
    }
    const double most = *std::max_element(column.time.begin(), column.time.end());
    for (size_t g = 0; g < column.time.size(); ++g)
        if (column.time[g] >= most - kTie &&
            shows(mix(t.base, colours[g], 0.35 + 0.65 * column.covered)))
            return {};
    return QStringLiteral("%1 of time, most in a group %2").arg(column.covered).arg(most);
}

/// Counts columns that differ from what a painter shows that looks at every interval.
void compareWithBrute(const std::shared_ptr<const Loaded> &loaded, int views, uint32_t seed) {
    TimelineData data(loaded);
    RowChoices choices;
    choices.height = 4'000;
    const auto rows = layoutRows(data, choices);
    const auto colours = data.groupColours();
    std::mt19937 random(seed);
    LanesPainter painter;
    for (int n = 0; n < views; ++n) {
        const int width = 300 + int(random() % 500);
        const TimeRange view = randomView(loaded->trace->range, random);
        LanesFrame frame{data, rows, view, 0, {}, 1, {}, {}, {}};
        frame.size = {width, totalHeight(rows)};
        const QImage image = painter.paint(frame);
        for (const Row &row : rows) {
            if (row.type != Row::Type::Lane && row.type != Row::Type::Density) continue;
            const double wide = row.isMerged() ? 1e18 : 4;
            const auto columns = test::bruteColumns(bruteLanes(data, row), view, width, wide, 1,
                                                    data.slotGroups().groups);
            bool any = false; // words stand in rows without marks
            for (const auto &c : columns) any |= c.what != test::BruteColumn::What::Nothing;
            for (int x = 0; x < width && any; ++x) {
                const QString wrong = complaint(columns[size_t(x)], image.pixel(x, row.y), colours);
                QVERIFY2(wrong.isEmpty(),
                         qPrintable(QStringLiteral("view %1, row %2, column %3 shows %4 and not %5")
                                        .arg(n)
                                        .arg(row.label)
                                        .arg(x)
                                        .arg(image.pixel(x, row.y), 0, 16)
                                        .arg(wrong)));
            }
        }
    }
}

/// A row of hits counted by looking at every interval.
Hit bruteHit(TimelineData &data, const Row &row, const TimeScale &scale, int x) {
    Hit hit;
    const TimeNs left = scale.timeAt(x), right = std::max(scale.timeAt(x + 1), left + 1);
    TimeNs longest = -1;
    const LaneSource lane = data.trackLane(row.track, row.firstLane).source;
    for (uint32_t i = 0; i < lane.count; ++i) {
        const double x0 = scale.x(lane.begin(i)), x1 = scale.x(lane.end(i));
        const bool overlaps = std::min(x1, x + 1.0) > std::max(x0, double(x));
        const bool mark = x1 - x0 < 1 && int(std::floor(x0)) == x;
        if (!overlaps && !mark) continue;
        ++hit.merged;
        hit.busy +=
            std::max<TimeNs>(0, std::min(lane.end(i), right) - std::max(lane.begin(i), left));
        if (lane.duration[i] <= longest) continue;
        longest = lane.duration[i];
        hit.longest = intervalOf(data, row, i);
    }
    return hit;
}

} // namespace

/// What is painted is what is there: held against painters and counters that look at everything.
class DensityTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        useBundledFont();
        setTheme(QStringLiteral("light"));
    }
    void paintedIsWhatIsThere();
    void nestedLanesMerge();
    void aLoneNanosecondIsAMark();
    void everyIntervalCanBeHit();
    void aMergedPixelTellsWhatItHolds();
    void summariesStaySmall();
    void zoomingInAndOutComesBack();
    void theSelectionSurvives();
};

void DensityTest::paintedIsWhatIsThere() {
    for (uint32_t seed = 0; seed < 10; ++seed) {
        compareWithBrute(loadedOf(burstyTrace(seed, 20'000)), 20, seed);
        if (QTest::currentTestFailed()) return;
    }
}

void DensityTest::nestedLanesMerge() {
    compareWithBrute(loadedOf(laneModel(64 * 300)), 10, 3);
}

void DensityTest::aLoneNanosecondIsAMark() {
    auto trace = std::make_shared<Trace>(*burstyTrace(1, 1));
    auto table = std::make_shared<TrackTable>(*trace->tracks[0].table);
    table->start[0] = 2 * kHour;
    table->duration[0] = 1;
    table->kind[0] = Kind::Kernel;
    trace->tracks[0].table = table;
    const auto loaded = loadedOf(trace);
    TimelineData data(loaded);
    const auto rows = layoutRows(data, {});
    LanesPainter painter;
    LanesFrame frame{data, rows, {0, 5 * kHour}, 0, {}, 1, {}, {}, {}};
    frame.size = {1'000, totalHeight(rows)};
    const QImage &image = painter.paint(frame);
    const Row &row = rows[1];
    const int x = int(double(trace->tracks[0].begin(0)) / double(5 * kHour) * 1'000);
    for (int y = row.y; y < row.y + row.bar; ++y)
        QCOMPARE(QColor(image.pixel(x, y)), data.groupColours()[data.groupOf({0, 0})]);
    const Hit hit = hitRow(data, row, {{0, 5 * kHour}, 1'000}, x, 0);
    QCOMPARE(hit.merged, 1u);
    QCOMPARE(hit.id, (IntervalId{0, 0}));
}

void DensityTest::everyIntervalCanBeHit() {
    for (const auto &trace : {burstyTrace(5, 30'000), laneModel(64 * 500)}) {
        const auto loaded = loadedOf(trace);
        TimelineData data(loaded);
        RowChoices choices;
        choices.height = 100'000;
        for (uint32_t t = 0; t < trace->tracks.size(); ++t) choices.openTracks.insert(t);
        for (const TrackGroup &group : data.groups()) choices.openHelpers.insert(group.key);
        const auto rows = layoutRows(data, choices);
        std::mt19937 random(9);
        for (int n = 0; n < 2'000; ++n) {
            const uint32_t track = random() % uint32_t(trace->tracks.size());
            const TrackTable &table = *trace->tracks[track].table;
            const IntervalId id{track, uint32_t(random() % table.size())};
            int index = -1;
            for (size_t r = 0; r < rows.size() && index < 0; ++r)
                if (rows[r].track == track && rows[r].firstLane == table.laneOf(id.row))
                    index = int(r);
            QVERIFY(index >= 0);
            const TimeNs begin = trace->begin(id),
                         length = std::max<TimeNs>(1, table.duration[id.row]);
            bool hit = false;
            for (double zoom = 1; zoom < 1e12 && !hit; zoom *= 4) { // until it is found
                const auto wide =
                    std::max<TimeNs>(20, TimeNs(double(trace->range.length()) / zoom));
                const TimeScale scale{{begin - wide / 3, begin - wide / 3 + wide}, 1'000};
                const int x =
                    int(std::floor(scale.x(begin) + double(length) * scale.pixelsPerNs() / 2));
                const Hit found =
                    hitRow(data, rows[size_t(index)], scale, std::clamp(x, 0, 999), 2);
                hit = found.id == id;
                if (wide == 20) break;
            }
            const bool empty = table.duration[id.row] == 0; // may share its instant with others
            QVERIFY2(hit || empty, qPrintable(QStringLiteral("%1 %2").arg(track).arg(id.row)));
        }
    }
}

void DensityTest::aMergedPixelTellsWhatItHolds() {
    const auto loaded = loadedOf(burstyTrace(4, 20'000));
    TimelineData data(loaded);
    const auto rows = layoutRows(data, {});
    const Row &row = rows[1];
    std::mt19937 random(8);
    for (int n = 0; n < 300; ++n) {
        const TimeScale scale{randomView(loaded->trace->range, random), 800};
        const int x = int(random() % 800);
        const Hit expected = bruteHit(data, row, scale, x), hit = hitRow(data, row, scale, x, 0);
        QCOMPARE(hit.merged, expected.merged);
        QCOMPARE(hit.busy, expected.busy);
        QCOMPARE(hit.longest, expected.longest);
    }
}

void DensityTest::summariesStaySmall() {
    const auto model = loadedOf(laneModel(640'000));
    QVERIFY(double(TimelineData(model).summaryBytes()) / double(model->trace->intervalCount()) <=
            3);
    const auto bursty = loadedOf(burstyTrace(1, 200'000));
    QVERIFY(double(TimelineData(bursty).summaryBytes()) <= 3.0 * 200'000);
}

void DensityTest::zoomingInAndOutComesBack() {
    ViewState state;
    TimelineView view(state);
    view.resize(1'200, 500);
    view.show();
    state.setLoaded(loadedOf(burstyTrace(2, 20'000)));
    std::mt19937 random(3);
    for (int n = 0; n < 100; ++n) {
        state.setView(randomView(state.trace()->range, random), false);
        const TimeRange before = state.view();
        if (before.length() < 2'000'000) continue; // whole ns are too coarse after ten steps
        for (int i = 0; i < 10; ++i) view.zoom(1.5);
        QVERIFY(state.view().length() < before.length() / 20);
        for (int i = 0; i < 10; ++i) view.zoom(1 / 1.5);
        const TimeNs pixel = before.length() / 1'000;
        QVERIFY(std::abs(state.view().begin - before.begin) <= pixel);
        QVERIFY(std::abs(state.view().end - before.end) <= pixel);
    }
}

void DensityTest::theSelectionSurvives() {
    ViewState state;
    TimelineView view(state);
    view.resize(1'200, 500);
    view.show();
    state.setLoaded(loadedOf(burstyTrace(2, 20'000)));
    const IntervalId id{0, 12'345};
    state.reveal(id);
    QVERIFY(!view.rectOf(id).isNull());
    const QRect before = view.rectOf(id);
    for (int i = 0; i < 8; ++i) view.zoom(i < 4 ? 1.5 : 1 / 1.5); // not below whole ns
    QCOMPARE(state.selected(), id);
    QVERIFY(std::abs(view.rectOf(id).x() - before.x()) <= 1);
    state.tracks().setHidden(0, true);
    QCOMPARE(state.selected(), id);
    QVERIFY(view.rectOf(id).isNull());
    state.tracks().setHidden(0, false);
    QVERIFY(std::abs(view.rectOf(id).x() - before.x()) <= 1);
    state.setColourBy(ColourBy::Kind);
    QCOMPARE(state.selected(), id);
}

QTEST_MAIN(DensityTest)
#include "density_test.moc"
