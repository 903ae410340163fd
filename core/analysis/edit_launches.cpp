// SPDX-License-Identifier: Apache-2.0
// Edits of the calls that launch device work.
#include "core/analysis/graph_draft.h"
#include "core/analysis/graph_editor.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

bool isLaunch(Kind kind) {
    return kind == Kind::Launch || kind == Kind::GraphLaunch;
}
bool isKernelLaunch(Kind kind) {
    return kind == Kind::Launch;
}
bool isGraphLaunch(Kind kind) {
    return kind == Kind::GraphLaunch;
}

} // namespace

Applied applyLaunch(GraphEditor &editor, const GraphEdit &edit) {
    const GraphEditor::Calls calls = editor.callsOf(isLaunch);
    for (const auto &[call, pieces] : calls)
        for (const uint32_t e : pieces.edges) editor.scale(e, *edit.factor);
    if (editor.reading == EditReading::Other) // what a launch takes on its way may shrink with it
        for (uint32_t e = 0; e < editor.graph.type.size(); ++e)
            if (editor.graph.type[e] == EdgeType::Launch) editor.scale(e, *edit.factor);
    return calls.empty() ? std::string() : counted(calls.size(), "call");
}

namespace {

/// Launches that a CUDA graph makes at once.
class Graphs {
public:
    Graphs(GraphEditor &editor, const GraphEdit &edit)
        : m_editor(editor), m_edit(edit), m_trace(editor.trace), m_graph(editor.graph),
          m_calls(editor.callsOf(isKernelLaunch)) {}

    Applied run() {
        if (!m_edit.range && m_editor.steps.steps.empty())
            return Error{ErrorKind::Impossible, "no_steps",
                         m_edit.text + " needs steps, and the trace shows none. Name the range, as "
                                       "in graph:12.5ms..80ms."};
        std::vector<Captured> all;
        for (const TimeRange range : ranges())
            if (Captured captured = capture(range); captured.calls.size() > 1)
                all.push_back(std::move(captured));
        if (all.empty()) return std::string();
        for (const Captured &captured : all)
            if (auto error = checkWaits(captured)) return *error;
        const std::optional<TimeNs> cost = m_edit.cost ? m_edit.cost : usualCost();
        if (!cost)
            return Error{ErrorKind::Impossible, "unknown_cost",
                         m_edit.text +
                             ": the trace launches no graph whose cost could be taken. "
                             "Give it, as in " +
                             m_edit.text + "=10us."};
        size_t launches = 0;
        for (const Captured &captured : all) {
            replace(captured, *cost);
            launches += captured.calls.size();
        }
        if (m_editor.reading == EditReading::Other) removeHostWork(all);
        warnOfShapes(all);
        return std::to_string(launches) + " launches into " + counted(all.size(), "graph") +
               " of " + formatDuration(*cost) + " a launch";
    }

private:
    struct Captured {
        TimeRange range;               ///< from the first call to the return of the last one
        std::vector<IntervalId> calls; ///< in order
    };

    std::vector<TimeRange> ranges() const {
        if (m_edit.range) return {*m_edit.range};
        std::vector<TimeRange> all;
        for (const Step &step : m_editor.steps.steps) all.push_back({step.begin, step.end});
        return all;
    }

    Captured capture(TimeRange range) const {
        Captured captured;
        for (const auto &[call, pieces] : m_calls)
            if (m_trace.begin(call) >= range.begin && m_trace.end(call) <= range.end)
                captured.calls.push_back(call);
        if (captured.calls.empty()) return captured;
        std::sort(captured.calls.begin(), captured.calls.end(), [&](IntervalId a, IntervalId b) {
            return std::pair(m_trace.begin(a), a) < std::pair(m_trace.begin(b), b);
        });
        captured.range = {m_trace.begin(captured.calls.front()),
                          m_trace.end(captured.calls.back())};
        return captured;
    }

    std::set<uint32_t> threadsOf(const Captured &captured) const {
        std::set<uint32_t> threads;
        for (const IntervalId call : captured.calls) threads.insert(call.track);
        return threads;
    }

    /// Between the first and the last launch no thread that launches may wait for the device or for
    /// data.
    std::optional<Error> checkWaits(const Captured &captured) const {
        for (const uint32_t track : threadsOf(captured)) {
            const Track &thread = m_trace.tracks[track];
            for (uint32_t row = 0; row < thread.table->size(); ++row)
                if (thread.table->kind[row] == Kind::Sync &&
                    thread.begin(row) >= captured.range.begin &&
                    thread.begin(row) < captured.range.end &&
                    !m_editor.gone.contains(m_editor.outermost({track, row}, isSync)))
                    return waitInside(captured, {track, row});
            for (const uint32_t node : m_graph.byTrack[track].nodes) {
                if (m_graph.time[node] <= captured.range.begin ||
                    m_graph.time[node] > captured.range.end)
                    continue;
                for (const EdgeType type : {EdgeType::Copy, EdgeType::Sync, EdgeType::Loader})
                    for (const uint32_t e : m_editor.edgesInto(node, type))
                        if (m_graph.activity[e] == kNone)
                            return waitInside(captured, pieceEnding(node));
            }
        }
        return std::nullopt;
    }

