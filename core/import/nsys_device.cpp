// SPDX-License-Identifier: Apache-2.0
// What ran on the devices, and what the profiler recorded of events and waits.
#include "core/import/event_kind.h"
#include "core/import/nsys_context.h"

#include <algorithm>
#include <array>

namespace longpole {

namespace {

using enum WantedColumn::Need;

constexpr int64_t kNoNumber = 0xFFFFFFFF; ///< "none", written as an unsigned number
constexpr int64_t kOnHost = 0x7FFFFFFF;   ///< the device of a graph whose first node is none's

int64_t known(int64_t id) {
    return id == kNoNumber || id == EventTable::kAbsent ? -1 : id;
}

enum { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kPid, kFirstOwn };

/// The columns that all operations of a device have, and their own behind them.
template <size_t N>
constexpr auto operationColumns(const WantedColumn (&own)[N]) {
    std::array<WantedColumn, kFirstOwn + N> columns = {{{"start", Required},
                                                        {"end", Required},
                                                        {"deviceId"},
                                                        {"contextId"},
                                                        {"streamId"},
                                                        {"correlationId"},
                                                        {"globalPid"}}};
    std::copy(own, own + N, columns.begin() + kFirstOwn);
    return columns;
}

class DeviceTables {
public:
    explicit DeviceTables(NsysContext &context) : m_context(context), m_builder(context.builder) {}

    void kernels() {
        constexpr auto columns = operationColumns({{"demangledName"}, {"shortName"}});
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_KERNEL", columns);
        const StringId category = m_context.category("kernel");
        while (rows.next()) {
            IntervalRow row;
            if (!operation(rows, row)) continue;
            const int64_t name = rows.valueOr(kFirstOwn, rows[kFirstOwn + 1]);
            row.name = m_context.text(name, row.offset);
            row.category = category;
            row.kind = kernelKind(row.name);
            add(rows, row, -1);
        }
    }

    void copies() {
        constexpr auto columns =
            operationColumns({{"bytes"}, {"copyKind"}, {"srcKind"}, {"dstKind"}});
        const NsysEnum directions(m_context.file, std::string(nsysEnumOf("copyKind")));
        const NsysEnum memory(m_context.file, std::string(nsysEnumOf("srcKind")));
        struct Named {
            Kind kind;
            StringId name;
        };
        std::map<std::array<int64_t, 3>, Named> names;
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_MEMCPY", columns);
        const StringId category = m_context.category("gpu_memcpy");
        while (rows.next()) {
            IntervalRow row;
            if (!operation(rows, row)) continue;
            const std::array key{rows[kFirstOwn + 1], rows[kFirstOwn + 2], rows[kFirstOwn + 3]};
            const auto [it, isNew] = names.try_emplace(key);
            if (isNew) {
                const NsysCopy copy =
                    nsysCopy(directions.find(key[0]), memory.find(key[1]), memory.find(key[2]));
                it->second = {copy.kind, m_context.intern(copy.name, row.offset)};
            }
            row.name = it->second.name;
            row.kind = it->second.kind;
            row.category = category;
            add(rows, row, rows.valueOr(kFirstOwn, -1));
        }
    }

    void memsets() {
        constexpr auto columns = operationColumns({{"bytes"}, {"memKind"}});
        const NsysEnum memory(m_context.file, std::string(nsysEnumOf("memKind")));
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_MEMSET", columns);
        const StringId category = m_context.category("gpu_memset");
        while (rows.next()) {
            IntervalRow row;
            if (!operation(rows, row)) continue;
            const NsysEnum::Value *where = memory.find(rows[kFirstOwn + 1]);
            row.name =
                m_context.intern(where ? "Memset (" + where->label + ")" : "Memset", row.offset);
            row.kind = Kind::Memset;
            row.category = category;
            add(rows, row, rows.valueOr(kFirstOwn, -1));
        }
    }

