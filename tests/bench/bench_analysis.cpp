// SPDX-License-Identifier: Apache-2.0
// bench_analysis [MILLIONS [MILLIONS OF IDLE BOOKS]]: what the analyses cost on a made-up trace of
// that many million intervals; what graph, path and forecasts cost on graphs of a quarter of a
// million and of a million nodes, and a curve with 64 knees; and what the idle books cost. Times
// are those of the processor, since other programs may run beside it.
#include "core/analysis/idle.h"
#include "core/analysis/statistics.h"
#include "core/analysis/variants.h"
#include "core/analysis/what_if.h"
#include "core/analysis/window_curve.h"
#include "core/model/trace_builder.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace longpole;

namespace {

/// Steps of a forward and a backward part: operators three deep, each with a launch and a kernel.
/// Now the host is late and now the device, so that faster kernels help here and not there.
std::shared_ptr<const Trace> makeTrace(uint64_t intervals) {
    TraceBuilder builder(SourceFile{});
    StringPool &strings = builder.strings();
    const uint32_t process = builder.process("1");
    const uint32_t main = builder.threadTrack(process, "1"),
                   engine = builder.threadTrack(process, "2");
    const uint32_t stream = builder.streamTrack(process, 0, 7);
    uint64_t made = 0, offset = 0;
    int64_t correlation = 0;
    TimeNs now = 0, free = 0;
    uint64_t draw = 1;
    const auto add = [&](uint32_t track, std::string_view name, Kind kind, TimeNs begin, TimeNs end,
                         int64_t corr) {
        IntervalRow row{begin, end, offset++, strings.intern(name), {}, kNone, kind, 0};
        if (corr >= 0) {
            SideRow side;
            side.correlation = corr;
            row.side = builder.addSide(track, side);
        }
        builder.addInterval(track, row);
        ++made;
    };
    for (int step = 0; made < intervals; ++step) {
        const TimeNs begin = now;
        for (int op = 0; op < 2000; ++op) {
            const bool backward = op >= 1000;
            const uint32_t thread = backward ? engine : main;
            const std::string number = std::to_string(op % 400);
            const std::string outer =
                backward ? "autograd::engine::evaluate_function: Op" + number + "Backward0"
                         : "aten::outer" + number;
            add(thread, outer, Kind::CpuOp, now, now + 900, -1);
            add(thread, "aten::inner" + number, Kind::CpuOp, now + 100, now + 800, -1);
            add(thread, "cudaLaunchKernel", Kind::Launch, now + 200, now + 600, ++correlation);
            draw = draw * 6364136223846793005u + 1442695040888963407u;
            const TimeNs kernel = std::max(free, now + 700);
            free = kernel + 300 + TimeNs(draw >> 33) % 1'380;
            add(stream, "void kernel<" + number + ">", Kind::Kernel, kernel, free, correlation);
            now += 1000;
        }
        add(main, "ProfilerStep#" + std::to_string(step), Kind::Annotation, begin, now, -1);
    }
    Progress progress;
    auto trace = builder.finish(progress, 2);
    return std::make_shared<const Trace>(std::move(*trace));
}

/// Threads whose work depends on the speed of "fast" ranges more and more, so that each of them in
/// turn ends last as these get faster: their ends are tangents of 1 + l² / 2.
std::shared_ptr<const Trace> makeKnees(uint64_t intervals, uint32_t threads) {
    TraceBuilder builder(SourceFile{});
    StringPool &strings = builder.strings();
    const uint32_t process = builder.process("1");
    const uint64_t pairs = intervals / threads / 2;
    uint64_t offset = 0;
    for (uint32_t thread = 0; thread < threads; ++thread) {
        const uint32_t track = builder.threadTrack(process, std::to_string(thread));
        const double touches = (double(thread) + 0.5) / double(threads);
        const TimeNs fast = TimeNs(1e5 * touches), slow = TimeNs(1e5 * (1 - touches * touches / 2));
        TimeNs now = 0;
        for (uint64_t i = 0; i < pairs; ++i) {
            for (const auto &[name, length] : {std::pair("fast", fast), std::pair("slow", slow)}) {
                builder.addInterval(
                    track,
                    {now, now + length, offset++, strings.intern(name), {}, kNone, Kind::CpuOp, 0});
                now += length;
            }
        }
    }
    Progress progress;
    auto trace = builder.finish(progress, 2);
    return std::make_shared<const Trace>(std::move(*trace));
}

double processorMs() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

template <class Work>
double bestOf(int times, Work work) {
    double best = 1e9;
    for (int i = 0; i < times; ++i) {
        const double begin = processorMs();
        work();
        best = std::min(best, processorMs() - begin);
    }
    return best;
}

template <class Work>
void measure(const char *what, const Trace &trace, Work work) {
    const double ms = bestOf(3, work);
    std::printf("%-22s %8.1f ms, %8.1f ms per 10 M intervals\n", what, ms,
                ms * 1e7 / double(trace.intervalCount()));
}

void say(const char *what, double value, const char *unit, double limit, bool atLeast = false) {
    std::printf("%-28s %9.2f %-10s", what, value, unit);
    if (limit > 0)
        std::printf(" %s %g%s", atLeast ? "at least" : "limit", limit,
                    (atLeast ? value < limit : value > limit) ? "  MISSED" : "");
    std::printf("\n");
}

/// Time on the path by phase, from the edges that decided each node of a replay.
std::vector<TimeNs> pathByPhase(const DependencyGraph &graph, const WindowTerms &terms,
                                const std::vector<TimeNs> &times,
                                const std::vector<uint32_t> &binding) {
    std::vector<TimeNs> sums(256);
    uint32_t v = kNone;
    windowLength(terms, times, &v);
    for (; v > terms.begin; v = graph.source[binding[v]])
        if (const uint32_t activity = graph.activity[binding[v]]; activity != kNone)
            sums[graph.activities[activity].phase] += times[v] - times[graph.source[binding[v]]];
    return sums;
}

/// `nodes` in millions.
void measureGraph(double nodes, double sliderLimit, double curveLimit) {
    const auto trace = makeTrace(uint64_t(nodes * 500'000)); // about two nodes each
    const Steps steps = findSteps(*trace);
    const Phases phased = phases(*trace, steps);
    const Window window = *resolveWindow(*trace, steps, {});
    Progress progress;
    DependencyGraph graph = *buildGraph(*trace, steps, phased, progress);
    std::printf("\n%u nodes, %zu edges\n", graph.nodes(), graph.source.size());
    const double build = bestOf(3, [&] { graph = *buildGraph(*trace, steps, phased, progress); });
    say("graph", build * 1e3 / double(trace->intervalCount()), "us/interval", 1);
    say("path", bestOf(3, [&] { (void)criticalPath(*trace, steps, graph, window); }), "ms", 0);
    std::vector<std::string> unmatched;
    const Scaling scaling =
        *resolveScaling(*trace, phased, graph, {{"kind:kernel", {1, 2}}}, unmatched);
    const WindowTerms terms = windowTerms(*trace, steps, graph, window);
    const TimeNs measured = window.range.length();
    const double one = bestOf(9, [&] { (void)replay(graph, scaling); });
    say("replay", one, "ms", 0);
    say("replay", double(graph.source.size()) / one / 1e3, "M edges/s", 150, true);
    TimeNs predicted = 0;
    say("step of a slider",
        bestOf(9,
               [&] {
                   std::vector<uint32_t> binding;
                   const std::vector<TimeNs> times = replay(graph, scaling, &binding);
                   predicted = windowLength(terms, times);
                   (void)pathByPhase(graph, terms, times, binding);
               }),
        "ms", sliderLimit);
    say("interval", bestOf(5, [&] { (void)forecast(graph, scaling, terms, predicted, measured); }),
        "ms", 100);
    WindowRequest wholeCapture;
    wholeCapture.all = true;
    const WindowTerms all =
        windowTerms(*trace, steps, graph, *resolveWindow(*trace, steps, wholeCapture));
    say("its other readings but G",
        bestOf(9, [&] { (void)VariantLengths(graph, scaling, all); }) / one, "replays", 3.5);
    size_t points = 0;
    say("curve with knees",
        bestOf(3,
               [&] {
                   WhatIf result;
                   addCurve(result, *trace, phased, graph, scaling, all, progress);
               }),
        "ms", curveLimit);
    say("curve",
        bestOf(3, [&] { points = windowCurve(graph, scaling, all, progress).points.size(); }), "ms",
        curveLimit);
    std::printf("%-28s %9zu\n", "points of the curve", points);
}

/// A curve with as many knees as are looked for.
void measureKnees(double nodes, double limit) {
    const auto trace = makeKnees(uint64_t(nodes * 1e6), 65);
    const Steps steps;
    const Phases phased = phases(*trace, steps);
    Progress progress;
    const DependencyGraph graph = *buildGraph(*trace, steps, phased, progress);
    std::vector<std::string> unmatched;
    const Scaling scaling =
        *resolveScaling(*trace, phased, graph, {{"name:fast", {1, 2}}}, unmatched);
    WindowRequest request;
    request.all = true;
    const WindowTerms all =
        windowTerms(*trace, steps, graph, *resolveWindow(*trace, steps, request));
    std::printf("\n%u nodes, %zu edges\n", graph.nodes(), graph.source.size());
    WhatIf result;
    say("curve with all its knees",
        bestOf(3,
               [&] {
                   result = {};
                   addCurve(result, *trace, phased, graph, scaling, all, progress);
               }),
        "ms", limit);
    std::printf("%-28s %9zu%s\n", "knees", result.knees.size(),
                result.warnings.empty() ? "" : ", more are left out");
}

void measureIdle(double millions) {
    const auto trace = makeTrace(uint64_t(millions * 1e6));
    const Steps steps = findSteps(*trace);
    const Phases phased = phases(*trace, steps);
    WindowRequest all;
    all.all = true;
    const Window window = *resolveWindow(*trace, steps, all);
    Progress progress;
    const DependencyGraph graph = *buildGraph(*trace, steps, phased, progress);
    std::printf("\n%llu intervals\n", static_cast<unsigned long long>(trace->intervalCount()));
    say("idle books", bestOf(2, [&] { (void)idleBooks(*trace, phased, graph, window, progress); }),
        "ms", millions * 200);
}

} // namespace

int main(int argc, char **argv) {
    const double millions = argc > 1 ? std::atof(argv[1]) : 2;
    const auto trace = makeTrace(uint64_t(millions * 1e6));
    std::printf("%llu intervals\n", static_cast<unsigned long long>(trace->intervalCount()));
    Steps steps;
    Phases phased;
    Progress progress;
    measure("steps", *trace, [&] { steps = findSteps(*trace); });
    measure("phases", *trace, [&] { phased = phases(*trace, steps); });
    WindowRequest all;
    all.all = true;
    const auto window = resolveWindow(*trace, steps, all);
    for (const auto &[name, by] : {std::pair("statistics by phase", GroupBy::Phase),
                                   std::pair("statistics by name", GroupBy::Name)})
        measure(name, *trace,
                [&, by = by] { (void)statistics(*trace, phased, *window, by, progress); });
    measure("device facts", *trace, [&] { (void)deviceFacts(*trace); });
    measure("opening view", *trace, [&] { (void)openingView(*trace, {}); });
    measureGraph(0.25, 5, 125);
    measureGraph(1, 25, 500);
    measureKnees(1, 500);
    measureIdle(argc > 2 ? std::atof(argv[2]) : 1);
    return 0;
}
