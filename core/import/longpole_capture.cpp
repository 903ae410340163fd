// SPDX-License-Identifier: Apache-2.0
#include "core/import/longpole_capture.h"

#include "core/base/json_text.h"
#include "core/import/capture_names.h"
#include "core/import/capture_reader.h"
#include "core/import/decimal_time.h"
#include "core/import/event_kind.h"
#include "core/import/nsys_names.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace longpole {

namespace {

using capture::Type;

bool sniff(std::string_view head) {
    return head.starts_with(std::string_view(capture::kFileMagic, sizeof capture::kFileMagic));
}

int64_t known(uint32_t id) {
    return id == capture::kNoId ? -1 : int64_t(id);
}

class Capture {
public:
    explicit Capture(TraceBuilder &builder) : m_builder(builder) {
        for (const auto &[category, name] :
             {std::pair(&m_runtime, "cuda_runtime"), std::pair(&m_driver, "cuda_driver"),
              std::pair(&m_kernel, "kernel"), std::pair(&m_copy, "gpu_memcpy"),
              std::pair(&m_set, "gpu_memset"), std::pair(&m_graph, "cuda_graph"),
              std::pair(&m_nvtx, "nvtx"), std::pair(&m_wait, "cuda_sync"),
              std::pair(&m_event, "cuda_event"), std::pair(&m_overhead, "overhead")})
            *category = builder.strings().intern(name);
        m_texts.emplace_back();
    }

    void add(const CaptureRecord &record);
    void finish(const CaptureReader &reader);

private:
    template <class T>
    struct Kept {
        T record;
        uint64_t offset;
    };

    void text(const CaptureRecord &record);
    void process(const capture::Process &from);
    void call(const capture::Call &from, uint64_t offset);
    void kernel(const capture::Kernel &from, uint64_t offset);
    void copy(const capture::Copy &from, uint64_t offset);
    void set(const capture::Set &from, uint64_t offset);
    void graph(const capture::Graph &from, uint64_t offset);
    void range(const capture::Range &from, uint64_t offset);
    void overhead(const capture::Overhead &from, uint64_t offset);
    void boundary(const capture::Boundary &from);
    void message(const capture::Message &from, uint64_t offset);
    void eventRecords();
    void waits();
    void markers();
    void memory();

    void setAside(Reason reason, uint64_t offset) {
        m_builder.diagnostics.add(reason, offset);
        ++m_builder.events.setAside;
    }
    std::optional<TimeNs> time(uint64_t t) const;
    bool times(uint64_t begin, uint64_t end, uint64_t offset, IntervalRow &row);
    StringId name(uint32_t id) const {
        if (id < m_texts.size()) return m_texts[id];
        const auto found = m_sparse.find(id);
        return found == m_sparse.end() ? StringId{} : found->second;
    }
    uint32_t owner();
    uint32_t thread(uint32_t id);
    void addToStream(uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
                     int64_t bytes, IntervalRow row);
    void addToRecords(int64_t device, uint32_t correlation, IntervalRow row);
    int64_t deviceOf(uint32_t context) const {
        const auto found = m_deviceOf.find(context);
        return found == m_deviceOf.end() ? 0 : found->second;
    }
    Kind kernelKind(StringId name);

