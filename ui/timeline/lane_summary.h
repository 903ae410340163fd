// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/lane_source.h"

#include <vector>

namespace longpole {

/// Prefix sums of time per colour group over blocks of one lane, so that the time of any run of
/// intervals costs two half blocks instead of the run. About 2.3 bytes per interval for nine
/// groups.
class LaneSummary {
public:
    LaneSummary() = default;
    LaneSummary(const LaneSource &lane, const SlotGroups &colours);

    /// Adds the time of intervals [from, to), times `scale`, to sums[group].
    void add(const LaneSource &lane, const SlotGroups &colours, uint32_t from, uint32_t to,
             double scale, float *sums) const;
    size_t bytes() const { return m_prefix.size() * sizeof(TimeNs); }

private:
    uint32_t m_block = 32;
    uint32_t m_groups = 0;
    std::vector<TimeNs> m_prefix; ///< (blocks + 1) × groups; short lanes have none
};

} // namespace longpole
