// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/import/importer.h"
#include "tests/support/text_trace.h"
#include "ui/export/picture.h"
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"

using namespace longpole;

namespace {

/// The overlapping example with its compute at another speed: 20 ms + 30 ms / speed.
struct Predicted {
    explicit Predicted(const char *edit) {
        Progress progress;
        auto trace = openTraces(
            {LONGPOLE_SOURCE_DIR "/resources/examples/overlapping_timeline.json"}, progress);
        if (!trace) qFatal("%s", trace.error().message.c_str());
        auto made = std::make_shared<Loaded>();
        made->trace = *trace;
        made->steps = findSteps(**trace);
        made->phases = phases(**trace, made->steps);
        loaded = made;
        const auto graph = buildGraph(**trace, made->steps, made->phases, progress);
        const Window window = *resolveWindow(**trace, made->steps, {});
        std::vector<std::string> unmatched;
        const auto scaling =
            resolveScaling(**trace, made->phases, *graph, {*parseSpeedEdit(edit)}, unmatched);
        prediction = *predict(loaded, *graph, nullptr, window, *scaling, edit, progress);
        auto shared = std::make_shared<const DependencyGraph>(std::move(*graph));
        path = std::make_shared<const WindowPath>(
            WindowPath{shared, criticalPath(**trace, made->steps, *shared, window)});
        idle = std::make_shared<const std::vector<DeviceIdle>>(
            *idleBooks(**trace, made->phases, *shared, window, progress));
    }
    std::shared_ptr<const Loaded> loaded;
    std::shared_ptr<const WindowPath> path;
    std::shared_ptr<const std::vector<DeviceIdle>> idle;
    std::shared_ptr<const Prediction> prediction;
};

/// A view of it, 20 pixels a millisecond.
struct Shown {
    explicit Shown(const Predicted &of) : view(state) {
        view.setLabelWidth(200);
        view.resize(200 + 1200 + TimelineView::kScrollBar, 500);
        view.show();
        state.setLoaded(of.loaded);
        state.setView({0, 60'000'000}, false);
    }
    QImage grab() {
        QImage image(view.size(), QImage::Format_RGB32);
        view.render(&image);
        return image;
    }
    const Row &row(const char *label) const {
        for (const Row &r : view.rows())
            if (r.label == QLatin1String(label)) return r;
        qFatal("no row %s", label);
    }
    ViewState state;
    TimelineView view;
};

} // namespace

/// A what-if held against what was measured.
class PredictionTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { useBundledFont(); }
    void lanesMoveAndLeaveAGhost_data();
    void lanesMoveAndLeaveAGhost();
    void thePathRunsFromBeginToPredictedEnd_data() { lanesMoveAndLeaveAGhost_data(); }
    void thePathRunsFromBeginToPredictedEnd();
    void theDeviceIsBusyOrTheStripSaysWhyNot_data() { lanesMoveAndLeaveAGhost_data(); }
    void theDeviceIsBusyOrTheStripSaysWhyNot();
    void measuredIsAsBefore();
    void selectionHolds();
    void picturesAreEqual();
};

void PredictionTest::lanesMoveAndLeaveAGhost_data() {
    QTest::addColumn<QString>("edit");
    QTest::addColumn<int>("end"); // ms
    QTest::newRow("faster") << "name:compute=2" << 35;
    QTest::newRow("slower") << "name:compute=0.75" << 60;
}

void PredictionTest::lanesMoveAndLeaveAGhost() {
    QFETCH(QString, edit);
    QFETCH(int, end);
    const Predicted of(qPrintable(edit));
    QCOMPARE(of.prediction->length, TimeNs(end) * 1'000'000);
    Shown shown(of);
    shown.view.setPrediction(of.prediction);
    shown.state.setPredictedShown(true);
    const QImage image = shown.grab();
    const QPoint lanes = shown.view.lanesRect().topLeft();
    const Row &row = shown.row("stream 7");
    const auto at = [&](double ms, int y) {
        return image.pixelColor(lanes.x() + int(ms * 20), lanes.y() + row.y + y);
    };
    const QColor bar = theme().phaseColour("forward");
    const int low = row.bar - 2,
              ghost = row.height - row.ghost + 8; // the lower edge of its outline
    for (double ms = 20.5; ms < end - 0.5; ms += 0.5) QCOMPARE(at(ms, low), bar);
    for (double ms = end + 0.5; ms < 49; ms += 0.5) QVERIFY(at(ms, low) != bar);
    for (double ms = 20.5; ms < 49.5; ms += 0.5) { // where it was: hollow
        if (std::abs(ms - end) < 0.6) continue;    // the end of the window passes
        QCOMPARE(at(ms, ghost), bar);
        QCOMPARE(at(ms + 0.1, ghost - 3), theme().base);
    }
    QCOMPARE(image.pixelColor(lanes.x() + end * 20 - 1, lanes.y() + 3), theme().accent);
}

