// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/import/importer.h"
#include "tests/support/text_trace.h"
#include "ui/theme.h"
#include "ui/timeline/lanes_painter.h"
#include "ui/timeline/timeline_view.h"

#include <QElapsedTimer>
#include <QPainter>

using namespace longpole;

namespace {

struct Analysed {
    std::shared_ptr<const Loaded> loaded;
    std::shared_ptr<const WindowPath> path;
    std::shared_ptr<const std::vector<DeviceIdle>> idle;
    const Trace &trace() const { return *loaded->trace; }
};

Analysed analysed(std::shared_ptr<const Trace> trace) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = std::move(trace);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    Progress progress;
    auto graph = buildGraph(*loaded->trace, loaded->steps, loaded->phases, progress);
    if (!graph) qFatal("%s", graph.error().message.c_str());
    const Window window = *resolveWindow(*loaded->trace, loaded->steps, {});
    auto path = std::make_shared<WindowPath>();
    path->graph = std::make_shared<const DependencyGraph>(std::move(*graph));
    path->path = criticalPath(*loaded->trace, loaded->steps, *path->graph, window);
    Analysed result{loaded, path, {}};
    auto idle = idleBooks(*loaded->trace, loaded->phases, *path->graph, window, progress);
    if (idle) result.idle = std::make_shared<const std::vector<DeviceIdle>>(std::move(*idle));
    return result;
}

Analysed example(const char *name) {
    Progress progress;
    auto trace =
        openTraces({std::string(LONGPOLE_SOURCE_DIR "/resources/examples/") + name}, progress);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    return analysed(*trace);
}

/// All rows of a trace with its path, one device pixel to `ns` nanoseconds.
struct Painted {
    Painted(const Analysed &of, TimeRange view, int width, double ratio = 1)
        : data(of.loaded), path(of.path, data), idle(of.idle), ratio(ratio) {
        RowChoices choices;
        choices.idle = true;
        choices.height = 4000;
        rows = layoutRows(data, choices);
        LanesFrame frame{data, rows, view,  0,    {width, totalHeight(rows) + 10}, ratio, {}, {},
                         {},   0,    &path, &idle};
        image = painter.paint(frame);
    }
    const Row &row(const QString &label) const {
        const auto it =
            std::find_if(rows.begin(), rows.end(), [&](const Row &r) { return r.label == label; });
        if (it == rows.end()) qFatal("no row %s", qPrintable(label));
        return *it;
    }
    /// Low enough in the bar to miss its text.
    QColor bar(const QString &label, int x) const {
        return image.pixelColor(x, int((row(label).y + row(label).bar - 2) * ratio));
    }
    /// The middle of the gutter under a row.
    QColor gutter(const QString &label, int x) const {
        return image.pixelColor(x, int((row(label).bottom() - 4) * ratio) + 1);
    }
    QColor colour(const char *name) const {
        return data.groupColours()[data.groupOf(test::find(data.trace(), name))];
    }

    TimelineData data;
    PathIndex path;
    IdleIndex idle;
    std::vector<Row> rows;
    LanesPainter painter;
    QImage image;
    double ratio;
};

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

/// The critical path as it is seen: from a trace to pixels, and what hands do with it.
class PathTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { useBundledFont(); }

    void theLineRunsUnderWhatIsOnThePath();
    void theRestIsDimmedInsideTheWindow();
    void aRangePartlyOnThePathIsDimmedInPart();
    void theLineNeverBreaks_data();
    void theLineNeverBreaks();
    void handOversStandAtTheBeginTheyCause();
    void assumedHandOversAreDashed();
    void closeHandOversAreOne();
    void theStripTilesTheWindow();
    void theStripShowsTheMostTimeOfAColumn();
    void lagsAndUnexplainedAreHatched();
    void nWalksInOrderAndBack();
    void theStripIsHit();
    void theIdleStripTellsTheCause();
    void switchedOffItIsAsIfThereWereNone();
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

