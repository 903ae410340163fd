// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/idle_index.h"

#include "ui/theme.h"

namespace longpole {

IdleIndex::IdleIndex(std::shared_ptr<const std::vector<DeviceIdle>> books)
    : m_books(std::move(books)) {
    for (const DeviceIdle &device : *m_books) {
        GatheredLane &lane = m_lanes.emplace_back();
        for (const IdleInterval &idle : device.intervals)
            lane.add(idle.begin, idle.end, uint8_t(idle.cause));
        lane.finish(m_groups);
    }
}

const DeviceIdle *IdleIndex::device(const Trace &trace, const TrackGroup &group) const {
    if (group.tracks.empty()) return nullptr;
    const Track &stream = trace.tracks[group.tracks.front()];
    for (const DeviceIdle &device : *m_books)
        if (device.device == stream.device.value_or(0) &&
            device.file == trace.processes[stream.process].file)
            return &device;
    return nullptr;
}

TimelineData::Lane IdleIndex::lane(const DeviceIdle &device) const {
    return m_lanes[size_t(&device - m_books->data())].lane();
}

bool IdleIndex::stacks(TimeRange view, double width) const {
    for (const GatheredLane &gathered : m_lanes) {
        const LaneSource lane = gathered.lane().source;
        if (lane.count == 0) continue;
        const TimeRange known = view.clipped({lane.begin(0), lane.end(lane.count - 1)});
        const double columns = double(known.length()) / double(view.length()) * width;
        const uint32_t count = lane.firstAfter(known.end) - lane.firstAfter(known.begin);
        if (columns > width / 4 && count > columns) return true;
    }
    return false;
}

Surface surfaceOf(IdleCause cause) {
    const Theme &t = theme();
    const auto phase = [&t](const char *id) { return t.phaseColour(id); };
    switch (cause) {
    case IdleCause::DataWait:
        return Surface::plain(phase("data_wait"));
    case IdleCause::TransferWait:
        return Surface::plain(phase("transfer"));
    case IdleCause::SyncWait:
    case IdleCause::HandoffWait:
        return Surface::plain(phase("synchronisation"));
    case IdleCause::CollectiveWait:
        return Surface::plain(phase("communication"));
    case IdleCause::LaunchLatency:
        return Surface::plain(phase("update"));
    case IdleCause::StreamDependency:
        return Surface::plain(phase("backward"));
    case IdleCause::KernelGap:
        return Surface::plain(phase("other"));
    case IdleCause::TransferBlocking:
        return Surface::hostBound(phase("transfer"));
    case IdleCause::HostBound:
        return Surface::hostBound(phase("logging"));
    case IdleCause::Allocator:
    case IdleCause::Compile:
    case IdleCause::Profiler:
        return Surface::hostBound(phase("other"));
    case IdleCause::WindowEdge:
        return Surface::hollow();
    case IdleCause::Unexplained:
        break;
    }
    return Surface::unexplained();
}

QString letterOf(IdleCause cause) {
    switch (cause) {
    case IdleCause::Allocator:
        return QStringLiteral("A");
    case IdleCause::Compile:
        return QStringLiteral("C");
    case IdleCause::Profiler:
        return QStringLiteral("P");
    default:
        return {};
    }
}

} // namespace longpole
