// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/graph_editor.h"

#include <algorithm>

namespace longpole {

namespace {

__extension__ typedef __int128 Int128; ///< a product of two 64-bit numbers, exactly

} // namespace

GraphEditor::GraphEditor(const Trace &t, const Steps &s, const Phases &p,
                         const DependencyGraph &base, EditReading r, const Progress &g)
    : trace(t), steps(s), phases(p), reading(r), progress(g), graph(base) {}

Result<std::vector<bool>> GraphEditor::select(const std::string &selector) const {
    std::vector<std::string> unmatched;
    auto scaling = resolveScaling(trace, phases, graph, {{selector, {}}}, unmatched, progress);
    if (!scaling) return scaling.error();
    return std::move(scaling->selected);
}

IntervalId GraphEditor::outermost(IntervalId id, bool (*kinds)(Kind)) const {
    const TrackTable &table = *trace.track(id).table;
    IntervalId found;
    for (uint32_t row = id.row; row != kNone; row = table.parent[row])
        if (kinds(table.kind[row])) found = {id.track, row};
    return found;
}

std::vector<uint32_t> GraphEditor::outermostOf(uint32_t track, bool (*kinds)(Kind)) const {
    const TrackTable &table = *trace.tracks[track].table;
    std::vector<uint32_t> found(table.size(), kNone);
    for (uint32_t row = 0; row < table.size(); ++row) { // what encloses a row comes before it
        progress.look(row);
        const uint32_t parent = table.parent[row];
        if (parent != kNone) found[row] = found[parent];
        if (found[row] == kNone && kinds(table.kind[row])) found[row] = row;
    }
    return found;
}

GraphEditor::Calls GraphEditor::callsOf(bool (*kinds)(Kind)) const {
    Calls calls;
    std::vector<std::vector<uint32_t>> outermost(trace.tracks.size());
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        if (v % 4096 == 0) progress.look();
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            if (graph.activity[e] == kNone || graph.type[e] != EdgeType::Program) continue;
            const IntervalId piece = graph.activities[graph.activity[e]].interval;
            if (piece.row == kNone || trace.track(piece).kind != TrackKind::Thread) continue;
            std::vector<uint32_t> &known = outermost[piece.track];
            if (known.empty()) known = outermostOf(piece.track, kinds);
            if (known[piece.row] == kNone) continue;
            CallPieces &pieces = calls[{piece.track, known[piece.row]}];
            pieces.edges.push_back(e);
            if (pieces.nodes.empty() || pieces.nodes.back() != v) pieces.nodes.push_back(v);
        }
    }
    return calls;
}

GraphEditor::Calls GraphEditor::selected(const Calls &calls,
                                         const std::vector<bool> &activities) const {
    Calls result;
    for (const auto &[call, pieces] : calls)
        if (std::any_of(pieces.edges.begin(), pieces.edges.end(),
                        [&](uint32_t e) { return activities[graph.activity[e]]; }))
            result.emplace(call, pieces);
    return result;
}

IntervalId GraphEditor::operationEnding(uint32_t node) const {
    for (uint32_t e = graph.firstEdge[node]; e < graph.firstEdge[node + 1]; ++e) {
        if (graph.activity[e] == kNone) continue;
        const IntervalId op = graph.activities[graph.activity[e]].interval;
        if (trace.track(op).kind == TrackKind::Stream) return op;
    }
    return {};
}

std::vector<uint32_t> GraphEditor::edgesInto(uint32_t node, EdgeType type) const {
    std::vector<uint32_t> found;
    for (uint32_t e = graph.firstEdge[node]; e < graph.firstEdge[node + 1]; ++e)
        if (graph.type[e] == type && graph.weight[e] != kDropped) found.push_back(e);
    return found;
}

void GraphEditor::dropInto(const CallPieces &pieces, EdgeType type) {
    for (const uint32_t node : pieces.nodes)
        for (const uint32_t e : edgesInto(node, type)) drop(e);
}

void GraphEditor::setCost(const CallPieces &pieces, TimeNs cost) {
    for (const uint32_t e : pieces.edges) graph.weight[e] = 0;
    graph.weight[pieces.edges.back()] = cost;
}

void GraphEditor::scale(uint32_t edge, SpeedFactor factor) {
    TimeNs &weight = graph.weight[edge];
    if (weight > 0) weight = TimeNs(Int128(weight) * factor.num / factor.den);
}

bool isSync(Kind kind) {
    return kind == Kind::Sync;
}

bool isRuntime(Kind kind) {
    return kind == Kind::Runtime;
}

std::string counted(size_t n, std::string_view what) {
    return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

} // namespace longpole
