// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_families.h"

#include <functional>

namespace longpole::test {

namespace {

using Sync = LoopShape::Sync;
using Waits = LoopShape::Waits;

template <class Change>
LoopRegime regime(const char *name, Change change) {
    LoopShape shape;
    shape.steps = 8;
    shape.layers = 6;
    change(shape);
    return {name, shape};
}

std::vector<LoopRegime> boundBy() {
    const auto launches = [](LoopShape &s) {
        s.gemm = 11'000;
        s.h2d = 60'000;
    };
    const auto loader = [](LoopShape &s) {
        s.gemm = 120'000;
        s.fetch = 14'000'000;
        s.steps = 12;
    };
    return {
        regime("GPU-bound, item", [](LoopShape &) {}),
        regime("GPU-bound, device sync", [](LoopShape &s) { s.sync = Sync::Device; }),
        regime("launch-bound, item", launches),
        regime("launch-bound, event sync",
               [&](LoopShape &s) {
                   launches(s);
                   s.sync = Sync::Event;
               }),
        regime("loader-bound, item", loader),
        regime("loader-bound, device sync",
               [&](LoopShape &s) {
                   loader(s);
                   s.sync = Sync::Device;
               }),
        regime("copy-bound, pageable",
               [](LoopShape &s) {
                   s.copyStream = false;
                   s.pageable = true;
                   s.h2d = 3'000'000;
                   s.gemm = 60'000;
                   s.sync = Sync::BlockingCopy;
               }),
        regime("copy-bound, stream of its own",
               [](LoopShape &s) {
                   s.h2d = 9'000'000;
                   s.sync = Sync::Device;
               }),
        regime("sync-heavy, item",
               [](LoopShape &s) {
                   s.waitsInside = 6;
                   s.gemm = 90'000;
               }),
        regime("sync-heavy, blocking copy",
               [&](LoopShape &s) {
                   s.waitsInside = 3;
                   s.gemm = 40'000;
                   s.sync = Sync::BlockingCopy;
               }),
    };
}

bool isDeviceSync(const LoopWork &w) {
    return w.name == "cudaDeviceSynchronize";
}
bool isEventSync(const LoopWork &w) {
    return w.name == "cudaEventSynchronize";
}

/// Everything that can be asked of a loop.
std::vector<LoopAsked> everythingAskedOf(const LoopShape &shape) {
    const auto kernels = [](const LoopWork &w) { return w.kind == "kernel"; };
    const auto launches = [](const LoopWork &w) { return w.kind == "launch"; };
    std::vector<LoopAsked> all{
        {"kind:kernel=2", "", {kernels, 1, 2}},
        {"kind:kernel=0.5", "", {kernels, 2, 1}},
        {"name:sm90_xmma_gemm.*=4",
         "",
         {[](const LoopWork &w) { return w.name.starts_with("sm90"); }, 1, 4}},
        {"kind:h2d=2", "", {[](const LoopWork &w) { return w.kind == "h2d"; }, 1, 2}},
        {"", "launch=0.5", {launches, 1, 2}},
    };
    if (shape.fetch > 0 && shape.workersTraced)
        all.push_back({"name:_MapDatasetFetcher[.]fetch=2",
                       "",
                       {[](const LoopWork &w) { return w.kind == "fetch"; }, 1, 2}});
    if (shape.fetch > 0 && !shape.workersTraced)
        all.push_back(
            {"data_wait=2", "", {[](const LoopWork &w) { return w.phase == "data_wait"; }, 1, 2}});
    if (shape.sync == Sync::Item)
        all.push_back({"", "remove:name>:aten::item", {{}, 1, 1, LoopEdit::NoItem}});
    if (shape.sync == Sync::Device || shape.waitsInside > 0)
        all.push_back(
            {"", "unsync:name:cudaDeviceSynchronize", {isDeviceSync, 1, 1, LoopEdit::NoWaits}});
    if (shape.sync == Sync::Event)
        all.push_back(
            {"", "unsync:name:cudaEventSynchronize", {isEventSync, 1, 1, LoopEdit::NoWaits}});
    if (shape.pageable || shape.sync == Sync::BlockingCopy)
        all.push_back({"", "async:name:Memcpy .*Pageable.*", {{}, 1, 1, LoopEdit::AsyncCopies}});
    if (shape.waitsInside == 0)
        all.push_back({"", "graph:step=9us", {{}, 1, 1, LoopEdit::StepGraphs}});
    return all;
}

using Dirt = std::function<void(LoopShape &)>;

/// The pairs of all loops by their readings: of the default window, and of one inside the run.
struct Readings {
    std::vector<LoopPair> window, inside;
};
Readings pairsOf(uint64_t series, uint64_t firstSeed, const Dirt &dirt, int jitter = 0,
                 bool loadersAlone = false) {
    Readings pairs;
    uint64_t seed = firstSeed;
    for (uint64_t draw = 0; draw < series; ++draw)
        for (LoopRegime loop : boundBy()) {
            loop.shape.seed = ++seed;
            if (loadersAlone && loop.shape.fetch == 0) continue;
            loop.name = std::to_string(draw) + " " + loop.name;
            dirt(loop.shape);
            LoopCase run = loopCase(loop, simulateLoop(loop.shape));
            for (LoopAsked &change : everythingAskedOf(loop.shape)) {
                change.scale.jitter = jitter;
                ask(run, loop, change);
            }
            const auto all = forecastsOf(run, graphOf(run), true);
            for (size_t i = 0; i < all.size(); ++i) // the readings take turns
                (i % 2 == 0 ? pairs.window : pairs.inside).push_back(all[i]);
        }
    return pairs;
}

std::vector<LoopPair> both(Readings pairs) {
    pairs.window.insert(pairs.window.end(), pairs.inside.begin(), pairs.inside.end());
    return std::move(pairs.window);
}

} // namespace

std::vector<LoopFamily> loopFamilies(uint64_t series) {
    const LoopLimits clean{0.005, 0.02, 0.05, 0.95, 0.01, 0.05};
    LoopLimits unseen = clean;
    unseen.p95 = 0.03;
    // When a batch was ready that was not waited for, nothing in such a trace tells.
    unseen.worst = 1;
    const LoopLimits alone{0.005, 0.03, 1, 0.9, 0.01, 0.05};
    const LoopLimits dirty{1, 1, 1, 0.9, 1e9, 1e9};
    std::vector<LoopFamily> all;
    Readings recorded = pairsOf(series, 50'000, [](LoopShape &) {});
    all.push_back({"everything recorded", std::move(recorded.window), clean});
    all.push_back({"… on a window inside the run", std::move(recorded.inside), clean});
    const uint64_t fewer = (series + 1) / 2, fewest = (series + 3) / 4;
    all.push_back({"… without rows of waits",
                   both(pairsOf(fewer, 51'000, [](LoopShape &s) { s.waits = Waits::Calls; })),
                   clean});
    const Dirt untraced = [](LoopShape &s) { s.workersTraced = false; };
    all.push_back(
        {"… without the workers of loaders", both(pairsOf(fewer, 52'000, untraced)), unseen});
    all.push_back({"… the same, loops that wait for a loader alone",
                   both(pairsOf(2 * series, 52'500, untraced, 0, true)), alone});
    all.push_back({"launches 10 % off in the second run",
                   both(pairsOf(
                       fewest, 53'000, [](LoopShape &) {}, 100)),
                   dirty});
    all.push_back({"copies and kernels 20 % slower beside each other",
                   both(pairsOf(fewest, 54'000, [](LoopShape &s) { s.contention = 200; })), dirty});
    all.push_back({"device clock 3 µs late",
                   both(pairsOf(fewest, 55'000, [](LoopShape &s) { s.clockSkew = 3'000; })),
                   dirty});
    all.push_back({"device clock 3 µs early",
                   both(pairsOf(fewest, 56'000, [](LoopShape &s) { s.clockSkew = -3'000; })),
                   dirty});
    all.push_back({"times in whole µs",
                   both(pairsOf(fewest, 57'000, [](LoopShape &s) { s.wholeMicroseconds = true; })),
                   dirty});
    all.push_back({"neither rows nor calls of waits between streams",
                   both(pairsOf(fewest, 58'000, [](LoopShape &s) { s.waits = Waits::Hidden; })),
                   dirty});
    return all;
}

std::vector<LoopPair> graphsWithoutHostWork(uint64_t series) {
    std::vector<LoopPair> pairs;
    uint64_t seed = 59'000;
    for (uint64_t draw = 0; draw < series; ++draw)
        for (LoopRegime loop : boundBy()) {
            loop.shape.seed = ++seed;
            if (loop.shape.waitsInside > 0) continue; // cannot be captured
            LoopCase run = loopCase(loop, simulateLoop(loop.shape));
            ask(run, loop, {"", "graph:step=9us", {{}, 1, 1, LoopEdit::StepGraphsAlone}});
            for (LoopPair &pair : forecastsOf(run, graphOf(run), true))
                pairs.push_back(std::move(pair));
        }
    return pairs;
}

std::string broken(const LoopFamily &family) {
    const LoopErrors errors = errorsOf(family.pairs);
    const LoopCoverage c = coverageOf(family.pairs);
    const LoopLimits &most = family.limits;
    std::string what;
    if (errors.median > most.median) what += " median";
    if (errors.p95 > most.p95) what += " p95";
    if (errors.worst > most.worst) what += " worst";
    if (c.covered < most.covered) what += " coverage";
    if (c.median > most.widthMedian) what += " width";
    if (c.p95 > most.widthP95) what += " p95 of width";
    return what;
}

} // namespace longpole::test
