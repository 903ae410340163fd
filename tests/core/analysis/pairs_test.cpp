// SPDX-License-Identifier: Apache-2.0
//
// Forecasts against the truth: the same simulated program twice, the second time with one kind of
// work scaled. What the graph of the first run says about the second is compared with the second.
#include "core/analysis/replay.h"
#include "tests/support/files.h"
#include "tests/support/loop_simulator.h"

#include <QTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace longpole;
using namespace longpole::test;

namespace {

using Sync = LoopShape::Sync;
using Waits = LoopShape::Waits;
using Backward = LoopShape::Backward;

struct Regime {
    std::string name;
    LoopShape shape;
};

struct Change {
    std::string selector;
    std::function<bool(const LoopWork &)> selects;
};

LoopShape gpuBound(uint64_t seed) {
    LoopShape shape;
    shape.seed = seed;
    shape.steps = 8;
    shape.layers = 6;
    return shape;
}
LoopShape launchBound(uint64_t seed) {
    LoopShape shape = gpuBound(seed);
    shape.gemm = 11'000;
    shape.h2d = 60'000;
    return shape;
}
LoopShape loaderBound(uint64_t seed) {
    LoopShape shape = gpuBound(seed);
    shape.gemm = 120'000;
    shape.fetch = 14'000'000;
    shape.steps = 12;
    return shape;
}

template <class Change>
LoopShape with(LoopShape shape, Change change) {
    change(shape);
    return shape;
}

void addGpuBound(std::vector<Regime> &all) {
    all.push_back({"GPU-bound, item each step", gpuBound(1)});
    all.push_back(
        {"GPU-bound, device sync", with(gpuBound(2), [](LoopShape &s) { s.sync = Sync::Device; })});
    all.push_back({"GPU-bound, event sync", with(gpuBound(3), [](LoopShape &s) {
                       s.sync = Sync::Event;
                       s.backward = Backward::Python;
                   })});
    all.push_back({"GPU-bound, blocking copy, logging", with(gpuBound(4), [](LoopShape &s) {
                       s.sync = Sync::BlockingCopy;
                       s.logging = 2'000'000;
                   })});
    all.push_back({"GPU-bound, all-reduce, sync every 4", with(gpuBound(5), [](LoopShape &s) {
                       s.allReduce = 1'500'000;
                       s.syncEvery = 4;
                   })});
    all.push_back({"GPU-bound, all-reduce, no wait rows", with(gpuBound(6), [](LoopShape &s) {
                       s.allReduce = 1'800'000;
                       s.waits = Waits::Calls;
                   })});
    all.push_back({"GPU-bound, all-reduce, no wait calls", with(gpuBound(7), [](LoopShape &s) {
                       s.allReduce = 1'800'000;
                       s.waits = Waits::Hidden;
                   })});
    all.push_back({"GPU-bound, queue full", with(gpuBound(8), [](LoopShape &s) {
                       s.layers = 36;
                       s.gemm = 60'000;
                       s.hostOp = 2'500;
                       s.launchCall = 3'000;
                       s.sync = Sync::None;
                       s.steps = 12;
                   })});
    all.push_back({"GPU-bound, slow copies on one stream", with(gpuBound(9), [](LoopShape &s) {
                       s.copyStream = false;
                       s.h2d = 4'000'000;
                       s.wholeMicroseconds = true;
                   })});
    all.push_back(
        {"GPU-bound, polling", with(gpuBound(10), [](LoopShape &s) { s.sync = Sync::Poll; })});
}

void addLaunchBound(std::vector<Regime> &all) {
    all.push_back({"launch-bound, item each step", launchBound(11)});
    all.push_back({"launch-bound, no sync, early launches", with(launchBound(12), [](LoopShape &s) {
                       s.sync = Sync::None;
                       s.earlyLaunch = true;
                   })});
    all.push_back(
        {"launch-bound, blocking copy, engine runs on", with(launchBound(13), [](LoopShape &s) {
             s.sync = Sync::BlockingCopy;
             s.engineRunsOn = true;
             s.backward = Backward::Untraced;
         })});
    all.push_back({"launch-bound, whole us, logging", with(launchBound(14), [](LoopShape &s) {
                       s.wholeMicroseconds = true;
                       s.logging = 700'000;
                   })});
    all.push_back({"launch-bound, balanced", with(launchBound(15), [](LoopShape &s) {
                       s.gemm = 30'000;
                       s.allReduce = 150'000;
                       s.syncEvery = 3;
                   })});
}

void addLoaderBound(std::vector<Regime> &all) {
    all.push_back({"loader-bound, traced workers", loaderBound(21)});
    all.push_back({"loader-bound, traced, no sync", with(loaderBound(22), [](LoopShape &s) {
                       s.sync = Sync::None;
                       s.workers = 3;
                       s.prefetch = 6;
                       s.fetch = 21'000'000;
                   })});
    all.push_back({"loader-bound, untraced workers",
                   with(loaderBound(23), [](LoopShape &s) { s.workersTraced = false; })});
    all.push_back({"loader nearly in balance, traced", with(loaderBound(24), [](LoopShape &s) {
                       s.fetch = 12'400'000;
                       s.logging = 1'000'000;
                   })});
    all.push_back(
        {"loader-bound, pinning thread, untraced workers", with(loaderBound(25), [](LoopShape &s) {
             s.workersTraced = false;
             s.pinMemory = true;
         })});
    all.push_back(
        {"loader- and launch-bound, traced workers", with(launchBound(26), [](LoopShape &s) {
             s.fetch = 4'200'000;
             s.steps = 12;
             s.sync = Sync::None;
             s.waits = Waits::Calls;
         })});
}

/// The same programs with other draws for another `series`.
std::vector<Regime> regimes(uint64_t series = 0) {
    std::vector<Regime> all;
    addGpuBound(all);
    addLaunchBound(all);
    addLoaderBound(all);
    for (Regime &regime : all) {
        regime.shape.seed += 1000 * series;
        regime.name = std::to_string(series) + " " + regime.name;
    }
    return all;
}

std::vector<Change> changesOf(const LoopShape &shape) {
    std::vector<Change> all{
        {"kind:kernel", [](const LoopWork &w) { return w.kind == "kernel"; }},
        {"name:sm90_xmma_gemm.*", [](const LoopWork &w) { return w.name.starts_with("sm90"); }},
        {"kind:cpu_op", [](const LoopWork &w) { return w.kind == "cpu_op"; }},
        {"kind:launch", [](const LoopWork &w) { return w.kind == "launch"; }},
        {"kind:h2d", [](const LoopWork &w) { return w.kind == "h2d"; }},
        {"phase:backward", [](const LoopWork &w) { return w.phase == "backward"; }},
        {"phase:forward", [](const LoopWork &w) { return w.phase == "forward"; }},
        {"name>:Optimizer[.]step.*",
         [](const LoopWork &w) { return w.range.starts_with("Optimizer.step"); }},
    };
    if (shape.allReduce > 0)
        all.push_back({"kind:comm", [](const LoopWork &w) { return w.kind == "comm"; }});
    if (shape.logging > 0)
        all.push_back({"phase:logging", [](const LoopWork &w) { return w.phase == "logging"; }});
    if (shape.fetch > 0 && shape.workersTraced)
        all.push_back({"name:_MapDatasetFetcher[.]fetch",
                       [](const LoopWork &w) { return w.kind == "fetch"; }});
    if (shape.fetch > 0 && !shape.workersTraced)
        all.push_back(
            {"phase:data_wait", [](const LoopWork &w) { return w.phase == "data_wait"; }});
    return all;
}

struct Pair {
    std::string what;
    TimeNs before = 0, predicted = 0, measured = 0;
    double error() const { return std::abs(double(predicted - measured)) / double(measured); }
};

/// A stretch of a run that is read out of the forecast.
struct Reading {
    std::string name;
    Window window;
    WindowTerms terms;
};

/// A run with everything that a forecast needs.
struct Base {
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phases;
    DependencyGraph graph;
    std::vector<Reading> readings;
};

std::shared_ptr<const Trace> opened(const std::string &text) {
    auto trace = openText(text, 1);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    return *trace;
}

WindowRequest stepsFrom(uint32_t first, uint32_t last) {
    WindowRequest request;
    request.steps = {std::to_string(first), std::to_string(last)};
    return request;
}

/// The same file with its events in reverse.
std::string reversed(const std::string &text) {
    const std::string head = "\"traceEvents\": [\n";
    const size_t begin = text.find(head) + head.size(), end = text.rfind("\n]}");
    std::string turned;
    for (size_t to = end; to > begin;) {
        const size_t before = text.rfind(",\n", to - 1);
        const size_t from = before == std::string::npos || before < begin ? begin : before + 2;
        turned += (turned.empty() ? "" : ",\n") + text.substr(from, to - from);
        to = from == begin ? begin : before;
    }
    return text.substr(0, begin) + turned + text.substr(end);
}

Base baseOf(const LoopShape &shape, const std::string &text) {
    Base base;
    base.trace = opened(text);
    base.steps = findSteps(*base.trace);
    base.phases = phases(*base.trace, base.steps);
    Progress progress;
    auto graph = buildGraph(*base.trace, base.steps, base.phases, progress);
    if (!graph) qFatal("%s", graph.error().message.c_str());
    base.graph = std::move(*graph);
    const auto read = [&](const std::string &name, const WindowRequest &request) {
        Window window = *resolveWindow(*base.trace, base.steps, request);
        WindowTerms terms = windowTerms(*base.trace, base.steps, base.graph, window);
        base.readings.push_back({name, std::move(window), std::move(terms)});
    };
    read("default window", {});
    read("inner steps", stepsFrom(2, shape.steps - 3));
    return base;
}

/// The length of the same steps in another run.
TimeNs lengthIn(const Trace &trace, const Window &window) {
    const Steps steps = findSteps(trace);
    WindowRequest request = stepsFrom(window.steps->first, window.steps->second);
    if (window.kind == Window::Kind::Drained) {
        request = {};
        request.step = std::to_string(window.steps->first);
    }
    return resolveWindow(trace, steps, request)->range.length();
}

/// One pair of runs, read out in every window.
std::vector<Pair> pairsOf(const Regime &regime, const Base &base, const Change &change,
                          std::string_view factor) {
    const SpeedFactor speed = *parseSpeedFactor(factor);
    std::vector<std::string> unmatched;
    const auto scaling =
        resolveScaling(*base.trace, base.phases, base.graph, {{change.selector, speed}}, unmatched);
    if (!scaling) qFatal("%s", scaling.error().message.c_str());
    if (!unmatched.empty()) qFatal("%s matches nothing", change.selector.c_str());
    const std::vector<TimeNs> times = replay(base.graph, *scaling);
    const auto truth = opened(simulateLoop(regime.shape, {change.selects, speed.num, speed.den}));
    std::vector<Pair> pairs;
    for (const Reading &reading : base.readings)
        pairs.push_back(
            {regime.name + ": " + change.selector + "=" + std::string(factor) + ", " + reading.name,
             reading.window.range.length(), windowLength(reading.terms, times),
             lengthIn(*truth, reading.window)});
    return pairs;
}

void print(std::vector<Pair> pairs) {
    const auto at = [&](double q) {
        return 100 * pairs[size_t(q * double(pairs.size() - 1))].error();
    };
    std::printf("%zu pairs: median %.4f %%, p95 %.4f %%, worst %.4f %%\n", pairs.size(), at(0.5),
                at(0.95), at(1));
    const size_t shown = std::getenv("LONGPOLE_ALL_PAIRS") ? pairs.size() : 12;
    for (size_t i = pairs.size(); i-- > 0 && i + shown >= pairs.size();)
        std::printf("  %8.4f %%  %9lld -> predicted %9lld, measured %9lld  %s\n",
                    100 * pairs[i].error(), static_cast<long long>(pairs[i].before),
                    static_cast<long long>(pairs[i].predicted),
                    static_cast<long long>(pairs[i].measured), pairs[i].what.c_str());
    std::fflush(stdout);
}

} // namespace

