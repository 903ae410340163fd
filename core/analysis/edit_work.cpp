// SPDX-License-Identifier: Apache-2.0
// Work that is no longer done: it takes no time, and what was ordered through it stays in order.
#include "core/analysis/graph_editor.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

bool launches(Kind kind) {
    return kind == Kind::Launch || kind == Kind::Runtime || kind == Kind::GraphLaunch;
}

class Removal {
public:
    Removal(GraphEditor &editor, const GraphEdit &edit)
        : m_editor(editor), m_edit(edit), m_trace(editor.trace), m_graph(editor.graph),
          m_waits(editor), m_calls(editor.callsOf(launches)) {}

    Applied run() {
        auto activities = m_editor.select(m_edit.selector);
        if (!activities) return activities.error();
        m_selected = std::move(*activities);
        findOperations();
        const GraphEditor::Calls chosen = m_editor.selected(m_calls, m_selected);
        const GraphEditor::Calls waits = m_editor.selected(m_waits.calls(), m_selected);
        if (auto error = checkLaunches(chosen)) return *error;
        if (auto error = checkValues(waits)) return *error;
        const size_t host = removeActivities();
        for (const IntervalId call : m_emptied) removeCall(m_calls.at(call));
        for (const auto &[call, pieces] : chosen) // giving back memory may have waited
            m_editor.dropInto(pieces, EdgeType::Sync);
        for (const auto &[call, pieces] : waits) takeOut(m_editor, call, pieces);
        closeGaps();
        warn();
        if (host + m_operations.size() == 0) return std::string();
        return counted(m_operations.size(), "device operation") + " with their launches and " +
               counted(host, "piece") + " of host work";
    }

private:
    IntervalId callOf(const Launch &launch) const {
        return m_editor.outermost(launch.call, launches);
    }

    void findOperations() {
        for (size_t a = 0; a < m_selected.size(); ++a)
            if (const IntervalId id = m_graph.activities[a].interval;
                m_selected[a] && m_trace.track(id).kind == TrackKind::Stream)
                m_operations.insert(id);
        std::set<IntervalId> needed;
        for (const Launch &launch : m_trace.launches)
            (m_operations.contains(launch.op) ? m_emptied : needed).insert(callOf(launch));
        for (const IntervalId call : needed) m_emptied.erase(call);
        std::erase_if(m_emptied, [&](IntervalId call) { return !m_calls.contains(call); });
    }

    /// A call cannot go while what it launches stays.
    std::optional<Error> checkLaunches(const GraphEditor::Calls &chosen) const {
        for (const Launch &launch : m_trace.launches) {
            const IntervalId call = callOf(launch);
            if (m_operations.contains(launch.op) || !chosen.contains(call)) continue;
            return Error{ErrorKind::Impossible, "unsafe_edit",
                         m_edit.text + " is not safe: " + std::string(m_trace.name(call)) + " at " +
                             formatDuration(m_trace.begin(call)) + " launches \"" +
                             std::string(m_trace.name(launch.op)) +
                             "\", which stays. Remove that as well, as in remove:name>:…, or let "
                             "launches cost nothing: launch=0."};
        }
        return std::nullopt;
    }

    /// A value and the wait for it go together.
    std::optional<Error> checkValues(const GraphEditor::Calls &waits) const {
        for (const HostWaits::Value &value : m_waits.values()) {
            const bool copyGoes = m_operations.contains(value.copy);
            if (copyGoes == waits.contains(value.wait)) continue;
            const std::string copy = "\"" + std::string(m_trace.name(value.copy)) + "\" at " +
                                     formatDuration(m_trace.begin(value.copy));
            const std::string wait = std::string(m_trace.name(value.wait)) + " at " +
                                     formatDuration(m_trace.begin(value.wait));
            const std::string why =
                copyGoes ? wait + " stays and hands the program the value of " + copy
                         : copy + " stays and " + wait + " is what makes its value known";
            return Error{ErrorKind::Impossible, "unsafe_edit",
                         m_edit.text + " is not safe: " + why +
                             ". Select both, as in remove:name>:… with the operator that does "
                             "both."};
        }
        return std::nullopt;
    }

