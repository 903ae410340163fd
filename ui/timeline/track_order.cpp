// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/track_order.h"

#include "ui/track_choices.h"

#include <algorithm>

namespace longpole {

namespace {

bool holds(const std::vector<uint32_t> &tracks, uint32_t track) {
    return std::find(tracks.begin(), tracks.end(), track) != tracks.end();
}

/// The layout with every group open that a pinned track is in.
std::vector<Row> layoutWithPins(const TimelineData &data, RowChoices choices,
                                const std::vector<uint32_t> &pinned) {
    for (const TrackGroup &group : data.groups())
        for (const uint32_t track : pinned) {
            const bool helper = holds(group.helpers, track);
            if (helper) choices.openHelpers.insert(group.key);
            if (helper || holds(group.tracks, track) || holds(group.notes, track))
                choices.closedGroups.remove(group.key);
        }
    return layoutRows(data, choices);
}

/// What layoutWithPins() opened and the user had closed is closed again.
void closeAgain(std::vector<Row> &rows, const TimelineData &data, const RowChoices &choices) {
    std::erase_if(rows, [&](const Row &row) {
        const TrackGroup &group = data.groups()[row.group];
        if (row.type == Row::Type::Group) return false;
        return choices.closedGroups.contains(group.key) ||
               (row.track != kNone && holds(group.helpers, row.track) &&
                !choices.openHelpers.contains(group.key));
    });
    for (Row &row : rows) {
        const TrackGroup &group = data.groups()[row.group];
        if (row.type == Row::Type::Group) row.open = !choices.closedGroups.contains(group.key);
        if (row.type == Row::Type::MoreThreads) row.open = choices.openHelpers.contains(group.key);
    }
}

/// A counter of the track stays with the counters.
std::vector<Row> takePinned(std::vector<Row> &rows, const std::vector<uint32_t> &pinned) {
    const auto isOf = [](const Row &row, uint32_t track) {
        return row.track == track && row.type != Row::Type::Counter;
    };
    std::vector<Row> taken;
    for (const uint32_t track : pinned)
        for (const Row &row : rows)
            if (isOf(row, track)) taken.push_back(row);
    std::erase_if(rows, [&](const Row &row) {
        return row.track != kNone && row.type != Row::Type::Counter && holds(pinned, row.track);
    });
    return taken;
}

struct Block {
    size_t first, count;
    size_t rank; ///< where the user put it
};

/// Sorts the moved tracks of each group among the places that they have.
void sortMoved(std::vector<Row> &rows, const std::vector<uint32_t> &order) {
    std::vector<Row> sorted;
    sorted.reserve(rows.size());
    for (size_t from = 0; from < rows.size();) {
        size_t to = from;
        while (to < rows.size() && rows[to].group == rows[from].group) ++to;
        std::vector<Block> blocks, moved;
        for (size_t i = from; i < to;) {
            size_t end = i + 1;
            while (end < to && rows[i].track != kNone && rows[end].track == rows[i].track) ++end;
            const auto at = std::find(order.begin(), order.end(), rows[i].track);
            const bool ranked = rows[i].track != kNone && at != order.end();
            blocks.push_back({i, end - i, ranked ? size_t(at - order.begin()) : SIZE_MAX});
            if (ranked) moved.push_back(blocks.back());
            i = end;
        }
        std::stable_sort(moved.begin(), moved.end(),
                         [](const Block &a, const Block &b) { return a.rank < b.rank; });
        size_t next = 0;
        for (const Block &block : blocks) {
            const Block &put = block.rank == SIZE_MAX ? block : moved[next++];
            for (size_t i = 0; i < put.count; ++i) sorted.push_back(std::move(rows[put.first + i]));
        }
        from = to;
    }
    rows = std::move(sorted);
}

} // namespace

ArrangedRows arrangeRows(const TimelineData &data, const RowChoices &choices,
                         const TrackChoices &tracks) {
    ArrangedRows arranged;
    std::vector<uint32_t> pinned;
    for (const uint32_t track : tracks.pinned())
        if (tracks.shown(track)) pinned.push_back(track);
    if (pinned.empty()) {
        arranged.rows = layoutRows(data, choices);
    } else {
        arranged.rows = layoutWithPins(data, choices, pinned);
        arranged.pinned = takePinned(arranged.rows, pinned);
        closeAgain(arranged.rows, data, choices);
    }
    if (!tracks.order().empty()) sortMoved(arranged.rows, tracks.order());
    arranged.rows.insert(arranged.rows.begin(), arranged.pinned.begin(), arranged.pinned.end());
    int y = 0;
    for (size_t i = 0; i < arranged.rows.size(); ++i) {
        arranged.rows[i].y = y;
        y += arranged.rows[i].height;
        if (i >= arranged.pinned.size()) continue;
        arranged.pinned[i].y = arranged.rows[i].y;
        arranged.pinnedHeight = y;
    }
    return arranged;
}

std::vector<uint32_t> orderAfterMove(const std::vector<Row> &rows, uint32_t track,
                                     uint32_t before) {
    const auto own =
        std::find_if(rows.begin(), rows.end(), [&](const Row &row) { return row.track == track; });
    if (own == rows.end() || track == before) return {};
    std::vector<uint32_t> order;
    for (const Row &row : rows)
        if (row.group == own->group && row.track != kNone && !holds(order, row.track))
            order.push_back(row.track);
    std::vector<uint32_t> moved = order;
    std::erase(moved, track);
    const auto at = std::find(moved.begin(), moved.end(), before);
    if (before != kNone && at == moved.end()) return {}; // of another group
    moved.insert(at, track);
    return moved == order ? std::vector<uint32_t>{} : moved;
}

} // namespace longpole