class PairsTest : public QObject {
    Q_OBJECT
private slots:
    void sameProgramSameTrace() {
        QCOMPARE(simulateLoop(gpuBound(1)), simulateLoop(gpuBound(1)));
        QVERIFY(simulateLoop(gpuBound(1)) != simulateLoop(gpuBound(2)));
    }

    void aMachineObeysItsOrders() {
        for (const Regime &regime : regimes()) {
            const auto trace = opened(simulateLoop(regime.shape));
            QVERIFY2(booksBalance(*trace), regime.name.c_str());
            QCOMPARE(reasonsOf(*trace), std::string());
            size_t operations = 0;
            for (const Track &track : trace->tracks) {
                if (track.kind != TrackKind::Stream) continue;
                operations += track.table->size();
                for (uint32_t row = 1; row < track.table->size(); ++row)
                    QVERIFY(track.begin(row) >= track.end(row - 1));
            }
            QCOMPARE(trace->launches.size(), operations);
            for (const Launch &launch : trace->launches)
                QVERIFY(trace->begin(launch.op) > trace->begin(launch.call));
        }
    }

    void orderInTheFileDoesNotMatter() {
        for (const Regime &regime : regimes()) {
            const std::string text = simulateLoop(regime.shape);
            const Base base = baseOf(regime.shape, text);
            const Base turned = baseOf(regime.shape, reversed(text));
            QCOMPARE(turned.trace->intervalCount(), base.trace->intervalCount());
            const auto forecasts = [](const Base &b) {
                std::vector<TimeNs> lengths;
                for (const char *selector : {"kind:kernel", "kind:cpu_op", "phase:backward"}) {
                    std::vector<std::string> unmatched;
                    const auto scaling = resolveScaling(*b.trace, b.phases, b.graph,
                                                        {{selector, {1, 2}}}, unmatched);
                    const auto times = replay(b.graph, *scaling);
                    for (const Reading &reading : b.readings)
                        lengths.push_back(windowLength(reading.terms, times));
                }
                return lengths;
            };
            QVERIFY2(forecasts(base) == forecasts(turned), regime.name.c_str());
        }
    }

