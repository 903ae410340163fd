// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/ui/timeline/path_fixture.h"

#include <QElapsedTimer>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Columns of the window without the path in any gutter, as the longest run.
int longestHole(const Painted &painted, int from, int to) {
    int longest = 0, run = 0;
    for (int x = from; x < to; ++x) {
        bool seen = false;
        for (const Row &row : painted.rows)
            if (row.endsTrack)
                seen |= painted.image.pixelColor(x, int((row.bottom() - 4) * painted.ratio) + 1) ==
                        theme().path;
        run = seen ? 0 : run + 1;
        longest = std::max(longest, run);
    }
    return longest;
}

QColor dimmed(QColor colour) {
    return mix(theme().base, colour, theme().dimShare);
}

} // namespace

/// The critical path in the lanes, from a trace to pixels.
class PathTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { useBundledFont(); }

    void farHandOversAreOutside();
    void theLineRunsUnderWhatIsOnThePath();
    void theRestIsDimmedInsideTheWindow();
    void aRangePartlyOnThePathIsDimmedInPart();
    void theLineNeverBreaks_data();
    void theLineNeverBreaks();
    void waitsAreDashed();
    void handOversStandAtTheBeginTheyCause();
    void assumedHandOversAreDashed();
    void closeHandOversAreOne();
    void wordsOfHeadersStayWhole();
    void slackIsDrawnInTheGutter();
    void aFrameCostsItsPixels();
    void framesAreEqual();
};

void PathTest::theLineRunsUnderWhatIsOnThePath() {
    const Painted p(example("overlapping_timeline.json"), {0, 50'000'000}, 1000); // 20 px a ms
    for (int x = 400; x < 1000; ++x) QCOMPARE(p.gutter("stream 7", x), theme().path);
    for (int x = 0; x < 396; ++x) {
        QCOMPARE(p.gutter("preparation", x), theme().path);
        QVERIFY(p.gutter("stream 7", x) != theme().path);
    }
    for (int x = 405; x < 1000; ++x) QVERIFY(p.gutter("preparation", x) != theme().path);
    for (const char *off : {"logging", "stream 20", "H2D"})
        for (int x = 0; x < 1000; ++x)
            if (x < 395 || x >= 400) // where the vertical passes
                QVERIFY2(p.gutter(off, x) != theme().path, off);
}

void PathTest::theRestIsDimmedInsideTheWindow() {
    const Painted p(example("overlapping_timeline.json"), {0, 50'000'000}, 1000);
    QCOMPARE(p.bar("stream 7", 600), p.colour("compute"));
    QCOMPARE(p.bar("preparation", 300), p.colour("prepare"));
    QCOMPARE(p.bar("logging", 640), dimmed(p.colour("logging")));
    QCOMPARE(p.bar("stream 20", 390), dimmed(p.colour("H2D")));
    QCOMPARE(p.bar("H2D", 390), dimmed(p.colour("H2D"))); // its view among the transfers
    // Another window: what lies outside of it is left as it is.
    Analysed step = example("overlapping_timeline.json");
    WindowRequest request;
    request.range = TimeRange{0, 20'000'000};
    auto path = std::make_shared<WindowPath>(*step.path);
    path->path = criticalPath(step.trace(), step.loaded->steps, *path->graph,
                              *resolveWindow(step.trace(), step.loaded->steps, request));
    step.path = path;
    const Painted early(step, {0, 50'000'000}, 1000);
    QCOMPARE(early.bar("logging", 640), early.colour("logging"));
    QCOMPARE(early.bar("stream 20", 390), dimmed(early.colour("H2D")));
}

void PathTest::aRangePartlyOnThePathIsDimmedInPart() {
    // forward holds work, then waits for the kernel
    const Painted p(analysed(test::traceFromText("main: forward 0..1000\n"
                                                 "main: work 0..400\n"
                                                 "main: cudaLaunchKernel 400..410 launch corr=1\n"
                                                 "main: cudaDeviceSynchronize 420..1000 sync\n"
                                                 "gpu0/s7: gemm 415..990 corr=1\n")),
                    {0, 1'000'000}, 1000);
    QCOMPARE(p.bar("main", 200), p.colour("forward"));
    QCOMPARE(p.bar("main", 700), dimmed(p.colour("forward")));
    QCOMPARE(p.bar("stream 7", 700), p.colour("gemm"));
}

void PathTest::theLineNeverBreaks_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("ratio");
    for (const QString &file :
         QStringList{"overlapping_timeline.json", "serial_step.json", "training.json.gz"})
        for (double ratio : {1.0, 1.5, 2.0})
            QTest::addRow("%s %g", qPrintable(file), ratio) << file << ratio;
}

