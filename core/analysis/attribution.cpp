// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/attribution.h"

#include "core/analysis/forward_ops.h"
#include "core/analysis/rule_matcher.h"
#include "core/analysis/step_markers.h"
#include "core/base/looking.h"

#include <algorithm>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::string_view kModule = "nn.Module: ";

/// The name of what the interpreter itself provides holds an address and tells nothing of the
/// program.
bool isBuiltIn(std::string_view frame) {
    return frame.starts_with("<built-in");
}

/// Gives owners to the rows of threads by names, then to device work by launches.
class Owners {
public:
    Owners(const Trace &trace, AttributeTo to, const Progress &progress)
        : m_trace(trace), m_to(to), m_progress(progress) {
        m_result.owners = {to == AttributeTo::Op ? "(no operator)" : "(no module or Python frame)",
                           "(launch not in the trace)"};
        m_result.byTrack.resize(trace.tracks.size());
    }

    Attribution run() {
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) takeOwn(t);
        if (m_to == AttributeTo::Module) {
            linkToForward();
            for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) fillWithFrames(t);
            m_framesKnown = true;
            linkToForward(); // what has neither module nor frame yet
        }
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t)
            if (m_trace.tracks[t].kind == TrackKind::Stream)
                std::fill(m_result.byTrack[t].begin(), m_result.byTrack[t].end(),
                          Attribution::kNoLaunch);
        for (size_t i = 0; i < m_trace.launches.size(); ++i) {
            m_progress.look(i);
            const Launch &launch = m_trace.launches[i];
            m_result.byTrack[launch.op.track][launch.op.row] = m_result.of(launch.call);
        }
        return std::move(m_result);
    }

private:
    static constexpr uint32_t kNoOwner = Attribution::kNoOwner;

    bool owns(const TrackTable &table, uint32_t row) {
        if (m_markers.has(row)) return false;
        if (m_to == AttributeTo::Op) return table.kind[row] == Kind::CpuOp;
        return table.kind[row] == Kind::Python && nameOf(table, row).starts_with(kModule);
    }

    /// Rows of a track come after the rows that contain them, so one pass hands owners down.
    void takeOwn(uint32_t t) {
        const TrackTable &table = *m_trace.tracks[t].table;
        auto &column = m_result.byTrack[t];
        growTo(column, table.size(), m_progress); // kNoOwner
        if (m_trace.tracks[t].kind == TrackKind::Stream || table.size() == 0) return;
        m_markers.use(table);
        for (uint32_t row = 0; row < table.size(); ++row) {
            m_progress.look(row);
            column[row] = owns(table, row) ? ownerNamed(table, row) : inherited(table, column, row);
        }
    }

    /// The owner of a forward operator owns its backward operator too, wherever that one runs; a
    /// module inside of it, or a frame on its own thread, is nearer.
    void linkToForward() {
        if (!m_forward) m_forward.emplace(m_trace, m_progress);
        const auto own = m_result.byTrack;
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const Track &track = m_trace.tracks[t];
            const TrackTable &table = *track.table;
            if (track.kind != TrackKind::Thread || table.side.empty()) continue;
            const uint32_t file = m_trace.processes[track.process].file;
            auto &column = m_result.byTrack[t];
            m_markers.use(table);
            for (uint32_t row = 0; row < table.size(); ++row) {
                m_progress.look(row);
                if (owns(table, row) || (m_framesKnown && column[row] != kNoOwner)) continue;
                const SideRow &side = table.sideOf(row);
                const IntervalId op = ForwardOps::isBackward(side)
                                          ? m_forward->of(file, side.sequence)
                                          : IntervalId{};
                const uint32_t linked = op.valid() ? own[op.track][op.row] : kNoOwner;
                column[row] = linked != kNoOwner ? linked : inherited(table, column, row);
            }
        }
    }

    /// Where no module is open: the innermost Python frame.
    void fillWithFrames(uint32_t t) {
        const Track &track = m_trace.tracks[t];
        const TrackTable &table = *track.table;
        if (track.kind != TrackKind::Thread) return;
        auto &column = m_result.byTrack[t];
        for (uint32_t row = 0; row < table.size(); ++row) {
            m_progress.look(row);
            if (column[row] != kNoOwner) continue;
            const bool frame = table.kind[row] == Kind::Python && !isBuiltIn(nameOf(table, row));
            column[row] = frame ? ownerNamed(table, row) : inherited(table, column, row);
        }
    }

    static uint32_t inherited(const TrackTable &table, const std::vector<uint32_t> &column,
                              uint32_t row) {
        return table.parent[row] == kNone ? kNoOwner : column[table.parent[row]];
    }

    static std::string_view nameOf(const TrackTable &table, uint32_t row) {
        return (*table.strings)[table.name[row]];
    }

    uint32_t ownerNamed(const TrackTable &table, uint32_t row) {
        auto &known = m_known[table.strings.get()];
        if (known.empty()) known.assign(table.strings->size(), kNone);
        uint32_t &owner = known[table.name[row].index];
        if (owner == kNone) {
            const std::string_view name = nameOf(table, row);
            const auto [it, made] = m_byName.try_emplace(name, uint32_t(m_result.owners.size()));
            if (made) m_result.owners.emplace_back(name);
            owner = it->second;
        }
        return owner;
    }

    const Trace &m_trace;
    const AttributeTo m_to;
    const Progress &m_progress;
    Attribution m_result;
    std::optional<ForwardOps> m_forward;
    bool m_framesKnown = false;
    StepMarkers m_markers;
    std::unordered_map<const StringPool *, std::vector<uint32_t>> m_known;
    std::unordered_map<std::string_view, uint32_t> m_byName; ///< the pools keep the texts alive
};

Attribution attributeToClasses(const Trace &trace, const Progress &progress) {
    const PhaseRules &classes = defaultKernelClasses();
    constexpr uint32_t first = Attribution::kNoOwner + 1;
    Attribution result;
    result.owners = {"(host)"};
    for (const PhaseRule &rule : classes.rules) result.owners.push_back(rule.id);
    RuleMatcher matcher(classes);
    for (const Track &track : trace.tracks) {
        auto &column = result.byTrack.emplace_back(track.table->size(), Attribution::kNoOwner);
        if (track.kind != TrackKind::Stream || column.empty()) continue;
        matcher.use(*track.table);
        for (uint32_t row = 0; row < column.size(); ++row) {
            progress.look(row);
            const uint8_t rule = matcher.of(row);
            column[row] = first + (rule == RuleMatcher::kUnset ? classes.other() : rule);
        }
    }
    return result;
}

} // namespace

Attribution attribute(const Trace &trace, AttributeTo to, const Progress &progress) {
    return to == AttributeTo::Class ? attributeToClasses(trace, progress)
                                    : Owners(trace, to, progress).run();
}

} // namespace longpole