namespace {
const char *const kLaunchAndSync = "main: work 0..300\n"
                                   "main: cudaLaunchKernel 300..310 launch corr=1\n"
                                   "main: cudaDeviceSynchronize 320..700 sync\n"
                                   "main: log 700..1000\n"
                                   "gpu0/s7: gemm 320..690 corr=1\n";
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
        const int y = p.row("main").bottom() + 4;
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

void PathTest::theStripTilesTheWindow() {
    const Analysed of = example("overlapping_timeline.json");
    TimelineData data(of.loaded);
    const PathIndex path(of.path, data);
    PathStrip strip;
    for (double ratio : {1.0, 1.25, 2.0}) {
        const QImage &image = strip.paint(data, path, {-5'000'000, 55'000'000}, 1200, ratio);
        const auto at = [&](double ms) { return int(std::lround((ms + 5) * 20 * ratio)); };
        const int y = int(4 * ratio), line = int(22 * ratio);
        const QColor first = theme().phaseColour("data_wait"),
                     second = theme().phaseColour("forward");
        int holes = 0;
        for (int x = 0; x < image.width(); ++x) {
            const QColor got = image.pixelColor(x, y);
            const bool inside = x >= at(0) && x < at(50);
            QCOMPARE(image.pixelColor(x, line) == theme().path, inside);
            if (x < at(0) || x >= at(50))
                QCOMPARE(got, theme().base);
            else if (got == theme().base)
                ++holes; // one pixel parts neighbours
            else
                QCOMPARE(got, x < at(20) ? first : second);
        }
        QVERIFY2(holes <= 2 * std::max(1, int(std::lround(ratio))),
                 qPrintable(QString::number(holes)));
    }
}

void PathTest::theStripShowsTheMostTimeOfAColumn() {
    const Analysed of = example("training.json.gz");
    TimelineData data(of.loaded);
    const PathIndex path(of.path, data);
    const TimeRange window = path.window();
    constexpr int width = 700;
    PathStrip strip;
    const QImage image = strip.paint(data, path, window, width, 1);
    const std::vector<QColor> colours = data.groupColours();
    int told = 0, wrong = 0;
    for (int x = 0; x < width; ++x) { // a walk over every segment, in floating point
        const double from = double(window.begin) + double(window.length()) * x / width;
        const double to = double(window.begin) + double(window.length()) * (x + 1) / width;
        std::map<int, double> time;
        for (const PathSegment &s : path.segments()) {
            const double inside = std::min(double(s.end), to) - std::max(double(s.begin), from);
            if (inside <= 0) continue;
            const bool phase =
                s.type == PathSegment::Type::Activity || s.type == PathSegment::Type::Lag;
            time[phase ? s.phase : -1] += inside;
        }
        for (const auto &[phase, inside] : time) {
            if (phase < 0 || inside < 0.6 * (to - from)) continue;
            const QColor got = image.pixelColor(x, 3);
            if (got == theme().base) continue; // parts neighbours
            ++told;
            wrong += got != colours[data.slotGroups().groupOf[phase]];
        }
    }
    QVERIFY(told > 600);
    QVERIFY2(wrong <= told / 100,
             qPrintable(QString::number(wrong))); // edges of wide segments round
}

void PathTest::lagsAndUnexplainedAreHatched() {
    Analysed of = analysed(test::traceFromText(kLaunchAndSync));
    auto made = std::make_shared<WindowPath>(*of.path);
    PathSegment segment;
    segment.track = 0;
    made->path.segments.clear();
    for (const auto type :
         {PathSegment::Type::Lag, PathSegment::Type::Untraced, PathSegment::Type::Unexplained}) {
        segment.begin = TimeNs(made->path.segments.size()) * 300'000;
        segment.end = segment.begin + 300'000;
        segment.type = type;
        made->path.segments.push_back(segment);
    }
    TimelineData data(of.loaded);
    const PathIndex path(made, data);
    PathStrip strip;
    const QImage image = strip.paint(data, path, {0, 900'000}, 900, 1);
    const auto share = [&](int from, int to, QColor colour) {
        int count = 0;
        for (int y = 3; y < 18; ++y)
            for (int x = from; x < to; ++x) count += image.pixelColor(x, y) == colour;
        return double(count) / (15 * (to - from));
    };
    QVERIFY(std::abs(share(150, 290, theme().path) - 0.25) < 0.02);             // 1 of every 4
    QVERIFY(std::abs(share(450, 590, theme().phase.back()) - 1 / 16.0) < 0.02); // dots
    QVERIFY(std::abs(share(780, 890, theme().text) - 0.2) < 0.03);              // 1 of every 5
}

namespace {

/// A view of an analysed trace as the window shows it, 1000 pixels wide.
struct Shown {
    explicit Shown(const Analysed &of) : view(state) {
        view.setLabelWidth(200);
        view.resize(200 + 1000 + TimelineView::kScrollBar, 600);
        view.show();
        state.setLoaded(of.loaded);
        state.setView(of.path->path.window.range, false);
        view.setPath(of.path);
        view.setIdle(of.idle);
    }
    ViewState state;
    TimelineView view;
};

} // namespace

void PathTest::nWalksInOrderAndBack() {
    const Analysed of = example("training.json.gz");
    std::vector<IntervalId> wanted;
    for (const PathSegment &s : of.path->path.segments)
        if (s.interval.valid() && s.interval.row != kNone &&
            (wanted.empty() || wanted.back() != s.interval))
            wanted.push_back(s.interval);
    QVERIFY(wanted.size() > 50);
    Shown shown(of);
    std::vector<IntervalId> walked;
    for (size_t i = 0; i < wanted.size() + 3; ++i) { // and does not run over the end
        QTest::keyClick(&shown.view, Qt::Key_N);
        if (walked.empty() || walked.back() != shown.state.selected())
            walked.push_back(shown.state.selected());
    }
    QVERIFY(walked == wanted);
    for (size_t i = wanted.size() - 1; i-- > 0;) {
        QTest::keyClick(&shown.view, Qt::Key_N, Qt::ShiftModifier);
        QVERIFY(shown.state.selected() == wanted[i]);
        QVERIFY(!shown.view.rectOf(wanted[i]).isNull()); // revealed
    }
    // from any selection on the path
    shown.state.select(wanted[20]);
    QTest::keyClick(&shown.view, Qt::Key_N);
    QVERIFY(shown.state.selected() != wanted[20]);
}

void PathTest::theStripIsHit() {
    const Analysed of = example("overlapping_timeline.json");
    Shown shown(of);
    const QRect strip = shown.view.stripRect();
    QCOMPARE(strip.height(), PathStrip::kHeight);
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, strip.topLeft() + QPoint(200, 10));
    QCOMPARE(shown.state.selected(), test::find(of.trace(), "prepare"));
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, strip.topLeft() + QPoint(700, 10));
    QCOMPARE(shown.state.selected(), test::find(of.trace(), "compute"));
    QVERIFY(!shown.state.range());
    QTest::mouseMove(&shown.view, strip.topLeft() + QPoint(200, 10));
    QTRY_COMPARE(shown.state.hovered(), test::find(of.trace(), "prepare"));
}

void PathTest::theIdleStripTellsTheCause() {
    const Analysed of = example("overlapping_timeline.json");
    QVERIFY(of.idle);
    const Painted p(of, {0, 50'000'000}, 1000);
    for (int x = 0; x < 198; ++x) QCOMPARE(p.bar("idle", x), theme().phaseColour("data_wait"));
    for (int x = 205; x < 1000; ++x) QVERIFY(p.bar("idle", x) != theme().phaseColour("data_wait"));
    Shown shown(of);
    const auto &rows = shown.view.rows();
    const auto idle = std::find_if(rows.begin(), rows.end(),
                                   [](const Row &r) { return r.type == Row::Type::Idle; });
    QVERIFY(idle != rows.end());
    QCOMPARE(idle->detail, QStringLiteral("10.0\u00a0ms"));
    const QPoint at = shown.view.lanesRect().topLeft() + QPoint(50, idle->y + 8);
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, at);
    QCOMPARE(shown.state.selected(), test::find(of.trace(), "prepare"));
}

