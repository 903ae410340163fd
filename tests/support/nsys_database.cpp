// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nsys_database.h"

#include "tests/support/files.h"

#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace longpole::test {

namespace {

struct Shape {
    std::string_view table, columns;
    std::string_view onlyNew = {}; ///< columns that came with schema 3
};
constexpr Shape kShapes[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId "
     "INTEGER, "
     "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, "
     "mangledName "
     "INTEGER, gridX INTEGER, graphNodeId INTEGER",
     "greenContextId INTEGER, graphId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId "
     "INTEGER, "
     "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, "
     "dstKind "
     "INTEGER",
     "copyCount INTEGER"},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId "
     "INTEGER, "
     "correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER"},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId "
     "INTEGER, "
     "correlationId INTEGER, globalPid INTEGER, graphId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId "
     "INTEGER, "
     "correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER",
     "eventSyncId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT",
     "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
     "INTEGER, eventId "
     "INTEGER",
     "timestamp INTEGER, eventSyncId INTEGER"},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass "
                                    "INTEGER, globalTid INTEGER, correlationId "
                                    "INTEGER, nameId INTEGER, returnValue INTEGER"},
    {"NVTX_EVENTS", "start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, text TEXT, "
                    "globalTid INTEGER, "
                    "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER"},
    {"OSRT_API", "start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER"},
    {"PROFILER_OVERHEAD",
     "start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER",
     "overheadType INTEGER"},
    {"SCHED_EVENTS", "start INTEGER NOT NULL, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER"},
    {"SAMPLING_CALLCHAINS", "id INTEGER, symbol INTEGER"},
    {"ThreadNames", "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER"},
    {"DIAGNOSTIC_EVENT",
     "timestamp INTEGER NOT NULL, severity INTEGER, text TEXT, globalPid INTEGER"},
    {"TARGET_INFO_GPU", "id INTEGER, name TEXT"},
    {"TARGET_INFO_CUDA_CONTEXT_INFO",
     "nullStreamId INTEGER, processId INTEGER, deviceId INTEGER, contextId INTEGER"},
    {"TARGET_INFO_CUDA_STREAM",
     "streamId INTEGER, processId INTEGER, contextId INTEGER, flag INTEGER"},
    {"META_DATA_CAPTURE", "name TEXT, value TEXT"},
    {"TARGET_INFO_SYSTEM_ENV", "name TEXT, value TEXT"},
    {"PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT"},
    {"ProcessStreams", "globalPid INTEGER, filenameId INTEGER, contentId INTEGER"},
};

void execute(sqlite3 *database, const std::string &sql) {
    char *problem = nullptr;
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &problem) == SQLITE_OK) return;
    std::fprintf(stderr, "%s\n%s\n", problem, sql.c_str());
    std::abort();
}

std::string number(int64_t value) {
    return std::to_string(value);
}
std::string quoted(std::string_view text) {
    std::string sql = "'";
    for (const char c : text) sql += c == '\'' ? std::string("''") : std::string(1, c);
    return sql + "'";
}

} // namespace

int64_t NsysDatabase::global(int64_t pid, int64_t tid) {
    return int64_t(0x0001) << 48 | pid << 24 | tid;
}

NsysDatabase::NsysDatabase(int schema) : m_schema(schema) {
    const TempFile name("", ".sqlite");
    m_path = name.path() + ".db";
    if (sqlite3_open(m_path.c_str(), &m_database) != SQLITE_OK) std::abort();
    run("PRAGMA page_size = 512; PRAGMA journal_mode = OFF; BEGIN");
    run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    const std::string facts = schema >= 3 ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
    run("CREATE TABLE " + facts + " (name TEXT NOT NULL, value TEXT)");
    run("INSERT INTO " + facts +
        " VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', "
        "'1.2.3'), "
        "('EXPORT_SCHEMA_VERSION', '" +
        number(schema) + ".20.2')");
    if (schema < 3)
        for (const Shape &shape : kShapes) make(shape.table);
}

NsysDatabase::~NsysDatabase() {
    sqlite3_close(m_database);
    std::remove(m_path.c_str());
}

void NsysDatabase::run(const std::string &sql) {
    execute(m_database, sql);
}

void NsysDatabase::make(std::string_view table) {
    if (!m_made.emplace(table).second) return;
    for (const Shape &shape : kShapes) {
        if (shape.table != table) continue;
        std::string columns(shape.columns);
        if (m_schema >= 3 && !shape.onlyNew.empty()) columns += ", " + std::string(shape.onlyNew);
        run("CREATE TABLE " + std::string(table) + " (" + columns + ")");
    }
}

