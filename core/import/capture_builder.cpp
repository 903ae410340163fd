// SPDX-License-Identifier: Apache-2.0
// What a capture says of itself, of processes, threads and devices, and how it ends.
#include "core/import/capture_builder.h"

#include "core/base/json_text.h"
#include "core/import/capture_names.h"
#include "core/import/decimal_time.h"

#include <algorithm>

namespace longpole {

using capture::Type;

void CaptureBuilder::add(const CaptureRecord &record) {
    ++m_builder.events.read;
    const uint64_t at = record.offset;
    switch (record.head.type) {
    case Type::Call:
        return call(record.as<capture::Call>(), at);
    case Type::Kernel:
        return kernel(record.as<capture::Kernel>(), at);
    case Type::Copy:
        return copy(record.as<capture::Copy>(), at);
    case Type::Set:
        return set(record.as<capture::Set>(), at);
    case Type::Graph:
        return graph(record.as<capture::Graph>(), at);
    case Type::Range:
        return range(record.as<capture::Range>(), at);
    case Type::Overhead:
        return overhead(record.as<capture::Overhead>(), at);
    case Type::Message:
        return message(record.as<capture::Message>(), at);
    // kept until all is known that they speak of
    case Type::Wait:
        return void(m_waits.push_back({record.as<capture::Wait>(), at}));
    case Type::EventRecord:
        return void(m_events.push_back({record.as<capture::EventRecord>(), at}));
    case Type::Marker:
        return void(m_markers.push_back({record.as<capture::Marker>(), at}));
    case Type::Memory:
        return void(m_memory.push_back(record.as<capture::Memory>()));
    default:
        break;
    }
    ++m_builder.events.metadata;
    switch (record.head.type) {
    case Type::Text:
        return text(record);
    case Type::Process:
        return process(record.as<capture::Process>());
    case Type::Context: {
        const auto from = record.as<capture::Context>();
        m_deviceOf[from.id] = known(from.device);
        m_orders[{from.id, from.nullStream}] = StreamOrder::Null;
        return;
    }
    case Type::Stream: {
        const auto from = record.as<capture::Stream>();
        m_orders[{from.context, from.id}] = from.order == 1   ? StreamOrder::Blocking
                                            : from.order == 2 ? StreamOrder::NonBlocking
                                            : from.order == 3 ? StreamOrder::Null
                                                              : StreamOrder::Unknown;
        return;
    }
    case Type::Device: {
        const auto from = record.as<capture::Device>();
        constexpr uint32_t kMostDevices = 4096;
        if (from.id >= kMostDevices) return;
        auto &names = m_builder.file.deviceNames;
        if (from.id >= names.size()) names.resize(from.id + 1);
        names[from.id] = m_builder.strings()[name(from.name)];
        return;
    }
    case Type::Thread: {
        const auto from = record.as<capture::Thread>();
        const bool given = from.head.flags & capture::Thread::kGiven;
        const auto [it, isNew] = m_given.try_emplace(from.id, given);
        if (!isNew && it->second && !given) return;
        it->second = given;
        m_builder.nameThread(owner(), std::to_string(from.id),
                             m_builder.strings()[name(from.name)]);
        return;
    }
    case Type::Boundary:
        return boundary(record.as<capture::Boundary>());
    case Type::End:
        m_ended = true;
        return;
    case Type::Dropped: {
        const auto from = record.as<capture::Dropped>();
        constexpr uint64_t kMost = uint64_t(1) << 40;
        if (from.loss != uint32_t(capture::Loss::Unknown) || from.count > kMost)
            return; // in the chunks' heads
        m_builder.diagnostics.add(Reason::UnknownRecord, at, from.count);
        m_builder.events.read += from.count;
        m_builder.events.setAside += from.count;
        return;
    }
    case Type::MarkerData:
    case Type::External:
        return; // counted elsewhere, or arguments at most
    default:
        --m_builder.events.metadata;
        return setAside(Reason::UnknownRecord, at);
    }
}

void CaptureBuilder::text(const CaptureRecord &record) {
    const auto from = record.as<capture::Text>();
    const size_t room = record.head.size - std::min<size_t>(record.head.size, sizeof from);
    const std::string_view written(record.data + sizeof from, std::min<size_t>(from.length, room));
    const std::string valid = toValidUtf8(written);
    if (valid != written) m_builder.diagnostics.add(Reason::InvalidUtf8, record.offset);
    const StringId kept = m_builder.strings().intern(valid);
    if (from.id == m_texts.size())
        m_texts.push_back(kept);
    else // behind a chunk that is lost
        m_sparse[from.id] = kept;
}

void CaptureBuilder::process(const capture::Process &from) {
    if (m_process == kNone) {
        const TimeNs shift = TimeNs(from.realtime - from.now);
        if (shift > -kTimeLimit && shift < kTimeLimit) m_shift = shift;
        m_process = m_builder.process(std::to_string(from.pid));
        m_builder.processAt(m_process).ownIds = true;
        m_builder.processAt(m_process).name = m_builder.strings()[name(from.name)];
        if (from.rank >= 0) m_builder.file.rank = from.rank;
        if (from.worldSize > 0) m_builder.file.worldSize = from.worldSize;
        if (from.begin) m_measurement.processBegin = time(from.begin);
        m_measurement.asked = from.steps;
        m_measurement.warmup = from.warmup;
        m_measurement.synchronise = from.boundary == uint32_t(capture::BoundaryKind::Synchronise);
        m_builder.file.clock = "CLOCK_MONOTONIC, moved once to the time of day";
    }
    std::string producer(m_builder.strings()[name(from.producer)]);
    if (from.cupti) producer += ", CUPTI " + cuptiVersionText(from.cupti);
    if (from.driver) producer += ", driver for CUDA " + cudaVersionText(from.driver);
    m_builder.file.producer = producer;
}

uint32_t CaptureBuilder::owner() {
    if (m_process == kNone) { // a file whose first chunk is lost
        m_process = m_builder.process("unknown");
        m_builder.processAt(m_process).ownIds = true;
    }
    return m_process;
}

uint32_t CaptureBuilder::thread(uint32_t id) {
    const auto [it, isNew] = m_threads.try_emplace(id);
    if (isNew) it->second = m_builder.threadTrack(owner(), std::to_string(id));
    return it->second;
}

std::optional<TimeNs> CaptureBuilder::time(uint64_t t) const {
    if (t >= uint64_t(kTimeLimit)) return std::nullopt;
    const TimeNs moved = TimeNs(t) + m_shift;
    if (moved <= -kTimeLimit || moved >= kTimeLimit) return std::nullopt;
    return moved;
}

bool CaptureBuilder::times(uint64_t begin, uint64_t end, uint64_t offset, IntervalRow &row) {
    const auto from = time(begin), to = time(end);
    if (!from || !to) {
        setAside(Reason::TimeOutOfRange, offset);
        return false;
    }
    if (begin == 0 && end == 0) { // the device did not tell
        setAside(Reason::BadTime, offset);
        return false;
    }
    row.begin = *from;
    row.end = std::max(*from, *to);
    row.offset = offset;
    if (*to >= *from) return true;
    row.flags |= kClamped;
    m_builder.diagnostics.add(Reason::NegativeDuration, offset);
    return true;
}

void CaptureBuilder::boundary(const capture::Boundary &from) {
    const bool end = from.head.flags & capture::Boundary::kEnd;
    (end ? m_measurement.end : m_measurement.begin) = time(from.after);
    const bool waited = from.contexts > 0 && from.failed == 0;
    m_measurement.synchronised =
        m_measurement.synchronise && waited && (!end || m_measurement.synchronised);
}

void CaptureBuilder::message(const capture::Message &from, uint64_t offset) {
    const auto at = time(from.time);
    if (!at) return setAside(Reason::TimeOutOfRange, offset);
    const uint32_t track =
        m_builder.annotationTrack(owner(), "messages", "messages of the recorder");
    m_builder.addInstant(track, *at, name(from.text), offset, 'p');
    m_builder.diagnostics.add(Reason::RecorderMessage, offset);
    ++m_builder.events.instants;
}

/// Bytes in use by device, from what is taken and given back.
void CaptureBuilder::memory() {
    std::stable_sort(m_memory.begin(), m_memory.end(),
                     [](const auto &a, const auto &b) { return a.time < b.time; });
    std::map<uint32_t, double> used;
    for (const capture::Memory &from : m_memory) {
        const auto at = time(from.time);
        if (!at) {
            setAside(Reason::TimeOutOfRange, 0);
            continue;
        }
        used[from.device] += from.operation == 2 ? -double(from.bytes) : double(from.bytes);
        const uint32_t track = m_builder.counterTrack(
            owner(), "memory of device " + std::to_string(known(from.device)));
        m_builder.addCounter(track, "bytes", *at, used[from.device]);
        ++m_builder.events.counters;
    }
}

void CaptureBuilder::finish(const CaptureReader &reader) {
    eventRecords();
    waits();
    markers();
    memory();
    for (const auto &[key, track] : m_streams)
        if (const auto order = m_orders.find(key); order != m_orders.end())
            m_builder.orderStream(track, order->second);
    if (reader.dropped())
        m_builder.diagnostics.add(Reason::RecordsLost, reader.offset(), reader.dropped());
    if (reader.damaged()) {
        m_builder.diagnostics.add(Reason::UnknownRecord, reader.firstDamage(), reader.damaged());
        m_builder.events.read += reader.damaged();
        m_builder.events.setAside += reader.damaged();
    }
    if (reader.cutAt() || !m_ended)
        m_builder.diagnostics.add(Reason::TruncatedFile, reader.cutAt().value_or(reader.offset()));
    auto &steps = m_measurement.steps;
    std::sort(steps.begin(), steps.end(),
              [](const auto &a, const auto &b) { return a.begin < b.begin; });
    m_builder.file.measurement = std::make_shared<const Measurement>(std::move(m_measurement));
}

} // namespace longpole
