// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_facts.h"

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

/// What the timeline draws of an open trace: its facts in the colours that were chosen. GUI thread
/// only.
class TimelineData {
public:
    explicit TimelineData(std::shared_ptr<const Loaded> loaded);
    /// The one in use for `loaded`, so that all views of a trace share it; made when needed.
    static std::shared_ptr<TimelineData> of(const std::shared_ptr<const Loaded> &loaded);

    const Loaded &loaded() const { return *m_loaded; }
    const std::shared_ptr<const Loaded> &shared() const { return m_loaded; }
    const Trace &trace() const { return *m_loaded->trace; }
    const std::vector<TrackGroup> &groups() const { return m_facts->groups; }
    bool isStepThread(uint32_t track) const { return track == m_loaded->steps.thread; }
    /// Steps::markers
    const std::string &stepMarkers() const { return m_loaded->steps.markers; }
    const TrackFacts &facts(uint32_t track) const { return m_facts->tracks[track]; }
    const std::vector<TransferRow> &transfers() const { return m_facts->transfers; }
    /// The counters of the trace, then the queue depth of each stream.
    const CounterSeries &counter(uint32_t item) const {
        const auto &own = trace().counters;
        return item < own.size() ? own[item] : m_facts->queueDepths[item - own.size()];
    }
    const CounterSummary &counterSummary(uint32_t item) const { return m_facts->counters[item]; }
    /// The stream that an annotation row copies or comments; kNone for any other row.
    uint32_t describedBy(uint32_t track) const;
    /// Indices into Trace::instants of one track, by time.
    const std::vector<uint32_t> &instants(uint32_t track) const { return m_facts->instants[track]; }

    /// Phases, or kinds where the trace names no phases.
    void setColourBy(ColourBy by);
    ColourBy colourBy() const { return m_colours.by; }
    const SlotGroups &slotGroups() const { return m_colours.groups; }
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
    size_t summaryBytes() const { return m_facts->summaryBytes(); }

private:
    using Others = std::vector<std::vector<std::optional<LaneSummary>>>; ///< by row, by lane
    const LaneSummary &other(Others &all, uint32_t row, uint32_t lane, size_t lanes,
                             const LaneSource &source) const;

    std::shared_ptr<const Loaded> m_loaded;
    std::shared_ptr<const TimelineFacts> m_facts;
    LaneColours m_colours;
    Others m_others, m_otherTransfers; ///< in other colours than those of the facts, once drawn
};

} // namespace longpole