    /// Returns how many pieces of host work.
    size_t removeActivities() {
        size_t host = 0;
        for (uint32_t e = 0; e < m_graph.activity.size(); ++e) {
            const uint32_t activity = m_graph.activity[e];
            if (activity == kNone || !m_selected[activity]) continue;
            m_graph.weight[e] = 0;
            host += !m_operations.contains(m_graph.activities[activity].interval);
        }
        return host;
    }

    void removeCall(const CallPieces &pieces) {
        m_editor.setCost(pieces, 0);
        m_editor.dropInto(pieces, EdgeType::BackPressure);
        m_editor.dropInto(pieces, EdgeType::Copy);
    }

    /// What is not there needs no launch, and there is one gap less on its stream.
    void closeGaps() {
        for (const IntervalId op : m_operations) {
            const auto [begin, end] = m_graph.opNodes[op.track][op.row];
            if (begin == kNone) continue;
            for (const uint32_t e : m_editor.edgesInto(begin, EdgeType::Launch))
                m_graph.weight[e] = 0;
            m_ends.insert(begin);
            m_ends.insert(end);
        }
        if (m_editor.reading == EditReading::Other) return;
        for (uint32_t e = 0; e < m_graph.source.size(); ++e)
            if (m_graph.type[e] == EdgeType::Stream && m_ends.contains(m_graph.source[e]))
                m_graph.weight[e] = 0;
    }

    void warn() {
        for (const IntervalId op : m_operations)
            if (m_trace.kind(op) == Kind::Comm) {
                m_editor.warnings.push_back(m_edit.text +
                                            ": the other ranks would have to leave \"" +
                                            std::string(m_trace.name(op)) + "\" out as well.");
                break;
            }
        if (const IntervalId range = rangeThatStays(); range.valid())
            m_editor.warnings.push_back(m_edit.text + ": only the own time of \"" +
                                        std::string(m_trace.name(range)) +
                                        "\" goes. What is nested in it or launched from it stays; "
                                        "name>: removes that too.");
    }

    /// A removed range of a thread in which something stays.
    IntervalId rangeThatStays() const {
        std::vector<std::vector<bool>> removed(m_trace.tracks.size());
        std::vector<std::vector<uint32_t>> calls(m_trace.tracks.size()), around = calls;
        for (uint32_t t = 0; t < removed.size(); ++t)
            removed[t].resize(m_trace.tracks[t].table->size());
        for (size_t a = 0; a < m_selected.size(); ++a)
            if (const IntervalId id = m_graph.activities[a].interval;
                m_selected[a] && id.row != kNone)
                removed[id.track][id.row] = true;
        for (size_t a = 0; a < m_selected.size(); ++a) {
            const IntervalId id = m_graph.activities[a].interval;
            if (m_selected[a] || id.row == kNone || m_trace.track(id).kind != TrackKind::Thread)
                continue;
            if (around[id.track].empty()) {
                around[id.track] = removedAround(id.track, removed[id.track]);
                calls[id.track] = m_editor.outermostOf(id.track, launches);
            }
            if (const uint32_t call = calls[id.track][id.row];
                call != kNone && m_emptied.contains({id.track, call}))
                continue;
            if (const uint32_t row = around[id.track][id.row]; row != kNone) return {id.track, row};
        }
        return {};
    }

    /// By row of a track: the innermost removed range around it.
    std::vector<uint32_t> removedAround(uint32_t track, const std::vector<bool> &removed) const {
        const TrackTable &table = *m_trace.tracks[track].table;
        std::vector<uint32_t> around(table.size(), kNone);
        for (uint32_t row = 0; row < table.size(); ++row)
            if (const uint32_t parent = table.parent[row]; parent != kNone)
                around[row] = removed[parent] ? parent : around[parent];
        return around;
    }

    GraphEditor &m_editor;
    const GraphEdit &m_edit;
    const Trace &m_trace;
    DependencyGraph &m_graph;
    const HostWaits m_waits;
    const GraphEditor::Calls m_calls;
    std::vector<bool> m_selected;      ///< by activity
    std::set<IntervalId> m_operations; ///< of the device, removed
    std::set<IntervalId> m_emptied;    ///< calls of which nothing is left to launch
    std::set<uint32_t> m_ends;         ///< their begin and end nodes
};

} // namespace

Applied applyRemove(GraphEditor &editor, const GraphEdit &edit) {
    return Removal(editor, edit).run();
}

} // namespace longpole
