// SPDX-License-Identifier: Apache-2.0
// bench_analysis [MILLIONS]: what the analyses cost on a made-up trace of that many million
// intervals, and what graph, path and forecast cost on a graph of 250,000 nodes.
#include "core/analysis/statistics.h"
#include "core/analysis/variants.h"
#include "core/analysis/what_if.h"
#include "core/model/trace_builder.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace longpole;

namespace {

/// Steps of a forward and a backward part: operators three deep, each with a launch and a kernel.
std::shared_ptr<const Trace> makeTrace(uint64_t intervals) {
    TraceBuilder builder(SourceFile{});
    StringPool &strings = builder.strings();
    const uint32_t process = builder.process("1");
    const uint32_t main = builder.threadTrack(process, "1"),
                   engine = builder.threadTrack(process, "2");
    const uint32_t stream = builder.streamTrack(process, 0, 7);
    uint64_t made = 0, offset = 0;
    int64_t correlation = 0;
    TimeNs now = 0;
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
            add(stream, "void kernel<" + number + ">", Kind::Kernel, now + 700, now + 1500,
                correlation);
            now += 1000;
        }
        add(main, "ProfilerStep#" + std::to_string(step), Kind::Annotation, begin, now, -1);
    }
    Progress progress;
    auto trace = builder.finish(progress, 2);
    return std::make_shared<const Trace>(std::move(*trace));
}

template <class Work>
double bestOf(int times, Work work) {
    double best = 1e9;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(
                                  std::chrono::steady_clock::now() - begin)
                                  .count());
    }
    return best;
}

template <class Work>
void measure(const char *what, const Trace &trace, Work work) {
    const double ms = bestOf(3, work);
    std::printf("%-22s %8.1f ms, %8.1f ms per 10 M intervals\n", what, ms,
                ms * 1e7 / double(trace.intervalCount()));
}

template <class Work>
void measureAgainst(double limit, const char *what, Work work) {
    const double ms = bestOf(5, work);
    if (limit > 0)
        std::printf("%-22s %8.2f ms, limit %5.0f ms%s\n", what, ms, limit,
                    ms > limit ? "  EXCEEDED" : "");
    else
        std::printf("%-22s %8.2f ms\n", what, ms);
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

void measureGraph() {
    constexpr uint64_t intervals = 125'000; // about two nodes each
    const auto trace = makeTrace(intervals);
    const Steps steps = findSteps(*trace);
    const Phases phased = phases(*trace, steps);
    const Window window = *resolveWindow(*trace, steps, {});
    Progress progress;
    DependencyGraph graph = *buildGraph(*trace, steps, phased, progress);
    std::printf("%u nodes, %zu edges\n", graph.nodes(), graph.source.size());
    measureAgainst(400, "graph and path", [&] {
        graph = *buildGraph(*trace, steps, phased, progress);
        (void)criticalPath(*trace, steps, graph, window);
    });
    std::vector<std::string> unmatched;
    const Scaling scaling =
        *resolveScaling(*trace, phased, graph, {{"kind:cpu_op", {1, 2}}}, unmatched);
    const WindowTerms terms = windowTerms(*trace, steps, graph, window);
    const TimeNs measured = window.range.length();
    TimeNs predicted = 0;
    measureAgainst(10, "step of a slider", [&] {
        std::vector<uint32_t> binding;
        const std::vector<TimeNs> times = replay(graph, scaling, &binding);
        predicted = windowLength(terms, times);
        (void)pathByPhase(graph, terms, times, binding);
    });
    measureAgainst(100, "interval",
                   [&] { (void)forecast(graph, scaling, terms, predicted, measured); });
    size_t points = 0;
    measureAgainst(0, "curve",
                   [&] { points = windowCurve(graph, scaling, terms, progress).points.size(); });
    std::printf("%-22s %8zu\n", "points of the curve", points);
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
    measureGraph();
    return 0;
}
