// SPDX-License-Identifier: Apache-2.0
// Copies that no longer hold the host up: as from pinned memory, without blocking.
#include "core/analysis/graph_draft.h"
#include "core/analysis/graph_editor.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

bool isApi(Kind kind) {
    return kind == Kind::Runtime || kind == Kind::Launch || kind == Kind::Sync ||
           kind == Kind::GraphLaunch || kind == Kind::EventRecord || kind == Kind::EventWait;
}

class Async {
public:
    Async(GraphEditor &editor, const GraphEdit &edit)
        : m_editor(editor), m_edit(edit), m_trace(editor.trace), m_waits(editor),
          m_calls(editor.callsOf(isRuntime)) {}

    Applied run() {
        const auto activities = m_editor.select(m_edit.selector);
        if (!activities) return activities.error();
        findCopies(*activities);
        for (const Launch &copy : m_copies)
            if (toHost(copy) && blocks(copy) && !m_waits.covering(copy).valid())
                return readAtOnce(copy);
        if (m_edit.factor) scaleCopies();
        learnCost();
        size_t held = 0, pageable = 0;
        for (const Launch &copy : m_copies) {
            held += release(copy);
            pageable += isPageable(copy.op);
        }
        if (pageable && !m_edit.factor)
            m_editor.warnings.push_back(m_edit.text + ": " + std::to_string(pageable) +
                                        " copies are from or to pageable memory. From pinned "
                                        "memory they take less: say what "
                                        "is left of the time, as in " +
                                        m_edit.text + "=0.5.");
        if (m_copies.empty()) return std::string();
        return std::to_string(held) + " of " + counted(m_copies.size(), "transfer") +
               " (those that hold the host up)" +
               (m_edit.factor ? ", gives all of them the named share of their time" : "");
    }

private:
    void findCopies(const std::vector<bool> &activities) {
        const GraphEditor::Calls calls = m_editor.selected(m_calls, activities);
        std::set<IntervalId> operations;
        for (size_t a = 0; a < activities.size(); ++a)
            if (activities[a]) operations.insert(m_editor.graph.activities[a].interval);
        for (const Launch &launch : m_trace.launches)
            if (isCopyKind(m_trace.kind(launch.op)) &&
                (operations.contains(launch.op) || calls.contains(callOf(launch))))
                m_copies.push_back(launch);
    }

    IntervalId callOf(const Launch &copy) const { return m_editor.outermost(copy.call, isRuntime); }
    bool toHost(const Launch &copy) const {
        const Kind kind = m_trace.kind(copy.op);
        return kind == Kind::D2H || kind == Kind::H2H;
    }
    bool isPageable(IntervalId op) const {
        return m_trace.name(op).find("Pageable") != std::string_view::npos;
    }
    bool blocks(const Launch &copy) const { return m_trace.end(copy.op) <= m_trace.end(copy.call); }

    Error readAtOnce(const Launch &copy) const {
        return {ErrorKind::Impossible, "unsafe_edit",
                m_edit.text + " is not safe: nothing waits later for what \"" +
                    std::string(m_trace.name(copy.op)) + "\" at " +
                    formatDuration(m_trace.begin(copy.op)) +
                    " copies to the host, so the program reads it when the call returns. Leave it "
                    "out of the selector, as in async:kind:h2d."};
    }

    /// What a call costs that only enqueues: a copy, else a kernel.
    void learnCost() {
        std::vector<TimeNs> copies, launches;
        for (const Launch &launch : m_trace.launches) {
            const TimeNs length = m_trace.end(launch.call) - m_trace.begin(launch.call);
            if (m_trace.kind(launch.call) == Kind::Launch)
                launches.push_back(length);
            else if (isCopyKind(m_trace.kind(launch.op)) && !isPageable(launch.op) &&
                     !blocks(launch))
                copies.push_back(length);
        }
        std::vector<TimeNs> &best = copies.empty() ? launches : copies;
        if (!best.empty()) m_cost = quantileOf(best, 0.5);
        std::vector<TimeNs> lags; // of what begins behind the return of its call
        for (const Launch &launch : m_trace.launches) {
            const uint32_t begin = m_editor.graph.opNodes[launch.op.track][launch.op.row].begin;
            if (begin == kNone || m_trace.begin(launch.op) < m_trace.end(launch.call)) continue;
            for (const uint32_t e : m_editor.edgesInto(begin, EdgeType::Launch))
                lags.push_back(m_editor.graph.weight[e]);
        }
        if (!lags.empty()) m_lag = quantileOf(lags, 0.5);
    }