void NsysDatabase::insert(std::string_view table, Columns columns) {
    make(table);
    std::string names, values;
    for (const auto &[name, value] : columns) {
        names += (names.empty() ? "" : ", ") + std::string(name);
        values += (values.empty() ? "" : ", ") + value;
    }
    run("INSERT INTO " + std::string(table) + " (" + names + ") VALUES (" + values + ")");
}

int64_t NsysDatabase::text(std::string_view value) {
    run("INSERT INTO StringIds VALUES (" + number(++m_lastText) + ", " + quoted(value) + ")");
    return m_lastText;
}

void NsysDatabase::kernel(const Op &op, std::string_view name) {
    const std::string id = number(text(name));
    insert("CUPTI_ACTIVITY_KIND_KERNEL", {{"start", number(op.begin)},
                                          {"end", number(op.end)},
                                          {"deviceId", number(op.device)},
                                          {"contextId", number(op.context)},
                                          {"streamId", number(op.stream)},
                                          {"correlationId", number(op.correlation)},
                                          {"globalPid", number(global(op.pid))},
                                          {"demangledName", id},
                                          {"shortName", id},
                                          {"gridX", "64"}});
}

void NsysDatabase::copy(const Op &op, int64_t bytes, int copyKind, int from, int to) {
    insert("CUPTI_ACTIVITY_KIND_MEMCPY", {{"start", number(op.begin)},
                                          {"end", number(op.end)},
                                          {"deviceId", number(op.device)},
                                          {"contextId", number(op.context)},
                                          {"streamId", number(op.stream)},
                                          {"correlationId", number(op.correlation)},
                                          {"globalPid", number(global(op.pid))},
                                          {"bytes", number(bytes)},
                                          {"copyKind", number(copyKind)},
                                          {"srcKind", number(from)},
                                          {"dstKind", number(to)}});
}

void NsysDatabase::memset(const Op &op, int64_t bytes) {
    insert("CUPTI_ACTIVITY_KIND_MEMSET", {{"start", number(op.begin)},
                                          {"end", number(op.end)},
                                          {"deviceId", number(op.device)},
                                          {"contextId", number(op.context)},
                                          {"streamId", number(op.stream)},
                                          {"correlationId", number(op.correlation)},
                                          {"globalPid", number(global(op.pid))},
                                          {"bytes", number(bytes)},
                                          {"memKind", "2"}});
}

void NsysDatabase::graph(const Op &op, int graphId) {
    insert("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {{"start", number(op.begin)},
                                               {"end", number(op.end)},
                                               {"deviceId", number(op.device)},
                                               {"contextId", number(op.context)},
                                               {"streamId", number(op.stream)},
                                               {"correlationId", number(op.correlation)},
                                               {"globalPid", number(global(op.pid))},
                                               {"graphId", number(graphId)}});
}

