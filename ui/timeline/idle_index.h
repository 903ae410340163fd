// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/idle.h"
#include "ui/timeline/gathered_lane.h"
#include "ui/timeline/hatch.h"

namespace longpole {

/// The idle books of a window as lanes, one for each device; made once per result. GUI thread.
class IdleIndex {
public:
    explicit IdleIndex(std::shared_ptr<const std::vector<DeviceIdle>> books);

    /// The entry of a device, or null. `group` is one of a device.
    const DeviceIdle *device(const Trace &trace, const TrackGroup &group) const;
    TimelineData::Lane lane(const DeviceIdle &device) const;
    const SlotGroups &groups() const { return m_groups; }
    /// Whether a column of a view `width` wide holds more than one idle interval on the average of
    /// what is known of it, so that only shares can be read.
    bool stacks(TimeRange view, double width) const;

private:
    std::shared_ptr<const std::vector<DeviceIdle>> m_books;
    SlotGroups m_groups = GatheredLane::identity(kIdleCauseCount);
    std::vector<GatheredLane> m_lanes;
};

/// What an idle interval is drawn as.
Surface surfaceOf(IdleCause cause);
/// A letter that tells causes of one colour apart; empty for most.
QString letterOf(IdleCause cause);

} // namespace longpole
