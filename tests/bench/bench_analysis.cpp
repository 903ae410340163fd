// SPDX-License-Identifier: Apache-2.0
// bench_analysis [MILLIONS]: what the analyses cost on a made-up trace of that many million
// intervals.
#include "core/analysis/statistics.h"
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
void measure(const char *what, const Trace &trace, Work work) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(
                                  std::chrono::steady_clock::now() - begin)
                                  .count());
    }
    std::printf("%-22s %8.1f ms, %8.1f ms per 10 M intervals\n", what, best,
                best * 1e7 / double(trace.intervalCount()));
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
    return 0;
}
