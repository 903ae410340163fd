// SPDX-License-Identifier: Apache-2.0
// The tables that describe the recording. They hold the environment, users and hosts too, so only
// the rows and columns named here are ever read.
#include "core/base/json_text.h"
#include "core/import/nsys_context.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr int64_t kMostDevices = 4096;

std::unique_ptr<SqliteQuery> select(const NsysContext &context, std::string_view table,
                                    const char *sql) {
    return context.exists(table) ? context.file.query(sql) : nullptr;
}

std::string exportFact(const NsysContext &context, const std::string &name) {
    for (const char *table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
        const auto rows = select(
            context, table,
            ("SELECT value FROM " + std::string(table) + " WHERE name = '" + name + "'").c_str());
        if (rows && rows->step()) return toValidUtf8(rows->text(0).substr(0, 80));
    }
    return {};
}

void readProducer(NsysContext &context) {
    SourceFile &file = context.builder.file;
    const std::string schema = exportFact(context, "EXPORT_SCHEMA_VERSION");
    file.format = "Nsight Systems SQLite" + (schema.empty() ? "" : ", schema " + schema);
    file.producer = exportFact(context, "EXPORT_PRODUCT_NAME");
    const std::string version = exportFact(context, "EXPORT_PRODUCT_VERSION");
    if (!version.empty())
        file.producer += (file.producer.empty() ? "Nsight Systems " : " ") + version;
    file.clock = "nanoseconds since the session began";
    if (const auto start = select(context, "TARGET_INFO_SESSION_START_TIME",
                                  "SELECT utcTime FROM TARGET_INFO_SESSION_START_TIME");
        start && start->step() && start->type(0) == SqliteQuery::Type::Text)
        file.clock += ", " + toValidUtf8(start->text(0).substr(0, 40)) + " UTC";
}

/// Devices are numbered as the process saw them.
void readDeviceNames(NsysContext &context) {
    std::map<int64_t, std::string> byGpu;
    const auto gpus = select(context, "TARGET_INFO_GPU", "SELECT id, name FROM TARGET_INFO_GPU");
    while (gpus && gpus->step()) byGpu[gpus->integer(0)] = toValidUtf8(gpus->text(1));
    std::map<int64_t, std::string> names = byGpu;
    const auto devices = select(context, "TARGET_INFO_CUDA_DEVICE",
                                "SELECT cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE");
    while (devices && devices->step())
        if (const auto gpu = byGpu.find(devices->integer(1)); gpu != byGpu.end())
            names[devices->integer(0)] = gpu->second;
    auto &known = context.builder.file.deviceNames;
    for (const auto &[device, name] : names) {
        if (device < 0 || device >= kMostDevices) continue;
        known.resize(std::max(known.size(), size_t(device) + 1));
        known[size_t(device)] = name;
    }
}

void readContexts(NsysContext &context) {
    for (const char *table : {"TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_NULL_STREAM"}) {
        const auto rows =
            select(context, table,
                   ("SELECT processId, contextId, deviceId FROM " + std::string(table)).c_str());
        while (rows && rows->step())
            context.deviceOf[{rows->integer(0), rows->integer(1)}] = rows->integer(2);
    }
}

/// Flag of every stream by process number and stream.
std::map<std::pair<int64_t, int64_t>, StreamOrder> streamOrders(const NsysContext &context) {
    std::map<std::pair<int64_t, int64_t>, StreamOrder> orders;
    const NsysEnum flags(context.file, "ENUM_CUPTI_STREAM_TYPE");
    const auto streams = select(context, "TARGET_INFO_CUDA_STREAM",
                                "SELECT processId, streamId, flag FROM TARGET_INFO_CUDA_STREAM");
    while (streams && streams->step()) {
        const NsysEnum::Value *flag = flags.find(streams->integer(2));
        if (!flag) continue;
        orders[{streams->integer(0), streams->integer(1)}] =
            flag->name.ends_with("NON_BLOCKING") ? StreamOrder::NonBlocking
            : flag->name.ends_with("NULL")       ? StreamOrder::Null
            : flag->name.ends_with("DEFAULT")    ? StreamOrder::Blocking
                                                 : StreamOrder::Unknown;
    }
    for (const auto &[table, sql] :
         {std::pair("TARGET_INFO_CUDA_CONTEXT_INFO",
                    "SELECT processId, nullStreamId FROM TARGET_INFO_CUDA_CONTEXT_INFO"),
          std::pair("TARGET_INFO_CUDA_NULL_STREAM",
                    "SELECT processId, streamId FROM TARGET_INFO_CUDA_NULL_STREAM")}) {
        const auto nulls = select(context, table, sql);
        while (nulls && nulls->step())
            orders[{nulls->integer(0), nulls->integer(1)}] = StreamOrder::Null;
    }
    return orders;
}

void nameStreams(NsysContext &context) {
    const auto orders = streamOrders(context);
    for (const auto &[key, track] : context.streams()) {
        const int64_t pid = context.pidOfProcess(key.process);
        const auto order = orders.find({pid, key.stream});
        if (order != orders.end()) context.builder.orderStream(track, order->second);
    }
}

/// Names given by the program come first in order of priority, then what the system says; what NVTX
/// says itself stands before all. The main thread's name is the program's.
void nameThreads(NsysContext &context) {
    constexpr WantedColumn columns[] = {
        {"nameId", WantedColumn::Required}, {"priority"}, {"globalTid", WantedColumn::Required}};
    EventTable rows = context.open("ThreadNames", columns);
    std::map<int64_t, std::pair<int64_t, int64_t>> best; // thread → priority, name
    while (rows.next()) {
        ++context.builder.events.metadata;
        const std::pair named{rows.valueOr(1, 0), rows[0]};
        const auto [it, isNew] = best.try_emplace(rows[2], named);
        if (!isNew && named.first < it->second.first) it->second = named;
    }
    for (const auto &[thread, named] : best) {
        const uint32_t process = context.processOfThread(thread);
        if (process == kNone) continue;
        const std::string_view name = context.builder.strings()[context.text(named.second, 0)];
        const int64_t tid = NsysContext::tidOf(thread);
        if (!context.namedThreads.contains(thread))
            context.builder.nameThread(process, std::to_string(tid), name);
        if (tid == NsysContext::pidOf(thread)) context.builder.processAt(process).name = name;
    }
}

} // namespace

void readNsysFacts(NsysContext &context) {
    readProducer(context);
    readDeviceNames(context);
    readContexts(context);
}

void nameNsysTracks(NsysContext &context) {
    nameStreams(context);
    nameThreads(context);
    for (const std::string &table : context.unknownTables()) {
        const auto &tables = context.file.tables();
        const auto at = std::find(tables.begin(), tables.end(), table);
        context.builder.diagnostics.add(Reason::TableNotRead,
                                        placeOfRow(size_t(at - tables.begin()), 1));
    }
}

} // namespace longpole
