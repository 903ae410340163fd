// SPDX-License-Identifier: Apache-2.0
// The part of excerpt.h that gives back what a window kept.
#include "core/analysis/excerpt.h"

#include "core/analysis/dependency_graph.h"

namespace longpole {

namespace {

using Column = std::vector<int64_t>;

/// Gives the columns back as a graph.
class Restorer {
public:
    Restorer(const Trace &trace, const Phases &phases)
        : m_trace(trace), m_phases(phases), m_excerpt(*trace.excerpt) {}

    std::optional<DependencyGraph> run() {
        for (const int64_t type : m_excerpt.column("edge_type"))
            if (type > int64_t(EdgeType::Window)) return std::nullopt;
        for (const int64_t evidence : m_excerpt.column("edge_evidence"))
            if (evidence > int64_t(Evidence::Assumed)) return std::nullopt;
        readNodes();
        readEdges();
        readActivities();
        readRest();
        return std::move(m_graph);
    }

private:
    uint32_t trackAt(int64_t place) const { return m_excerpt.intervals[size_t(place)].track; }

    void readNodes() {
        m_graph.time = m_excerpt.column("node_time");
        m_graph.delta = m_excerpt.column("node_delta");
        m_graph.byTrack.resize(m_trace.tracks.size());
        uint32_t edge = 0;
        const Column &place = m_excerpt.column("node_place"),
                     &count = m_excerpt.column("node_edges");
        for (uint32_t v = 0; v < m_graph.nodes(); ++v) {
            m_graph.track.push_back(place[v] < 0 ? kNone : trackAt(place[v]));
            m_graph.firstEdge.push_back(edge);
            edge += uint32_t(count[v]);
            if (v > 0 && m_graph.track[v] != kNone)
                m_graph.byTrack[m_graph.track[v]].nodes.push_back(v);
        }
        m_graph.firstEdge.push_back(edge);
    }

    void readEdges() {
        const Column &back = m_excerpt.column("edge_back"),
                     &activity = m_excerpt.column("edge_activity"),
                     &type = m_excerpt.column("edge_type"),
                     &evidence = m_excerpt.column("edge_evidence"),
                     &family = m_excerpt.column("edge_family");
        m_graph.weight = m_excerpt.column("edge_weight");
        for (uint32_t v = 0; v < m_graph.nodes(); ++v)
            for (uint32_t e = m_graph.firstEdge[v]; e < m_graph.firstEdge[v + 1]; ++e) {
                m_graph.source.push_back(v - uint32_t(back[e]));
                m_graph.activity.push_back(activity[e] < 0 ? kNone : uint32_t(activity[e]));
                m_graph.type.push_back(EdgeType(type[e]));
                m_graph.evidence.push_back(Evidence(evidence[e]));
                m_graph.lagFamily.push_back(uint16_t(family[e]));
            }
    }

    void readActivities() {
        const Column &place = m_excerpt.column("activity_place"),
                     &begin = m_excerpt.column("activity_begin"),
                     &length = m_excerpt.column("activity_length");
        for (size_t i = 0; i < place.size(); ++i) {
            Activity activity;
            activity.begin = begin[i];
            activity.length = length[i];
            if (place[i] < 0) {
                activity.interval = {trackAt(-1 - place[i]), kNone};
                activity.phase = m_phases.rules.other();
            } else {
                activity.interval = m_excerpt.intervals[size_t(place[i])];
                activity.kind = m_trace.kind(activity.interval);
                activity.phase = m_phases.of(activity.interval);
            }
            m_graph.activities.push_back(activity);
        }
    }

    void readRest() {
        m_graph.opNodes.resize(m_trace.tracks.size());
        for (size_t t = 0; t < m_trace.tracks.size(); ++t)
            if (m_trace.tracks[t].kind == TrackKind::Stream)
                m_graph.opNodes[t].resize(m_trace.tracks[t].table->size());
        const Column &op = m_excerpt.column("op_interval"), &begin = m_excerpt.column("op_begin"),
                     &end = m_excerpt.column("op_end");
        for (size_t i = 0; i < op.size(); ++i) {
            const IntervalId id = m_excerpt.intervals[size_t(op[i])];
            if (m_trace.track(id).kind == TrackKind::Stream)
                m_graph.opNodes[id.track][id.row] = {uint32_t(begin[i]), uint32_t(end[i])};
        }
        const Column &low = m_excerpt.column("family_low"), &high = m_excerpt.column("family_high"),
                     &thread = m_excerpt.column("step_thread"),
                     &count = m_excerpt.column("counters");
        for (size_t i = 0; i < low.size(); ++i) m_graph.lagSpreads.push_back({low[i], high[i]});
        if (!thread.empty()) m_graph.stepThread = trackAt(thread.front());
        m_graph.counters = {uint64_t(count[0]), uint64_t(count[1]), uint64_t(count[2]),
                            uint64_t(count[3]), uint64_t(count[4]), uint64_t(count[5])};
    }