    void scaleCopies() {
        std::set<IntervalId> copies;
        for (const Launch &copy : m_copies) copies.insert(copy.op);
        for (uint32_t e = 0; e < m_editor.graph.activity.size(); ++e)
            if (const uint32_t a = m_editor.graph.activity[e];
                a != kNone && copies.contains(m_editor.graph.activities[a].interval))
                m_editor.scale(e, *m_edit.factor);
    }

    /// Whether the copy held its thread up.
    bool release(const Launch &copy) {
        const auto op = m_editor.graph.opNodes[copy.op.track][copy.op.row];
        bool held = false;
        if (const IntervalId wait = waitBehind(copy); wait.valid()) {
            takeOut(m_editor, wait, m_waits.calls().at(wait));
            held = true;
        }
        const auto pieces = m_calls.find(callOf(copy));
        if (pieces == m_calls.end() || !(blocks(copy) || isPageable(copy.op))) return held;
        m_editor.dropInto(pieces->second, EdgeType::Copy);
        const TimeNs length = m_trace.end(copy.call) - m_trace.begin(copy.call);
        const TimeNs cost = std::min(length, m_cost);
        m_editor.setCost(pieces->second, cost);
        if (op.begin == kNone) return true;
        m_editor.graph.delta[op.begin] = 0;                           // it waited to be staged
        if (m_lag && m_trace.begin(copy.op) < m_trace.end(copy.call)) // it was seen from the begin
            for (const uint32_t e : m_editor.edgesInto(op.begin, EdgeType::Launch))
                m_editor.graph.weight[e] = cost + *m_lag;
        return true;
    }

    /// The call that waits for this copy to the device and for nothing else: the next one behind it
    /// in the same range.
    IntervalId waitBehind(const Launch &copy) {
        if (toHost(copy)) return {};
        const IntervalId call = callOf(copy), next = nextCall(call);
        if (!next.valid() || m_trace.kind(next) != Kind::Sync) return {};
        const TrackTable &table = *m_trace.track(call).table;
        const bool together = table.parent[call.row] == table.parent[next.row];
        return together && m_waits.covering(copy) == next ? next : IntervalId{};
    }

    IntervalId nextCall(IntervalId call) {
        const TrackTable &table = *m_trace.track(call).table;
        auto &calls = m_apiCalls[call.track];
        if (calls.empty()) {
            const std::vector<uint32_t> outermost = m_editor.outermostOf(call.track, isApi);
            for (uint32_t row = 0; row < table.size(); ++row)
                if (outermost[row] == row) calls.emplace_back(table.start[row], row);
            std::sort(calls.begin(), calls.end());
        }
        const auto next = std::lower_bound(calls.begin(), calls.end(),
                                           std::pair(table.end(call.row), uint32_t(0)));
        return next == calls.end() ? IntervalId{} : IntervalId{call.track, next->second};
    }

    GraphEditor &m_editor;
    const GraphEdit &m_edit;
    const Trace &m_trace;
    const HostWaits m_waits;
    const GraphEditor::Calls m_calls;
    std::vector<Launch> m_copies;
    std::map<uint32_t, std::vector<std::pair<TimeNs, uint32_t>>>
        m_apiCalls; ///< begin, row; by thread
    TimeNs m_cost = kGraphThresholds.ownSyncCost;
    std::optional<TimeNs> m_lag; ///< from the return of a call to the begin of its operation
};

} // namespace

Applied applyAsync(GraphEditor &editor, const GraphEdit &edit) {
    return Async(editor, edit).run();
}

} // namespace longpole
