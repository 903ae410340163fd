// SPDX-License-Identifier: Apache-2.0
// The intervals of a capture: calls and ranges of threads, work on streams.
#include "core/import/capture_builder.h"

#include "core/import/capture_names.h"
#include "core/import/event_kind.h"
#include "core/import/nsys_names.h"

namespace longpole {

void CaptureBuilder::call(const capture::Call &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    const auto [it, isNew] = m_calls.try_emplace(from.name);
    if (isNew) {
        const std::string_view plain = withoutVersion(m_builder.strings()[name(from.name)]);
        const std::string kept(plain);
        it->second = {m_builder.strings().intern(kept), eventKind("cuda_runtime", kept).kind};
    }
    row.name = it->second.name;
    row.kind = it->second.kind;
    row.category = from.head.flags & capture::Call::kDriver ? m_driver : m_runtime;
    const uint32_t track = thread(from.thread);
    SideRow side;
    side.correlation = known(from.correlation);
    row.side = m_builder.addSide(track, side);
    m_builder.addInterval(track, row);
}

void CaptureBuilder::addToStream(uint32_t device, uint32_t context, uint32_t stream,
                                 uint32_t correlation, int64_t bytes, IntervalRow row) {
    const auto [it, isNew] = m_streams.try_emplace({context, stream});
    if (isNew) it->second = m_builder.streamTrack(owner(), known(device), known(stream));
    m_deviceOf.try_emplace(context, known(device));
    SideRow side;
    side.correlation = known(correlation);
    side.bytes = bytes;
    row.side = m_builder.addSide(it->second, side);
    m_builder.addInterval(it->second, row);
}

Kind CaptureBuilder::kernelKind(StringId name) {
    const auto [it, isNew] = m_kernelKinds.try_emplace(name.index);
    if (isNew) it->second = eventKind("kernel", m_builder.strings()[name]).kind;
    return it->second;
}

void CaptureBuilder::kernel(const capture::Kernel &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = name(from.name);
    row.kind = kernelKind(row.name);
    row.category = m_kernel;
    addToStream(from.device, from.context, from.stream, from.correlation, -1, row);
}

void CaptureBuilder::copy(const capture::Copy &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern(copyName(from.direction, from.from, from.to));
    row.kind = copyKindOf(from.direction);
    row.category = m_copy;
    addToStream(from.device, from.context, from.stream, from.correlation, int64_t(from.bytes), row);
    if (from.head.flags & capture::Copy::kAsync || from.correlation == capture::kNoId) return;
    SyncRecord waited; // its call does not return before it has ended
    waited.process = owner();
    waited.begin = row.begin;
    waited.end = row.end;
    waited.correlation = from.correlation;
    waited.device = known(from.device);
    waited.stream = known(from.stream);
    m_builder.syncs.push_back(waited);
}

void CaptureBuilder::set(const capture::Set &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern("Memset (" + std::string(memoryName(from.memory)) + ")");
    row.kind = Kind::Memset;
    row.category = m_set;
    addToStream(from.device, from.context, from.stream, from.correlation, int64_t(from.bytes), row);
}

void CaptureBuilder::graph(const capture::Graph &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern("CUDA graph " + std::to_string(from.graph));
    row.kind = Kind::GraphExec;
    row.category = m_graph;
    addToStream(from.device, from.context, from.stream, from.correlation, -1, row);
}

void CaptureBuilder::range(const capture::Range &from, uint64_t offset) {
    const uint16_t flags = from.head.flags;
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    const uint32_t onThread = thread(from.thread);
    row.category = m_nvtx;
    row.kind = Kind::Annotation;
    row.name = name(from.name);
    if (flags & capture::Range::kMark) {
        m_builder.addInstant(onThread, row.begin, row.name, offset, 't');
        ++m_builder.events.instants;
        return;
    }
    const uint32_t track = flags & capture::Range::kAcross
                               ? m_builder.annotationTrack(owner(), "nvtx ranges", "NVTX ranges")
                               : onThread;
    if (flags & capture::Range::kOpen) {
        row.flags |= kOpenEnd;
        m_builder.diagnostics.add(Reason::BeginWithoutEnd, offset);
    }
    if (const auto torch = torchRange(m_builder.strings()[row.name])) {
        const std::string plain(torch->name);
        row.name = m_builder.strings().intern(plain);
        row.kind = Kind::CpuOp;
        SideRow side;
        side.sequence = torch->sequence;
        row.side = m_builder.addSide(track, side);
    }
    m_builder.addInterval(track, row);
    if (!(flags & capture::Range::kStep) || flags & capture::Range::kOpen) return;
    m_measurement.process = owner();
    m_measurement.thread = std::to_string(from.thread);
    m_measurement.steps.push_back(
        {row.begin, row.end, from.step, bool(flags & capture::Range::kWarmup)});
}

void CaptureBuilder::overhead(const capture::Overhead &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern(overheadName(from.kind));
    row.category = m_overhead;
    row.kind = Kind::Overhead;
    m_builder.addInterval(m_builder.annotationTrack(owner(), "overhead", "overhead"), row);
}

/// Begins and ends by id, in whatever order they were delivered.
void CaptureBuilder::markers() {
    std::map<uint32_t, Kept<capture::Marker>> ends;
    for (const auto &marker : m_markers)
        if (marker.record.kind == 4 && !ends.try_emplace(marker.record.id, marker).second)
            setAside(Reason::EndWithoutBegin, marker.offset);
    for (const auto &[from, offset] : m_markers) {
        if (from.kind == 4) continue;
        const bool moment = from.kind == 1;
        const auto end = moment ? ends.end() : ends.find(from.id);
        const bool open = !moment && end == ends.end();
        IntervalRow row;
        if (!times(from.time, moment || open ? from.time : end->second.record.time, offset, row))
            continue;
        const uint32_t track =
            from.thread == capture::kNoId
                ? m_builder.annotationTrack(owner(), "nvtx ranges", "NVTX ranges")
                : thread(from.thread);
        row.name = name(from.name);
        row.category = m_nvtx;
        row.kind = Kind::Annotation;
        if (moment) {
            m_builder.addInstant(track, row.begin, row.name, offset, 't');
            ++m_builder.events.instants;
        } else if (open) {
            m_builder.addBegin(track, row);
        } else {
            m_builder.addInterval(track, row);
            ++m_builder.events.paired;
            ends.erase(end);
        }
    }
    for (const auto &[id, end] : ends) setAside(Reason::EndWithoutBegin, end.offset);
}

} // namespace longpole
