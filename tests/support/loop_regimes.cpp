// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_regimes.h"

namespace longpole::test {

namespace {

using Sync = LoopShape::Sync;
using Waits = LoopShape::Waits;
using Backward = LoopShape::Backward;

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

void addGpuBound(std::vector<LoopRegime> &all) {
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
                       s.steps = 14;
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

void addLaunchBound(std::vector<LoopRegime> &all) {
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

void addLoaderBound(std::vector<LoopRegime> &all) {
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
    all.push_back({"loader-bound, pinning thread, traced workers",
                   with(loaderBound(27), [](LoopShape &s) { s.pinMemory = true; })});
    all.push_back(
        {"loader- and launch-bound, traced workers", with(launchBound(26), [](LoopShape &s) {
             s.fetch = 4'200'000;
             s.steps = 12;
             s.sync = Sync::None;
             s.waits = Waits::Calls;
         })});
}

/// What some rule is for and no other regime holds.
void addSpecial(std::vector<LoopRegime> &all) {
    all.push_back({"launch-bound, sleeping helper thread", with(launchBound(31), [](LoopShape &s) {
                       s.helper = 900'000;
                       s.sync = Sync::Device;
                   })});
    all.push_back({"GPU-bound, short kernels that overlap", with(gpuBound(32), [](LoopShape &s) {
                       s.shortKernels = 150;
                       s.gemm = 400'000;
                   })});
    all.push_back(
        {"GPU-bound, slow copies, calls within one us", with(gpuBound(33), [](LoopShape &s) {
             s.h2d = 4'000'000;
             s.wholeMicroseconds = true;
             s.eventCall = 300;
             s.launchCall = 500;
             s.hostOp = 300;
         })});
    all.push_back({"GPU-bound, slow all-reduce, no wait rows", with(gpuBound(35), [](LoopShape &s) {
                       s.allReduce = 3'500'000;
                       s.waits = Waits::Calls;
                   })});
    all.push_back({"launch-bound, long launch calls", with(launchBound(36), [](LoopShape &s) {
                       s.launchCall = 60'000;
                       s.sync = Sync::Device;
                       s.hostOp = 4'000;
                       s.layers = 1;
                   })});
    all.push_back({"launch-bound, launch lags vary", with(launchBound(37), [](LoopShape &s) {
                       s.gemm = 32'000;
                       s.launchLag = 10'000;
                       s.lagSpread = 900;
                   })});
    all.push_back({"GPU-bound, recorded while it runs", with(gpuBound(38), [](LoopShape &s) {
                       s.syncEvery = 3;
                       s.allReduce = 1'500'000;
                       s.steps = 14;
                       s.recordedFrom = 5;
                   })});
    all.push_back({"launch-bound, queue fills when slower", with(launchBound(34), [](LoopShape &s) {
                       s.layers = 36;
                       s.gemm = 34'000;
                       s.steps = 12;
                       s.sync = Sync::None;
                   })});
}

} // namespace

std::vector<LoopRegime> loopRegimes(uint64_t series) {
    std::vector<LoopRegime> all;
    addGpuBound(all);
    addLaunchBound(all);
    addLoaderBound(all);
    const size_t usual = all.size();
    addSpecial(all);
    for (size_t i = usual; i < all.size(); ++i) all[i].special = true;
    for (LoopRegime &regime : all) {
        regime.shape.seed += 1000 * series;
        regime.name = std::to_string(series) + " " + regime.name;
    }
    return all;
}

std::vector<LoopChange> changesOf(const LoopShape &shape) {
    std::vector<LoopChange> all{
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

} // namespace longpole::test
