// SPDX-License-Identifier: Apache-2.0
#include "core/model/oddities.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace longpole {

namespace {

constexpr TimeNs kRounding = 1'000;

/// Rows of equal times; most runs hold one row only and never come here. On a host thread a range
/// without an id may be inside one like it.
void countDuplicates(std::span<const IntervalRow> run, std::span<const SideRow> sides,
                     Diagnostics &diagnostics) {
    std::vector<std::tuple<StringId, int64_t, uint64_t>> keys; // name, correlation, place
    for (const IntervalRow &row : run)
        if (const int64_t id = row.side == kNone ? -1 : sides[row.side].correlation;
            id >= 0 || isDeviceKind(row.kind))
            keys.emplace_back(row.name, id, row.offset);
    std::sort(keys.begin(), keys.end());
    for (size_t i = 1; i < keys.size(); ++i)
        if (std::get<0>(keys[i]) == std::get<0>(keys[i - 1]) &&
            std::get<1>(keys[i]) == std::get<1>(keys[i - 1]))
            diagnostics.add(Reason::Duplicate, std::get<2>(keys[i]));
}

/// What "PyTorch Profiler (0)" spans; where older versions do not write it, all until the instant
/// at which recording ended.
std::optional<TimeRange> captureOf(const Trace &trace) {
    for (const Track &track : trace.tracks) {
        if (track.kind != TrackKind::Annotation || trace.processes[track.process].pid != "Spans")
            continue;
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (track.nameOf(row) == "PyTorch Profiler (0)")
                return TimeRange{track.begin(row), track.end(row)};
    }
    for (const Instant &instant : trace.instants)
        if (instant.name == "Record Window End")
            return TimeRange{std::numeric_limits<TimeNs>::min() + kRounding, instant.time};
    return std::nullopt;
}

} // namespace

void noticeDuplicates(std::span<const IntervalRow> rows, std::span<const SideRow> sides,
                      Diagnostics &diagnostics, const Progress &progress) {
    size_t runs = 0;
    for (size_t from = 0; from < rows.size();) {
        progress.look(runs++);
        size_t to = from + 1;
        while (to < rows.size() && rows[to].begin == rows[from].begin &&
               rows[to].end == rows[from].end)
            ++to;
        if (to - from > 1) countDuplicates(rows.subspan(from, to - from), sides, diagnostics);
        from = to;
    }
}

void noticeOverruns(const Track &track, Diagnostics &diagnostics, const Progress &progress) {
    const TrackTable &table = *track.table;
    if (track.kind != TrackKind::Stream || table.lanes() < 2) return;
    std::vector<bool> seen(table.size());
    for (uint32_t row = 0; row < table.size(); ++row) {
        progress.look(row);
        const uint32_t parent = table.parent[row];
        if (parent == kNone || seen[parent]) continue;
        seen[parent] = true;
        diagnostics.add(Reason::DurationOverrun, table.offset[parent]);
    }
}

void noticeOutsideCapture(const Trace &trace, Diagnostics &diagnostics, const Progress &progress) {
    const auto capture = captureOf(trace);
    if (!capture) return;
    for (const Track &track : trace.tracks) {
        if (!track.isResource()) continue;
        const TrackTable &table = *track.table;
        // the rows of a lane are in order and disjoint: only its two ends can lie outside
        for (uint32_t lane = 0; lane < table.lanes(); ++lane) {
            progress.look(lane);
            uint32_t row = table.laneBegin[lane], last = table.laneBegin[lane + 1];
            for (; row < last && track.begin(row) < capture->begin - kRounding; ++row) {
                progress.look(row);
                diagnostics.add(Reason::OutsideCapture, table.offset[row]);
            }
            for (; last > row && track.end(last - 1) > capture->end + kRounding; --last) {
                progress.look(last);
                diagnostics.add(Reason::OutsideCapture, table.offset[last - 1]);
            }
        }
    }
}

} // namespace longpole
