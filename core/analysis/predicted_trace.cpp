// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/predicted_trace.h"

#include "core/base/looking.h"
#include "core/model/finish_track.h"

#include <algorithm>

namespace longpole {

namespace {

__extension__ typedef __int128 Int128; ///< a product of two 64-bit numbers, exactly

/// Where the times of one track go: straight between its nodes, in step with the first and the last
/// one beyond them.
class TimeMap {
public:
    TimeMap() = default;
    TimeMap(const DependencyGraph &graph, const std::vector<uint32_t> &nodes,
            const std::vector<TimeNs> &times, const Progress &progress) {
        for (const uint32_t node : nodes) {
            progress.look(m_from.size());
            if (!m_from.empty() && m_from.back() == graph.time[node]) {
                m_to.back() = std::max(m_to.back(), times[node]);
                continue;
            }
            m_from.push_back(graph.time[node]);
            m_to.push_back(times[node]);
        }
        // Nodes inside a wait lie beside the path and keep to themselves when it gets shorter.
        for (size_t i = m_to.size(); i-- > 1;) m_to[i - 1] = std::min(m_to[i - 1], m_to[i]);
    }

    bool empty() const { return m_from.empty(); }

    TimeNs operator()(TimeNs t) const {
        if (m_from.empty()) return t;
        const size_t next =
            size_t(std::lower_bound(m_from.begin(), m_from.end(), t) - m_from.begin());
        if (next == m_from.size()) return m_to.back() + (t - m_from.back());
        if (m_from[next] == t || next == 0) return m_to[next] - (m_from[next] - t);
        const TimeNs length = m_from[next] - m_from[next - 1];
        return m_to[next - 1] +
               TimeNs(Int128(t - m_from[next - 1]) * (m_to[next] - m_to[next - 1]) / length);
    }

private:
    std::vector<TimeNs> m_from, m_to; ///< ascending
};

class Mover {
public:
    Mover(const Trace &trace, const DependencyGraph &graph, const std::vector<TimeNs> &times,
          const Progress &progress)
        : m_trace(trace), m_graph(graph), m_times(times), m_progress(progress),
          m_maps(trace.tracks.size()) {
        for (uint32_t t = 0; t < m_maps.size(); ++t)
            if (trace.tracks[t].isResource())
                m_maps[t] = TimeMap(graph, graph.byTrack[t].nodes, times, progress);
    }

    /// The map of a track, or of the one whose time it repeats.
    const TimeMap &of(uint32_t track) const {
        if (!m_maps[track].empty()) return m_maps[track];
        const Track &derived = m_trace.tracks[track];
        if (derived.stream)
            for (uint32_t t = 0; t < m_maps.size(); ++t)
                if (const Track &other = m_trace.tracks[t];
                    other.kind == TrackKind::Stream && other.process == derived.process &&
                    other.device == derived.device && other.stream == derived.stream)
                    return m_maps[t];
        return m_graph.stepThread == kNone ? m_maps[track] : m_maps[m_graph.stepThread];
    }

    std::shared_ptr<const TrackTable> moved(uint32_t track) const {
        const Track &measured = m_trace.tracks[track];
        auto table = std::make_shared<TrackTable>(*measured.table);
        const TimeMap &map = of(track);
        for (uint32_t row = 0; row < table->size(); ++row) {
            if (row % 4096 == 0) m_progress.look();
            TimeNs begin = map(measured.begin(row)), end = map(measured.end(row));
            if (measured.kind == TrackKind::Stream) {
                const auto op = m_graph.opNodes[track][row];
                if (op.begin != kNone) {
                    begin = m_times[op.begin];
                    end = m_times[op.end];
                }
            }
            table->start[row] = begin;
            table->duration[row] = end - begin;
        }
        for (uint32_t lane = 0; lane < table->lanes(); ++lane) cutOverlaps(*table, lane);
        return table;
    }

private:
    static void cutOverlaps(TrackTable &table, uint32_t lane) {
        const uint32_t first = table.laneBegin[lane];
        for (uint32_t row = table.laneBegin[lane + 1]; row-- > first + 1;) {
            const TimeNs next = table.start[row];
            table.start[row - 1] = std::min(table.start[row - 1], next);
            table.duration[row - 1] =
                std::min(table.duration[row - 1], next - table.start[row - 1]);
        }
    }

    const Trace &m_trace;
    const DependencyGraph &m_graph;
    const std::vector<TimeNs> &m_times;
    const Progress &m_progress;
    std::vector<TimeMap> m_maps; ///< by track
};

} // namespace

std::shared_ptr<const Trace> predictedTrace(const Trace &trace, const DependencyGraph &graph,
                                            const std::vector<TimeNs> &times, TimeNs shift,
                                            const Progress &progress) {
    const Mover mover(trace, graph, times, progress);
    auto result = std::make_shared<Trace>(trace);
    for (uint32_t t = 0; t < result->tracks.size(); ++t) {
        Track &track = result->tracks[t];
        if (track.table->size() == 0) continue;
        track.table = mover.moved(t);
        track.offset = shift;
    }
    for (Instant &instant : result->instants)
        instant.time = mover.of(instant.track)(instant.time) + shift;
    stableSortLooking(
        result->instants, [](const Instant &a, const Instant &b) { return a.time < b.time; },
        progress);
    for (CounterSeries &counter : result->counters) {
        const TimeMap &map = mover.of(counter.track);
        for (TimeNs &time : counter.time) time = map(time) + shift;
    }
    for (FlowPoint &flow : result->flows) flow.time = mover.of(flow.track)(flow.time) + shift;
    result->range = rangeOf(result->tracks);
    return result;
}

} // namespace longpole
