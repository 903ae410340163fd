// SPDX-License-Identifier: Apache-2.0
#include "core/model/finish_track.h"

#include "core/base/looking.h"
#include "core/model/nesting.h"
#include "core/model/oddities.h"
#include "core/model/trace.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace longpole {

namespace {

/// Recorders write a track as a few runs that are sorted already (operators, then API calls, …):
/// merging runs is several times faster than sorting from scratch. What has no such runs is sorted
/// in pieces first, so that a stop is never far away.
void sortRows(GrowArray<IntervalRow> &rows, const Progress &progress) {
    std::vector<size_t> runs{0};
    for (size_t i = 1; i < rows.size(); ++i) {
        progress.look(i);
        if (nestsBefore(rows[i], rows[i - 1])) runs.push_back(i);
    }
    if (runs.size() == 1) return;
    if (runs.size() > rows.size() / 16)
        sortLooking(rows, nestsBefore, progress);
    else
        mergeRuns(rows, std::move(runs), nestsBefore, progress);
}

/// Row of every sorted interval in the finished table: lane by lane, each in order of time.
std::vector<uint32_t> placeRows(const Nesting &nesting, std::vector<uint32_t> &laneBegin,
                                const Progress &progress) {
    laneBegin.assign(nesting.laneSize.size() + 1, 0);
    std::partial_sum(nesting.laneSize.begin(), nesting.laneSize.end(), laneBegin.begin() + 1);
    std::vector<uint32_t> next(laneBegin.begin(), laneBegin.end() - 1);
    std::vector<uint32_t> place;
    growTo(place, nesting.lane.size(), progress);
    for (size_t i = 0; i < place.size(); ++i) {
        progress.look(i);
        place[i] = next[nesting.lane[i]]++;
    }
    return place;
}

} // namespace

std::shared_ptr<const TrackTable> finishTrack(GrowArray<IntervalRow> rows, GrowArray<SideRow> sides,
                                              TimeNs zero, TimeNs rounding,
                                              std::shared_ptr<const StringPool> strings,
                                              Diagnostics &diagnostics, const Progress &progress) {
    sortRows(rows, progress);
    noticeDuplicates(rows, sides, diagnostics, progress);
    const Nesting nesting = nest(rows, rounding, progress);
    if (nesting.overlaps)
        diagnostics.add(Reason::Overlap, nesting.firstOverlapOffset, nesting.overlaps);
    if (nesting.sticksOut)
        diagnostics.add(Reason::SticksOut, nesting.firstOutOffset, nesting.sticksOut);

    auto table = std::make_shared<TrackTable>();
    const std::vector<uint32_t> place = placeRows(nesting, table->laneBegin, progress);
    const size_t n = rows.size();
    growTo(table->start, n, progress);
    growTo(table->duration, n, progress);
    growTo(table->name, n, progress);
    growTo(table->category, n, progress);
    growTo(table->kind, n, progress);
    growTo(table->flags, n, progress);
    growTo(table->depth, n, progress);
    growTo(table->parent, n, progress);
    growTo(table->offset, n, progress);
    if (!sides.empty()) growTo(table->side, n, progress);
    for (size_t i = 0; i < n; ++i) {
        progress.look(i);
        const IntervalRow &row = rows[i];
        const uint32_t at = place[i];
        table->start[at] = row.begin - zero;
        table->duration[at] = row.end - row.begin;
        table->name[at] = row.name;
        table->category[at] = row.category;
        table->kind[at] = row.kind;
        table->flags[at] = uint8_t(row.flags | (row.begin == row.end ? kZeroLength : 0));
        table->depth[at] = nesting.depth[i];
        table->parent[at] = nesting.parent[i] == kNone ? kNone : place[nesting.parent[i]];
        table->offset[at] = row.offset;
        if (!sides.empty()) table->side[at] = row.side;
    }
    table->sides = std::move(sides);
    table->sides.shrink_to_fit();
    table->strings = std::move(strings);
    return table;
}

void sortCounter(CounterSeries &counter, const Progress &progress) {
    if (std::is_sorted(counter.time.begin(), counter.time.end())) return;
    std::vector<uint32_t> order(counter.time.size());
    std::iota(order.begin(), order.end(), 0u);
    stableSortLooking(
        order, [&](uint32_t a, uint32_t b) { return counter.time[a] < counter.time[b]; }, progress);
    CounterSeries sorted{counter.track, counter.name, counter.series, {}, {}};
    for (uint32_t i : order) {
        sorted.time.push_back(counter.time[i]);
        sorted.value.push_back(counter.value[i]);
    }
    counter = std::move(sorted);
}

TimeRange rangeOf(const std::vector<Track> &tracks) {
    constexpr TimeRange nothing{std::numeric_limits<TimeNs>::max(),
                                std::numeric_limits<TimeNs>::min()};
    TimeRange resources = nothing, any = nothing;
    for (const Track &track : tracks) {
        const TrackTable &table = *track.table;
        for (uint32_t lane = 0; lane < table.lanes(); ++lane) {
            const uint32_t first = table.laneBegin[lane], last = table.laneBegin[lane + 1] - 1;
            for (TimeRange *range : {&any, track.isResource() ? &resources : &any}) {
                range->begin = std::min(range->begin, track.begin(first));
                range->end = std::max(range->end, track.end(last));
            }
        }
    }
    if (resources != nothing) return resources;
    return any != nothing ? any : TimeRange{};
}

} // namespace longpole