    /// A graph whose nodes were not traced is one interval.
    void graphs() {
        constexpr auto columns = operationColumns({{"graphId"}, {"graphExecId"}});
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns);
        const StringId category = m_context.category("cuda_graph");
        while (rows.next()) {
            IntervalRow row;
            if (!operation(rows, row)) continue;
            const int64_t graph = rows.valueOr(kFirstOwn, rows[kFirstOwn + 1]);
            row.name = m_builder.strings().intern(graph == EventTable::kAbsent
                                                      ? "CUDA graph"
                                                      : "CUDA graph " + std::to_string(graph));
            row.kind = Kind::GraphExec;
            row.category = category;
            add(rows, row, -1);
        }
    }

    void eventRecords() {
        constexpr WantedColumn columns[] = {{"timestamp"}, {"deviceId"},      {"contextId"},
                                            {"streamId"},  {"correlationId"}, {"globalPid"},
                                            {"eventId"},   {"eventSyncId"}};
        enum { Time, Device, Context, Stream, Correlation, Pid, Event, SyncId };
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns);
        const StringId name = m_context.category("Event Record"),
                       category = m_context.category("cuda_event");
        while (rows.next()) {
            const uint32_t process = m_context.deviceProcess(rows[Pid]);
            const Recorded record{known(rows[Correlation]), known(rows[Stream])};
            if (known(rows[SyncId]) > 0)
                m_bySync[{process, rows[SyncId]}] = record;
            else
                m_byHandle[{process, rows[Event]}].push_back(record);
            IntervalRow row;
            if (rows.valueOr(Time, 0) <= 0) { // the device does not tell when
                ++m_builder.events.metadata;
                continue;
            }
            if (!rows.times(Time, Time, row)) continue;
            row.name = name;
            row.category = category;
            row.kind = Kind::EventRecord;
            addRecord(process, deviceOf(rows[Pid], rows[Context], rows[Device]), row,
                      record.correlation);
        }
        for (auto &[handle, records] : m_byHandle)
            std::stable_sort(
                records.begin(), records.end(),
                [](const Recorded &a, const Recorded &b) { return a.correlation < b.correlation; });
    }

    void syncs() {
        constexpr auto columns = operationColumns({{"syncType"}, {"eventId"}, {"eventSyncId"}});
        enum { Type = kFirstOwn, Event, SyncId };
        const NsysEnum types(m_context.file, std::string(nsysEnumOf("syncType")));
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns);
        const StringId category = m_context.category("cuda_sync");
        while (rows.next()) {
            IntervalRow row;
            if (!rows.times(kStart, kEnd, row)) continue;
            const uint32_t process = m_context.deviceProcess(rows[kPid]);
            const NsysEnum::Value *type = types.find(rows[Type]);
            const NsysSync sync = syncOf(process, rows[kCorrelation], type, known(rows[Event]));
            const int64_t device = deviceOf(rows[kPid], rows[kContext], rows[kDevice]);
            row.name = m_builder.strings().intern(nameOf(sync));
            row.category = category;
            row.kind = sync == NsysSync::StreamWait ? Kind::EventWait : Kind::Sync;
            addRecord(process, device, row, known(rows[kCorrelation]));

            SyncRecord record;
            record.process = process;
            record.begin = row.begin;
            record.end = row.end;
            record.correlation = known(rows[kCorrelation]);
            record.device = device;
            record.stream = sync == NsysSync::Context ? -1 : known(rows[kStream]);
            record.streamWait = sync == NsysSync::StreamWait;
            if (sync == NsysSync::StreamWait || sync == NsysSync::Event) {
                const Recorded source =
                    recorded(process, rows[Event], rows[SyncId], record.correlation);
                record.waitOnCorrelation = source.correlation;
                record.waitOnStream = source.stream;
            }
            m_builder.syncs.push_back(record);
        }
    }

