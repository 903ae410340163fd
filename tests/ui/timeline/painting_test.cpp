// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_trace.h"
#include "tests/ui/timeline/path_fixture.h"
#include "ui/theme.h"
#include "ui/timeline/lanes_painter.h"

#include <QtTest>

#include <random>

using namespace longpole;

namespace {

std::shared_ptr<const Loaded> loadedFrom(const std::string &text) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = test::traceFromText(text);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    return loaded;
}

/// Paints all rows of a trace, `ratio` device pixels to one, and looks pixels up by row.
struct Painted {
    Painted(const std::string &text, TimeRange view, double ratio = 1, int width = 1000)
        : data(loadedFrom(text)), rows(layoutRows(data, {})), ratio(ratio) {
        image = painter.paint(
            {data, rows, view, 0, {width, totalHeight(rows) + 10}, ratio, {}, {}, {}, 0});
    }
    /// Middle of the bar of the row with this label, low enough to miss its text.
    int y(const QString &label) const {
        for (const Row &row : rows)
            if (row.label == label) return int((row.y + row.bar - 3) * ratio);
        return -1;
    }
    QColor at(const QString &label, int x) const { return image.pixelColor(x, y(label)); }
    QColor colour(const char *name) const {
        return data.groupColours()[data.groupOf(test::find(data.trace(), name))];
    }

    TimelineData data;
    std::vector<Row> rows;
    LanesPainter painter;
    QImage image;
    double ratio;
};

/// A stream that the host waits for, and one beside it that it does not wait for.
std::string denseText(int launches) {
    std::string text;
    for (int i = 0; i < launches; ++i) {
        const std::string at = std::to_string(10 * i), corr = " corr=" + std::to_string(2 * i);
        const std::string other = " corr=" + std::to_string(2 * i + 1);
        text += "main: call " + at + ".." + std::to_string(10 * i + 1) + " launch" + corr + "\n";
        text += "main: call2 " + std::to_string(10 * i + 1) + ".." + std::to_string(10 * i + 2) +
                " launch" + other + "\n";
        text += "gpu0/s7: k" + std::to_string(i % 3) + " " + std::to_string(10 * i + 2) + ".." +
                std::to_string(10 * i + 9) + corr + "\n";
        text += "gpu0/s8: aside " + std::to_string(10 * i + 3) + ".." + std::to_string(10 * i + 5) +
                " comm" + other + "\n";
        text += "main: wait " + std::to_string(10 * i + 2) + ".." + std::to_string(10 * i + 9) +
                " sync\n";
    }
    return text;
}

} // namespace

/// Pixels of the lanes: what is drawn where, and that nothing gets lost.
class PaintingTest : public QObject {
    Q_OBJECT
private slots:
    void barsLieOnTheirTimes();
    void adjacentMarksAreParted();
    void aNanosecondAmongHoursIsAMark();
    void manyMarksBecomeADensity();
    void annotationsAreOutlines();
    void waitingIsHollow();
    void everyRatioIsCrisp_data();
    void everyRatioIsCrisp();
    void equalFramesAreEqual();
    void anOldSelectionOfAFoldedRowIsHarmless();
    void earlierFramesDoNotShow();
};

void PaintingTest::barsLieOnTheirTimes() {
    const Painted p("main: zero 0..0.001\ngpu0/s7: a 100..200\ngpu0/s7: b 400..500\n",
                    {0, 1'000'000});
    const QString row = "stream 7";
    const QColor bar = p.colour("a");
    QCOMPARE(p.at(row, 100), bar);
    QCOMPARE(p.at(row, 198), bar);
    QVERIFY(p.at(row, 99) != bar);
    QVERIFY(p.at(row, 200) != bar);
    QCOMPARE(p.at(row, 450), bar);
    QVERIFY(p.at(row, 300) != bar);
}

void PaintingTest::adjacentMarksAreParted() {
    const Painted p("main: zero 0..0.001\ngpu0/s7: a 100..200\ngpu0/s7: b 200..300\n",
                    {0, 1'000'000});
    QCOMPARE(p.at("stream 7", 198), p.colour("a"));
    QCOMPARE(p.at("stream 7", 199), theme().base);
    QCOMPARE(p.at("stream 7", 200), p.colour("b"));
}

void PaintingTest::aNanosecondAmongHoursIsAMark() {
    const Painted p("gpu0/s7: a 3600s..3600000000.001\ngpu0/s8: b 0s..7200s\n",
                    {0, 7'200'000'000'000});
    int marks = 0;
    for (int x = 0; x < 1000; ++x) marks += p.at("stream 7", x) == p.colour("a");
    QCOMPARE(marks, 1);
    QCOMPARE(p.at("stream 7", 500), p.colour("a"));
}

void PaintingTest::manyMarksBecomeADensity() {
    std::string text;
    for (int i = 0; i < 4000; ++i) {
        const std::string begin = std::to_string(i), end = std::to_string(i) + ".5";
        text += "gpu0/s7: k ";
        text += begin + ".." + end + '\n';
    }
    const Painted p(text, {0, 4'000'000});
    const QColor half = mix(theme().base, p.colour("k"), 0.35 + 0.65 * 0.5);
    for (int x = 10; x < 990; x += 13) {
        const QColor got = p.at("stream 7", x);
        QVERIFY2(std::abs(got.red() - half.red()) <= 3 && std::abs(got.blue() - half.blue()) <= 3,
                 qPrintable(got.name()));
    }
}

void PaintingTest::annotationsAreOutlines() {
    const Painted p("main: a 0..1000\n~notes: range 100..900\n", {0, 1'000'000});
    const QColor inside = p.image.pixelColor(702, p.y("notes"));
    QCOMPARE(inside, theme().base);
    QCOMPARE(p.at("notes", 100), p.colour("range"));
}

