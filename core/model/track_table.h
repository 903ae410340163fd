// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/grow_array.h"
#include "core/base/ids.h"
#include "core/base/string_pool.h"
#include "core/base/time.h"
#include "core/model/kind.h"

#include <memory>
#include <vector>

namespace longpole {

enum IntervalFlag : uint8_t {
    kOpenEnd = 1, ///< a begin without an end, drawn to the last time of its track
    kClamped = 2, ///< a time was changed to make sense; see the diagnostics
    kZeroLength = 4,
    kUnfinished = 8, ///< the recorder says it was still running when the capture ended
};

/// Facts that few intervals have; a row here costs nothing to those that have none.
struct SideRow {
    int64_t correlation = -1;   ///< joins an API call with the device work it enqueued; -1 unknown
    int64_t sequence = -1;      ///< autograd sequence number; -1 none
    int64_t forwardThread = -1; ///< thread of the matching forward op, on backward ops; -1 none
    int64_t bytes = -1;         ///< of a copy or memset; -1 unknown
    int64_t endOffset = -1; ///< byte of the end event, of intervals made of a B and an E; -1 none
};

/// The columns of one track, immutable once built. Rows are sorted by lane, then start; the rows of
/// one lane never overlap, so any question of time is a binary search inside
/// [laneBegin[l], laneBegin[l + 1]). Times count from the file's own zero: see Track.
struct TrackTable {
    std::vector<uint32_t> laneBegin{0}; ///< lanes + 1 entries
    std::vector<TimeNs> start;
    std::vector<TimeNs> duration; ///< >= 0
    std::vector<StringId> name;
    std::vector<StringId> category;
    std::vector<Kind> kind;
    std::vector<uint8_t> flags;  ///< IntervalFlag
    std::vector<uint16_t> depth; ///< nesting depth, 0 for a root
    std::vector<uint32_t>
        parent; ///< row of the innermost interval that contains this one, or kNone
    std::vector<uint64_t> offset; ///< first byte of the event's text in the decompressed file
    std::vector<uint32_t> side;   ///< row of `sides`, or kNone; empty when no interval has one
    GrowArray<SideRow> sides;
    std::shared_ptr<const StringPool> strings;

    uint32_t size() const { return uint32_t(start.size()); }
    uint32_t lanes() const { return uint32_t(laneBegin.size()) - 1; }
    TimeNs end(uint32_t row) const { return start[row] + duration[row]; }
    /// Lane of a row: a binary search over the lanes.
    uint32_t laneOf(uint32_t row) const;
    /// First row of `lane` that ends after t (or begins at or after t); the lane's end if none.
    uint32_t firstAfter(uint32_t lane, TimeNs t) const;
    const SideRow &sideOf(uint32_t row) const; ///< a row of defaults when the interval has none
};

} // namespace longpole