void PathTest::theLineNeverBreaks() {
    QFETCH(QString, file);
    QFETCH(double, ratio);
    const Analysed of = example(qPrintable(file));
    const TimeRange window = of.path->path.window.range;
    for (const int part : {1, 7, 60}) { // from the whole window to a sixtieth of it
        const TimeNs length = window.length() / part, begin = window.begin + length * (part / 2);
        const Painted p(of, {begin, begin + length}, 900, ratio);
        const int gap = int(std::lround(2 * ratio)); // of a dashed line
        const int hole = longestHole(p, 1, p.image.width() - 1);
        QVERIFY2(hole <= gap, qPrintable(QString::number(hole)));
    }
}

void PathTest::waitsAreDashed() {
    // b was launched early and nothing says why it waited
    const Painted p(analysed(test::traceFromText("main: cudaLaunchKernel 0..5 launch corr=1\n"
                                                 "main: cudaLaunchKernel 6..10 launch corr=2\n"
                                                 "gpu0/s7: a 12..100 corr=1\n"
                                                 "gpu0/s7: b 500..600 corr=2\n")),
                    {0, 600'000}, 600);
    int drawn = 0;
    for (int x = 110; x < 490; ++x) drawn += p.gutter("stream 7", x) == theme().path;
    QVERIFY(std::abs(drawn / 380.0 - 0.6) < 0.02); // 3 of 5
    QCOMPARE(longestHole(p, 12, 599), 2);
    for (int x = 20; x < 95; ++x) QCOMPARE(p.gutter("stream 7", x), theme().path);
}

void PathTest::handOversStandAtTheBeginTheyCause() {
    const Analysed of = analysed(test::traceFromText(kLaunchAndSync));
    const Painted p(of, {0, 1'000'000}, 1000);
    const auto &all = p.path.handOvers();
    QCOMPARE(all.size(), size_t(2));
    QCOMPARE(all[0].time, TimeNs(320'000));
    QCOMPARE(all[0].type, EdgeType::Launch);
    QCOMPARE(all[1].type, EdgeType::Sync);
    QVERIFY(all[1].time >= 690'000 && all[1].time <= 700'000);
    // between the two gutters there is a line left of the kernel's begin
    const int top = p.row("main").bottom() + 3, bottom = p.row("stream 7").bottom() - 12;
    for (int y = top; y < bottom; ++y) {
        QCOMPARE(p.image.pixelColor(317, y), theme().path);
        QCOMPARE(p.image.pixelColor(318, y), theme().path);
    }
    // its head points down at the stream's gutter: wider above, and nothing below
    const int line = p.row("stream 7").bottom() - 5;
    const auto width = [&](int y) {
        int count = 0;
        for (int x = 305; x < 332; ++x) count += p.image.pixelColor(x, y) == theme().path;
        return count;
    };
    QVERIFY(width(line - 7) >= 6);
    QVERIFY(width(line - 7) > width(line - 3));
    QVERIFY(width(line - 10) <= 2);
}

void PathTest::assumedHandOversAreDashed() {
    Analysed of = analysed(test::traceFromText(kLaunchAndSync));
    auto path = std::make_shared<WindowPath>(*of.path);
    for (PathSegment &segment : path->path.segments) segment.evidence = Evidence::Assumed;
    of.path = path;
    const Painted p(of, {0, 1'000'000}, 1000);
    const int top = p.row("main").bottom(), bottom = p.row("stream 7").bottom() - 14;
    int drawn = 0;
    for (int y = top; y < bottom; ++y) drawn += p.image.pixelColor(317, y) == theme().path;
    const double share = double(drawn) / (bottom - top);
    QVERIFY2(share > 0.4 && share < 0.7, qPrintable(QString::number(share))); // 5 of 9
}

void PathTest::closeHandOversAreOne() {
    std::string text;
    for (int i = 0; i < 200;
         ++i) { // the path goes to the device and back in every microsecond pair
        const auto at = [&](double part) { return std::to_string(i * 10 + part); };
        const std::string corr = std::to_string(i + 1);
        text += "main: cudaLaunchKernel " + at(0) + ".." + at(1) + " launch corr=" + corr + "\n";
        text += "gpu0/s7: gemm " + at(1.5) + ".." + at(8) + " corr=" + corr + "\n";
        text += "main: cudaDeviceSynchronize " + at(1.6) + ".." + at(9) + " sync\n";
    }
    const Analysed of = analysed(test::traceFromText(text));
    const auto columns = [&](TimeRange view) {
        const Painted p(of, view, 1000);
        const int y = p.row("stream 7").y + 2;
        int verticals = 0;
        for (int x = 1; x < 1000; ++x)
            verticals += p.image.pixelColor(x, y) == theme().path &&
                         p.image.pixelColor(x - 1, y) != theme().path;
        return verticals;
    };
    QVERIFY(of.path->path.segments.size() > 400);
    QCOMPARE(columns({-100'000, 2'100'000}), 1); // 5 px from one to the next
    QVERIFY(columns({0, 200'000}) >= 20);        // 20 rounds, 50 px each
}

void PathTest::wordsOfHeadersStayWhole() {
    const TimeRange view{19'500'000, 50'000'000}; // the first hand-over is 16 pixels from the left
    Painted p(example("overlapping_timeline.json"), view, 1000);
    const QSize size(1000, totalHeight(p.rows) + 10);
    const LanesFrame frame{p.data, p.rows, view, 0, size, 1, {}, {}, {}};
    LanesPainter plain;
    const QImage without = plain.paint(frame);
    const QFontMetrics metrics(uiFont(11));
    int headers = 0, crossed = 0;
    for (const Row &row : p.rows) {
        const bool header = row.type == Row::Type::Group && !row.detail.isEmpty();
        headers += header;
        for (int y = row.y; y < row.y + row.bar; ++y)
            for (int x = 0; x < 8 + metrics.horizontalAdvance(row.detail); ++x)
                if (header)
                    QCOMPARE(p.image.pixelColor(x, y), without.pixelColor(x, y));
                else if (x < 30)
                    crossed += p.image.pixelColor(x, y) == theme().path;
    }
    QVERIFY(headers > 1);
    QVERIFY(crossed > 20); // it passes there
}

void PathTest::slackIsDrawnInTheGutter() {
    const Analysed of = example("overlapping_timeline.json");
    TimelineData data(of.loaded);
    const PathIndex path(of.path, data);
    const std::vector<Row> rows = layoutRows(data, {});
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [](const Row &r) { return r.label == QLatin1String("logging"); });
    LanesPainter painter;
    const SelectionLinks links{17'000'000, {}};
    LanesFrame frame{data,
                     rows,
                     {0, 60'000'000},
                     0,
                     {1200, totalHeight(rows)},
                     1,
                     test::find(of.trace(), "logging"),
                     {},
                     {},
                     0,
                     &path,
                     nullptr,
                     &links};
    const QImage image = painter.paint(frame);
    const int y = row->bottom() - 2; // its lower edge
    for (int x = 660; x < 1000; ++x) QCOMPARE(image.pixelColor(x, y), theme().accent);
    QVERIFY(image.pixelColor(655, y) != theme().accent);
    QVERIFY(image.pixelColor(1001, y) != theme().accent);
}

/// The making of an index looks at each segment once; a frame must not.
void PathTest::aFrameCostsItsPixels() {
    Analysed of = analysed(test::traceFromText(kLaunchAndSync));
    auto made = std::make_shared<WindowPath>(*of.path);
    constexpr uint32_t count = 2'000'000;
    made->path.window.range = {0, TimeNs(count) * 500};
    made->path.segments.assign(count, {});
    const uint32_t host = test::find(of.trace(), "work").track;
    const uint32_t stream = test::find(of.trace(), "gemm").track;
    for (uint32_t i = 0; i < count; ++i) {
        PathSegment &s = made->path.segments[i];
        s.begin = TimeNs(i) * 500, s.end = s.begin + 500;
        s.phase = uint8_t(i / 7 % 5);
        s.interval = test::find(of.trace(), i % 3 == 0 ? "gemm" : "work");
        s.track = i % 3 == 0 ? stream : host;
    }
    QElapsedTimer timer;
    timer.start();
    TimelineData data(of.loaded);
    const PathIndex path(made, data);
    const qint64 once = timer.nsecsElapsed();
    const std::vector<Row> rows = layoutRows(data, {});
    LanesPainter painter;
    PathStrip strip;
    qint64 worst = 0;
    for (const TimeRange view :
         {made->path.window.range, TimeRange{0, 50'000'000}, TimeRange{500'000'000, 500'040'000}}) {
        qint64 best = INT64_MAX;
        for (int round = 0; round < 3; ++round) {
            timer.restart();
            strip.paint(data, path, view, 1000, 1);
            painter.paint({data, rows, view, 0, {1000, 300}, 1, {}, {}, {}, 0, &path});
            best = std::min(best, timer.nsecsElapsed());
        }
        worst = std::max(worst, best);
    }
    QVERIFY2(
        worst * 4 < once,
        qPrintable(QStringLiteral("frame %1 µs, index %2 µs").arg(worst / 1000).arg(once / 1000)));
}

void PathTest::framesAreEqual() {
    const Analysed of = example("training.json.gz");
    const Painted a(of, of.path->path.window.range, 800), b(of, of.path->path.window.range, 800);
    QCOMPARE(a.image, b.image);
}

/// At a nanosecond a screen the next hand-over lies further away than pixels can be counted.
void PathTest::farHandOversAreOutside() {
    const test::Analysed of = test::example("training.json.gz");
    const TimeNs begin = of.path->path.window.range.begin;
    for (const TimeNs length : {1, 3, 10, 100, 1000}) {
        const test::Painted p(of, {begin, begin + length}, 1000);
        for (int y = 0; y < p.image.height(); y += 3)
            for (int x = 0; x < 1000; x += 3)
                QCOMPARE(p.painter.path().handOversAt({x, y}).first, kNone);
    }
}

QTEST_MAIN(PathTest)
#include "path_test.moc"
