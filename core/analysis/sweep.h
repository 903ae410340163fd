// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/step_markers.h"
#include "core/base/progress.h"
#include "core/model/trace.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

/// One lane of a thread or a stream: its intervals follow each other.
struct SweepLane {
    uint32_t track = kNone, lane = 0;
    uint32_t source = 0; ///< a thread with all its lanes, or a lane of a stream; in display order
};

/// All lanes of threads and streams that hold intervals, by source.
std::vector<SweepLane> sweepLanes(const Trace &trace);

/// `window` in at most `count` ranges of about as many intervals each, none of them empty.
std::vector<TimeRange> evenRanges(const Trace &trace, const std::vector<SweepLane> &lanes,
                                  TimeRange window, size_t count);

/// Sorts keys by their bits from `low` on, of which `bits` may be set; what is equal there keeps
/// its order. `other` is room of the same size.
void sortByBits(std::vector<uint64_t> &keys, std::vector<uint64_t> &other, unsigned low,
                unsigned bits);

/// Visits the begins and ends of all intervals in the order of time, cut to a range. Step markers
/// are passed over (R0), and so is what has no length. The calls, of which the first is made for
/// every interval, lane by lane and a little ahead of time, also for those of no length:
///     Visitor::Note meet(uint32_t lane, uint32_t row, bool first)
///     void begin(uint32_t lane, uint32_t row, Note, TimeNs now)
///     void end(uint32_t lane, uint32_t row, Note, TimeNs now)
/// `first` is false for what was under way when the range began.
/// What is open when the range ends is not ended. Begins and ends at one time come in any order but
/// that of their lane. O(intervals): a stretch of time with a few thousand of them at once is
/// sorted by counting.
template <class Visitor>
class Sweep {
public:
    /// `markers`: Steps::markers.
    Sweep(const Trace &trace, const std::vector<SweepLane> &lanes, const std::string &markers,
          Visitor &visitor, const Progress &progress)
        : m_trace(trace), m_lanes(lanes), m_markers(markers), m_visitor(visitor),
          m_progress(progress), m_cursors(lanes.size()),
          m_atOnce(std::max<size_t>(kAtOnce, lanes.size() * 8)) {}

    /// `first`: no other range ends where this one begins, so what is under way there is met here.
    void run(TimeRange range, bool first) {
        for (size_t l = 0; l < m_lanes.size(); ++l) {
            const Track &track = m_trace.tracks[m_lanes[l].track];
            m_cursors[l] = {track.table->firstAfter(m_lanes[l].lane, range.begin - track.offset),
                            track.table->laneBegin[m_lanes[l].lane + 1],
                            kNone,
                            0,
                            {}};
        }
        m_range = range;
        m_first = first;
        if (!range.empty()) visit(range);
    }

private:
    using Note = typename Visitor::Note;
    static constexpr size_t kAtOnce = 4096; ///< intervals: their events stay in the cache

    struct Cursor {
        uint32_t next = 0, end = 0;
        uint32_t open = kNone; ///< a row that ends later
        TimeNs openEnd = 0;
        Note openNote{};
    };
    struct Event {
        uint32_t lane;
        uint32_t row;
        bool isBegin;
        Note note;
    };

    /// Rows of a lane that begin before `time`, from the cursor on.
    uint32_t rowsBefore(size_t lane, TimeNs time) const {
        const Cursor &cursor = m_cursors[lane];
        const Track &track = m_trace.tracks[m_lanes[lane].track];
        const auto from = track.table->start.begin();
        return uint32_t(
            std::lower_bound(from + cursor.next, from + cursor.end, time - track.offset) -
            (from + cursor.next));
    }

    void visit(TimeRange part) {
        size_t rows = 0;
        for (size_t l = 0; l < m_lanes.size(); ++l) rows += rowsBefore(l, part.end);
        const int idBits = std::bit_width(2 * rows + m_lanes.size());
        const uint64_t length = uint64_t(part.length());
        if (length > 1 && (rows > m_atOnce || std::bit_width(length) + idBits > 64)) {
            const TimeNs middle = part.begin + TimeNs(length / 2);
            visit({part.begin, middle});
            visit({middle, part.end});
            return;
        }
        m_progress.look();
        m_events.clear();
        m_keys.clear();
        for (uint32_t l = 0; l < m_lanes.size(); ++l) gather(l, part, unsigned(idBits));
        m_other.resize(m_keys.size());
        sortByBits(m_keys, m_other, unsigned(idBits), unsigned(std::bit_width(length)));
        const uint64_t id = (uint64_t(1) << idBits) - 1;
        for (const uint64_t key : m_keys) {
            const Event &event = m_events[key & id];
            const TimeNs now = part.begin + TimeNs(key >> idBits);
            if (event.isBegin)
                m_visitor.begin(event.lane, event.row, event.note, now);
            else
                m_visitor.end(event.lane, event.row, event.note, now);
        }
    }

    void add(TimeNs since, unsigned idBits, const Event &event) {
        m_keys.push_back(uint64_t(since) << idBits | m_events.size());
        m_events.push_back(event);
    }

    /// The events of one lane in a part of the range; they come in the order of time.
    void gather(uint32_t lane, TimeRange part, unsigned idBits) {
        Cursor &cursor = m_cursors[lane];
        if (cursor.open != kNone) {
            if (cursor.openEnd >= part.end) return;
            add(cursor.openEnd - part.begin, idBits, {lane, cursor.open, false, cursor.openNote});
            cursor.open = kNone;
        }
        const Track &track = m_trace.tracks[m_lanes[lane].track];
        const TrackTable &table = *track.table;
        const bool thread = track.kind == TrackKind::Thread;
        if (cursor.next == cursor.end || track.begin(cursor.next) >= part.end) return;
        m_markers.use(table);
        for (uint32_t row; (row = cursor.next) < cursor.end && track.begin(row) < part.end;) {
            ++cursor.next;
            if (thread && m_markers.has(row)) continue;
            const TimeNs begin = track.begin(row), end = track.end(row);
            const Note note = m_visitor.meet(lane, row, m_first || begin >= m_range.begin);
            if (begin == end) continue;
            add(std::max(begin, m_range.begin) - part.begin, idBits, {lane, row, true, note});
            if (end >= part.end) {
                cursor.open = row;
                cursor.openEnd = end;
                cursor.openNote = note;
                return;
            }
            add(end - part.begin, idBits, {lane, row, false, note});
        }
    }

    const Trace &m_trace;
    const std::vector<SweepLane> &m_lanes;
    StepMarkers m_markers;
    Visitor &m_visitor;
    const Progress &m_progress;
    std::vector<Cursor> m_cursors; ///< by lane
    const size_t m_atOnce;
    TimeRange m_range;
    bool m_first = true;
    std::vector<Event> m_events;
    std::vector<uint64_t> m_keys, m_other;
};

} // namespace longpole
