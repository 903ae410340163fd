// SPDX-License-Identifier: Apache-2.0
// bench_search [MILLIONS]: what finding all intervals by name costs on a made-up trace of 64 lanes,
// once with two thousand names and once with a name of its own for each interval, and what a step
// from hit to hit costs. Times are elapsed, the least of five; threads as under the window.
#include "core/analysis/search.h"
#include "core/base/parallel.h"
#include "core/model/trace_builder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace longpole;

namespace {

constexpr uint32_t kTracks = 64;

std::shared_ptr<const Trace> makeTrace(uint32_t intervals, uint32_t names) {
    TraceBuilder builder(SourceFile{});
    StringPool &strings = builder.strings();
    const uint32_t process = builder.process("1");
    const StringId category = strings.intern("kernel");
    std::vector<uint32_t> tracks;
    for (uint32_t t = 0; t < kTracks; ++t)
        tracks.push_back(builder.threadTrack(process, std::to_string(t)));
    for (uint32_t i = 0; i < intervals; ++i) {
        const TimeNs begin = TimeNs(i) * 100;
        const std::string name = "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x" +
                                 std::to_string(i % names) + "_32x3_nn_align4>(Params)";
        builder.addInterval(tracks[i % kTracks], {begin, begin + 6000, i, strings.intern(name),
                                                  category, kNone, Kind::Kernel, 0});
    }
    Progress progress;
    auto trace = builder.finish(progress, workerCount());
    if (!trace) std::exit(1);
    return std::make_shared<const Trace>(std::move(*trace));
}

template <class Work>
double leastMs(Work &&work) {
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - begin;
        least = std::min(least, took.count());
    }
    return least;
}

void measure(const Trace &trace, const char *what) {
    const unsigned threads = std::max(1u, workerCount() - 1);
    for (const char *text : {"128x17_", "no such name", "gemm", "/gemm_128x(17|29)_/", "/x1+7_/"}) {
        SearchHits hits;
        const double ms = leastMs([&] {
            Progress progress;
            hits = *search(trace, {text, {}}, progress, threads);
        });
        std::printf("%s, %-22s %9zu hits %8.1f ms\n", what, text, hits.count, ms);
        if (hits.count == 0) continue;
        HitPlace at{trace.range.begin + trace.range.length() / 2, {}};
        const double step = leastMs([&] {
            if (const auto next = hitBeside(trace, hits, at, 1)) at = {trace.begin(*next), *next};
        });
        std::printf("%s, %-22s from one hit to the next %8.3f ms\n", what, text, step);
    }
}

} // namespace

int main(int argc, char **argv) {
    const uint32_t millions = argc > 1 ? uint32_t(std::atoi(argv[1])) : 10;
    measure(*makeTrace(millions * 1'000'000, 2000), "2,000 names");
    measure(*makeTrace(millions * 1'000'000, millions * 1'000'000), "all different");
}
