// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/idle_index.h"

#include <QSet>

#include <set>
#include <vector>

namespace longpole {

/// One drawn row: a group's header, a lane, or several lanes merged into a density.
struct Row {
    enum class Type : uint8_t {
        Group,
        Lane,        ///< one lane of a thread or a stream
        Density,     ///< lanes [firstLane, firstLane + lanes) of one track
        MoreThreads, ///< all lanes of `tracks`
        Transfer,
        Annotation,
        Counter,
        Idle, ///< why the device of the group had nothing to do
    };
    Type type = Type::Lane;
    bool toggles = false; ///< a click on its label opens or closes it
    bool open = false;
    int y = 0;      ///< from the top of the lanes
    int height = 0; ///< with its gutter
    int bar = 0;    ///< height of the marks
    uint32_t group = 0;
    uint32_t track = kNone;
    uint32_t firstLane = 0, lanes = 1;
    uint32_t item = kNone; ///< transfer row or counter series
    std::vector<uint32_t> tracks;
    QString label, detail;
    int indent = 0;
    bool isAside = false;   ///< the label explains, it is no name
    bool endsTrack = false; ///< a divider follows
    int ghost = 0;          ///< pixels of its height, below the gutter, for what was measured

    int bottom() const { return y + height; }
    bool isMerged() const { return type == Type::Density || type == Type::MoreThreads; }
};

/// What the user folded, opened and hid; kept per trace.
struct RowChoices {
    QSet<QString> closedGroups;
    QSet<QString> openHelpers;            ///< groups whose "N more threads" are shown
    std::set<uint32_t> openTracks;        ///< all lanes of these are shown
    std::vector<bool> hiddenTracks;       ///< by track; may be shorter
    bool idle = false;                    ///< a row for each device that says why it was idle
    const IdleIndex *idleBooks = nullptr; ///< what it says; may come later
    bool idleStacked = false;             ///< it shows shares and needs the height
    bool ghosts = false;                  ///< room under each track for what was measured
    int laneHeight = 18;
    int height = 600; ///< room on screen: deep nesting is folded so that the GPU stays in sight
};

/// Stacks the rows of a trace from the top.
std::vector<Row> layoutRows(const TimelineData &data, const RowChoices &choices);
/// Height of all rows.
int totalHeight(const std::vector<Row> &rows);
/// The row at a height, or -1 between and below rows.
int rowAt(const std::vector<Row> &rows, int y);
/// The row that shows an interval (merged or not), or -1 when it is folded away or hidden.
int rowOf(const std::vector<Row> &rows, const Trace &trace, IntervalId id);

/// Lanes each of several threads may show within `budget` rows: everybody one, the first up to six,
/// the others up to four, then what is left in the same order.
std::vector<int> shareLanes(const std::vector<int> &depths, int budget);

} // namespace longpole
