// SPDX-License-Identifier: Apache-2.0
#include "core/model/link_launches.h"

#include "core/base/looking.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace longpole {

namespace {

constexpr uint32_t kSearches = 4096; ///< as long as Progress::kLook simple things

struct Correlated {
    int64_t correlation;
    uint32_t process;
    TimeNs begin;
    IntervalId id;
    bool used = false; ///< an operation was linked to it
};

std::vector<Correlated> correlated(const Trace &trace, TrackKind kind, const Progress &progress) {
    std::vector<Correlated> found;
    size_t count = 0;
    for (const Track &track : trace.tracks)
        if (track.kind == kind) count += track.table->sides.size();
    found.reserve(count); // what grows by doubling is copied at once
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const TrackTable &table = *track.table;
        if (track.kind != kind || table.side.empty()) continue;
        for (uint32_t row = 0; row < table.size(); ++row) {
            progress.look(row);
            const int64_t correlation = table.sideOf(row).correlation;
            if (correlation >= 0)
                found.push_back({correlation, track.process, table.start[row], {t, row}, false});
        }
    }
    return found;
}

/// The call among those of one correlation id that enqueued an operation of `process`: the
/// outermost one where a runtime call made a driver call. Ids that are the process's `own` join
/// nothing else.
Correlated *chooseCall(std::span<Correlated> calls, uint32_t process, bool own) {
    if (calls.empty()) return nullptr;
    if (!own && calls.front().process == calls.back().process) return &calls.front();
    for (Correlated &call : calls)
        if (call.process == process) return &call;
    return nullptr;
}

/// Launches of which no operation is known. A driver call inside a runtime call has the same id,
/// and the work is linked to the outer one. Sorted by id, then process.
void noticeLaunchesWithoutOp(const Trace &trace, std::span<const Correlated> calls,
                             Diagnostics &diagnostics, const Progress &progress) {
    size_t launches = 0;
    for (size_t from = 0, to; from < calls.size(); from = to) {
        progress.look(launches++);
        bool used = false;
        for (to = from; to < calls.size() && calls[to].correlation == calls[from].correlation &&
                        calls[to].process == calls[from].process;
             ++to)
            used |= calls[to].used;
        const Kind kind = trace.kind(calls[from].id);
        if (!used && (kind == Kind::Launch || kind == Kind::GraphLaunch))
            diagnostics.add(Reason::LaunchWithoutOp,
                            trace.track(calls[from].id).table->offset[calls[from].id.row]);
    }
}

} // namespace

void linkLaunches(Trace &trace, Diagnostics &diagnostics, const Progress &progress) {
    std::vector<Correlated> calls = correlated(trace, TrackKind::Thread, progress);
    if (calls.empty()) return;
    sortLooking(
        calls,
        [](const Correlated &a, const Correlated &b) {
            return std::tie(a.correlation, a.process, a.begin, a.id) <
                   std::tie(b.correlation, b.process, b.begin, b.id);
        },
        progress);
    const auto byCorrelation = [](const Correlated &a, const Correlated &b) {
        return a.correlation < b.correlation;
    };
    bool deviceWork = false;
    size_t operations = 0;
    for (const Track &track : trace.tracks)
        if (track.kind == TrackKind::Stream) operations += track.table->size();
    trace.launches.reserve(operations);
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        const TrackTable &table = *track.table;
        deviceWork |= table.size() > 0;
        const bool own = trace.processes[track.process].ownIds;
        for (uint32_t row = 0; row < table.size(); ++row) {
            if (row % kSearches == 0) progress.look();
            const Correlated op{table.sideOf(row).correlation, track.process, 0, {t, row}, false};
            const auto [from, to] = std::equal_range(calls.begin(), calls.end(), op, byCorrelation);
            Correlated *call =
                op.correlation < 0 ? nullptr : chooseCall({from, to}, op.process, own);
            if (!call) {
                diagnostics.add(Reason::OpWithoutLaunch, table.offset[row]);
                continue;
            }
            call->used = true;
            trace.launches.push_back({op.id, call->id});
            if (table.start[row] < call->begin)
                diagnostics.add(Reason::OpBeforeLaunch, table.offset[row]);
        }
    }
    if (deviceWork) noticeLaunchesWithoutOp(trace, calls, diagnostics, progress);
    growTo(trace.launchesByCall, trace.launches.size(), progress);
    std::iota(trace.launchesByCall.begin(), trace.launchesByCall.end(), 0u);
    sortLooking(
        trace.launchesByCall,
        [&](uint32_t a, uint32_t b) {
            return std::tuple(trace.launches[a].call, a) < std::tuple(trace.launches[b].call, b);
        },
        progress);
}

} // namespace longpole
