// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_data.h"

namespace longpole {

/// A lane that holds what an analysis found; owns its columns.
class GatheredLane {
public:
    /// In time order, without overlap; `slot` is a group of colours.
    void add(TimeNs begin, TimeNs end, uint8_t slot) {
        m_start.push_back(begin);
        m_duration.push_back(end - begin);
        m_slot.push_back(slot);
    }
    void finish(const SlotGroups &groups) { m_summary = LaneSummary(lane().source, groups); }
    TimelineData::Lane lane() const {
        return {{m_start.data(), m_duration.data(), m_slot.data(), uint32_t(m_start.size()), 0},
                &m_summary};
    }
    bool empty() const { return m_start.empty(); }

    /// As many groups as slots.
    static SlotGroups identity(uint32_t groups) {
        SlotGroups result;
        result.groups = groups;
        for (uint32_t i = 0; i < 256; ++i) result.groupOf[i] = uint8_t(std::min(i, groups - 1));
        return result;
    }

private:
    std::vector<TimeNs> m_start, m_duration;
    std::vector<uint8_t> m_slot;
    LaneSummary m_summary;
};

} // namespace longpole
