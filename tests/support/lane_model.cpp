// SPDX-License-Identifier: Apache-2.0
#include "tests/support/lane_model.h"

#include <algorithm>
#include <string>

namespace longpole {

namespace {

constexpr uint32_t kThreads = 16, kStreams = 16, kDepth = 3;
constexpr uint32_t kLanes = kThreads * kDepth + kStreams;
constexpr TimeNs kPeriod = 10'000;

uint32_t mixed(uint64_t n) {
    n *= 0x9e3779b97f4a7c15;
    return uint32_t((n ^ n >> 29) * 0xbf58476d1ce4e5b9 >> 40);
}

struct Names {
    std::shared_ptr<StringPool> pool = std::make_shared<StringPool>();
    std::vector<StringId> host, device;
    StringId category = pool->intern("model");

    Names() {
        for (const char *name : {"aten::linear", "aten::addmm", "autograd::engine::evaluate",
                                 "torch/nn/module.py(1501): _call_impl", "cudaStreamSynchronize"})
            host.push_back(pool->intern(name));
        for (const char *name :
             {"ampere_sgemm_128x64_tn", "void at::native::vectorized_elementwise_kernel<4, Add>",
              "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "Memset (Device)"})
            device.push_back(pool->intern(name));
    }
};

void reserve(TrackTable &table, size_t rows) {
    table.start.reserve(rows);
    table.duration.reserve(rows);
    table.name.reserve(rows);
    table.category.reserve(rows);
    table.kind.reserve(rows);
    table.flags.reserve(rows);
    table.depth.reserve(rows);
    table.parent.reserve(rows);
    table.offset.reserve(rows);
}

void add(TrackTable &table, TimeNs begin, TimeNs end, StringId name, StringId category, Kind kind,
         uint32_t depth, uint32_t parent) {
    table.start.push_back(begin);
    table.duration.push_back(end - begin);
    table.name.push_back(name);
    table.category.push_back(category);
    table.kind.push_back(kind);
    table.flags.push_back(0);
    table.depth.push_back(uint16_t(depth));
    table.parent.push_back(parent);
    table.offset.push_back(table.start.size());
}

/// When turn `i` of thread or stream `lane` begins, and how much of its turn it fills.
TimeNs beginOf(uint32_t lane, uint64_t i) {
    return TimeNs(i) * kPeriod + lane * 37 + mixed(i * 64 + lane) % 2'000;
}

std::shared_ptr<const TrackTable> thread(uint32_t lane, uint32_t rows, const Names &names) {
    constexpr Kind kinds[] = {Kind::CpuOp, Kind::Python, Kind::Runtime, Kind::EventRecord,
                              Kind::Overhead};
    auto table = std::make_shared<TrackTable>();
    table->strings = names.pool;
    reserve(*table, size_t(rows) * kDepth);
    for (uint32_t depth = 0; depth < kDepth; ++depth) {
        for (uint32_t i = 0; i < rows; ++i) {
            const TimeNs begin = beginOf(lane, i) + depth * 600;
            const TimeNs length = 2'000 + mixed(uint64_t(i) * 16 + lane) % 5'000 + 500;
            const Kind kind = depth + 1 < kDepth ? kinds[(i + depth) % 5]
                              : i % 2            ? Kind::Launch
                                                 : Kind::Runtime;
            add(*table, begin, begin + length - depth * 900,
                names.host[(i + depth) % names.host.size()], names.category, kind, depth,
                depth == 0 ? kNone : (depth - 1) * rows + i);
        }
        table->laneBegin.push_back(table->size());
    }
    return table;
}

std::shared_ptr<const TrackTable> stream(uint32_t lane, uint32_t rows, const Names &names) {
    constexpr Kind kinds[] = {Kind::Kernel, Kind::GraphExec, Kind::Comm, Kind::Memset};
    auto table = std::make_shared<TrackTable>();
    table->strings = names.pool;
    reserve(*table, rows);
    for (uint32_t i = 0; i < rows; ++i) {
        const TimeNs begin = beginOf(lane, i) + 5 * kPeriod;
        add(*table, begin, begin + 3'000 + mixed(uint64_t(i) * 16 + lane + 7) % 5'000,
            names.device[i % names.device.size()], names.category, kinds[i % 4], 0, kNone);
    }
    table->laneBegin.push_back(rows);
    return table;
}

} // namespace

std::shared_ptr<const Trace> laneModel(uint32_t count) {
    auto trace = std::make_shared<Trace>();
    const Names names;
    const uint32_t rows = count / kLanes;
    trace->files.emplace_back().name = "model";
    trace->processes.push_back({0, "1", "model", {}, 0, false});
    trace->strings.push_back(names.pool);
    for (uint32_t lane = 0; lane < kThreads + kStreams; ++lane) {
        Track &track = trace->tracks.emplace_back();
        const bool host = lane < kThreads;
        track.kind = host ? TrackKind::Thread : TrackKind::Stream;
        track.name = (host ? "thread " : "stream ") + std::to_string(lane);
        if (host) track.thread = std::to_string(lane);
        if (!host) {
            track.device = lane % 2;
            track.stream = lane;
        }
        track.table = host ? thread(lane, rows, names) : stream(lane, rows, names);
    }
    trace->launches.reserve(size_t(rows) * kStreams);
    for (uint32_t s = 0; s < kStreams; ++s)
        for (uint32_t i = 0; i < rows; ++i) {
            trace->launchesByCall.push_back(uint32_t(trace->launches.size()));
            trace->launches.push_back({{kThreads + s, i}, {s, (kDepth - 1) * rows + i}});
        }
    trace->range = {0, 0};
    for (const Track &track : trace->tracks)
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane)
            if (const uint32_t end = track.table->laneBegin[lane + 1]; end > 0)
                trace->range.end = std::max(trace->range.end, track.end(end - 1));
    trace->events.read = trace->events.intervals = trace->intervalCount();
    return trace;
}

} // namespace longpole
