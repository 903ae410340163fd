// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_columns.h"

#include <algorithm>

namespace longpole {

namespace {
constexpr double kTrace = 1e-6;  ///< so that marks without length still have a colour
constexpr uint32_t kWalked = 12; ///< intervals in a pixel that are added up one by one
} // namespace

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
    m_beside.assign(size_t(columns), 0);
    m_wide.clear();
}

void LaneColumns::addShare(int column, uint8_t group, double share, bool covers) {
    if (column < 0 || column >= m_columns) return;
    m_time[size_t(column) * m_groups + group] += float(share);
    if (covers) m_cover[size_t(column)] += float(share);
}

void LaneColumns::findEdges(const TimeScale &scale) {
    if (m_edges.size() == size_t(m_columns) + 1 && m_edgesOf.view == scale.view &&
        m_edgesOf.width == scale.width)
        return;
    m_edgesOf = scale;
    m_edges.resize(size_t(m_columns) + 1);
    for (int x = 0; x <= m_columns; ++x) m_edges[size_t(x)] = scale.firstTimeOf(x);
}

/// Any interval; the callers take the short way for those that end in the pixel they begin in.
void LaneColumns::addOne(const Adding &adding, uint32_t i) {
    const LaneSource &lane = adding.lane;
    const double x0 = adding.scale.x(lane.begin(i)), x1 = adding.scale.x(lane.end(i));
    const uint8_t group = adding.colours.groupOf[lane.slot[i]];
    const double low = std::max(x0, -1.0), high = std::min(x1, m_columns + 1.0);
    const int first = int(low + 1) - 1, last = int(high + 1) - 1; // rounded down
    if (x1 - x0 >= adding.wide) {
        // Its edges may share a pixel with merged neighbours: they weigh there by their part.
        const auto edge = [&](int c, double share) {
            addShare(c, group, share, adding.covers);
            if (share > 0 && c >= 0 && c < m_columns) m_beside[size_t(c)] = 1;
        };
        edge(first, std::min(high, first + 1.0) - low);
        if (last != first) edge(last, high - last);
        m_wide.push_back({int(std::lround(low)), int(std::lround(high)), i, group});
        return;
    }
    // Narrower than a pixel it is a mark in one alone, so that it is one crisp column.
    const bool narrow = x1 - x0 < 1;
    for (int c = std::max(first, 0); c <= std::min(last, m_columns - 1); ++c) {
        const double share = std::min(high, c + 1.0) - std::max(low, double(c));
        if (share <= 0 && c > first) continue;
        addShare(c, group, std::max(share, kTrace), adding.covers);
        m_marks[size_t(c)] += !narrow || c == first;
    }
}

/// Intervals [from, to), of which `column` holds each from begin to end.
void LaneColumns::addRun(const Adding &adding, uint32_t from, uint32_t to, int column) {
    float *time = &m_time[size_t(column) * m_groups];
    float covered = 0;
    const double perNs = adding.scale.pixelsPerNs();
    for (uint32_t i = from; i < to; ++i) {
        const auto share = float(double(adding.lane.duration[i]) * perNs + kTrace);
        time[adding.colours.groupOf[adding.lane.slot[i]]] += share;
        covered += share;
    }
    if (adding.covers) m_cover[size_t(column)] += covered;
    m_marks[size_t(column)] += to - from;
}

/// The same, as the difference of two sums.
void LaneColumns::addSums(const Adding &adding, uint32_t from, uint32_t to,
                          const LaneSummary::Sums &low, const LaneSummary::Sums &high, int column) {
    float *time = &m_time[size_t(column) * m_groups];
    const auto &groups = adding.summary.groups();
    const double perNs = adding.scale.pixelsPerNs();
    float covered = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
        const auto share = float(double(high[g] - low[g]) * perNs);
        time[groups[g]] += share;
        covered += share;
    }
    if (adding.covers) m_cover[size_t(column)] += covered;
    addShare(column, adding.colours.groupOf[adding.lane.slot[from]], kTrace, adding.covers);
    m_marks[size_t(column)] += to - from;
}

