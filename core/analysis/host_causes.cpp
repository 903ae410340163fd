// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/host_causes.h"

#include "core/analysis/step_markers.h"
#include "core/base/looking.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

bool containsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return contains(text, part); });
}

IdleCause byName(std::string_view name) {
    if (containsAny(name, {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cuMemAlloc", "cuMemFree",
                           "cuMemCreate", "cuMemMap", "cuMemUnmap", "cuMemRelease",
                           "cuMemSetAccess", "cuMemAddress", "hipMalloc", "hipFree",
                           "hipHostMalloc", "hipMemCreate", "hipMemMap", "hipMemUnmap"}))
        return IdleCause::Allocator;
    if (containsAny(name, {"cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad", "hipModuleLoad",
                           "nvrtc", "hiprtc", "compile_fx", "convert_frame", "codecache",
                           "cuLinkCreate", "triton/compiler", "CompiledFunction.compile"}))
        return IdleCause::Compile;
    if (contains(name, "emcpy") && !contains(name, "Async")) return IdleCause::TransferBlocking;
    if (containsAny(name, {"c10d::", "distributed_c10d.py"}) &&
        containsAny(name, {"barrier", "monitored"}))
        return IdleCause::CollectiveWait;
    if (name.starts_with("gloo:") || containsAny(name, {"MPI_Barrier", "MPI_All", "MPI_Bcast"}))
        return IdleCause::CollectiveWait;
    return IdleCause::HostBound;
}

/// CUPTI's kinds of overhead: most are the profiler's own, some are the driver's work.
IdleCause ofOverhead(std::string_view name) {
    if (containsAny(name, {"ompiler", "Loading", "loading"})) return IdleCause::Compile;
    // the launch stood before a full queue
    if (containsAny(name, {"Command Buffer Full", "Command buffer full"}))
        return IdleCause::LaunchLatency;
    return IdleCause::Profiler;
}

} // namespace

HostCauses::HostCauses(const Trace &trace, const Phases &phases, const Progress &progress)
    : m_trace(trace), m_markers(phases.stepMarkers), m_dataWait(phases.rules.find("data_wait")) {
    collectNotes(progress);
}

bool HostCauses::marksStep(IntervalId id) const {
    return longpole::marksStep(m_trace.name(id), m_markers);
}

std::pair<uint32_t, uint32_t> HostCauses::ownerOf(uint32_t track) const {
    const uint32_t process = m_trace.tracks[track].process;
    const Process &p = m_trace.processes[process];
    return {p.file, p.ownIds ? process : kNone};
}

void HostCauses::collectNotes(const Progress &progress) {
    for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
        const Track &track = m_trace.tracks[t];
        if (track.kind != TrackKind::Annotation) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (progress.look(row); track.table->kind[row] == Kind::Overhead)
                m_notes[ownerOf(t)].push_back(
                    {{track.begin(row), track.end(row)}, ofOverhead(track.nameOf(row)), {t, row}});
    }
    for (auto &[owner, notes] : m_notes) {
        sortLooking(
            notes,
            [](const Note &a, const Note &b) {
                return std::pair(a.range.begin, a.id) < std::pair(b.range.begin, b.id);
            },
            progress);
        TimeNs covered = std::numeric_limits<TimeNs>::min();
        for (Note &note : notes) {
            note.range.begin = std::max(note.range.begin, covered);
            covered = std::max(covered, note.range.end);
        }
        std::erase_if(notes, [](const Note &note) { return note.range.begin >= note.range.end; });
    }
}

const HostCauses::Note *HostCauses::lastBefore(uint32_t track, TimeNs t) const {
    const auto notes = m_notes.find(ownerOf(track));
    if (notes == m_notes.end()) return nullptr;
    const auto it =
        std::lower_bound(notes->second.begin(), notes->second.end(), t,
                         [](const Note &note, TimeNs at) { return note.range.begin < at; });
    return it == notes->second.begin() ? nullptr : &*(it - 1);
}

bool HostCauses::copiesBlocking(IntervalId call) const {
    const std::string_view name = m_trace.name(call);
    if (!contains(name, "emcpy")) return false;
    if (!contains(name, "Async")) return true;
    const std::vector<IntervalId> ops = m_trace.opsOf(call);
    return std::any_of(ops.begin(), ops.end(), [&](IntervalId op) {
        return contains(m_trace.name(op), "ageable") && m_trace.kind(op) != Kind::D2D;
    });
}

IdleCause HostCauses::byNameOf(const TrackTable &table, uint32_t row) {
    std::vector<uint8_t> &known = m_known[table.strings.get()];
    if (known.empty()) known.resize(table.strings->size());
    uint8_t &cause = known[table.name[row].index];
    if (!cause) cause = uint8_t(byName((*table.strings)[table.name[row]])) + 1;
    return IdleCause(cause - 1);
}

IdleCause HostCauses::of(const Activity &activity) {
    if (activity.interval.row == kNone) return IdleCause::HostBound;
    if (m_dataWait && activity.phase == *m_dataWait) return IdleCause::DataWait;
    if (activity.kind == Kind::Overhead) return IdleCause::Profiler;
    if (activity.kind == Kind::Sync) return IdleCause::SyncWait;
    if (activity.kind == Kind::Runtime && copiesBlocking(activity.interval))
        return IdleCause::TransferBlocking;
    return ofRange(activity.interval);
}

IdleCause HostCauses::ofRange(IntervalId id) {
    const TrackTable &table = *m_trace.track(id).table;
    for (uint32_t row = id.row; row != kNone; row = table.parent[row]) {
        const IdleCause cause = byNameOf(table, row);
        if (cause != IdleCause::HostBound) return cause;
    }
    return IdleCause::HostBound;
}

IdleCause HostCauses::ofOperation(Kind kind) {
    if (kind == Kind::Comm) return IdleCause::CollectiveWait;
    return isCopyKind(kind) ? IdleCause::TransferWait : IdleCause::StreamDependency;
}

} // namespace longpole
