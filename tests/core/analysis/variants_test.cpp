// SPDX-License-Identifier: Apache-2.0
//
// The other readings of a graph, between which the interval of a forecast lies.
#include "core/analysis/variants.h"
#include "tests/support/files.h"
#include "tests/support/loop_pairs.h"
#include "tests/support/plain_variant.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <initializer_list>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr std::initializer_list<Variant> kReadings = {
    Variant::D,        Variant::P,       Variant::S,    Variant::LagsLow,
    Variant::LagsHigh, Variant::CarryIn, Variant::Taken};

Scaling scalingOf(const LoopCase &run, const DependencyGraph &graph, const std::string &selector,
                  SpeedFactor factor) {
    std::vector<std::string> unmatched;
    const auto scaling =
        resolveScaling(*run.trace, run.phases, graph, {{selector, factor}}, unmatched);
    return scaling ? *scaling : Scaling{};
}

WindowTerms allOf(const LoopCase &run, const DependencyGraph &graph) {
    WindowRequest all;
    all.all = true;
    return windowTerms(*run.trace, run.steps, graph, *resolveWindow(*run.trace, run.steps, all));
}

} // namespace

class VariantsTest : public QObject {
    Q_OBJECT
private slots:
    void everyReadingOfTheMeasuredRunIsMeasured() {
        for (const LoopRegime &regime : loopRegimes()) {
            const LoopCase run = loopCase(regime, simulateLoop(regime.shape));
            const DependencyGraph graph = graphOf(run);
            for (const LoopReading &reading : run.readings) {
                const WindowTerms terms = windowTerms(*run.trace, run.steps, graph, reading.window);
                const VariantLengths lengths(graph, {}, terms);
                for (const Variant variant : kReadings)
                    QCOMPARE(lengths[variant], reading.window.range.length());
                QCOMPARE(shrunkLength(graph, {}, terms, 1), reading.window.range.length());
            }
        }
    }

    /// One pass for all gives what a pass for each does.
    void eachForItself() {
        for (const LoopRegime &regime : loopRegimes()) {
            const LoopCase run = loopCase(regime, simulateLoop(regime.shape));
            const DependencyGraph graph = graphOf(run);
            for (const LoopReading &reading : run.readings) {
                const WindowTerms terms = windowTerms(*run.trace, run.steps, graph, reading.window);
                for (const LoopChange &change : changesOf(regime.shape)) {
                    const Scaling scaling = scalingOf(run, graph, change.selector, {1, 3});
                    const VariantLengths lengths(graph, scaling, terms);
                    for (size_t v = 0; v < kVariantCount; ++v)
                        QCOMPARE(lengths[Variant(v)],
                                 plainLength(graph, scaling, terms, Variant(v)));
                }
            }
        }
    }

    void longerLagsTakeLonger() {
        size_t matters = 0, runs = 0;
        for (const LoopRegime &regime : loopRegimes(1)) {
            const LoopCase run = loopCase(regime, simulateLoop(regime.shape));
            const DependencyGraph graph = graphOf(run);
            const WindowTerms terms = allOf(run, graph);
            bool wider = false;
            for (const char *selector : {"kind:kernel", "kind:cpu_op"}) {
                for (const SpeedFactor factor : {SpeedFactor{1, 4}, {2, 1}}) {
                    const Scaling scaling = scalingOf(run, graph, selector, factor);
                    const TimeNs length = windowLength(terms, replay(graph, scaling));
                    const VariantLengths lengths(graph, scaling, terms);
                    const TimeNs low = lengths[Variant::LagsLow], high = lengths[Variant::LagsHigh];
                    QVERIFY(low <= length && length <= high);
                    wider |= low < high;
                }
            }
            ++runs;
            matters += wider;
        }
        QVERIFY(2 * matters > runs);
    }

    /// Of three batches the second was there when it was taken, so that either nothing or all of
    /// what is gained before it is waited for.
    void batchesThatNobodyWaitedFor() {
        const std::string call = "main: _MultiProcessingDataLoaderIter.__next__ ";
        LoopCase run;
        run.trace = traceFromText(call + "0..1000\nmain: work 1000..1400\n" + call +
                                  "1400..1410\nmain: work 1410..1810\n" + call +
                                  "1810..3000\nmain: work 3000..3400\n" + call + "3400..3410\n");
        run.phases = phases(*run.trace, run.steps);
        const DependencyGraph graph = graphOf(run);
        const auto lengthUntil = [&](const char *until, const Scaling &scaling) {
            Window window;
            window.range = {0, *parseTime(until)};
            window.kind = Window::Kind::Range;
            const WindowTerms terms = windowTerms(*run.trace, run.steps, graph, window);
            const TimeNs predicted = windowLength(terms, replay(graph, scaling));
            const Forecast f = forecast(graph, scaling, terms, predicted, window.range.length());
            return std::tuple(predicted, f.taken, unseenBatches(f, window.range.length()).empty());
        };
        const Scaling faster = scalingOf(run, graph, "name:work", {1, 2});
        QCOMPARE(lengthUntil("1810us", {}), std::tuple(1'810'000, 1'810'000, true));
        QCOMPARE(lengthUntil("1810us", faster), std::tuple(1'410'000, 1'610'000, false));
        QCOMPARE(lengthUntil("3400us", faster), std::tuple(3'200'000, 3'200'000, true));
    }

    /// A kernel that ran for 40 us when the first call was recorded has 60 us left.
    void workThatIsCarriedIn() {
        const auto trace = openText(
            "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, "
            "\"tid\": 7, \"ts\": 0, \"dur\": 100, \"args\": {\"device\": 0, \"stream\": 7}},\n"
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"host\", \"pid\": 1, \"tid\": 1, "
            "\"ts\": 40, \"dur\": 10}]}");
        QVERIFY(trace);
        LoopCase run;
        run.trace = *trace;
        run.phases = phases(*run.trace, run.steps);
        const DependencyGraph graph = graphOf(run);
        const WindowTerms terms = allOf(run, graph);
        const Scaling scaling = scalingOf(run, graph, "kind:kernel", {1, 2});
        QCOMPARE(windowLength(terms, replay(graph, scaling)), TimeNs(50'000));
        QCOMPARE(VariantLengths(graph, scaling, terms)[Variant::CarryIn], TimeNs(70'000));
        const Forecast f = forecast(graph, scaling, terms, 50'000, 100'000);
        QVERIFY(f.low <= 50'000 && f.high >= 70'000);
    }
};

QTEST_APPLESS_MAIN(VariantsTest)
#include "variants_test.moc"
