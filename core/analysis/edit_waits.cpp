// SPDX-License-Identifier: Apache-2.0
// Edits of calls in which the host waits for the device.
#include "core/analysis/graph_editor.h"

#include <algorithm>

namespace longpole {

namespace {

bool isQuery(const Trace &trace, IntervalId id) {
    return trace.kind(id) == Kind::Runtime && trace.track(id).kind == TrackKind::Thread &&
           trace.name(id).find("Query") != std::string_view::npos;
}

} // namespace

HostWaits::HostWaits(const GraphEditor &editor)
    : m_trace(editor.trace), m_calls(editor.callsOf(isSync)) {
    for (const auto &[call, pieces] : m_calls)
        for (const uint32_t e : editor.edgesInto(pieces.nodes.back(), EdgeType::Sync))
            if (const IntervalId op = editor.operationEnding(editor.graph.source[e]); op.valid())
                m_byPlace[{call.track, op.track}].push_back({call, op});
    addSpins(editor);
    for (auto &[place, waited] : m_byPlace)
        std::sort(waited.begin(), waited.end(), [&](const Waited &a, const Waited &b) {
            return m_trace.begin(a.call) < m_trace.begin(b.call);
        });
}

/// A spin is known by the query that found the work done: it begins where the wait ends.
void HostWaits::addSpins(const GraphEditor &editor) {
    const DependencyGraph &graph = editor.graph;
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            if (graph.activity[e] == kNone || graph.type[e] != EdgeType::Program) continue;
            const IntervalId query = graph.activities[graph.activity[e]].interval;
            const uint32_t resumed = graph.source[e];
            if (query.row == kNone || graph.time[resumed] != m_trace.begin(query) ||
                !isQuery(m_trace, query))
                continue;
            for (const uint32_t sync : editor.edgesInto(resumed, EdgeType::Sync)) {
                const IntervalId op = editor.operationEnding(graph.source[sync]);
                if (!op.valid()) continue;
                m_byPlace[{query.track, op.track}].push_back({query, op});
                m_calls[query] = {{e}, {resumed, v}};
            }
        }
    }
}

IntervalId HostWaits::covering(const Launch &launch) const {
    const auto found = m_byPlace.find({launch.call.track, launch.op.track});
    if (found == m_byPlace.end()) return {};
    const std::vector<Waited> &waited = found->second;
    auto wait = std::lower_bound(
        waited.begin(), waited.end(), m_trace.end(launch.call),
        [&](const Waited &w, TimeNs returned) { return m_trace.begin(w.call) < returned; });
    while (wait != waited.end() && m_trace.begin(wait->op) < m_trace.begin(launch.op)) ++wait;
    return wait == waited.end() ? IntervalId{} : wait->call;
}

std::vector<HostWaits::Value> HostWaits::values() const {
    std::vector<Value> values;
    for (const Launch &launch : m_trace.launches) {
        const Kind kind = m_trace.kind(launch.op);
        if (kind != Kind::D2H && kind != Kind::H2H) continue;
        if (m_trace.end(launch.op) <= m_trace.end(launch.call)) continue; // known at the return
        if (const IntervalId wait = covering(launch); wait.valid())
            values.push_back({wait, launch.op});
    }
    return values;
}

void takeOut(GraphEditor &editor, IntervalId call, const CallPieces &wait) {
    editor.gone.insert(call);
    editor.dropInto(wait, EdgeType::Sync);
    if (editor.reading == EditReading::Other) return; // the call is made, and may be slow
    editor.setCost(wait, 0);
    for (const uint32_t node : wait.nodes)
        if (node == wait.nodes.back() || isQuery(editor.trace, call)) editor.graph.delta[node] = 0;
}

Applied applyUnsync(GraphEditor &editor, const GraphEdit &edit) {
    const auto activities = editor.select(edit.selector);
    if (!activities) return activities.error();
    const HostWaits waits(editor);
    const GraphEditor::Calls chosen = editor.selected(waits.calls(), *activities);
    for (const HostWaits::Value &value : waits.values()) {
        if (!chosen.contains(value.wait)) continue;
        return Error{ErrorKind::Impossible, "unsafe_edit",
                     edit.text + " is not safe: " + std::string(editor.trace.name(value.wait)) +
                         " at " + formatDuration(editor.trace.begin(value.wait)) +
                         " waits for what \"" + std::string(editor.trace.name(value.copy)) +
                         "\" copies to the host, which the program reads next. Leave it out of the "
                         "selector, or remove the copy too: --edit 'remove:name>:…' with the "
                         "operator that does both."};
    }
    for (const auto &[call, pieces] : chosen) takeOut(editor, call, pieces);
    return chosen.empty() ? std::string() : counted(chosen.size(), "call");
}

} // namespace longpole
