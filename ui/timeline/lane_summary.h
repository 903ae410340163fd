// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/lane_source.h"

#include <array>
#include <vector>

namespace longpole {

/// What makes a frame cost its pixels, however many intervals a lane has: an index that leads from
/// a time to the interval that begins there, and the time per colour group summed from the lane's
/// begin at every few intervals. Sums of any run are exact to the nanosecond. At most three bytes
/// per interval; lanes so short that walking them is as cheap have nothing. Immutable.
class LaneSummary {
public:
    LaneSummary() = default;
    LaneSummary(const LaneSource &lane, const SlotGroups &colours);

    bool empty() const { return m_first.empty(); }
    /// The groups that occur in the lane, in the order of Sums.
    const std::vector<uint8_t> &groups() const { return m_used; }
    size_t placeOf(uint8_t group) const { return m_place[group]; } ///< in groups()
    using Sums = std::array<TimeNs, SlotGroups::kMaxGroups>;       ///< as long as groups()

    /// Where the first interval that begins at or after a time is looked for: it lies in [low,
    /// high] and most likely at `guess`.
    struct Around {
        uint32_t low, high, guess;
    };
    /// `t` and those below are times of the source without its offset.
    Around around(const LaneSource &lane, TimeNs t) const;
    uint32_t firstBeginningAt(const LaneSource &lane, TimeNs t, const Around &around) const;
    /// Time of each of groups() in all intervals before `i`.
    void before(const LaneSource &lane, const SlotGroups &colours, uint32_t i, Sums &sums) const;
    /// Adds the time of intervals [from, to), times `scale`, to sums[group].
    void add(const LaneSource &lane, const SlotGroups &colours, uint32_t from, uint32_t to,
             double scale, float *sums) const;
    size_t bytes() const;

    // Ask for the memory that the next steps read.
    void prefetchAround(TimeNs t) const;
    void prefetchBefore(const LaneSource &lane, uint32_t i) const;

private:
    template <class Sum>
    void build(const LaneSource &lane, const SlotGroups &colours, std::vector<Sum> &prefix);
    void buildIndex(const LaneSource &lane);

    TimeNs m_from = 0;             ///< begin of the first interval
    int m_shift = 0;               ///< stretches of the index are 2^shift ns long
    std::vector<uint32_t> m_first; ///< by stretch: the first interval from there on
    uint32_t m_block = 1;          ///< intervals from sum to sum
    std::vector<uint8_t> m_used;
    std::array<uint8_t, SlotGroups::kMaxGroups> m_place{}; ///< of a group in m_used
    /// (blocks + 1) × used, in one of two widths: 32 bits hold 4.29 s
    std::vector<uint32_t> m_narrow;
    std::vector<TimeNs> m_wide;
};

} // namespace longpole
