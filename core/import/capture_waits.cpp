// SPDX-License-Identifier: Apache-2.0
// Waits and recorded events of a capture, and which belong together.
#include "core/import/capture_builder.h"

#include "core/import/capture_names.h"

#include <algorithm>

namespace longpole {

void CaptureBuilder::addToRecords(int64_t device, uint32_t correlation, IntervalRow row) {
    const uint32_t track = m_builder.annotationTrack(owner(), "records " + std::to_string(device),
                                                     "sync and event records", device);
    SideRow side;
    side.correlation = known(correlation);
    row.side = m_builder.addSide(track, side);
    m_builder.addInterval(track, row);
}

void CaptureBuilder::eventRecords() {
    const StringId title = m_builder.strings().intern("Event Record");
    for (const auto &[from, offset] : m_events) {
        const Recorded recorded{known(from.correlation), known(from.stream)};
        if (from.sync)
            m_bySync[from.sync] = recorded;
        else
            m_byHandle[from.event].push_back(recorded);
        IntervalRow row;
        if (from.time == 0) { // the device did not tell when
            ++m_builder.events.metadata;
            continue;
        }
        if (!times(from.time, from.time, offset, row)) continue;
        row.name = title;
        row.category = m_event;
        row.kind = Kind::EventRecord;
        addToRecords(deviceOf(from.context), from.correlation, row);
    }
    for (auto &[handle, records] : m_byHandle)
        std::stable_sort(records.begin(), records.end(), [](const Recorded &a, const Recorded &b) {
            return a.correlation < b.correlation;
        });
}

void CaptureBuilder::waits() {
    for (const auto &[from, offset] : m_waits) {
        IntervalRow row;
        if (!times(from.begin, from.end, offset, row)) continue;
        const bool streamWait = from.kind == 2, onEvent = from.kind == 1 || streamWait;
        row.name = m_builder.strings().intern(waitName(from.kind));
        row.category = m_wait;
        row.kind = streamWait ? Kind::EventWait : Kind::Sync;
        const int64_t device = deviceOf(from.context);
        addToRecords(device, from.correlation, row);
        SyncRecord record;
        record.process = owner();
        record.begin = row.begin;
        record.end = row.end;
        record.correlation = known(from.correlation);
        record.device = device;
        record.stream = from.kind == 4 ? -1 : known(from.stream);
        record.streamWait = streamWait;
        if (onEvent) {
            Recorded source;
            if (from.sync) {
                const auto found = m_bySync.find(from.sync);
                if (found != m_bySync.end()) source = found->second;
            } else if (const auto found = m_byHandle.find(from.event); found != m_byHandle.end()) {
                // handles are used again: the last record before the wait
                const auto after = std::upper_bound(
                    found->second.begin(), found->second.end(), record.correlation,
                    [](int64_t wait, const Recorded &r) { return wait < r.correlation; });
                if (after != found->second.begin()) source = *(after - 1);
            }
            record.waitOnCorrelation = source.correlation;
            record.waitOnStream = source.stream;
        }
        m_builder.syncs.push_back(record);
    }
}

} // namespace longpole
