// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/hit_test.h"

#include "ui/timeline/lanes_painter.h"

#include <algorithm>

namespace longpole {

namespace {

struct ShownLane {
    LaneSource source;
    Row row; ///< names the interval an index stands for
};

/// The lanes a row shows, each with a row that would show it alone.
std::vector<ShownLane> lanesOf(TimelineData &data, const Row &row) {
    std::vector<ShownLane> lanes;
    auto add = [&](uint32_t track, uint32_t lane) {
        if (lane >= data.trace().tracks[track].table->lanes()) return;
        Row alone;
        alone.track = track;
        alone.firstLane = lane;
        lanes.push_back({data.trackLane(track, lane).source, alone});
    };
    switch (row.type) {
    case Row::Type::Transfer:
        lanes.push_back({data.transferLane(row.item, row.firstLane).source, row});
        break;
    case Row::Type::Lane:
    case Row::Type::Annotation:
    case Row::Type::Density:
        for (uint32_t l = 0; l < row.lanes; ++l) add(row.track, row.firstLane + l);
        break;
    case Row::Type::MoreThreads:
        for (uint32_t t : row.tracks) add(t, 0);
        break;
    case Row::Type::Group:
    case Row::Type::Counter:
    case Row::Type::Idle:
        break;
    }
    return lanes;
}

/// Columns of pixel x that interval i covers, a little for marks without length.
double overlap(const LaneSource &lane, const TimeScale &scale, uint32_t i, int x) {
    const double x0 = scale.x(lane.begin(i)), x1 = scale.x(lane.end(i));
    const double share = std::min(x1, x + 1.0) - std::max(x0, double(x));
    if (share > 0) return share;
    const DeviceRange drawn = deviceRange(scale, lane.begin(i), lane.end(i));
    return drawn.x0 <= x && x < drawn.x1 ? 1e-9 : 0;
}

/// Columns from x to a mark that is hard to hit, or 1e9 for one that is not.
double distance(const LaneSource &lane, const TimeScale &scale, uint32_t i, int x, int reach) {
    const DeviceRange drawn = deviceRange(scale, lane.begin(i), lane.end(i));
    if (drawn.x1 - drawn.x0 > 2 * reach) return 1e9;
    if (x < drawn.x0) return drawn.x0 - x;
    return x < drawn.x1 ? 0 : x - (drawn.x1 - 1);
}

/// Indices that may be drawn within `reach` columns of x.
std::pair<uint32_t, uint32_t> candidates(const LaneSource &lane, const TimeScale &scale, int x,
                                         int reach) {
    const uint32_t from = lane.firstAfter(scale.timeAt(x - reach - 1));
    const TimeNs last = scale.timeAt(x + reach + 2) + 1;
    return {from, lane.firstBeginningAt(last, std::min(from, lane.count))};
}

} // namespace

std::optional<uint32_t> hitLane(const LaneSource &lane, const TimeScale &scale, int x, int reach) {
    if (lane.count == 0) return std::nullopt;
    const auto [from, to] = candidates(lane, scale, x, reach);
    std::optional<uint32_t> best;
    double most = 0;
    for (uint32_t i = from; i < to; ++i) {
        const double share = overlap(lane, scale, i, x);
        if (share > most) most = share, best = i;
    }
    if (best) return best;
    double nearest = reach + 0.5;
    for (uint32_t i = from; i < to; ++i) {
        const double away = distance(lane, scale, i, x, reach);
        if (away < nearest) nearest = away, best = i;
    }
    return best;
}

Hit hitRow(TimelineData &data, const Row &row, const TimeScale &scale, int x, int reach) {
    Hit hit;
    hit.byGroup.assign(data.slotGroups().groups, 0);
    const TimeNs left = scale.timeAt(x), right = std::max(scale.timeAt(x + 1), left + 1);
    TimeNs longest = -1;
    double most = -1;
    for (const ShownLane &shown : lanesOf(data, row)) {
        const LaneSource &lane = shown.source;
        if (lane.count == 0) continue;
        const auto [from, to] = candidates(lane, scale, x, 0);
        for (uint32_t i = from; i < to; ++i) {
            if (overlap(lane, scale, i, x) <= 0) continue;
            ++hit.merged;
            const TimeNs inside =
                std::max<TimeNs>(0, std::min(lane.end(i), right) - std::max(lane.begin(i), left));
            hit.busy += inside;
            hit.byGroup[data.slotGroups().groupOf[lane.slot[i]]] += inside;
            if (lane.duration[i] <= longest) continue;
            longest = lane.duration[i];
            hit.longest = intervalOf(data, shown.row, i);
        }
        const auto index = hitLane(lane, scale, x, reach);
        if (!index) continue;
        const double share = overlap(lane, scale, *index, x);
        if (share > most) most = share, hit.id = intervalOf(data, shown.row, *index);
    }
    return hit;
}

std::optional<TimeNs> nearestEdge(TimelineData &data, const Row &row, TimeNs time, TimeNs within) {
    std::optional<TimeNs> best;
    TimeNs nearest = within;
    auto offer = [&](TimeNs edge) {
        const TimeNs away = edge < time ? time - edge : edge - time;
        if (away <= nearest) nearest = away, best = edge;
    };
    for (const ShownLane &shown : lanesOf(data, row)) {
        const LaneSource &lane = shown.source;
        const uint32_t next = lane.firstAfter(time);
        for (uint32_t i = next > 0 ? next - 1 : 0; i < std::min(next + 2, lane.count); ++i) {
            offer(lane.begin(i));
            offer(lane.end(i));
        }
    }
    return best;
}

} // namespace longpole