    const Trace &m_trace;
    const Phases &m_phases;
    const Excerpt &m_excerpt;
    DependencyGraph m_graph;
};

} // namespace

int64_t fingerprintOf(const PhaseRules &rules) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    const auto add = [&](std::string_view text) {
        for (const char c : text) hash = (hash ^ uint8_t(c)) * 1099511628211u;
        hash = (hash ^ 0xFF) * 1099511628211u;
    };
    for (const PhaseRule &rule : rules.rules) {
        add(rule.id);
        for (const PhaseMatch &match : rule.match) {
            add(match.name);
            add(match.kind ? kindName(*match.kind) : std::string_view{});
        }
    }
    return int64_t(hash);
}

std::optional<DependencyGraph> excerptGraph(const Trace &trace, const Phases &phases) {
    if (!trace.excerpt) return std::nullopt;
    return Restorer(trace, phases).run();
}

std::optional<Steps> excerptSteps(const Trace &trace) {
    if (!trace.excerpt) return std::nullopt;
    const Excerpt &e = *trace.excerpt;
    Steps result;
    result.foundBy = e.foundBy;
    result.markers = e.markers;
    result.pipelined = e.column("pipelined").front();
    result.steadyReason = "The file holds one window of a longer capture.";
    for (size_t i = 0; i < e.stepNames.size(); ++i) {
        Step step;
        step.name = e.stepNames[i];
        step.begin = e.column("step_begin")[i];
        step.end = e.column("step_end")[i];
        step.drainedEnd = e.column("step_drained")[i];
        const int64_t marker = e.column("step_marker")[i];
        if (marker >= 0) step.marker = e.intervals[size_t(marker)];
        step.boundary = Boundary(e.column("step_boundary")[i]);
        if (i > 0) result.steps.back().period = step.begin - result.steps.back().begin;
        result.steps.push_back(std::move(step));
    }
    if (!result.steps.empty())
        result.thread = e.intervals[size_t(e.column("steps_thread").front())].track;
    return result;
}

std::optional<Window> excerptWindow(const Trace &trace) {
    if (!trace.excerpt) return std::nullopt;
    const Excerpt &e = *trace.excerpt;
    Window window;
    window.range = e.window;
    window.kind = Window::Kind::Range;
    window.policy = "The window that this file was cut to.";
    for (const Window::Kind kind : {Window::Kind::Drained, Window::Kind::Period, Window::Kind::All})
        if (windowKindName(kind) == e.kind) window.kind = kind;
    if (const auto &steps = e.column("window_steps"); !steps.empty())
        window.steps = std::pair(uint32_t(steps[0]), uint32_t(steps[1]));
    const bool bySteps =
        window.kind == Window::Kind::Drained || window.kind == Window::Kind::Period;
    if (bySteps && !window.steps) window.kind = Window::Kind::Range;
    return window;
}

std::optional<Phases> excerptPhases(const Trace &trace, const PhaseRules &rules) {
    if (!trace.excerpt) return std::nullopt;
    const Excerpt &e = *trace.excerpt;
    if (e.column("phase_rules").front() != fingerprintOf(rules)) return std::nullopt;
    Phases phases;
    phases.rules = rules;
    phases.stepMarkers = e.markers;
    phases.named = e.column("phases_named").front();
    for (const Track &track : trace.tracks)
        phases.byTrack.emplace_back(track.table->size(), rules.other());
    for (size_t i = 0; i < e.intervals.size(); ++i) {
        const int64_t phase = e.column("interval_phase")[i];
        if (phase <= rules.other())
            phases.byTrack[e.intervals[i].track][e.intervals[i].row] = uint8_t(phase);
    }
    return phases;
}

} // namespace longpole
