// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/transfers.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

/// First lane whose last copy has ended by `begin`.
size_t laneFor(std::vector<TimeNs> &ends, TimeNs begin, TimeNs end) {
    const auto it = std::find_if(ends.begin(), ends.end(), [&](TimeNs e) { return e <= begin; });
    const auto lane = size_t(it - ends.begin());
    if (it == ends.end()) ends.push_back(end);
    ends[lane] = end;
    return lane;
}

void fill(TransferRow &row, std::vector<IntervalId> ids, const Trace &trace, const Phases &phases) {
    std::sort(ids.begin(), ids.end(), [&](IntervalId a, IntervalId b) {
        return std::tuple(trace.begin(a), a) < std::tuple(trace.begin(b), b);
    });
    std::vector<TimeNs> ends;
    std::vector<std::vector<IntervalId>> lanes;
    for (IntervalId id : ids) {
        const size_t lane = laneFor(ends, trace.begin(id), trace.end(id));
        lanes.resize(ends.size());
        lanes[lane].push_back(id);
    }
    row.bytes = 0;
    for (const auto &lane : lanes) {
        for (IntervalId id : lane) {
            const int64_t bytes = trace.track(id).table->sideOf(id.row).bytes;
            row.bytes = row.bytes < 0 || bytes < 0 ? -1 : row.bytes + bytes;
            row.ids.push_back(id);
            row.start.push_back(trace.begin(id));
            row.duration.push_back(trace.end(id) - trace.begin(id));
            row.time += row.duration.back();
            row.phase.push_back(phases.of(id));
            row.kind.push_back(uint8_t(trace.kind(id)));
        }
        row.laneBegin.push_back(uint32_t(row.ids.size()));
    }
}

} // namespace

std::vector<TransferRow> gatherTransfers(const Trace &trace, const Phases &phases) {
    std::map<std::tuple<uint32_t, int64_t, Kind>, std::vector<IntervalId>> found;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        const uint32_t file = trace.processes[track.process].file;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            const Kind kind = track.table->kind[row];
            if (kind == Kind::H2D || kind == Kind::D2H || kind == Kind::P2P)
                found[{file, track.device.value_or(0), kind}].push_back({t, row});
        }
    }
    std::vector<TransferRow> rows;
    for (auto &[key, ids] : found) {
        TransferRow row;
        std::tie(row.file, row.device, row.direction) = key;
        fill(row, std::move(ids), trace, phases);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace longpole