void PredictionTest::thePathRunsFromBeginToPredictedEnd() {
    QFETCH(QString, edit);
    QFETCH(int, end);
    const Predicted of(qPrintable(edit));
    Shown shown(of);
    shown.view.setPath(of.path);
    shown.view.setIdle(of.idle);
    const int height = shown.view.lanesRect().height();
    shown.view.setPrediction(of.prediction);
    shown.state.setPredictedShown(true);
    QCOMPARE(shown.view.lanesRect().height(), height - PathStrip::kGhost);
    const QImage image = shown.grab();
    const QRect strip = shown.view.stripRect();
    for (int x = 0; x < strip.width(); ++x) { // the line under the strip: 20 pixels a millisecond
        const bool line = image.pixelColor(strip.left() + x, strip.top() + 22) == theme().path;
        QCOMPARE(line, x < end * 20);
        // what was measured below it, 50 ms long
        const QColor edge = image.pixelColor(strip.left() + x, strip.bottom() + 1 + 2);
        if (x % 400 > 0 && x % 400 < 399) QCOMPARE(edge != theme().base, x < 1000 - 1);
    }
    // and in the lanes: in every column the path is in some gutter
    const QRect lanes = shown.view.lanesRect();
    for (int x = 2; x < end * 20 - 4; ++x) {
        if (std::abs(x - 1000) < 3) continue; // the measured end passes
        bool found = false;
        for (const Row &row : shown.view.rows()) {
            const int y = row.bottom() - row.ghost - 4;
            found |= row.endsTrack &&
                     image.pixelColor(lanes.left() + x, lanes.top() + y) == theme().path;
        }
        QVERIFY2(found, qPrintable(QString::number(x)));
    }
    // it can be walked and asked like the measured one
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, strip.topLeft() + QPoint(end * 20 - 30, 10));
    QCOMPARE(shown.state.selected(), test::find(*of.loaded->trace, "compute"));
    QTest::keyClick(&shown.view, Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(shown.state.selected(), test::find(*of.loaded->trace, "prepare"));
}

void PredictionTest::theDeviceIsBusyOrTheStripSaysWhyNot() {
    QFETCH(QString, edit);
    QFETCH(int, end);
    const Predicted of(qPrintable(edit));
    Shown shown(of);
    shown.view.setPath(of.path);
    shown.view.setIdle(of.idle);
    shown.view.setPrediction(of.prediction);
    shown.state.setPredictedShown(true);
    const QImage image = shown.grab();
    const QPoint lanes = shown.view.lanesRect().topLeft();
    const Row &idle = shown.row("idle");
    QCOMPARE(idle.detail, QStringLiteral("10.0\u00a0ms"));
    const auto drawn = [&](const Row &row, int x, int y) {
        const QColor colour = image.pixelColor(lanes.x() + x, lanes.y() + row.y + y);
        return colour != theme().base && colour != theme().grid;
    };
    for (int x = 2; x < end * 20 - 4; ++x) {
        if (std::abs(x - 200) < 3 || std::abs(x - 400) < 3) continue; // between two marks
        if (std::abs(x - 1000) < 3) continue;                         // the measured end passes
        const bool busy = drawn(shown.row("stream 7"), x, shown.row("stream 7").bar - 2) ||
                          drawn(shown.row("stream 20"), x, shown.row("stream 20").bar - 2);
        QCOMPARE(drawn(idle, x, idle.bar - 2), !busy);
        const int ghost = idle.height - idle.ghost; // idle for the first 10 ms when measured
        if (x % 400 != 0) QCOMPARE(drawn(idle, x, ghost), x < 200);
    }
}

void PredictionTest::measuredIsAsBefore() {
    const Predicted of("name:compute=2");
    Shown shown(of);
    const QImage before = shown.grab();
    shown.view.setPrediction(of.prediction);
    QCOMPARE(shown.grab(), before);
    shown.state.setPredictedShown(true);
    QVERIFY(shown.grab() != before);
    shown.state.setPredictedShown(false);
    QCOMPARE(shown.grab(), before);
    shown.state.setPredictedShown(true);
    shown.view.setPrediction({}); // nothing is predicted any more
    QCOMPARE(shown.grab(), before);
}

void PredictionTest::selectionHolds() {
    const Predicted of("name:compute=2");
    Shown shown(of);
    const IntervalId compute = test::find(*of.loaded->trace, "compute");
    shown.state.select(compute);
    const QRect measured = shown.view.rectOf(compute);
    shown.view.setPrediction(of.prediction);
    shown.state.setPredictedShown(true);
    QCOMPARE(shown.state.selected(), compute);
    QCOMPARE(shown.view.rectOf(compute).width() * 2, measured.width());
    QTest::mouseClick(&shown.view, Qt::LeftButton, {},
                      shown.view.lanesRect().topLeft() + QPoint(5, 100));
    QTest::mouseClick(&shown.view, Qt::LeftButton, {}, shown.view.rectOf(compute).center());
    QCOMPARE(shown.state.selected(), compute);
}

void PredictionTest::picturesAreEqual() {
    const Predicted of("name:compute=2");
    PictureSpec spec;
    spec.loaded = of.loaded;
    spec.prediction = of.prediction;
    spec.path = of.path;
    spec.idle = of.idle;
    spec.window = of.prediction->window;
    spec.view = {0, 55'000'000};
    spec.size = {900, 500};
    const QImage image = renderPicture(spec);
    QCOMPARE(renderPicture(spec), image);
    spec.prediction.reset();
    QVERIFY(renderPicture(spec) != image);
}

QTEST_MAIN(PredictionTest)
#include "prediction_test.moc"
