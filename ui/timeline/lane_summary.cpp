// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_summary.h"

#include <algorithm>
#include <cstddef>

namespace longpole {

namespace {
constexpr uint32_t kShort = 128;    ///< intervals that are walked as quickly
constexpr uint32_t kPerStretch = 8; ///< at least so many intervals to each entry of the index
constexpr uint32_t kPerGroup = 2;   ///< intervals to a block for each group and 32 bits of its sum
constexpr int kSteps = 8;           ///< beside the guess, before a search by halves
} // namespace

LaneSummary::LaneSummary(const LaneSource &lane, const SlotGroups &colours) {
    if (lane.count < kShort) return;
    buildIndex(lane);
    bool seen[SlotGroups::kMaxGroups] = {};
    for (uint32_t i = 0; i < lane.count; ++i) seen[colours.groupOf[lane.slot[i]]] = true;
    for (uint32_t g = 0; g < colours.groups; ++g) {
        if (!seen[g]) continue;
        m_place[g] = uint8_t(m_used.size());
        m_used.push_back(uint8_t(g));
    }
    // No lane of disjoint intervals is busier than it is long.
    const bool narrow = lane.end(lane.count - 1) - lane.begin(0) <= TimeNs(UINT32_MAX);
    m_block = std::max(4u, kPerGroup * uint32_t(m_used.size()) * (narrow ? 1 : 2));
    if (narrow)
        build(lane, colours, m_narrow);
    else
        build(lane, colours, m_wide);
}

void LaneSummary::buildIndex(const LaneSource &lane) {
    m_from = lane.start[0];
    const auto span = uint64_t(lane.start[lane.count - 1] - m_from) + 1;
    while (span >> m_shift >= lane.count / kPerStretch) ++m_shift;
    const uint64_t stretches = (span >> m_shift) + 1;
    m_first.resize(stretches + 1);
    uint32_t i = 0;
    for (uint64_t s = 0; s < stretches; ++s) {
        const TimeNs begin = m_from + TimeNs(s << m_shift);
        while (i < lane.count && lane.start[i] < begin) ++i;
        m_first[s] = i;
    }
    m_first[stretches] = lane.count;
}

template <class Sum>
void LaneSummary::build(const LaneSource &lane, const SlotGroups &colours,
                        std::vector<Sum> &prefix) {
    const size_t used = m_used.size();
    const uint32_t blocks = lane.count / m_block;
    prefix.resize(size_t(blocks + 1) * used);
    Sum sums[SlotGroups::kMaxGroups] = {};
    for (uint32_t b = 0; b < blocks; ++b) {
        for (uint32_t i = b * m_block; i < (b + 1) * m_block; ++i)
            sums[m_place[colours.groupOf[lane.slot[i]]]] += Sum(lane.duration[i]);
        std::copy(sums, sums + used, prefix.begin() + std::ptrdiff_t((b + 1) * used));
    }
}

LaneSummary::Around LaneSummary::around(const LaneSource &lane, TimeNs t) const {
    if (t <= m_from) return {0, 0, 0};
    const auto since = uint64_t(t - m_from);
    const uint64_t stretch = since >> m_shift;
    if (stretch + 1 >= m_first.size()) return {lane.count, lane.count, lane.count};
    const uint32_t low = m_first[stretch], high = m_first[stretch + 1];
    const double part = double(since - (stretch << m_shift)) / double(uint64_t(1) << m_shift);
    return {low, high, low + uint32_t(part * double(high - low))};
}

uint32_t LaneSummary::firstBeginningAt(const LaneSource &lane, TimeNs t,
                                       const Around &around) const {
    uint32_t low = around.low, high = around.high, i = around.guess;
    for (int step = 0; step < kSteps; ++step) {
        if (i < high && lane.start[i] < t)
            low = ++i;
        else if (i > low && lane.start[i - 1] >= t)
            high = --i;
        else
            return i;
    }
    return uint32_t(std::lower_bound(lane.start + low, lane.start + high, t) - lane.start);
}

void LaneSummary::before(const LaneSource &lane, const SlotGroups &colours, uint32_t i,
                         Sums &sums) const {
    uint32_t block = i / m_block;
    const size_t used = m_used.size();
    // the nearer end of its block
    if (i - block * m_block > m_block / 2 && (block + 1) * m_block <= lane.count) ++block;
    const size_t row = block * used;
    if (m_wide.empty())
        for (size_t g = 0; g < used; ++g) sums[g] = TimeNs(m_narrow[row + g]);
    else
        for (size_t g = 0; g < used; ++g) sums[g] = m_wide[row + g];
    const uint32_t known = block * m_block;
    for (uint32_t k = known; k < i; ++k)
        sums[m_place[colours.groupOf[lane.slot[k]]]] += lane.duration[k];
    for (uint32_t k = i; k < known; ++k)
        sums[m_place[colours.groupOf[lane.slot[k]]]] -= lane.duration[k];
}

void LaneSummary::add(const LaneSource &lane, const SlotGroups &colours, uint32_t from, uint32_t to,
                      double scale, float *sums) const {
    if (empty() || to - from < m_block) {
        for (uint32_t i = from; i < to; ++i)
            sums[colours.groupOf[lane.slot[i]]] += float(double(lane.duration[i]) * scale);
        return;
    }
    Sums low, high;
    before(lane, colours, from, low);
    before(lane, colours, to, high);
    for (size_t g = 0; g < m_used.size(); ++g)
        sums[m_used[g]] += float(double(high[g] - low[g]) * scale);
}

void LaneSummary::prefetchAround(TimeNs t) const {
    if (t > m_from) __builtin_prefetch(m_first.data() + (uint64_t(t - m_from) >> m_shift));
}

void LaneSummary::prefetchBefore(const LaneSource &lane, uint32_t i) const {
    const uint32_t block = (i + m_block / 2) / m_block, known = block * m_block;
    const size_t row = block * m_used.size();
    const char *sums = m_wide.empty() ? reinterpret_cast<const char *>(m_narrow.data() + row)
                                      : reinterpret_cast<const char *>(m_wide.data() + row);
    __builtin_prefetch(sums);
    __builtin_prefetch(sums + 32);
    __builtin_prefetch(lane.slot + i);
    __builtin_prefetch(lane.duration + i);
    __builtin_prefetch(lane.duration + known);
}

size_t LaneSummary::bytes() const {
    return m_first.size() * sizeof(uint32_t) + m_narrow.size() * sizeof(uint32_t) +
           m_wide.size() * sizeof(TimeNs);
}

} // namespace longpole
