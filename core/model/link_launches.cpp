// SPDX-License-Identifier: Apache-2.0
#include "core/model/link_launches.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace longpole {

namespace {

struct Correlated {
    int64_t correlation;
    uint32_t process;
    TimeNs begin;
    IntervalId id;
};

std::vector<Correlated> correlated(const Trace &trace, TrackKind kind) {
    std::vector<Correlated> found;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const TrackTable &table = *track.table;
        if (track.kind != kind || table.side.empty()) continue;
        for (uint32_t row = 0; row < table.size(); ++row) {
            const int64_t correlation = table.sideOf(row).correlation;
            if (correlation >= 0)
                found.push_back({correlation, track.process, table.start[row], {t, row}});
        }
    }
    return found;
}

/// The call among those of one correlation id that enqueued an operation of `process`: the outermost
/// one where a runtime call made a driver call. Ids that are the process's `own` join nothing else.
IntervalId chooseCall(std::span<const Correlated> calls, uint32_t process, bool own) {
    if (calls.empty()) return {};
    if (!own && calls.front().process == calls.back().process) return calls.front().id;
    for (const Correlated &call : calls)
        if (call.process == process) return call.id;
    return {};
}

} // namespace

void linkLaunches(Trace &trace, Diagnostics &diagnostics) {
    std::vector<Correlated> calls = correlated(trace, TrackKind::Thread);
    if (calls.empty()) return;
    std::sort(calls.begin(), calls.end(), [](const Correlated &a, const Correlated &b) {
        return std::tie(a.correlation, a.process, a.begin, a.id) <
               std::tie(b.correlation, b.process, b.begin, b.id);
    });
    const auto byCorrelation = [](const Correlated &a, const Correlated &b) {
        return a.correlation < b.correlation;
    };
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        const TrackTable &table = *track.table;
        const bool own = trace.processes[track.process].ownIds;
        for (uint32_t row = 0; row < table.size(); ++row) {
            const Correlated op{table.sideOf(row).correlation, track.process, 0, {t, row}};
            const auto [from, to] = std::equal_range(calls.begin(), calls.end(), op, byCorrelation);
            const IntervalId call = op.correlation < 0 ? IntervalId{} : chooseCall({from, to}, op.process, own);
            if (call.valid())
                trace.launches.push_back({op.id, call});
            else
                diagnostics.add(Reason::OpWithoutLaunch, table.offset[row]);
        }
    }
    trace.launchesByCall.resize(trace.launches.size());
    std::iota(trace.launchesByCall.begin(), trace.launchesByCall.end(), 0u);
    std::stable_sort(trace.launchesByCall.begin(), trace.launchesByCall.end(), [&](uint32_t a, uint32_t b) {
        return trace.launches[a].call < trace.launches[b].call;
    });
}

} // namespace longpole
