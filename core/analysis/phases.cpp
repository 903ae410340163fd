// SPDX-License-Identifier: Apache-2.0
//
// Who decides the phase of an interval, strongest first:
//   1. its own name and kind, by the rules in order;
//   2. a host interval: the innermost enclosing interval that matched; a backward operator of
//      autograd without one: the phase of its forward operator, by sequence number;
//   3. a device operation: the phase open at the call that enqueued it;
//   4. what the structure of a training step says where names are missing:
//      - a range that is a wait for more than half of its length is synchronisation;
//      - a thread whose matching intervals are mostly backward is an autograd thread, and its
//        unmatched work is backward;
//      - calls of the step thread that enqueue device work before the last backward of the step
//        begins, and the ranges around them, are forward;
//      - a device operation whose call is not in the file takes the phase of its neighbours on the
//        stream where both agree: a stream runs in the order of enqueueing, so it was enqueued
//        between two calls of that phase;
//   5. other.
#include "core/analysis/phases.h"

#include "core/analysis/excerpt.h"
#include "core/analysis/forward_ops.h"
#include "core/analysis/rule_matcher.h"
#include "core/base/looking.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

namespace longpole {

namespace {

constexpr uint8_t kUnset = RuleMatcher::kUnset;

/// The steps of one file, and when the last backward range of each begins.
struct StepSet {
    const Steps *steps;
    std::vector<TimeNs> lastBackward;

    /// The step at `t`, or nothing.
    std::optional<size_t> at(TimeNs t) const {
        const auto &all = steps->steps;
        auto it = std::upper_bound(all.begin(), all.end(), t,
                                   [](TimeNs time, const Step &s) { return time < s.begin; });
        if (it == all.begin() || t >= (--it)->end) return std::nullopt;
        return size_t(it - all.begin());
    }
};

/// Works out one trace; the columns in `result` hold kUnset until the end of run().
class Work {
public:
    Work(const Trace &trace, const Steps &steps, Phases &result, const Progress &progress)
        : m_trace(trace), m_result(result), m_progress(progress),
          m_backward(result.rules.find("backward")), m_forward(result.rules.find("forward")),
          m_synchronisation(result.rules.find("synchronisation")) {
        findStepSets(steps);
    }

    void run() {
        matchAll();
        if (m_synchronisation) markWaits();
        linkBackwardToForward();
        if (m_backward) markEngines();
        if (m_backward && m_forward)
            for (const StepSet &set : m_stepSets) markForward(set);
        inheritFromLaunches();
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t)
            if (m_trace.tracks[t].kind == TrackKind::Stream) fillUnlinked(t);
        const uint8_t other = m_result.rules.other();
        for (auto &column : m_result.byTrack) {
            m_progress.look();
            std::replace(column.begin(), column.end(), kUnset, other);
        }
    }

private:
    uint32_t fileOf(uint32_t track) const {
        return m_trace.processes[m_trace.tracks[track].process].file;
    }

    /// `steps` are those of one rank; the others have their own.
    void findStepSets(const Steps &steps) {
        m_otherSteps.reserve(m_trace.files.size());
        for (uint32_t file = 0; file < m_trace.files.size(); ++file) {
            const Steps *own = &steps;
            if (m_trace.files.size() > 1 && (steps.thread == kNone || fileOf(steps.thread) != file))
                own = &m_otherSteps.emplace_back(findStepsOfFile(m_trace, file, m_progress));
            m_stepSets.push_back({own, std::vector<TimeNs>(own->steps.size(), kNever)});
        }
    }

    void matchAll() {
        RuleMatcher matcher(m_result.rules);
        m_matched.resize(m_trace.tracks.size());
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const Track &track = m_trace.tracks[t];
            auto &column = m_result.byTrack.emplace_back();
            growTo(column, track.table->size(), m_progress);
            if (track.table->size() == 0) continue;
            matcher.use(*track.table);
            if (track.kind == TrackKind::Stream)
                for (uint32_t row = 0; row < track.table->size(); ++row) {
                    m_progress.look(row);
                    column[row] = matcher.of(row);
                }
            else
                matchNested(t, matcher, column);
        }
        m_result.named = matcher.named();
    }

