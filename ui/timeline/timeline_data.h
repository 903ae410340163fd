// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/lane_summary.h"
#include "ui/timeline/track_groups.h"

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

/// Everything the timeline works out once per open trace: groups, transfer rows, facts about
/// tracks, and summaries of lanes, which are made when a lane is first drawn small. GUI thread
/// only.
class TimelineData {
public:
    explicit TimelineData(std::shared_ptr<const Loaded> loaded);
    /// The one in use for `loaded`, so that all views of a trace share summaries; made when needed.
    static std::shared_ptr<TimelineData> of(const std::shared_ptr<const Loaded> &loaded);

    const Loaded &loaded() const { return *m_loaded; }
    const Trace &trace() const { return *m_loaded->trace; }
    const std::vector<TrackGroup> &groups() const { return m_groups; }
    bool isStepThread(uint32_t track) const { return track == m_loaded->steps.thread; }
    /// Steps::markers
    const std::string &stepMarkers() const { return m_loaded->steps.markers; }
    const TrackFacts &facts(uint32_t track) const { return m_facts[track]; }
    const std::vector<TransferRow> &transfers() const { return m_transfers; }
    /// The stream that an annotation row copies or comments; kNone for any other row.
    uint32_t describedBy(uint32_t track) const;
    /// Indices into Trace::instants of one track, by time.
    const std::vector<uint32_t> &instants(uint32_t track) const { return m_instants[track]; }

    /// Phases, or kinds where the trace names no phases.
    void setColourBy(ColourBy by);
    ColourBy colourBy() const { return m_colourBy; }
    const SlotGroups &slotGroups() const { return m_slots; }
    uint8_t slotOf(IntervalId id) const;
    /// The colour group of the phase or kind of an interval.
    uint8_t groupOf(IntervalId id) const;
    /// The colour of each group in the theme in use.
    std::vector<QColor> groupColours() const;
    /// Name of a phase or kind, by its slot.
    QString slotName(uint8_t slot) const;
    /// Name of the phase, or the kinds, that share a colour.
    QString groupName(uint8_t group) const;

    /// A lane with its summary; valid until setColourBy().
    struct Lane {
        LaneSource source;
        const LaneSummary *summary;
    };
    Lane trackLane(uint32_t track, uint32_t lane);
    Lane transferLane(uint32_t row, uint32_t lane);

private:
    void rebuildSlots();
    using Summaries = std::vector<std::vector<std::optional<LaneSummary>>>; ///< by row, by lane
    const LaneSummary &summary(Summaries &all, uint32_t row, uint32_t lane, uint32_t lanes,
                               const LaneSource &source) const;

    std::shared_ptr<const Loaded> m_loaded;
    std::vector<TransferRow> m_transfers;
    std::vector<TrackFacts> m_facts;
    std::vector<TrackGroup> m_groups;
    std::vector<std::vector<uint32_t>> m_instants;
    ColourBy m_colourBy = ColourBy::Phase;
    SlotGroups m_slots;
    std::vector<uint8_t> m_firstSlot; ///< by group: a slot that belongs to it
    Summaries m_trackSummaries, m_transferSummaries;
};

} // namespace longpole
