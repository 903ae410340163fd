// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_trace.h"
#include "ui/export/picture.h"
#include "ui/theme.h"

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

QTEST_MAIN(PictureTest)
#include "picture_test.moc"
