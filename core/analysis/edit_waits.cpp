// SPDX-License-Identifier: Apache-2.0
// Edits of calls in which the host waits for the device.
#include "core/analysis/graph_editor.h"

#include <algorithm>

namespace longpole {

HostWaits::HostWaits(const GraphEditor &editor)
    : m_trace(editor.trace), m_calls(editor.callsOf(isSync)) {
    for (const auto &[call, pieces] : m_calls)
        for (const uint32_t e : editor.edgesInto(pieces.nodes.back(), EdgeType::Sync))
            if (const IntervalId op = editor.operationEnding(editor.graph.source[e]); op.valid())
                m_byPlace[{call.track, op.track}].push_back({call, op});
    for (auto &[place, waited] : m_byPlace)
        std::sort(waited.begin(), waited.end(), [&](const Waited &a, const Waited &b) {
            return m_trace.begin(a.call) < m_trace.begin(b.call);
        });
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
    editor.graph.delta[wait.nodes.back()] = 0;
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
