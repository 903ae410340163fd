// SPDX-License-Identifier: Apache-2.0
// Edits of calls in which the host waits for the device.
#include "core/analysis/graph_editor.h"

#include <algorithm>

namespace longpole {

namespace {

bool isSync(Kind kind) {
    return kind == Kind::Sync;
}

std::string count(size_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// The copy to the host whose value a wait hands to its thread: one that was enqueued there, that
/// its own call did not wait for, and that no wait before this one covers.
class Values {
public:
    Values(const GraphEditor &editor, const GraphEditor::Calls &waits) : m_editor(editor) {
        for (const auto &[call, pieces] : waits)
            for (const uint32_t e : m_editor.edgesInto(pieces.nodes.back(), EdgeType::Sync))
                if (const IntervalId op = m_editor.operationEnding(m_editor.graph.source[e]);
                    op.valid())
                    m_waits[{call.track, op.track}].push_back({m_editor.trace.begin(call), op});
        for (auto &[where, waited] : m_waits)
            std::sort(waited.begin(), waited.end(),
                      [](const Waited &a, const Waited &b) { return a.begin < b.begin; });
    }

    /// Copies to the host by the begin of the wait that makes their value known, per thread.
    std::map<std::pair<uint32_t, TimeNs>, IntervalId> byWait() const {
        std::map<std::pair<uint32_t, TimeNs>, IntervalId> values;
        const Trace &trace = m_editor.trace;
        for (const Launch &launch : trace.launches) {
            const Kind kind = trace.kind(launch.op);
            if (kind != Kind::D2H && kind != Kind::H2H) continue;
            if (trace.end(launch.op) <= trace.end(launch.call)) continue; // known at the return
            const auto found = m_waits.find({launch.call.track, launch.op.track});
            if (found == m_waits.end()) continue;
            for (const Waited &wait : found->second) {
                if (wait.begin < trace.end(launch.call)) continue;
                if (trace.begin(wait.op) < trace.begin(launch.op)) continue;
                values.try_emplace({launch.call.track, wait.begin}, launch.op);
                break;
            }
        }
        return values;
    }

private:
    struct Waited {
        TimeNs begin;
        IntervalId op; ///< the last one that the call waited for
    };
    const GraphEditor &m_editor;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Waited>> m_waits; ///< by thread, stream
};

} // namespace

Applied applyUnsync(GraphEditor &editor, const GraphEdit &edit) {
    const auto activities = editor.select(edit.selector);
    if (!activities) return activities.error();
    const GraphEditor::Calls waits = editor.callsOf(isSync);
    const GraphEditor::Calls chosen = editor.selected(waits, *activities);
    const auto values = Values(editor, waits).byWait();
    for (const auto &[call, pieces] : chosen) {
        const auto value = values.find({call.track, editor.trace.begin(call)});
        if (value != values.end())
            return Error{ErrorKind::Impossible, "unsafe_edit",
                         edit.text + " is not safe: " + std::string(editor.trace.name(call)) +
                             " at " + formatDuration(editor.trace.begin(call)) +
                             " waits for what \"" + std::string(editor.trace.name(value->second)) +
                             "\" copies to the host, which the program reads next. Leave it out of "
                             "the selector, or remove the copy too: --edit 'remove:name>:…' with "
                             "the operator that does both."};
    }
    for (const auto &[call, pieces] : chosen) {
        for (const uint32_t node : pieces.nodes)
            for (const uint32_t e : editor.edgesInto(node, EdgeType::Sync)) editor.drop(e);
        if (editor.reading == EditReading::Other) continue; // the call is made, and may be slow
        for (const uint32_t e : pieces.edges) editor.graph.weight[e] = 0;
        editor.graph.delta[pieces.nodes.back()] = 0;
    }
    return chosen.empty() ? std::string() : count(chosen.size(), "call");
}

} // namespace longpole
