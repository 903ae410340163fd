// SPDX-License-Identifier: Apache-2.0
// The part of statistics.h that `info` prints: it has to keep up with reading the file.
#include "core/analysis/statistics.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

/// Disjoint ranges in ascending order.
using Cover = std::vector<TimeRange>;

void append(Cover &cover, TimeRange range) {
    if (range.empty()) return;
    if (!cover.empty() && range.begin <= cover.back().end)
        cover.back().end = std::max(cover.back().end, range.end);
    else
        cover.push_back(range);
}

Cover merged(const Cover &a, const Cover &b) {
    Cover result;
    result.reserve(a.size() + b.size());
    size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
        const bool first = k == b.size() || (i < a.size() && a[i].begin <= b[k].begin);
        append(result, first ? a[i++] : b[k++]);
    }
    return result;
}

/// Merges pairs of neighbours until one is left, so that many lanes cost n log n as well.
TimeNs lengthOfUnion(std::vector<Cover> covers) {
    while (covers.size() > 1) {
        std::vector<Cover> next;
        for (size_t i = 0; i + 1 < covers.size(); i += 2)
            next.push_back(merged(covers[i], covers[i + 1]));
        if (covers.size() % 2) next.push_back(std::move(covers.back()));
        covers = std::move(next);
    }
    TimeNs length = 0;
    if (!covers.empty())
        for (const TimeRange &range : covers.front()) length += range.length();
    return length;
}

bool isKernel(Kind kind) {
    return kind == Kind::Kernel || kind == Kind::Comm || kind == Kind::GraphExec;
}

struct Device {
    DeviceFacts facts;
    std::vector<Cover> kernels, busy;
    std::vector<TimeNs> leads; ///< of every launched operation: its begin minus its call's

    void add(const Track &track, uint32_t lane) {
        const TrackTable &table = *track.table;
        Cover kernelLane, busyLane;
        for (uint32_t row = table.laneBegin[lane]; row < table.laneBegin[lane + 1]; ++row) {
            const Kind kind = table.kind[row];
            if (!isDeviceKind(kind)) continue;
            const TimeRange range{track.begin(row), track.end(row)};
            append(busyLane, range);
            if (isKernel(kind)) append(kernelLane, range);
            ++(isKernel(kind) ? facts.kernels : isCopyKind(kind) ? facts.copies : facts.memsets);
        }
        kernels.push_back(std::move(kernelLane));
        busy.push_back(std::move(busyLane));
    }
};

/// See DeviceFacts::skew.
std::optional<TimeNs> skewOf(std::vector<TimeNs> leads) {
    if (leads.empty()) return std::nullopt;
    const auto first = leads.begin() + ptrdiff_t(leads.size() / 100);
    std::nth_element(leads.begin(), first, leads.end());
    return *first < 0 ? std::optional(-*first) : std::nullopt;
}

} // namespace

std::vector<DeviceFacts> deviceFacts(const Trace &trace) {
    std::map<std::pair<uint32_t, int64_t>, Device> devices;
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::Stream || track.table->size() == 0) continue;
        const uint32_t file = trace.processes[track.process].file;
        Device &device = devices[{file, track.device.value_or(0)}];
        device.facts.file = file;
        device.facts.device = track.device.value_or(0);
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) device.add(track, lane);
    }
    if (trace.diagnostics[Reason::OpBeforeLaunch].count)
        for (const Launch &launch : trace.launches) {
            const Track &track = trace.track(launch.op);
            devices[{trace.processes[track.process].file, track.device.value_or(0)}]
                .leads.push_back(trace.begin(launch.op) - trace.begin(launch.call));
        }
    std::vector<DeviceFacts> result;
    for (auto &[key, device] : devices) {
        device.facts.skew = skewOf(std::move(device.leads));
        device.facts.kernelUnion = lengthOfUnion(std::move(device.kernels));
        device.facts.busyUnion = lengthOfUnion(std::move(device.busy));
        result.push_back(device.facts);
    }
    return result;
}

} // namespace longpole