    IntervalId pieceEnding(uint32_t node) const {
        for (uint32_t e = m_graph.firstEdge[node]; e < m_graph.firstEdge[node + 1]; ++e)
            if (m_graph.activity[e] != kNone)
                if (const IntervalId id = m_graph.activities[m_graph.activity[e]].interval;
                    id.row != kNone)
                    return id;
        return {};
    }

    Error waitInside(const Captured &captured, IntervalId wait) const {
        const std::string what = wait.valid() ? std::string(m_trace.name(wait)) + " at " +
                                                    formatDuration(m_trace.begin(wait))
                                              : "the host";
        return {ErrorKind::Impossible, "unsafe_edit",
                m_edit.text + " is not safe: " + what + " waits between the launches at " +
                    formatDuration(captured.range.begin) + " and " +
                    formatDuration(captured.range.end) +
                    ", and a graph cannot wait for the host. Name a range without it, as in "
                    "graph:12.5ms..80ms, or take the wait out as well: --edit unsync:…."};
    }

    /// Median cost of the graph launches that the trace has.
    std::optional<TimeNs> usualCost() const {
        std::vector<TimeNs> lengths;
        for (const auto &[call, pieces] : m_editor.callsOf(isGraphLaunch))
            lengths.push_back(m_trace.end(call) - m_trace.begin(call));
        if (lengths.empty()) return std::nullopt;
        return quantileOf(lengths, 0.5);
    }

    /// The first call launches everything; the others are gone.
    void replace(const Captured &captured, TimeNs cost) {
        const CallPieces &first = m_calls.at(captured.calls.front());
        const uint32_t launched = first.nodes.back();
        m_editor.setCost(first, cost);
        for (size_t i = 1; i < captured.calls.size(); ++i) {
            const CallPieces &pieces = m_calls.at(captured.calls[i]);
            m_editor.setCost(pieces, 0);
            m_editor.dropInto(pieces, EdgeType::BackPressure);
            m_graph.delta[pieces.nodes.back()] = 0;
        }
        const std::set<IntervalId> calls(captured.calls.begin() + 1, captured.calls.end());
        for (const Launch &launch : m_trace.launches) {
            if (!calls.contains(m_editor.outermost(launch.call, isKernelLaunch))) continue;
            const uint32_t begin = m_graph.opNodes[launch.op.track][launch.op.row].begin;
            if (begin == kNone || launched >= begin) continue; // another thread was first
            for (const uint32_t e : m_editor.edgesInto(begin, EdgeType::Launch))
                m_graph.source[e] = launched;
        }
    }

    /// A graph that is launched again runs nothing of the host's between its launches.
    void removeHostWork(const std::vector<Captured> &all) {
        for (const Captured &captured : all) {
            const std::set<uint32_t> threads = threadsOf(captured);
            std::set<uint32_t> keeps; ///< the launch itself
            for (const uint32_t e : m_calls.at(captured.calls.front()).edges) keeps.insert(e);
            for (const uint32_t track : threads)
                for (const uint32_t node : m_graph.byTrack[track].nodes) {
                    if (m_graph.time[node] <= captured.range.begin ||
                        m_graph.time[node] > captured.range.end)
                        continue;
                    for (uint32_t e = m_graph.firstEdge[node]; e < m_graph.firstEdge[node + 1]; ++e)
                        if ((m_graph.type[e] == EdgeType::Program ||
                             m_graph.type[e] == EdgeType::Handoff) &&
                            m_graph.weight[e] > 0 && !keeps.contains(e))
                            m_graph.weight[e] = 0;
                }
        }
    }

    void warnOfShapes(const std::vector<Captured> &all) {
        std::map<std::vector<std::string_view>, size_t> sequences;
        for (const Captured &captured : all) {
            std::vector<std::string_view> names;
            for (const IntervalId call : captured.calls)
                for (const IntervalId op : m_trace.opsOf(call)) names.push_back(m_trace.name(op));
            ++sequences[names];
        }
        if (sequences.size() > 1)
            m_editor.warnings.push_back(m_edit.text +
                                        ": not every range launches the same kernels; there are " +
                                        std::to_string(sequences.size()) +
                                        " sequences of them, and each needs a graph of its own.");
    }

    GraphEditor &m_editor;
    const GraphEdit &m_edit;
    const Trace &m_trace;
    DependencyGraph &m_graph;
    const GraphEditor::Calls m_calls;
};

} // namespace

Applied applyGraph(GraphEditor &editor, const GraphEdit &edit) {
    return Graphs(editor, edit).run();
}

} // namespace longpole
