// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"
#include "ui/timeline/gathered_lane.h"

#include <map>

namespace longpole {

/// Where the critical path goes on on another track.
struct HandOver {
    TimeNs time = 0; ///< begin of what goes on
    uint32_t from = kNone, to = kNone;
    EdgeType type = EdgeType::Program;
    Evidence evidence = Evidence::Recorded;
};

/// The critical path of a window, sorted by where it is drawn. Made once per path and way of
/// colouring, so that a frame costs its pixels and not the segments. GUI thread.
class PathIndex {
public:
    PathIndex(std::shared_ptr<const WindowPath> path, const TimelineData &data)
        : PathIndex(std::move(path), data, data.colourBy(), data.slotGroups()) {}
    /// For another thread: uses what of `data` never changes, and the colours given.
    PathIndex(std::shared_ptr<const WindowPath> path, const TimelineData &data, ColourBy by,
              const SlotGroups &colours);

    const std::shared_ptr<const WindowPath> &shared() const { return m_path; }
    const WindowPath &result() const { return *m_path; }
    TimeRange window() const { return m_path->path.window.range; }
    const std::vector<PathSegment> &segments() const { return m_path->path.segments; }
    ColourBy colourBy() const { return m_colourBy; }

    /// Those of TimelineData, then untraced() and unexplained().
    const SlotGroups &groups() const { return m_groups; }
    uint8_t untraced() const { return uint8_t(m_groups.groups - 2); }
    uint8_t unexplained() const { return uint8_t(m_groups.groups - 1); }

    /// Every segment in its colour; lags have that of what they lead to. Index = that of
    /// segments().
    TimelineData::Lane strip() const { return m_strip.lane(); }
    /// The path on one track: work, then lags and what is unexplained. Empty where it never goes.
    TimelineData::Lane work(uint32_t track) const { return lane(m_work, track); }
    TimelineData::Lane waits(uint32_t track) const { return lane(m_waits, track); }
    /// The part of work() that a drawn row shows: operations that overlap have lanes of their own.
    TimelineData::Lane workOfLane(uint32_t track, uint32_t lane) const;
    TimelineData::Lane workOfTransfers(uint32_t row, uint32_t lane) const;
    const std::vector<HandOver> &handOvers() const { return m_handOvers; } ///< by time
    bool touches(uint32_t track) const;

    /// The segment at a time of the window, or the first or last one.
    uint32_t segmentAt(TimeNs time) const;

private:
    static TimelineData::Lane lane(const std::vector<GatheredLane> &all, uint32_t index);
    uint8_t groupOf(const PathSegment &segment, const TimelineData &data) const;
    uint8_t groupOf(IntervalId id, const TimelineData &data) const;
    void add(const PathSegment &segment, uint32_t track, const TimelineData &data);
    void addTransfers(const TimelineData &data);
    HandOver handOver(size_t segment, uint32_t from, uint32_t to) const;

    std::shared_ptr<const WindowPath> m_path;
    ColourBy m_colourBy;
    SlotGroups m_slots, m_groups;
    GatheredLane m_strip;
    std::vector<GatheredLane> m_work, m_waits;                     ///< by track
    std::map<std::pair<uint32_t, uint32_t>, GatheredLane> m_lanes; ///< of streams with several
    std::vector<std::vector<GatheredLane>> m_transfers;            ///< by row, lane
    std::vector<bool> m_split;                                     ///< tracks that are in m_lanes
    std::vector<HandOver> m_handOvers;
};

/// "stream order", "event wait": the word at a hand-over.
QString edgeLabel(EdgeType type);

} // namespace longpole