    void forecastsTheScaledRun() {
        std::vector<Pair> pairs;
        constexpr std::string_view factors[] = {"2", "1.25", "4", "0.5"};
        size_t turn = 0;
        for (uint64_t series = 0; series < 3; ++series) {
            for (const Regime &regime : regimes(series)) {
                const Base base = baseOf(regime.shape, simulateLoop(regime.shape));
                const auto times = replay(base.graph, {});
                QVERIFY2(times == base.graph.time, regime.name.c_str());
                for (const Reading &reading : base.readings)
                    QCOMPARE(windowLength(reading.terms, times), reading.window.range.length());
                for (const Change &change : changesOf(regime.shape))
                    for (Pair &pair : pairsOf(regime, base, change, factors[turn++ % 4]))
                        pairs.push_back(std::move(pair));
                ++turn; // so that each change meets each factor
            }
        }
        QVERIFY(pairs.size() >= 60);
        std::sort(pairs.begin(), pairs.end(),
                  [](const Pair &a, const Pair &b) { return a.error() < b.error(); });
        print(pairs);
        QVERIFY(pairs[pairs.size() / 2].error() <= 0.005);
        QVERIFY(pairs[pairs.size() * 95 / 100].error() <= 0.03);
    }
};

QTEST_APPLESS_MAIN(PairsTest)
#include "pairs_test.moc"