private:
    struct Recorded { ///< an event that was recorded on a stream; -1 where that is unknown
        int64_t correlation = -1, stream = -1;
    };

    /// begin and end; false for a row that is set aside. A device without a clock writes zeros.
    bool operation(EventTable &rows, IntervalRow &row) {
        if (rows[kStart] == 0 && rows[kEnd] == 0) {
            rows.setAside(Reason::WrongType);
            return false;
        }
        return rows.times(kStart, kEnd, row);
    }

    void add(EventTable &rows, IntervalRow &row, int64_t bytes) {
        const uint32_t process = m_context.deviceProcess(rows[kPid]);
        int64_t device = rows.valueOr(kDevice, 0);
        if (device == kOnHost) device = deviceOf(rows[kPid], rows[kContext], 0);
        const uint32_t track = m_context.streamOf(process, device, known(rows[kStream]));
        if (const std::pair context{rows[kPid], rows[kContext]}; context != m_lastContext) {
            m_context.deviceOf[{NsysContext::pidOf(context.first), context.second}] = device;
            m_lastContext = context;
        }
        SideRow side;
        side.correlation = known(rows[kCorrelation]);
        side.bytes = bytes;
        row.side = m_builder.addSide(track, side);
        m_builder.addInterval(track, row);
    }

    void addRecord(uint32_t process, int64_t device, IntervalRow &row, int64_t correlation) {
        const uint32_t track = m_builder.annotationTrack(
            process, "records " + std::to_string(device), "sync and event records", device);
        SideRow side;
        side.correlation = correlation;
        row.side = m_builder.addSide(track, side);
        m_builder.addInterval(track, row);
    }

    Kind kernelKind(StringId name) {
        const auto [it, isNew] = m_kernelKinds.try_emplace(name.index);
        if (isNew) it->second = eventKind("kernel", m_builder.strings()[name]).kind;
        return it->second;
    }

    /// Some versions write device 0 whatever the context is on, so what ran in the context decides.
    int64_t deviceOf(int64_t pid, int64_t context, int64_t written) const {
        const auto found = m_context.deviceOf.find({NsysContext::pidOf(pid), context});
        return found != m_context.deviceOf.end() ? found->second : std::max<int64_t>(written, 0);
    }

    /// Some versions write a type that their own table of types names wrongly, so the call decides;
    /// without it, what waits for no event waits for a stream or for all.
    NsysSync syncOf(uint32_t process, int64_t correlation, const NsysEnum::Value *type,
                    int64_t event) const {
        const auto call = m_context.waitingCalls.find({process, correlation});
        if (call != m_context.waitingCalls.end()) return call->second;
        const NsysSync named = type ? nsysSync(type->name) : NsysSync::Unknown;
        const bool needsEvent = named == NsysSync::Event || named == NsysSync::StreamWait;
        return needsEvent && event < 0 ? NsysSync::Stream : named;
    }

    static std::string_view nameOf(NsysSync sync) { // as PyTorch's profiler names them
        switch (sync) {
        case NsysSync::Event:
            return "Event Sync";
        case NsysSync::StreamWait:
            return "Stream Wait Event";
        case NsysSync::Stream:
            return "Stream Sync";
        case NsysSync::Context:
            return "Context Sync";
        case NsysSync::Unknown:
            break;
        }
        return "Sync";
    }

    /// The record that a wait waits for. Handles of events are used again, so by handle it is the
    /// last one before the wait, and only where the file has no numbers for single records.
    Recorded recorded(uint32_t process, int64_t event, int64_t syncId, int64_t wait) const {
        if (known(syncId) > 0) {
            const auto found = m_bySync.find({process, syncId});
            return found == m_bySync.end() ? Recorded{} : found->second;
        }
        const auto found = m_byHandle.find({process, event});
        if (found == m_byHandle.end() || known(event) < 0 || wait < 0) return {};
        const auto after =
            std::upper_bound(found->second.begin(), found->second.end(), wait,
                             [](int64_t w, const Recorded &r) { return w < r.correlation; });
        return after == found->second.begin() ? Recorded{} : *(after - 1);
    }

    NsysContext &m_context;
    TraceBuilder &m_builder;
    std::pair<int64_t, int64_t> m_lastContext;        ///< process and context of the last operation
    std::unordered_map<uint32_t, Kind> m_kernelKinds; ///< by name
    std::map<NsysContext::ProcessAndId, Recorded> m_bySync;
    std::map<NsysContext::ProcessAndId, std::vector<Recorded>> m_byHandle;
};

} // namespace

void readNsysDevice(NsysContext &context) {
    DeviceTables tables(context);
    tables.kernels();
    tables.copies();
    tables.memsets();
    tables.graphs();
    tables.eventRecords();
    tables.syncs();
}

} // namespace longpole