void NsysDatabase::sync(const Op &op, int syncType, int64_t event, int64_t syncId) {
    const auto none = [](int64_t id) { return number(id < 0 ? 0xFFFFFFFF : id); };
    make("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
    run("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, "
        "streamId, "
        "correlationId, globalPid, syncType, eventId" +
        std::string(m_schema >= 3 ? ", eventSyncId" : "") + ") VALUES (" + number(op.begin) + ", " +
        number(op.end) + ", " + number(op.device) + ", " + number(op.context) + ", " +
        none(op.stream) + ", " + number(op.correlation) + ", " + number(global(op.pid)) + ", " +
        number(syncType) + ", " + none(event) + (m_schema >= 3 ? ", " + none(syncId) : "") + ")");
}

void NsysDatabase::eventRecord(const Op &op, int64_t event, int64_t syncId, int64_t timestamp) {
    make("CUPTI_ACTIVITY_KIND_CUDA_EVENT");
    run("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, correlationId, "
        "globalPid, "
        "eventId" +
        std::string(m_schema >= 3 ? ", eventSyncId, timestamp" : "") + ") VALUES (" +
        number(op.device) + ", " + number(op.context) + ", " + number(op.stream) + ", " +
        number(op.correlation) + ", " + number(global(op.pid)) + ", " + number(event) +
        (m_schema >= 3 ? ", " + number(syncId) + ", " + number(timestamp) : "") + ")");
}

void NsysDatabase::call(int pid, int tid, int64_t correlation, int64_t begin, int64_t end,
                        std::string_view name, int eventClass) {
    insert("CUPTI_ACTIVITY_KIND_RUNTIME", {{"start", number(begin)},
                                           {"end", number(end)},
                                           {"eventClass", number(eventClass)},
                                           {"globalTid", number(global(pid, tid))},
                                           {"correlationId", number(correlation)},
                                           {"nameId", number(text(name))},
                                           {"returnValue", "0"}});
}

void NsysDatabase::nvtx(int type, int pid, int tid, int64_t begin, int64_t end,
                        std::string_view name, bool byId) {
    insert("NVTX_EVENTS", {{"start", number(begin)},
                           {"end", end < 0 ? "NULL" : number(end)},
                           {"eventType", number(type)},
                           {"globalTid", number(global(pid, tid))},
                           {"text", byId ? "NULL" : quoted(name)},
                           {"textId", byId ? number(text(name)) : "NULL"},
                           {"domainId", "0"}});
}

void NsysDatabase::osCall(int pid, int tid, int64_t begin, int64_t end, std::string_view name) {
    insert("OSRT_API", {{"start", number(begin)},
                        {"end", number(end)},
                        {"globalTid", number(global(pid, tid))},
                        {"nameId", number(text(name))}});
}

void NsysDatabase::threadName(int pid, int tid, std::string_view name, int priority) {
    insert("ThreadNames", {{"nameId", number(text(name))},
                           {"priority", number(priority)},
                           {"globalTid", number(global(pid, tid))}});
}

std::string NsysDatabase::bytes() {
    run("COMMIT");
    run("VACUUM");
    sqlite3_close(m_database);
    m_database = nullptr;
    std::ifstream file(m_path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

void NsysDatabase::saveAs(const std::string &path) {
    run("COMMIT; PRAGMA page_size = 4096");
    run("VACUUM INTO " + quoted(path));
}

void changeDatabase(const std::string &path, const std::string &sql) {
    sqlite3 *database = nullptr;
    if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) std::abort();
    execute(database, sql);
    sqlite3_close(database);
}

std::string smallNsysExport(int schema) {
    NsysDatabase db(schema);
    db.threadName(100, 100, "python3");
    db.nvtx(75, 100, 100, 5, -1, "domain");
    db.nvtx(59, 100, 100, 1000, 9000, "outer");
    db.nvtx(59, 100, 100, 1200, 4000, "aten::mul, seq = 12, op_id = 345");
    db.nvtx(60, 100, 101, 3000, 12000, "job", true);
    db.nvtx(34, 100, 101, 3500, -1, "tick");
    db.call(100, 100, 1, 1300, 1500, "cudaLaunchKernel_v7000");
    db.call(100, 100, 2, 1600, 1700, "cudaMemcpyAsync_v3020");
    db.call(100, 100, 3, 1800, 1850, "cudaMemsetAsync_v3020");
    db.call(100, 100, 4, 1900, 1950, "cudaEventRecord_v3020");
    db.call(100, 100, 5, 2000, 2050, "cudaStreamWaitEvent_v3020");
    db.call(100, 100, 6, 2100, 2200, "cuLaunchKernel", 1);
    db.call(100, 100, 7, 4500, 8500, "cudaStreamSynchronize_v3020");
    db.kernel({100, 1, 1600, 2600}, "void gemm<float>(float*)");
    db.copy({100, 2, 2700, 2900}, 4096, 1, 0, 2);
    db.memset({100, 3, 3000, 3010}, 64);
    db.kernel({.pid = 100, .correlation = 6, .begin = 3100, .end = 8000, .stream = 13},
              "ncclDevKernel_AllReduce");
    db.eventRecord({100, 4}, 11, 501);
    db.sync({.pid = 100, .correlation = 5, .begin = 2010, .end = 2040, .stream = 13}, 2, 11, 501);
    db.sync({.pid = 100, .correlation = 7, .begin = 4600, .end = 8400, .stream = 13}, 3);
    db.osCall(100, 102, 2000, 2500, "ioctl");
    db.osCall(100, 102, 2600, 6000, "pthread_cond_timedwait");
    db.insert("TARGET_INFO_GPU", {{"id", "0"}, {"name", "'A GPU'"}});
    db.insert("TARGET_INFO_CUDA_CONTEXT_INFO",
              {{"nullStreamId", "7"}, {"processId", "100"}, {"deviceId", "0"}, {"contextId", "1"}});
    db.insert("TARGET_INFO_CUDA_STREAM",
              {{"streamId", "13"}, {"processId", "100"}, {"contextId", "1"}, {"flag", "2"}});
    return db.bytes();
}

} // namespace longpole::test
