// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/relatives.h"

#include "core/analysis/forward_ops.h"

#include <algorithm>

namespace longpole {

namespace {

void sortByBegin(const Trace &trace, std::vector<IntervalId> &ids, size_t most) {
    std::sort(ids.begin(), ids.end(), [&](IntervalId a, IntervalId b) {
        return trace.begin(a) != trace.begin(b) ? trace.begin(a) < trace.begin(b) : a < b;
    });
    if (ids.size() > most) ids.resize(most);
}

void addPythonAround(const Trace &trace, IntervalId id, std::vector<IntervalId> &frames) {
    const TrackTable &table = *trace.track(id).table;
    for (uint32_t row = table.parent[id.row]; row != kNone; row = table.parent[row])
        if (table.kind[row] == Kind::Python) frames.push_back({id.track, row});
}

} // namespace

std::vector<IntervalId> childrenOf(const Trace &trace, IntervalId id, size_t most) {
    std::vector<IntervalId> children;
    const TrackTable &table = *trace.track(id).table;
    const TimeNs end = table.end(id.row);
    for (uint32_t lane = table.laneOf(id.row) + 1; lane < table.lanes(); ++lane) {
        const uint32_t last = table.laneBegin[lane + 1];
        size_t inLane = 0;
        for (uint32_t row = table.firstAfter(lane, table.start[id.row]);
             row < last && table.start[row] <= end && inLane < most; ++row)
            if (table.parent[row] == id.row) {
                children.push_back({id.track, row});
                ++inLane;
            }
    }
    sortByBegin(trace, children, most);
    return children;
}

bool isBackwardOp(const Trace &trace, IntervalId id) {
    return ForwardOps::isBackward(trace.track(id).table->sideOf(id.row));
}

std::vector<IntervalId> autogradPartners(const Trace &trace, IntervalId id, size_t most) {
    std::vector<IntervalId> partners;
    const SideRow &own = trace.track(id).table->sideOf(id.row);
    if (own.sequence < 0) return partners;
    const bool backward = ForwardOps::isBackward(own);
    const uint32_t file = trace.processes[trace.track(id).process].file;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Thread || trace.processes[track.process].file != file)
            continue;
        const TrackTable &table = *track.table;
        for (uint32_t row = 0; row < table.side.size(); ++row) {
            if (table.side[row] == kNone) continue;
            const SideRow &side = table.sides[table.side[row]];
            if (side.sequence != own.sequence || ForwardOps::isBackward(side) == backward) continue;
            partners.push_back({t, row});
        }
    }
    sortByBegin(trace, partners, most);
    return partners;
}

std::vector<IntervalId> eventPartners(const Trace &trace, IntervalId id, size_t most) {
    std::vector<IntervalId> partners;
    const Track &own = trace.track(id);
    const int64_t correlation = own.table->sideOf(id.row).correlation;
    if (own.kind != TrackKind::Thread || correlation < 0) return partners;
    const auto fileOf = [&](uint32_t process) { return trace.processes[process].file; };
    std::vector<int64_t> wanted;
    for (const SyncRecord &record : trace.syncs) {
        if (record.waitOnCorrelation < 0 || fileOf(record.process) != fileOf(own.process)) continue;
        if (record.correlation == correlation) wanted.push_back(record.waitOnCorrelation);
        if (record.waitOnCorrelation == correlation) wanted.push_back(record.correlation);
    }
    std::sort(wanted.begin(), wanted.end());
    for (uint32_t t = 0; t < trace.tracks.size() && !wanted.empty(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Thread || fileOf(track.process) != fileOf(own.process))
            continue;
        const TrackTable &table = *track.table;
        for (uint32_t row = 0; row < table.side.size(); ++row) {
            if (table.side[row] == kNone || IntervalId{t, row} == id) continue;
            const int64_t other = table.sides[table.side[row]].correlation;
            if (other >= 0 && std::binary_search(wanted.begin(), wanted.end(), other))
                partners.push_back({t, row});
        }
    }
    sortByBegin(trace, partners, most);
    return partners;
}

std::vector<IntervalId> pythonStack(const Trace &trace, IntervalId id) {
    std::vector<IntervalId> frames;
    const IntervalId call = trace.callOf(id);
    addPythonAround(trace, call.valid() ? call : id, frames);
    return frames;
}

} // namespace longpole
