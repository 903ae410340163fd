// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_columns.h"

#include <algorithm>

namespace longpole {

namespace {
constexpr double kTrace = 1e-6; ///< so that marks without length still have a colour
}

void markColumns(const LaneSource &lane, const TimeScale &scale, std::vector<uint8_t> &columns) {
    const int width = int(columns.size());
    uint32_t i = lane.firstAfter(scale.view.begin);
    while (i < lane.count && lane.begin(i) < scale.view.end) {
        const double x1 = std::min(scale.x(lane.end(i)), double(width));
        const int first = std::max(0, int(std::floor(scale.x(lane.begin(i)))));
        const int last = std::min(width - 1, std::max(first, int(std::ceil(x1)) - 1));
        for (int x = first; x <= last; ++x) columns[size_t(x)] = 1;
        // of those that begin up to there only the last one can reach further
        const uint32_t next = lane.firstBeginningAt(scale.firstTimeOf(last + 1), i + 1);
        i = next > i + 1 ? next - 1 : next;
    }
}

void LaneColumns::reset(int columns, uint32_t groups) {
    m_columns = columns;
    m_groups = groups;
    m_time.assign(size_t(columns) * groups, 0);
    m_cover.assign(size_t(columns), 0);
    m_marks.assign(size_t(columns), 0);
    m_wide.clear();
}

void LaneColumns::addShare(int column, uint8_t group, double share, bool covers) {
    if (column < 0 || column >= m_columns) return;
    m_time[size_t(column) * m_groups + group] += float(share);
    if (covers) m_cover[size_t(column)] += float(share);
}

void LaneColumns::addOne(const LaneSource &lane, const SlotGroups &colours, const TimeScale &scale,
                         uint32_t i, double wide, bool covers) {
    const double x0 = scale.x(lane.begin(i)), x1 = scale.x(lane.end(i));
    const uint8_t group = colours.groupOf[lane.slot[i]];
    const double low = std::max(x0, -1.0), high = std::min(x1, m_columns + 1.0);
    const int first = int(std::floor(low)), last = int(std::floor(high));
    if (x1 - x0 >= wide) {
        // Its edges may share a pixel with merged neighbours: they weigh there by their part.
        addShare(first, group, std::min(high, first + 1.0) - low, covers);
        if (last != first) addShare(last, group, high - last, covers);
        m_wide.push_back({int(std::lround(low)), int(std::lround(high)), i, group});
        return;
    }
    if (x1 - x0 < 1) { // stays in one pixel, so that a lone mark is one crisp column
        if (first < 0 || first >= m_columns) return;
        addShare(first, group, std::max(x1 - x0, kTrace), covers);
        ++m_marks[size_t(first)];
        return;
    }
    for (int c = std::max(first, 0); c <= std::min(last, m_columns - 1); ++c) {
        const double share = std::min(high, c + 1.0) - std::max(low, double(c));
        if (share <= 0) continue;
        addShare(c, group, share, covers);
        ++m_marks[size_t(c)];
    }
}

void LaneColumns::addRun(const LaneSource &lane, const LaneSummary &summary,
                         const SlotGroups &colours, double scale, uint32_t from, uint32_t to,
                         int column, bool covers) {
    float sums[SlotGroups::kMaxGroups] = {};
    summary.add(lane, colours, from, to, scale, sums);
    for (uint32_t g = 0; g < m_groups; ++g)
        if (sums[g] > 0) addShare(column, uint8_t(g), sums[g], covers);
    addShare(column, colours.groupOf[lane.slot[from]], kTrace, covers);
    m_marks[size_t(column)] += to - from;
}

void LaneColumns::add(const LaneSource &lane, const LaneSummary &summary, const SlotGroups &colours,
                      const TimeScale &scale, double wide, bool covers) {
    const double perNs = scale.pixelsPerNs();
    uint32_t i = lane.firstAfter(scale.view.begin);
    while (i < lane.count && lane.begin(i) < scale.view.end) {
        const int column = int(std::floor(scale.x(lane.begin(i))));
        // All but the last of those that begin in this pixel also end in it.
        uint32_t next = i + 1;
        if (next < lane.count && column >= 0 && column < m_columns &&
            scale.x(lane.begin(next)) < column + 1)
            next = lane.firstBeginningAt(scale.firstTimeOf(column + 1), next);
        if (next > i + 1) addRun(lane, summary, colours, perNs, i, next - 1, column, covers);
        addOne(lane, colours, scale, next - 1, wide, covers);
        i = next;
    }
}

LaneColumns::Column LaneColumns::column(int column) const {
    const float *time = &m_time[size_t(column) * m_groups];
    const auto group = uint8_t(std::max_element(time, time + m_groups) - time);
    auto free = [&](int c) {
        return c < 0 || c >= m_columns || (m_marks[size_t(c)] == 0 && m_cover[size_t(c)] == 0);
    };
    const bool lone = m_marks[size_t(column)] == 1 && free(column - 1) && free(column + 1);
    return {group, lone ? 1.0f : std::min(1.0f, m_cover[size_t(column)])};
}

} // namespace longpole
