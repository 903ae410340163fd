// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/step_markers.h"
#include "core/base/progress.h"
#include "core/model/trace.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <variant>
#include <vector>

namespace longpole {

/// A stretch of time that belongs to one row of a track.
struct Segment {
    TimeNs begin = 0, end = 0;
    uint32_t row = kNone;
};

/// The time of a host thread, given to the deepest open range at each instant; of ranges that
/// overlap without nesting, to the one that began last. Step markers own nothing. Segments come in
/// ascending order, disjoint, clipped to the window.
class HostSegments {
public:
    HostSegments(const Track &track, TimeRange window, StepMarkers &markers,
                 const Progress &progress);
    bool next(Segment &segment);

private:
    const Track *m_track;
    TimeRange m_window;
    std::vector<uint32_t> m_order; ///< rows by begin, outer ones first
    std::vector<uint32_t> m_open;
    size_t m_next = 0;
    TimeNs m_at;
};

/// The intervals of one lane of a stream, clipped to the window.
class LaneSegments {
public:
    LaneSegments(const Track &track, uint32_t lane, TimeRange window);
    bool next(Segment &segment);

private:
    const Track *m_track;
    TimeRange m_window;
    uint32_t m_row, m_end;
};

/// Something that has at most one segment at a time.
struct SegmentSource {
    uint32_t track = kNone;
    std::variant<HostSegments, LaneSegments> segments;
};

/// One source for each thread, one for each lane of a stream, in display order.
/// `markers`: Steps::markers. Throws Stopped.
std::vector<SegmentSource> segmentSources(const Trace &trace, TimeRange window,
                                          const std::string &markers,
                                          const Progress &progress = Progress::never());

/// Visits begins and ends of all segments in the order of time, ends before begins: visitor.begin
/// (source, segment) and visitor.end(source, segment). O(n log sources). Throws Stopped.
template <class Visitor>
void sweep(std::vector<SegmentSource> &sources, Visitor &visitor, const Progress &progress) {
    struct Event {
        TimeNs time;
        uint32_t isBegin, source;
        bool operator>(const Event &o) const {
            return std::tie(time, isBegin, source) > std::tie(o.time, o.isBegin, o.source);
        }
    };
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::vector<Segment> current(sources.size());
    const auto advance = [&](uint32_t source) {
        const bool more =
            std::visit([&](auto &s) { return s.next(current[source]); }, sources[source].segments);
        if (more) events.push({current[source].begin, 1, source});
    };
    for (uint32_t source = 0; source < sources.size(); ++source) advance(source);
    for (uint64_t count = 0; !events.empty(); ++count) {
        if (count % 4096 == 0) progress.look();
        const Event event = events.top();
        events.pop();
        const Segment &segment = current[event.source];
        if (event.isBegin) {
            visitor.begin(event.source, segment);
            events.push({segment.end, 0, event.source});
        } else {
            visitor.end(event.source, segment);
            advance(event.source);
        }
    }
}

} // namespace longpole
