// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "tests/ui/timeline/path_fixture.h"
#include "ui/timeline/timeline_view.h"

using namespace longpole;
using namespace longpole::test;

/// The path and the idle time of a device as strips, and what hands do with them.
class PathStripTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { useBundledFont(); }

    void theStripTilesTheWindow();
    void theStripShowsTheMostTimeOfAColumn();
    void lagsAndUnexplainedAreHatched();
    void nWalksInOrderAndBack();
    void theStripIsHit();
    void theIdleStripTellsTheCause();
    void switchedOffItIsAsIfThereWereNone();
};

void PathStripTest::theStripTilesTheWindow() {
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

void PathStripTest::theStripShowsTheMostTimeOfAColumn() {
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

void PathStripTest::lagsAndUnexplainedAreHatched() {
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

void PathStripTest::nWalksInOrderAndBack() {
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

void PathStripTest::theStripIsHit() {
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

void PathStripTest::theIdleStripTellsTheCause() {
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

void PathStripTest::switchedOffItIsAsIfThereWereNone() {
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

QTEST_MAIN(PathStripTest)
#include "path_strip_test.moc"
