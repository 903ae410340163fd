// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/excerpt.h"

#include "core/analysis/forward_ops.h"
#include "core/analysis/graph_cut.h"
#include "core/analysis/idle.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

using Column = std::vector<int64_t>;

/// Chooses what of a capture a window needs.
class Cutter {
public:
    Cutter(const Trace &trace, const Steps &steps, const DependencyGraph &graph,
           const Window &window)
        : m_trace(trace), m_steps(steps), m_graph(graph), m_window(window), m_needed(graph.nodes()),
          m_whole(graph.nodes()), m_activity(graph.activities.size(), kNone) {
        for (const Track &track : trace.tracks) m_kept.emplace_back(track.table->size());
    }

    Excerpt run(const Phases &phases) {
        keepIntervals();
        keepNodes();
        m_excerpt.window = m_window.range;
        m_excerpt.kind = windowKindName(m_window.kind);
        number();
        writeSteps();
        writeNodes();
        writeActivities();
        writeRest(phases);
        return std::move(m_excerpt);
    }

private:
    Column &column(const char *name) { return m_excerpt.columns[name]; }
    bool isKept(IntervalId id) const { return m_kept[id.track][id.row]; }
    bool touches(IntervalId id) const {
        return m_window.range.touches(m_trace.begin(id), m_trace.end(id));
    }

    void keep(IntervalId id) {
        const auto &parent = m_trace.track(id).table->parent;
        for (uint32_t row = id.row; row != kNone && !m_kept[id.track][row]; row = parent[row])
            m_kept[id.track][row] = true;
    }