void PathTest::switchedOffItIsAsIfThereWereNone() {
    const Analysed of = example("training.json.gz");
    const auto grab = [](Shown &shown) {
        QImage image(shown.view.size(), QImage::Format_RGB32);
        shown.view.render(&image);
        return image;
    };
    Shown shown(of);
    const QImage on = grab(shown);
    shown.state.setPathShown(false);
    const QImage off = grab(shown);
    Analysed bare = of;
    bare.idle.reset();
    ViewState state;
    TimelineView view(state);
    state.setPathShown(false);
    view.setLabelWidth(200);
    view.resize(shown.view.size());
    view.show();
    state.setLoaded(of.loaded);
    state.setView(of.path->path.window.range, false);
    QImage without(view.size(), QImage::Format_RGB32);
    view.render(&without);
    QVERIFY(on != off);
    QCOMPARE(off, without);
    shown.state.setPathShown(true);
    QCOMPARE(grab(shown), on);
}

void PathTest::slackIsDrawnInTheGutter() {
    const Analysed of = example("overlapping_timeline.json");
    TimelineData data(of.loaded);
    const PathIndex path(of.path, data);
    const std::vector<Row> rows = layoutRows(data, {});
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [](const Row &r) { return r.label == QLatin1String("logging"); });
    LanesPainter painter;
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
                     17'000'000};
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

QTEST_MAIN(PathTest)
#include "path_test.moc"