    TraceBuilder &m_builder;
    StringId m_runtime, m_driver, m_kernel, m_copy, m_set, m_graph, m_nvtx, m_wait, m_event,
        m_overhead;
    std::vector<StringId> m_texts; ///< by number in the file
    std::unordered_map<uint32_t, StringId> m_sparse;
    uint32_t m_process = kNone;
    TimeNs m_shift = 0; ///< from the file's clock to that of the day
    bool m_ended = false;
    std::unordered_map<uint32_t, uint32_t> m_threads;              ///< track by thread
    std::unordered_map<uint32_t, int64_t> m_deviceOf;              ///< by context
    std::map<std::pair<uint32_t, uint32_t>, StreamOrder> m_orders; ///< by context, stream
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_streams;   ///< track by context, stream
    std::map<uint32_t, bool> m_given; ///< threads with a name: by the program?
    struct CallName {
        StringId name;
        Kind kind;
    };
    std::unordered_map<uint32_t, CallName> m_calls;   ///< by text
    std::unordered_map<uint32_t, Kind> m_kernelKinds; ///< by name
    std::vector<Kept<capture::EventRecord>> m_events;
    std::vector<Kept<capture::Wait>> m_waits;
    std::vector<Kept<capture::Marker>> m_markers;
    std::vector<capture::Memory> m_memory;
    struct Recorded {
        int64_t correlation = -1, stream = -1;
    };
    std::unordered_map<uint64_t, Recorded> m_bySync;
    std::unordered_map<uint32_t, std::vector<Recorded>> m_byHandle;
    Measurement m_measurement;
};

void Capture::add(const CaptureRecord &record) {
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

void Capture::text(const CaptureRecord &record) {
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

void Capture::process(const capture::Process &from) {
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

uint32_t Capture::owner() {
    if (m_process == kNone) { // a file whose first chunk is lost
        m_process = m_builder.process("unknown");
        m_builder.processAt(m_process).ownIds = true;
    }
    return m_process;
}

uint32_t Capture::thread(uint32_t id) {
    const auto [it, isNew] = m_threads.try_emplace(id);
    if (isNew) it->second = m_builder.threadTrack(owner(), std::to_string(id));
    return it->second;
}

std::optional<TimeNs> Capture::time(uint64_t t) const {
    if (t >= uint64_t(kTimeLimit)) return std::nullopt;
    const TimeNs moved = TimeNs(t) + m_shift;
    if (moved <= -kTimeLimit || moved >= kTimeLimit) return std::nullopt;
    return moved;
}

bool Capture::times(uint64_t begin, uint64_t end, uint64_t offset, IntervalRow &row) {
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

void Capture::call(const capture::Call &from, uint64_t offset) {
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

void Capture::addToStream(uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
                          int64_t bytes, IntervalRow row) {
    const auto [it, isNew] = m_streams.try_emplace({context, stream});
    if (isNew) it->second = m_builder.streamTrack(owner(), known(device), known(stream));
    m_deviceOf.try_emplace(context, known(device));
    SideRow side;
    side.correlation = known(correlation);
    side.bytes = bytes;
    row.side = m_builder.addSide(it->second, side);
    m_builder.addInterval(it->second, row);
}

Kind Capture::kernelKind(StringId name) {
    const auto [it, isNew] = m_kernelKinds.try_emplace(name.index);
    if (isNew) it->second = eventKind("kernel", m_builder.strings()[name]).kind;
    return it->second;
}

void Capture::kernel(const capture::Kernel &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = name(from.name);
    row.kind = kernelKind(row.name);
    row.category = m_kernel;
    addToStream(from.device, from.context, from.stream, from.correlation, -1, row);
}

void Capture::copy(const capture::Copy &from, uint64_t offset) {
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

void Capture::set(const capture::Set &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern("Memset (" + std::string(memoryName(from.memory)) + ")");
    row.kind = Kind::Memset;
    row.category = m_set;
    addToStream(from.device, from.context, from.stream, from.correlation, int64_t(from.bytes), row);
}

void Capture::graph(const capture::Graph &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern("CUDA graph " + std::to_string(from.graph));
    row.kind = Kind::GraphExec;
    row.category = m_graph;
    addToStream(from.device, from.context, from.stream, from.correlation, -1, row);
}

void Capture::range(const capture::Range &from, uint64_t offset) {
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

void Capture::overhead(const capture::Overhead &from, uint64_t offset) {
    IntervalRow row;
    if (!times(from.begin, from.end, offset, row)) return;
    row.name = m_builder.strings().intern(overheadName(from.kind));
    row.category = m_overhead;
    row.kind = Kind::Overhead;
    m_builder.addInterval(m_builder.annotationTrack(owner(), "overhead", "overhead"), row);
}

void Capture::boundary(const capture::Boundary &from) {
    const bool end = from.head.flags & capture::Boundary::kEnd;
    (end ? m_measurement.end : m_measurement.begin) = time(from.after);
    const bool waited = from.contexts > 0 && from.failed == 0;
    m_measurement.synchronised =
        m_measurement.synchronise && waited && (!end || m_measurement.synchronised);
}

void Capture::message(const capture::Message &from, uint64_t offset) {
    const auto at = time(from.time);
    if (!at) return setAside(Reason::TimeOutOfRange, offset);
    const uint32_t track =
        m_builder.annotationTrack(owner(), "messages", "messages of the recorder");
    m_builder.addInstant(track, *at, name(from.text), offset, 'p');
    m_builder.diagnostics.add(Reason::RecorderMessage, offset);
    ++m_builder.events.instants;
}

void Capture::addToRecords(int64_t device, uint32_t correlation, IntervalRow row) {
    const uint32_t track = m_builder.annotationTrack(owner(), "records " + std::to_string(device),
                                                     "sync and event records", device);
    SideRow side;
    side.correlation = known(correlation);
    row.side = m_builder.addSide(track, side);
    m_builder.addInterval(track, row);
}

void Capture::eventRecords() {
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

void Capture::waits() {
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

/// Begins and ends by id, in whatever order they were delivered.
void Capture::markers() {
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

/// Bytes in use by device, from what is taken and given back.
void Capture::memory() {
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

void Capture::finish(const CaptureReader &reader) {
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

Result<bool> read(InputFile &input, TraceBuilder &builder, Progress &progress, unsigned) {
    CaptureReader reader(input);
    builder.file.format = kCaptureFormat;
    builder.file.textBytes = input.bytes();
    Capture capture(builder);
    CaptureRecord record;
    for (uint64_t n = 0; reader.next(record); ++n) {
        capture.add(record);
        if (n % 4096 != 0) continue;
        builder.look();
        progress.set(reader.fraction());
        if (progress.stopped())
            return Error{ErrorKind::Cancelled, "cancelled", "was not read to its end."};
    }
    if (builder.events.read == 0 && builder.file.bytes > sizeof(capture::FileHead))
        return Error{
            ErrorKind::Unreadable, "damaged_capture",
            "is a capture of Longpole, but no part of it is whole. Record again, or copy the "
            "file again."};
    capture.finish(reader);
    return true;
}

} // namespace

const Importer kLongpoleCapture = {"longpole_capture", "Longpole capture", sniff, read};

} // namespace longpole
