// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/lane_summary.h"
#include "ui/timeline/time_scale.h"

#include <vector>

namespace longpole {

/// Marks the device columns that hold any of a lane: cheaper than LaneColumns where no colour is
/// asked for. `columns` keeps what it has.
void markColumns(const LaneSource &lane, const TimeScale &scale, std::vector<uint8_t> &columns);

/// One drawn row, reduced to pixels: intervals wide enough to be themselves, and for all others
/// the time per colour group in each pixel column. Reused from row to row to save allocations.
class LaneColumns {
public:
    struct Wide {
        int x0, x1; ///< device columns [x0, x1), x1 > x0, may reach outside the view
        uint32_t row;
        uint8_t group;
    };
    /// What a column of merged intervals shows.
    struct Column {
        uint8_t group;
        float covered; ///< share of the pixel's time, 0…1; 1 for a lone mark
    };

    void reset(int columns, uint32_t groups);
    /// Adds the part of `lane` that lies in the scale's view. Intervals of at least `wide` pixels
    /// become Wide marks, the rest is merged. `covers` false: weighs in on the colour only.
    void add(const LaneSource &lane, const LaneSummary &summary, const SlotGroups &colours,
             const TimeScale &scale, double wide, bool covers = true);

    const std::vector<Wide> &wide() const { return m_wide; }
    bool merged(int column) const { return m_marks[size_t(column)] > 0; }
    Column column(int column) const;
    /// Pixels of a group in a column of merged intervals, 0…1.
    float share(int column, uint32_t group) const {
        return m_time[size_t(column) * m_groups + group];
    }

private:
    /// One lane on its way into the columns.
    struct Adding {
        const LaneSource &lane;
        const LaneSummary &summary;
        const SlotGroups &colours;
        const TimeScale &scale;
        double wide;
        bool covers;
    };
    void findEdges(const TimeScale &scale);
    void addSparse(const Adding &adding, uint32_t i);
    void addDense(const Adding &adding, uint32_t first);
    void addOne(const Adding &adding, uint32_t i);
    void addRun(const Adding &adding, uint32_t from, uint32_t to, int column);
    void addSums(const Adding &adding, uint32_t from, uint32_t to, const LaneSummary::Sums &low,
                 const LaneSummary::Sums &high, int column);
    void addShare(int column, uint8_t group, double share, bool covers);

    int m_columns = 0;
    uint32_t m_groups = 1;
    std::vector<float> m_time;     ///< columns × groups, in pixels
    std::vector<float> m_cover;    ///< by column
    std::vector<uint32_t> m_marks; ///< merged intervals that touch a column
    std::vector<uint8_t> m_beside; ///< columns in which a Wide mark begins or ends
    std::vector<Wide> m_wide;
    TimeScale m_edgesOf;         ///< the scale of m_edges
    std::vector<TimeNs> m_edges; ///< first time of each column, and of the one behind the last
};

} // namespace longpole