    void keepIntervals() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t)
            for (uint32_t row = 0; row < m_kept[t].size(); ++row)
                if (touches({t, row})) keep({t, row});
        for (const Launch &launch : m_trace.launches) { // queued, if nothing else
            const auto [call, op] = std::pair(launch.call, launch.op);
            if (!m_window.range.touches(std::min(m_trace.begin(call), m_trace.begin(op)),
                                        std::max(m_trace.end(call), m_trace.end(op))))
                continue;
            keep(call);
            keep(op);
        }
        keepDevices();
        chooseSteps();
        for (size_t i = m_firstStep; i < m_endStep; ++i)
            if (m_steps.steps[i].marker.valid()) keep(m_steps.steps[i].marker);
        std::optional<ForwardOps> forward;
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const Track &track = m_trace.tracks[t];
            if (track.kind != TrackKind::Thread || track.table->side.empty()) continue;
            for (uint32_t row = 0; row < m_kept[t].size(); ++row) {
                const SideRow &side = track.table->sideOf(row);
                if (!m_kept[t][row] || !ForwardOps::isBackward(side)) continue;
                if (!forward) forward.emplace(m_trace);
                const IntervalId op =
                    forward->of(m_trace.processes[track.process].file, side.sequence);
                if (op.valid()) keep(op);
            }
        }
    }

    /// The steps of the window and the one behind it, whose begin may end it; else those that
    /// touch it.
    void chooseSteps() {
        const auto &steps = m_steps.steps;
        if (m_window.steps) {
            m_firstStep = m_window.steps->first;
            m_endStep = std::min(steps.size(), size_t(m_window.steps->second) + 2);
            return;
        }
        const auto isOff = [this](const Step &s) {
            return !m_window.range.touches(s.begin, std::max(s.end, s.drainedEnd));
        };
        while (m_firstStep < steps.size() && isOff(steps[m_firstStep])) ++m_firstStep;
        m_endStep = m_firstStep;
        while (m_endStep < steps.size() && !isOff(steps[m_endStep])) ++m_endStep;
    }

    void writeSteps() {
        m_excerpt.foundBy = m_steps.foundBy;
        m_excerpt.markers = m_steps.markers;
        for (size_t i = m_firstStep; i < m_endStep; ++i) {
            const Step &step = m_steps.steps[i];
            const auto [track, row] = step.marker;
            m_excerpt.stepNames.push_back(step.name);
            column("step_begin").push_back(step.begin);
            column("step_end").push_back(step.end);
            column("step_drained").push_back(step.drainedEnd);
            column("step_marker").push_back(step.marker.valid() ? m_ordinal[track][row] : -1);
            column("step_boundary").push_back(int64_t(step.boundary));
        }
        if (m_window.steps)
            column("window_steps") = {0, int64_t(m_window.steps->second - m_window.steps->first)};
        if (m_firstStep < m_endStep) column("steps_thread") = {m_onTrack[m_steps.thread]};
        column("pipelined") = {m_steps.pipelined};
    }

    /// A device that did nothing in the window is there all the same: its nearest operation.
    void keepDevices() {
        std::map<int64_t, std::pair<TimeNs, IntervalId>> nearest;
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const Track &track = m_trace.tracks[t];
            if (track.kind != TrackKind::Stream) continue;
            for (uint32_t row = 0; row < m_kept[t].size(); ++row) {
                const TimeNs away = m_kept[t][row]
                                        ? 0
                                        : std::max(track.begin(row) - m_window.range.end,
                                                   m_window.range.begin - track.end(row)) +
                                              1;
                const auto found = std::pair(away, IntervalId{t, row});
                const auto [it, made] = nearest.try_emplace(track.device.value_or(0), found);
                if (!made) it->second = std::min(it->second, found);
            }
        }
        for (const auto &[device, found] : nearest) keep(found.second);
    }

    void keepNodes() {
        const WindowTerms terms = windowTerms(m_trace, m_steps, m_graph, m_window);
        const uint32_t last = lastNeeded(m_trace, m_graph, m_window, terms);
        const auto need = [this](uint32_t node) { m_needed[node] = m_whole[node] = true; };
        for (uint32_t v = 1; v < m_graph.nodes(); ++v)
            if (m_graph.time[v] >= m_window.range.begin &&
                (v <= last || m_graph.time[v] <= m_window.range.end))
                need(v);
        for (const auto &track : m_graph.byTrack) { // a range may end inside work
            const auto next = std::upper_bound(
                track.nodes.begin(), track.nodes.end(), m_window.range.end,
                [this](TimeNs t, uint32_t node) { return t < m_graph.time[node]; });
            if (next != track.nodes.end()) need(*next);
        }
        for (uint32_t t = 0; t < m_graph.opNodes.size(); ++t)
            for (uint32_t row = 0; row < m_graph.opNodes[t].size(); ++row) {
                const auto &op = m_graph.opNodes[t][row];
                if (op.begin == kNone || !m_kept[t][row]) continue;
                m_needed[op.begin] = true;
                need(op.end);
            }
        m_needed[0] = m_needed[terms.begin] = true;
        for (uint32_t v = 1; v < m_graph.nodes(); ++v) {
            for (uint32_t e = m_graph.firstEdge[v]; m_whole[v] && e < m_graph.firstEdge[v + 1];
                 ++e) {
                m_needed[m_graph.source[e]] = true;
                const uint32_t a = m_graph.activity[e];
                if (a == kNone) continue;
                m_activity[a] = 0;
                if (m_graph.activities[a].interval.row != kNone)
                    keep(m_graph.activities[a].interval);
            }
        }
    }

    /// Numbers what is kept: intervals in the order of the file, nodes and activities in theirs.
    /// Each track with a node needs an interval to stand for it.
    void number() {
        m_place.assign(m_graph.nodes(), kNone);
        for (uint32_t v = 0; v < m_graph.nodes(); ++v) {
            if (!m_needed[v]) continue;
            m_place[v] = m_nodes++;
            standFor(m_graph.track[v], m_graph.time[v]);
        }
        if (m_firstStep < m_endStep) standFor(m_steps.thread, m_steps.steps[m_firstStep].begin);
        for (uint32_t a = 0; a < m_activity.size(); ++a) {
            if (m_activity[a] == kNone) continue;
            m_activity[a] = uint32_t(m_activities.size());
            m_activities.push_back(a);
        }
        std::vector<std::pair<uint64_t, IntervalId>> order;
        for (uint32_t t = 0; t < m_kept.size(); ++t)
            for (uint32_t row = 0; row < m_kept[t].size(); ++row)
                if (m_kept[t][row])
                    order.emplace_back(m_trace.tracks[t].table->offset[row], IntervalId{t, row});
        std::sort(order.begin(), order.end());
        m_ordinal.resize(m_kept.size());
        m_onTrack.assign(m_kept.size(), -1);
        for (size_t t = 0; t < m_kept.size(); ++t) m_ordinal[t].assign(m_kept[t].size(), -1);
        for (const auto &[offset, id] : order) {
            m_onTrack[id.track] = int64_t(m_excerpt.intervals.size());
            m_ordinal[id.track][id.row] = int64_t(m_excerpt.intervals.size());
            m_excerpt.intervals.push_back(id);
        }
    }

    void standFor(uint32_t t, TimeNs time) {
        if (t == kNone || (m_stood.size() > t && m_stood[t])) return;
        m_stood.resize(m_kept.size());
        m_stood[t] = true;
        if (std::find(m_kept[t].begin(), m_kept[t].end(), true) != m_kept[t].end()) return;
        const Track &track = m_trace.tracks[t];
        uint32_t nearest = 0;
        for (uint32_t row = 1; row < m_kept[t].size(); ++row)
            if (std::abs(track.begin(row) - time) < std::abs(track.begin(nearest) - time))
                nearest = row;
        keep({t, nearest});
    }

    void writeNodes() {
        for (uint32_t v = 0; v < m_graph.nodes(); ++v) {
            if (m_place[v] == kNone) continue;
            column("node_time").push_back(m_graph.time[v]);
            column("node_place").push_back(v == 0 ? -1 : m_onTrack[m_graph.track[v]]);
            if (v > 0 && !m_whole[v]) { // before the window, or beside it: held where it was
                column("node_delta").push_back(0);
                column("node_edges").push_back(1);
                writeEdge(m_place[v], m_graph.time[v] - m_graph.time[0], -1, EdgeType::Window,
                          Evidence::Recorded, 0);
                continue;
            }
            column("node_delta").push_back(m_graph.delta[v]);
            column("node_edges").push_back(m_graph.firstEdge[v + 1] - m_graph.firstEdge[v]);
            for (uint32_t e = m_graph.firstEdge[v]; e < m_graph.firstEdge[v + 1]; ++e)
                writeEdge(m_place[v] - m_place[m_graph.source[e]], m_graph.weight[e],
                          numberOf(m_graph.activity[e]), m_graph.type[e], m_graph.evidence[e],
                          m_graph.lagFamily.empty() ? 0 : m_graph.lagFamily[e]);
        }
    }

    void writeEdge(int64_t back, TimeNs weight, int64_t activity, EdgeType type, Evidence evidence,
                   uint16_t family) {
        column("edge_back").push_back(back);
        column("edge_weight").push_back(weight);
        column("edge_activity").push_back(activity);
        column("edge_type").push_back(int64_t(type));
        column("edge_evidence").push_back(int64_t(evidence));
        column("edge_family").push_back(family);
    }

    int64_t numberOf(uint32_t activity) const {
        return activity == kNone ? -1 : int64_t(m_activity[activity]);
    }

    void writeActivities() {
        column("activity_place"), column("activity_begin"), column("activity_length");
        for (const uint32_t a : m_activities) {
            const Activity &activity = m_graph.activities[a];
            const auto [track, row] = activity.interval;
            // untraced time names no interval, only its track
            column("activity_place")
                .push_back(row == kNone ? -1 - m_onTrack[track] : m_ordinal[track][row]);
            column("activity_begin").push_back(activity.begin);
            column("activity_length").push_back(activity.length);
        }
    }

    void writeRest(const Phases &phases) {
        for (uint32_t t = 0; t < m_graph.opNodes.size(); ++t)
            for (uint32_t row = 0; row < m_graph.opNodes[t].size(); ++row) {
                const auto &op = m_graph.opNodes[t][row];
                if (op.begin == kNone || m_place[op.begin] == kNone || m_place[op.end] == kNone ||
                    !m_kept[t][row])
                    continue;
                column("op_interval").push_back(m_ordinal[t][row]);
                column("op_begin").push_back(m_place[op.begin]);
                column("op_end").push_back(m_place[op.end]);
            }
        for (const LagSpread &spread : m_graph.lagSpreads) {
            column("family_low").push_back(spread.low);
            column("family_high").push_back(spread.high);
        }
        if (m_graph.lagSpreads.empty()) column("family_low") = column("family_high") = {0};
        for (const Process &process : m_trace.processes)
            if (process.ownIds) column("own_ids") = {1};
        for (const auto &[device, gap] : kernelGaps(m_trace, m_graph)) {
            column("gap_device").push_back(device.second);
            column("gap_most").push_back(gap);
        }
        const uint32_t thread = m_graph.stepThread;
        if (thread != kNone && m_onTrack[thread] >= 0)
            column("step_thread").push_back(m_onTrack[thread]);
        const GraphCounters &c = m_graph.counters;
        for (const uint64_t n : {c.launched, c.unlinked, c.skewed, c.clamped, c.dropped, c.assumed})
            column("counters").push_back(int64_t(n));
        for (const IntervalId id : m_excerpt.intervals)
            column("interval_phase").push_back(phases.of(id));
        column("phase_rules") = {fingerprintOf(phases.rules)};
        column("phases_named") = {phases.named};
    }

    const Trace &m_trace;
    const Steps &m_steps;
    const DependencyGraph &m_graph;
    const Window &m_window;
    Excerpt m_excerpt;
    std::vector<std::vector<bool>> m_kept; ///< by track and row
    std::vector<bool> m_needed, m_whole;   ///< by node: there; there with all its edges
    std::vector<bool> m_stood;
    std::vector<uint32_t> m_place, m_activity; ///< number of a node, of an activity
    std::vector<uint32_t> m_activities;
    std::vector<std::vector<int64_t>> m_ordinal; ///< of a kept interval
    std::vector<int64_t> m_onTrack;              ///< of some interval of a track
    uint32_t m_nodes = 0;
    size_t m_firstStep = 0, m_endStep = 0; ///< steps that are kept
};

} // namespace

Excerpt excerptOf(const Trace &trace, const Steps &steps, const Phases &phases,
                  const DependencyGraph &graph, const Window &window) {
    return Cutter(trace, steps, graph, window).run(phases);
}

} // namespace longpole
