// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lane_summary.h"

#include <algorithm>

namespace longpole {

LaneSummary::LaneSummary(const LaneSource &lane, const SlotGroups &colours)
    : m_groups(colours.groups) {
    constexpr uint32_t kGroupsPerBlock32 = 9; // keeps rule files with many phases at the same cost
    m_block *= (m_groups + kGroupsPerBlock32 - 1) / kGroupsPerBlock32;
    if (lane.count < 4 * m_block) return;
    const uint32_t blocks = lane.count / m_block;
    m_prefix.resize(size_t(blocks + 1) * m_groups);
    std::vector<TimeNs> sums(m_groups, 0);
    for (uint32_t b = 0; b < blocks; ++b) {
        for (uint32_t i = b * m_block; i < (b + 1) * m_block; ++i)
            sums[colours.groupOf[lane.slot[i]]] += lane.duration[i];
        std::copy(sums.begin(), sums.end(), m_prefix.begin() + size_t(b + 1) * m_groups);
    }
}

void LaneSummary::add(const LaneSource &lane, const SlotGroups &colours, uint32_t from, uint32_t to,
                      double scale, float *sums) const {
    auto walk = [&](uint32_t a, uint32_t b) {
        for (uint32_t i = a; i < b; ++i)
            sums[colours.groupOf[lane.slot[i]]] += float(double(lane.duration[i]) * scale);
    };
    const uint32_t firstBlock = (from + m_block - 1) / m_block, lastBlock = to / m_block;
    if (m_prefix.empty() || firstBlock >= lastBlock) return walk(from, to);
    walk(from, firstBlock * m_block);
    const TimeNs *low = &m_prefix[size_t(firstBlock) * m_groups];
    const TimeNs *high = &m_prefix[size_t(lastBlock) * m_groups];
    for (uint32_t g = 0; g < m_groups; ++g) sums[g] += float(double(high[g] - low[g]) * scale);
    walk(lastBlock * m_block, to);
}

} // namespace longpole
