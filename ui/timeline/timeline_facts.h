// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/counter_summary.h"
#include "ui/timeline/lane_summary.h"
#include "ui/timeline/track_groups.h"

#include "core/base/progress.h"

namespace longpole {

/// The colours that phases or kinds are drawn in.
struct LaneColours {
    ColourBy by = ColourBy::Phase;
    SlotGroups groups;
    std::vector<uint8_t> firstSlot; ///< by group: a slot that belongs to it
};
/// Kinds where the trace names no phases.
LaneColours laneColours(const Phases &phases, ColourBy by);

/// By row, by lane.
using LaneSummaries = std::vector<std::vector<LaneSummary>>;

/// What the timeline works out once per trace, before it is drawn: made on the thread that opens
/// the trace, immutable from then on.
struct TimelineFacts {
    std::vector<TransferRow> transfers;
    std::vector<TrackFacts> tracks;
    std::vector<CounterSeries> queueDepths; ///< one for each stream with launches
    std::vector<CounterSummary> counters;   ///< of the trace's, then of queueDepths
    std::vector<TrackGroup> groups;
    std::vector<std::vector<uint32_t>> instants; ///< by track: indices into Trace::instants
    LaneColours colours;
    LaneSummaries trackSummaries, transferSummaries; ///< in `colours`

    size_t summaryBytes() const; ///< of lanes
};

/// Unfinished when stopped.
std::shared_ptr<const TimelineFacts> timelineFacts(const Loaded &loaded, const Progress &progress);

LaneSource sourceOfTrack(const Loaded &loaded, ColourBy by, uint32_t track, uint32_t lane);
LaneSource sourceOfTransfers(const TransferRow &row, ColourBy by, uint32_t lane);

} // namespace longpole
