// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_trace.h"
#include "ui/export/picture.h"
#include "ui/kept_choices.h"
#include "ui/theme.h"
#include "ui/timeline/selection_links.h"
#include "ui/timeline/time_scale.h"

#include <nlohmann/json.hpp>

#include <QtTest>

using namespace longpole;

namespace {

/// CPU preparation, transfer, compute and logging that overlap (ms): 68 of work in 50 of time.
const char *const kOverlapping = "loader: prepare 0ms..20ms\n"
                                 "gpu0/s20: Memcpy HtoD (Pinned -> Device) 10ms..20ms h2d\n"
                                 "gpu0/s7: gemm 20ms..50ms\n"
                                 "main: write_log 25ms..33ms\n";

PictureSpec specOf(const std::string &text) {
    auto loaded = std::make_shared<Loaded>();
    loaded->trace = test::traceFromText(text);
    loaded->steps = findSteps(*loaded->trace);
    loaded->phases = phases(*loaded->trace, loaded->steps);
    PictureSpec spec;
    spec.window = *resolveWindow(*loaded->trace, loaded->steps, {});
    spec.view = openingView(*loaded->trace, loaded->steps);
    spec.loaded = loaded;
    spec.size = {800, 480};
    return spec;
}

} // namespace

/// The picture of a trace: its size, its figures, and that it is the same every time.
class PictureTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { useBundledFont(); }
    void cleanup() { setTheme("light"); }
    void hasTheSizeAskedFor_data();
    void hasTheSizeAskedFor();
    void isTheSameTwice();
    void saysTheSumsOfTheWindow();
    void themesDiffer();
    void anEmptyTraceIsAPictureToo();
    void manyLanesAreLookedAtOnce();
    void smallPicturesHold();
    void marksArePartOfIt();
    void tracksAreWhereTheyWerePut();
    void whatWasKeptIsRead();
    void linksOfTheSelectionAreDrawn();
};

void PictureTest::hasTheSizeAskedFor_data() {
    QTest::addColumn<double>("scale");
    for (double scale : {1.0, 1.25, 1.5, 2.0, 3.0}) QTest::addRow("%g", scale) << scale;
}

void PictureTest::hasTheSizeAskedFor() {
    QFETCH(double, scale);
    PictureSpec spec = specOf(kOverlapping);
    spec.scale = scale;
    const QImage image = renderPicture(spec);
    QCOMPARE(image.size(), QSize(int(std::lround(800 * scale)), int(std::lround(480 * scale))));
    QCOMPARE(image.devicePixelRatio(), 1.0);
}

void PictureTest::isTheSameTwice() {
    const PictureSpec spec = specOf(kOverlapping);
    QCOMPARE(renderPicture(spec), renderPicture(spec));
    QCOMPARE(renderPicture(specOf(kOverlapping)), renderPicture(spec));
}

void PictureTest::saysTheSumsOfTheWindow() {
    const PictureSpec spec = specOf(kOverlapping);
    QString text = sumsText(*spec.loaded, spec.window);
    QCOMPARE(text.replace(QChar(0xA0), ' '),
             QString("sum of durations 68.0 ms · union 50.0 ms · elapsed 50.0 ms"));
}

void PictureTest::themesDiffer() {
    const PictureSpec spec = specOf(kOverlapping);
    const QImage light = renderPicture(spec);
    setTheme("dark");
    const QImage dark = renderPicture(spec);
    QVERIFY(light != dark);
    QCOMPARE(light.pixelColor(400, 5), themeById("light").win);
    QCOMPARE(dark.pixelColor(400, 5), themeById("dark").win);
}

void PictureTest::anEmptyTraceIsAPictureToo() {
    PictureSpec spec = specOf("");
    QCOMPARE(renderPicture(spec).size(), QSize(800, 480));
}

/// A stream whose intervals all overlap has as many lanes as intervals.
void PictureTest::manyLanesAreLookedAtOnce() {
    QString text;
    const int lanes = 30'000;
    for (int i = 0; i < lanes; ++i)
        text += QStringLiteral("gpu0/s7: gemm %1ns..%2ns\n").arg(i).arg(2 * lanes + i);
    const PictureSpec spec = specOf(text.toStdString());
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(renderPicture(spec).size(), spec.size);
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed()))); // was quadratic
}

void PictureTest::smallPicturesHold() {
    PictureSpec spec = specOf(kOverlapping);
    spec.size = {200, 200};
    QCOMPARE(renderPicture(spec).size(), QSize(200, 200));
}