/// Walks interval by interval.
void LaneColumns::addSparse(const Adding &adding, uint32_t i) {
    const LaneSource &lane = adding.lane;
    const TimeNs end = adding.scale.view.end - lane.offset;
    for (; i < lane.count && lane.begin(i) < adding.scale.view.begin; ++i) addOne(adding, i);
    while (i < lane.count && lane.start[i] < end) {
        const int column = std::min(int(adding.scale.x(lane.begin(i))), m_columns - 1);
        const TimeNs limit = m_edges[size_t(column) + 1] - lane.offset;
        uint32_t next = i;
        while (next < lane.count && lane.start[next] + lane.duration[next] <= limit &&
               lane.start[next] < limit)
            ++next;
        if (next > i) addRun(adding, i, next, column);
        i = next;
        if (i < lane.count && lane.start[i] < limit) addOne(adding, i++);
    }
}

/// Jumps from pixel to pixel. What the next ones need is asked for while those before are added up:
/// at many intervals to a pixel a frame waits for memory most of all.
void LaneColumns::addDense(const Adding &adding, uint32_t first) {
    const auto &[lane, summary, colours, scale, wide, covers] = adding;
    constexpr int kAtOnce = 64;
    LaneSummary::Around around[kAtOnce];
    uint32_t firsts[kAtOnce];
    LaneSummary::Sums sums[2], *low = &sums[0], *high = &sums[1];
    bool known = false; // low holds what lies before `first`
    for (int x = 0; x < m_columns; x += kAtOnce) {
        const int count = std::min(kAtOnce, m_columns - x);
        const TimeNs *edges = &m_edges[size_t(x) + 1]; // where each pixel ends
        for (int k = 0; k < count; ++k) summary.prefetchAround(edges[k] - lane.offset);
        for (int k = 0; k < count; ++k) {
            around[k] = summary.around(lane, edges[k] - lane.offset);
            __builtin_prefetch(lane.start + around[k].guess);
        }
        for (int k = 0; k < count; ++k) {
            const uint32_t found =
                summary.firstBeginningAt(lane, edges[k] - lane.offset, around[k]);
            firsts[k] = std::max(first, found);
            summary.prefetchBefore(lane, firsts[k]);
        }
        for (int k = 0; k < count; ++k) {
            const uint32_t next = firsts[k];
            if (next == first) continue;
            const uint32_t last = next - 1;
            const bool crosses = lane.end(last) > edges[k];
            if (next - first > kWalked) {
                if (!known) summary.before(lane, colours, first, *low);
                summary.before(lane, colours, crosses ? last : next, *high);
                addSums(adding, first, next - crosses, *low, *high, x + k);
                std::swap(low, high);
                known = true;
                if (crosses)
                    (*low)[summary.placeOf(colours.groupOf[lane.slot[last]])] +=
                        lane.duration[last];
            } else {
                addRun(adding, first, next - crosses, x + k);
                known = false;
            }
            if (crosses) addOne(adding, last);
            first = next;
        }
    }
}

void LaneColumns::add(const LaneSource &lane, const LaneSummary &summary, const SlotGroups &colours,
                      const TimeScale &scale, double wide, bool covers) {
    if (lane.count == 0) return;
    findEdges(scale);
    const Adding adding{lane, summary, colours, scale, wide, covers};
    uint32_t i = lane.firstAfter(scale.view.begin);
    if (summary.empty()) return addSparse(adding, i);
    const uint32_t end = summary.around(lane, scale.view.end - lane.offset).high;
    if (end <= i || (end - i) / kWalked < uint32_t(m_columns)) return addSparse(adding, i);
    while (i < lane.count && lane.begin(i) < scale.view.begin) addOne(adding, i++);
    addDense(adding, i);
}

LaneColumns::Column LaneColumns::column(int column) const {
    const float *time = &m_time[size_t(column) * m_groups];
    const auto group = uint8_t(std::max_element(time, time + m_groups) - time);
    auto free = [&](int c) {
        return c < 0 || c >= m_columns || (m_marks[size_t(c)] == 0 && m_beside[size_t(c)] == 0);
    };
    const bool lone = m_marks[size_t(column)] == 1 && free(column - 1) && free(column + 1);
    return {group, lone ? 1.0f : std::min(1.0f, m_cover[size_t(column)])};
}

} // namespace longpole
