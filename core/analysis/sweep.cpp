// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/sweep.h"

#include "core/base/looking.h"

namespace longpole {

HostSegments::HostSegments(const Track &track, TimeRange window, StepMarkers &markers,
                           const Progress &progress)
    : m_track(&track), m_window(window), m_at(window.begin) {
    const TrackTable &table = *track.table;
    markers.use(table);
    for (uint32_t row = 0; row < table.size(); ++row) {
        progress.look(row);
        if (track.begin(row) < window.end && track.end(row) > window.begin && !markers.has(row))
            m_order.push_back(row);
    }
    sortLooking(
        m_order,
        [&](uint32_t a, uint32_t b) {
            return std::tuple(table.start[a], table.depth[a], a) <
                   std::tuple(table.start[b], table.depth[b], b);
        },
        progress);
}

bool HostSegments::next(Segment &segment) {
    for (;;) {
        while (!m_open.empty() && m_track->end(m_open.back()) <= m_at) m_open.pop_back();
        const bool more = m_next < m_order.size();
        if (m_open.empty() && !more) return false;
        const TimeNs nextBegin = more ? m_track->begin(m_order[m_next]) : m_window.end;
        if (!m_open.empty()) {
            const TimeNs end = std::min({m_track->end(m_open.back()), nextBegin, m_window.end});
            if (end > m_at) {
                segment = {m_at, end, m_open.back()};
                m_at = end;
                return true;
            }
            if (!more) return false; // the window ends inside an open range
        }
        m_at = std::max(m_at, nextBegin);
        m_open.push_back(m_order[m_next++]);
    }
}

LaneSegments::LaneSegments(const Track &track, uint32_t lane, TimeRange window)
    : m_track(&track), m_window(window), m_end(track.table->laneBegin[lane + 1]) {
    m_row = track.table->firstAfter(lane, window.begin - track.offset);
}

bool LaneSegments::next(Segment &segment) {
    for (; m_row < m_end; ++m_row) {
        const TimeRange part = m_window.clipped({m_track->begin(m_row), m_track->end(m_row)});
        if (m_track->begin(m_row) >= m_window.end) return false;
        if (part.empty()) continue;
        segment = {part.begin, part.end, m_row++};
        return true;
    }
    return false;
}

std::vector<SegmentSource> segmentSources(const Trace &trace, TimeRange window,
                                          const std::string &stepMarkers,
                                          const Progress &progress) {
    std::vector<SegmentSource> sources;
    StepMarkers markers(stepMarkers);
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.table->size() == 0) continue;
        if (track.kind == TrackKind::Thread)
            sources.push_back({t, HostSegments(track, window, markers, progress)});
        else if (track.kind == TrackKind::Stream)
            for (uint32_t lane = 0; lane < track.table->lanes(); ++lane)
                sources.push_back({t, LaneSegments(track, lane, window)});
    }
    return sources;
}

} // namespace longpole