void PictureTest::marksArePartOfIt() {
    PictureSpec spec = specOf(kOverlapping);
    const QImage without = renderPicture(spec);
    spec.marks = {{"a", {12'000'000, 12'000'000}, "look here"},
                  {"b", {20'000'000, 30'000'000}, {}}};
    const QImage image = renderPicture(spec);
    QCOMPARE(renderPicture(spec), image);
    const TimeScale scale{spec.view, 800 - 186};
    for (const TimeNs at : {12'000'000, 20'000'000, 30'000'000}) { // a line through the lanes
        int accent = 0;
        for (int y = 120; y < 350; ++y)
            accent += image.pixelColor(186 + int(scale.x(at)), y) == theme().accent;
        QVERIFY2(accent > 20, qPrintable(QString::number(accent)));
    }
    QVERIFY(image != without);
    spec.marks[0].text.clear();
    QVERIFY(renderPicture(spec) != image); // the words are there
}

void PictureTest::tracksAreWhereTheyWerePut() {
    PictureSpec spec = specOf("main: forward 0ms..20ms\n"
                              "second: backward 10ms..50ms\n"
                              "third: logging 20ms..60ms\n");
    const auto trackOf = [&](const char *name) {
        return test::find(*spec.loaded->trace, name).track;
    };
    // names by where their colours are drawn, from the top
    const auto orderOf = [](const QImage &image) {
        QStringList order;
        for (int y = 120; y < 400; ++y)
            for (int x = 190; x < 800; ++x)
                for (const char *phase : {"forward", "backward", "logging"})
                    if (image.pixelColor(x, y) == theme().phaseColour(phase) &&
                        !order.contains(QLatin1String(phase)))
                        order << QLatin1String(phase);
        return order;
    };
    const QStringList before = orderOf(renderPicture(spec));
    QCOMPARE(before.size(), 3);
    const auto track = [&](int i) { return trackOf(qPrintable(before[i])); };
    spec.tracks.pinned = {track(2)};
    QCOMPARE(orderOf(renderPicture(spec)), QStringList({before[2], before[0], before[1]}));
    spec.tracks = {};
    spec.tracks.hidden = {track(1)};
    QCOMPARE(orderOf(renderPicture(spec)), QStringList({before[0], before[2]}));
    spec.tracks = {};
    spec.tracks.order = {track(1), track(0)};
    const QStringList moved = orderOf(renderPicture(spec));
    QVERIFY(moved.indexOf(before[1]) < moved.indexOf(before[0]));
}

void PictureTest::whatWasKeptIsRead() {
    const PictureSpec spec = specOf(kOverlapping);
    const Trace &trace = *spec.loaded->trace;
    KeptChoices kept;
    kept.marks = {{"a", {5, 9}, "text"}};
    kept.tracks.hidden = {1};
    kept.tracks.pinned = {2};
    kept.tracks.order = {2, 0};
    nlohmann::json state;
    putKept(kept, trace, state);
    const KeptChoices read = keptOf(nlohmann::json::parse(state.dump()), trace);
    QCOMPARE(read.marks, kept.marks);
    QVERIFY(read.tracks == kept.tracks);
    for (const char *odd : {"[]", "{}", "{\"marks\": 3, \"tracks\": [1]}",
                            "{\"marks\": [{\"id\": 1}, 5], \"tracks\": {\"hidden\": [7]}}"}) {
        const KeptChoices nothing = keptOf(nlohmann::json::parse(odd), trace);
        QVERIFY(nothing.marks.empty() && nothing.tracks == TrackChoices::Kept());
    }
}

/// From a forward operator to its backward one, and from a record to who waits for it.
void PictureTest::linksOfTheSelectionAreDrawn() {
    PictureSpec spec = specOf("main: aten::mm 0ms..10ms seq=5\n"
                              "main: cudaEventRecord 30ms..32ms event_record corr=6\n"
                              "engine: MmBackward0 40ms..50ms seq=5 fwd=1\n"
                              "engine: cudaStreamWaitEvent 35ms..36ms event_wait corr=7\n"
                              "wait: 35ms..35ms corr=7 stream=7 on=20 record=6\n");
    const Trace &trace = *spec.loaded->trace;
    const auto id = [&](const char *name) { return test::find(trace, name); };
    using Curve = std::pair<IntervalId, IntervalId>;
    const Curve autograd{id("aten::mm"), id("MmBackward0")};
    const Curve event{id("cudaEventRecord"), id("cudaStreamWaitEvent")};
    for (const Curve &curve : {autograd, event})
        for (const IntervalId end : {curve.first, curve.second}) {
            QVERIFY(linksOf(trace, nullptr, end).curves == std::vector<Curve>{curve});
            spec.selected = end;
            const QImage image = renderPicture(spec);
            const TimeScale scale{spec.view, 800 - 186};
            const int x0 = 186 + int(scale.x(trace.end(curve.first))),
                      x1 = 186 + int(scale.x(trace.begin(curve.second)));
            for (int x = x0 + 8; x < x1 - 8; x += 4) { // a column without anything else of it
                bool found = false;
                for (int y = 120; y < 350; ++y) {
                    const QColor c = image.pixelColor(x, y);
                    found |= c.blue() - c.red() > 40 && c != theme().phaseColour("forward");
                }
                QVERIFY2(found, qPrintable(QString::number(x)));
            }
        }
}

QTEST_MAIN(PictureTest)
#include "picture_test.moc"