    /// Rows of a track come after the rows that contain them, so one pass hands phases down.
    void matchNested(uint32_t t, RuleMatcher &matcher, std::vector<uint8_t> &column) {
        const Track &track = m_trace.tracks[t];
        const TrackTable &table = *track.table;
        std::array<uint64_t, 256> matched{};
        StepSet &set = m_stepSets[fileOf(t)];
        for (uint32_t row = 0; row < table.size(); ++row) {
            m_progress.look(row);
            const uint8_t own = matcher.of(row);
            const uint32_t parent = table.parent[row];
            column[row] = own == kUnset && parent != kNone ? column[parent] : own;
            if (own == kUnset) continue;
            ++matched[own];
            if (!m_backward || own != *m_backward || track.kind != TrackKind::Thread) continue;
            if (const auto step = set.at(track.begin(row)))
                set.lastBackward[*step] = std::max(set.lastBackward[*step], track.begin(row));
        }
        if (track.kind == TrackKind::Thread) m_matched[t] = countsOf(matched);
    }

    void markWaits() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            if (m_trace.tracks[t].kind != TrackKind::Thread) continue;
            const TrackTable &table = *m_trace.tracks[t].table;
            auto &column = m_result.byTrack[t];
            for (uint32_t wait = 0; wait < table.size(); ++wait) {
                m_progress.look(wait);
                if (table.kind[wait] != Kind::Sync || column[wait] != *m_synchronisation) continue;
                for (uint32_t row = table.parent[wait];
                     row != kNone && column[row] == kUnset &&
                     table.duration[wait] > table.duration[row] / 2;
                     row = table.parent[row])
                    column[row] = *m_synchronisation;
            }
        }
    }

    struct Matched {
        uint64_t backward = 0, otherWork = 0;
    };
    Matched countsOf(const std::array<uint64_t, 256> &matched) const {
        Matched counts;
        if (m_backward) counts.backward = matched[*m_backward];
        for (const char *id : {"forward", "update", "data_wait"})
            if (const auto phase = m_result.rules.find(id)) counts.otherWork += matched[*phase];
        return counts;
    }

    /// Autograd writes the sequence number of the forward operator on the backward one: where no
    /// rule names backward work, it belongs to the phase that the forward operator had.
    void linkBackwardToForward() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const Track &track = m_trace.tracks[t];
            const auto &sides = track.table->sides;
            if (track.kind != TrackKind::Thread ||
                std::none_of(sides.begin(), sides.end(), ForwardOps::isBackward))
                continue;
            auto &column = m_result.byTrack[t];
            for (uint32_t row = 0; row < track.table->size(); ++row) {
                m_progress.look(row);
                if (column[row] != kUnset) continue;
                const SideRow &side = track.table->sideOf(row);
                const uint32_t parent = track.table->parent[row];
                if (ForwardOps::isBackward(side))
                    column[row] = phaseOfForward(fileOf(t), side.sequence);
                else if (parent != kNone)
                    column[row] = column[parent];
            }
        }
    }

    uint8_t phaseOfForward(uint32_t file, int64_t sequence) {
        if (!m_forwardOps) m_forwardOps.emplace(m_trace, m_progress);
        const IntervalId op = m_forwardOps->of(file, sequence);
        return op.valid() ? m_result.byTrack[op.track][op.row] : kUnset;
    }

    void markEngines() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const bool isStepThread = t == m_stepSets[fileOf(t)].steps->thread;
            if (isStepThread || m_matched[t].backward <= m_matched[t].otherWork) continue;
            auto &column = m_result.byTrack[t];
            m_progress.look();
            std::replace(column.begin(), column.end(), kUnset, *m_backward);
        }
    }

    void markForward(const StepSet &set) {
        const uint32_t thread = set.steps->thread;
        if (thread == kNone) return;
        const Track &track = m_trace.tracks[thread];
        const TrackTable &table = *track.table;
        auto &column = m_result.byTrack[thread];
        for (size_t i = 0; i < m_trace.launches.size(); ++i) {
            m_progress.look(i);
            const Launch &launch = m_trace.launches[i];
            if (launch.call.track != thread) continue;
            const auto step = set.at(track.begin(launch.call.row));
            const TimeNs end = step ? set.lastBackward[*step] : kNever;
            for (uint32_t row = launch.call.row; row != kNone; row = table.parent[row]) {
                if (column[row] != kUnset || track.end(row) > end) break;
                column[row] = *m_forward;
            }
        }
        // What lies inside a range that turned out to be forward is forward too.
        for (uint32_t row = 0; row < table.size(); ++row)
            if (m_progress.look(row); column[row] == kUnset && table.parent[row] != kNone)
                column[row] = column[table.parent[row]];
    }

    void inheritFromLaunches() {
        for (size_t i = 0; i < m_trace.launches.size(); ++i) {
            m_progress.look(i);
            const Launch &launch = m_trace.launches[i];
            uint8_t &phase = m_result.byTrack[launch.op.track][launch.op.row];
            if (phase == kUnset) phase = openAt(launch.call);
        }
    }

    /// A call that both waits and enqueues is a wait itself, but what it enqueues belongs to the
    /// range around it.
    uint8_t openAt(IntervalId call) const {
        const uint8_t phase = m_result.byTrack[call.track][call.row];
        const uint32_t parent = m_trace.track(call).table->parent[call.row];
        if (m_trace.kind(call) == Kind::Sync && m_synchronisation && phase == *m_synchronisation)
            return parent == kNone ? kUnset : m_result.byTrack[call.track][parent];
        return phase;
    }

    void fillUnlinked(uint32_t t) {
        const TrackTable &table = *m_trace.tracks[t].table;
        auto &column = m_result.byTrack[t];
        if (std::find(column.begin(), column.end(), kUnset) == column.end()) return;
        std::vector<bool> linked(table.size());
        auto it =
            std::lower_bound(m_trace.launches.begin(), m_trace.launches.end(), IntervalId{t, 0},
                             [](const Launch &l, IntervalId id) { return l.op < id; });
        for (; it != m_trace.launches.end() && it->op.track == t; ++it) {
            m_progress.look(it->op.row);
            linked[it->op.row] = true;
        }
        std::vector<uint32_t> order;
        growTo(order, table.size(), m_progress);
        std::iota(order.begin(), order.end(), 0u);
        stableSortLooking(
            order, [&](uint32_t a, uint32_t b) { return table.start[a] < table.start[b]; },
            m_progress);
        fillGaps(order, linked, column);
    }

    static void fillGaps(const std::vector<uint32_t> &order, const std::vector<bool> &linked,
                         std::vector<uint8_t> &column) {
        uint8_t before = kUnset;
        for (size_t i = 0; i < order.size();) {
            if (linked[order[i]]) {
                before = column[order[i++]];
                continue;
            }
            size_t end = i;
            while (end < order.size() && !linked[order[end]]) ++end;
            const uint8_t after = end < order.size() ? column[order[end]] : kUnset;
            for (; i < end; ++i)
                if (column[order[i]] == kUnset && before == after) column[order[i]] = before;
        }
    }

    static constexpr TimeNs kNever = std::numeric_limits<TimeNs>::min();

    const Trace &m_trace;
    Phases &m_result;
    const Progress &m_progress;
    const std::optional<uint8_t> m_backward, m_forward, m_synchronisation;
    std::vector<Steps> m_otherSteps;
    std::vector<StepSet> m_stepSets;        ///< by file
    std::vector<Matched> m_matched;         ///< by track, of threads
    std::optional<ForwardOps> m_forwardOps; ///< where some backward operator has no phase
};

} // namespace

Phases phases(const Trace &trace, const Steps &steps, const PhaseRules &rules,
              const Progress &progress) {
    if (auto kept = excerptPhases(trace, rules)) return std::move(*kept);
    Phases result;
    result.rules = rules;
    result.byTrack.reserve(trace.tracks.size());
    result.stepMarkers = steps.markers;
    Work(trace, steps, result, progress).run();
    return result;
}

} // namespace longpole
