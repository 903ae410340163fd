// SPDX-License-Identifier: Apache-2.0
// Edits of the calls that launch device work.
#include "core/analysis/graph_editor.h"

namespace longpole {

Applied applyLaunch(GraphEditor &editor, const GraphEdit &edit) {
    const auto calls =
        editor.callsOf([](Kind kind) { return kind == Kind::Launch || kind == Kind::GraphLaunch; });
    for (const auto &[call, pieces] : calls)
        for (const uint32_t e : pieces.edges) editor.scale(e, *edit.factor);
    if (editor.reading == EditReading::Other) // what a launch takes on its way may shrink with it
        for (uint32_t e = 0; e < editor.graph.type.size(); ++e)
            if (editor.graph.type[e] == EdgeType::Launch) editor.scale(e, *edit.factor);
    return calls.empty() ? std::string() : std::to_string(calls.size()) + " calls";
}

} // namespace longpole
