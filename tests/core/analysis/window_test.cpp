// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/window.h"
#include "tests/support/text_trace.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Steps of 100 µs whose device work ends `drain` µs after the step's begin.
std::string loop(int count, int drain) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        const auto us = [&](int at) { return std::to_string(100 * i + at); };
        text += "main: ProfilerStep#" + std::to_string(i + 3) + " " + us(0) + ".." + us(100) + "\n";
        text += "main: cudaLaunchKernel " + us(10) + ".." + us(12) +
                " launch corr=" + std::to_string(i + 1) + "\n";
        text +=
            "gpu0/s7: gemm " + us(20) + ".." + us(drain) + " corr=" + std::to_string(i + 1) + "\n";
    }
    return text;
}

Window windowOf(const std::string &text, const WindowRequest &request = {}) {
    const auto trace = traceFromText(text);
    const auto window = resolveWindow(*trace, findSteps(*trace), request);
    return window ? *window : Window{{-1, -1}, Window::Kind::All, {}, window.error().message};
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT
private slots:
    void readsTimes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("ns");
        QTest::newRow("bare") << "250" << qint64(250);
        QTest::newRow("us") << "1.5us" << qint64(1500);
        QTest::newRow("micro sign") << "2µs" << qint64(2000);
        QTest::newRow("ms") << "12.5ms" << qint64(12'500'000);
        QTest::newRow("space") << "1.5 s" << qint64(1'500'000'000);
        QTest::newRow("min") << "2min" << qint64(120'000'000'000);
        QTest::newRow("exact") << "9007199254740993ns" << qint64(9007199254740993);
        QTest::newRow("finer than a ns") << "0.0000000015s" << qint64(2);
        QTest::newRow("negative") << "-3ms" << qint64(-3'000'000);
        QTest::newRow("largest") << "9223372036854775807" << qint64(9223372036854775807);
    }
    void readsTimes() {
        QFETCH(QString, text);
        const auto time = parseTime(text.toStdString());
        QVERIFY(time);
        QTEST(qint64(*time), "ns");
    }
    void refusesOtherTexts() {
        for (const char *text : {"", "ms", "1.2.3", "5 parsecs", "1e3", "9223372036854775808",
                                 "99999999999s", "0x10", "--1", "."})
            QVERIFY2(!parseTime(text), text);
        QVERIFY(!parseRange("5ms"));
        QVERIFY(!parseRange("..5ms"));
        QCOMPARE(parseRange("12.5ms..80ms"), (TimeRange{12'500'000, 80'000'000}));
    }

    void defaultIsTheMedianStep() {
        const Window window = windowOf(loop(5, 90));
        QCOMPARE(window.kind, Window::Kind::Drained);
        QCOMPARE(window.steps, std::pair(1u, 1u)); // of equal ones the first that is not left out
        QCOMPARE(window.range, (TimeRange{100'000, 200'000}));
    }
    void defaultOfAPipelineIsItsPeriod() {
        const Window window = windowOf(loop(9, 180));
        QCOMPARE(window.kind, Window::Kind::Period);
        QCOMPARE(window.steps, std::pair(1u, 5u));
        QCOMPARE(window.range, (TimeRange{100'000, 600'000}));
    }
    void defaultOfOneStepIsIt() { QCOMPARE(windowOf(loop(1, 180)).range, (TimeRange{0, 180'000})); }
    void defaultWithoutStepsIsAll() {
        const Window window = windowOf("main: work 5..10\n~note: long 0..900\n");
        QCOMPARE(window.kind, Window::Kind::All);
        QCOMPARE(window.range.length(), 5'000); // the annotation does not stretch it
    }
    void stepsByNameAndIndex() {
        WindowRequest request;
        request.step = "ProfilerStep#4";
        QCOMPARE(windowOf(loop(5, 180), request).range, (TimeRange{100'000, 280'000}));
        request.step = "4";
        QCOMPARE(windowOf(loop(5, 180), request).range, (TimeRange{400'000, 580'000}));
        request = {};
        request.steps = std::pair("1", "ProfilerStep#6");
        QCOMPARE(windowOf(loop(5, 180), request).range, (TimeRange{100'000, 400'000}));
        request.steps = std::pair("1", "4");
        QCOMPARE(windowOf(loop(5, 180), request).range, (TimeRange{100'000, 580'000})); // drained
    }
    void wrongStepsAreUsage() {
        const auto trace = traceFromText(loop(3, 90));
        const Steps steps = findSteps(*trace);
        WindowRequest request;
        request.step = "7";
        const auto missing = resolveWindow(*trace, steps, request);
        QVERIFY(!missing);
        QCOMPARE(missing.error().kind, ErrorKind::Usage);
        request = {};
        request.steps = std::pair("2", "1");
        QVERIFY(!resolveWindow(*trace, steps, request));
    }

    void opensOnTheDefaultWindow() {
        const auto trace = traceFromText(loop(5, 90));
        const TimeRange view = openingView(*trace, findSteps(*trace));
        QCOMPARE(view, (TimeRange{97'000, 203'000}));
    }
    void opensOnTheBusyPart() {
        // two bursts days apart: nearly all the work lies in the second
        std::string text = "main: lone 0..10\n";
        for (int i = 0; i < 100; ++i)
            text += "main: work " + std::to_string(1000000 + i) + "s.." +
                    std::to_string(1000000 + i) + ".9s\n";
        const auto trace = traceFromText(text);
        const TimeRange view = openingView(*trace, findSteps(*trace));
        const TimeNs second = 1'000'000'000;
        QVERIFY(view.begin > 999'990 * second);
        QVERIFY(view.end < 1'000'110 * second);
        QVERIFY(view.length() > 90 * second);
    }
    void hidesNoEndForLittle() {
        const auto trace = traceFromText("main: work 0..20\ngpu0/s7: k 20..50\n");
        QCOMPARE(openingView(*trace, {}), (TimeRange{-1'500, 51'500}));
    }
    void opensOnAnything() {
        for (const char *text : {"", "main: point 5..5\n", "~note: only 3..9\n"}) {
            const auto trace = traceFromText(text);
            const TimeRange view = openingView(*trace, findSteps(*trace));
            QVERIFY(view.begin <= view.end);
        }
    }
};

QTEST_APPLESS_MAIN(WindowTest)
#include "window_test.moc"