void PaintingTest::waitingIsHollow() {
    const Painted p("main: zero 0..0.001\nmain: cudaDeviceSynchronize 100..900 sync\n",
                    {0, 1'000'000});
    QCOMPARE(p.at("main", 702), theme().base);
    QCOMPARE(p.at("main", 100), p.colour("cudaDeviceSynchronize"));
}

void PaintingTest::everyRatioIsCrisp_data() {
    QTest::addColumn<double>("ratio");
    for (double ratio : {1.0, 1.25, 1.5, 2.0, 3.0}) QTest::addRow("%g", ratio) << ratio;
}

void PaintingTest::everyRatioIsCrisp() {
    QFETCH(double, ratio);
    const Painted p("main: zero 0..0.001\ngpu0/s7: a 100..200\ngpu0/s7: b 300..777\n",
                    {0, 1'000'000}, ratio);
    QCOMPARE(p.image.width(), int(std::lround(1000 * ratio)));
    const QColor bar = p.colour("a"), base = theme().base, grid = theme().grid;
    const QColor bracket = mix(base, theme().text2, 0.6); // around the gap
    bool any = false;
    for (int x = 0; x < p.image.width(); ++x) {
        const QColor got = p.at("stream 7", x);
        QVERIFY2(got == bar || got == base || got == grid || got == bracket,
                 qPrintable(got.name())); // no half tones
        any |= got == bar;
    }
    QVERIFY(any);
}

void PaintingTest::equalFramesAreEqual() {
    const std::string text = "main: a 0..100\nmain: b 10..20\ngpu0/s7: k 5..50\n";
    const Painted a(text, {0, 100'000}), b(text, {0, 100'000});
    QCOMPARE(a.image, b.image);
}

void PaintingTest::anOldSelectionOfAFoldedRowIsHarmless() {
    TimelineData data(loadedFrom("main: call 0..5 launch corr=1\ngpu0/s7: k 5..50 corr=1\n"));
    RowChoices choices;
    for (const TrackGroup &group : data.groups()) choices.closedGroups.insert(group.key);
    const auto rows = layoutRows(data, choices);
    LanesPainter painter;
    const IntervalId id = test::find(data.trace(), "k");
    const QImage image =
        painter.paint({data, rows, {0, 100'000}, 0, {400, 100}, 1, id, TimeRange{3, 900}, {}, 0});
    QCOMPARE(image.size(), QSize(400, 100));
}

/// A painter that has painted other times, traces, themes, colours, rows and paths paints what a
/// new one does: lines that it keeps are never those of another scene.
void PaintingTest::earlierFramesDoNotShow() {
    WindowRequest all;
    all.all = true;
    const test::Analysed many = test::analysed(test::traceFromText(denseText(3'000)), all),
                         others = test::analysed(test::traceFromText(denseText(2'000)), all);
    auto data = std::make_unique<TimelineData>(many.loaded);
    auto path = std::make_unique<PathIndex>(many.path, *data);
    LanesPainter old;
    std::mt19937 random(4);
    bool first = true, withPath = false;
    int differ = 0;
    RowChoices choices;
    choices.height = 4000;
    std::vector<Row> rows = layoutRows(*data, choices);
    TimeRange view = data->trace().range;
    double ratio = 1;
    int scroll = 0, width = 700;
    std::optional<TimeRange> range;
    for (int i = 0; i < 120; ++i) {
        switch (random() % 10) {
        case 0:
            view.begin = TimeNs(random() % uint64_t(data->trace().range.end / 2));
            view.end = view.begin + 1 + TimeNs(random() % uint64_t(data->trace().range.end));
            break;
        case 1:
            first = !first; // the former trace may be gone by then, and this one in its place
            path.reset();
            data.reset();
            data = std::make_unique<TimelineData>(first ? many.loaded : others.loaded);
            path = std::make_unique<PathIndex>(first ? many.path : others.path, *data);
            rows = layoutRows(*data, choices);
            break;
        case 2:
            withPath = !withPath;
            break;
        case 3:
            setTheme(random() % 2 ? QStringLiteral("dark") : QStringLiteral("light"));
            break;
        case 4:
            data->setColourBy(data->colourBy() == ColourBy::Phase ? ColourBy::Kind
                                                                  : ColourBy::Phase);
            path = std::make_unique<PathIndex>(first ? many.path : others.path, *data);
            break;
        case 5:
            choices.hiddenTracks.assign(random() % 30, random() % 2);
            choices.laneHeight = 14 + int(random() % 10);
            rows = layoutRows(*data, choices);
            break;
        case 6:
            ratio = 1 + int(random() % 3) * 0.5;
            break;
        case 7:
            width = 500 + int(random() % 400);
            break;
        case 8:
            range = range ? std::nullopt : std::optional(TimeRange{view.begin + 5, view.end / 2});
            break;
        default:
            scroll = int(random() % 300);
        }
        LanesFrame frame{*data, rows, view, scroll, {width, 400}, ratio, {}, range, {}, 0};
        if (withPath) frame.path = path.get();
        const QImage image = old.paint(frame);
        LanesPainter fresh;
        QCOMPARE(image, fresh.paint(frame));
        frame.path = withPath ? nullptr : path.get();
        LanesPainter other;
        differ += image != other.paint(frame);
    }
    setTheme(QStringLiteral("light"));
    QVERIFY2(differ > 60, qPrintable(QString::number(differ)));
}

QTEST_MAIN(PaintingTest)
#include "painting_test.moc"
