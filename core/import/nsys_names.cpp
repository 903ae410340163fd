// SPDX-License-Identifier: Apache-2.0
#include "core/import/nsys_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace longpole {

namespace {

struct Meaning {
    std::string_view table;
    int64_t id;
    const char *name, *label;
};
constexpr const char *kCopies = "ENUM_CUDA_MEMCPY_OPER", *kMemory = "ENUM_CUDA_MEM_KIND",
                     *kSyncs = "ENUM_CUPTI_SYNC_TYPE", *kClasses = "ENUM_NSYS_EVENT_CLASS",
                     *kStreams = "ENUM_CUPTI_STREAM_TYPE",
                     *kSeverities = "ENUM_DIAGNOSTIC_SEVERITY_LEVEL",
                     *kOverheads = "ENUM_CUPTI_OVERHEAD_TYPE";

/// For files without the tables (schema 2), and for what the code below decides by name.
constexpr Meaning kMeanings[] = {
    {kCopies, 1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
    {kCopies, 2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
    {kCopies, 3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"},
    {kCopies, 4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"},
    {kCopies, 5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"},
    {kCopies, 6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"},
    {kCopies, 7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"},
    {kCopies, 8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
    {kCopies, 9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"},
    {kCopies, 10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"},
    {kCopies, 11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"},
    {kCopies, 12, "CUDA_MEMCPY_KIND_UVM_DTOH", "Unified Device-to-Host"},
    {kCopies, 13, "CUDA_MEMCPY_KIND_UVM_DTOD", "Unified Device-to-Device"},
    {kMemory, 0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
    {kMemory, 1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
    {kMemory, 2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"},
    {kMemory, 3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"},
    {kMemory, 4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"},
    {kMemory, 5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC", "Device Static"},
    {kMemory, 6, "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC", "Managed Static"},
    {kSyncs, 1, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"},
    {kSyncs, 2, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait sync"},
    {kSyncs, 3, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"},
    {kSyncs, 4, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"},
    {kClasses, 0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime"},
    {kClasses, 1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver"},
    {kClasses, 67, "TRACE_PROCESS_EVENT_CUDABACKTRACE", "CUDA backtrace"},
    {kStreams, 1, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT", "Default stream"},
    {kStreams, 2, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING", "Non-blocking stream"},
    {kStreams, 3, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL", "Null stream"},
    {kSeverities, 1, "Info", "Info"},
    {kSeverities, 2, "Warning", "Warning"},
    {kSeverities, 3, "Error", "Error"},
    {kSeverities, 4, "Verbose", "Verbose"},
    {kOverheads, 2, "OVERHEAD_DRIVER_COMPILER", "Driver JIT compiler"},
    {kOverheads, 3, "OVERHEAD_CUPTI_BUFFER_FLUSH", "Buffer flush"},
    {kOverheads, 4, "OVERHEAD_CUPTI_INSTRUMENTATION", "Instrumentation"},
    {kOverheads, 5, "OVERHEAD_CUPTI_RESOURCE", "Resource creation and destruction"},
    {kOverheads, 6, "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING", "Runtime module loading"},
    {kOverheads, 7, "OVERHEAD_LAZY_FUNCTION_LOADING", "Lazy function loading"},
    {kOverheads, 8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full"},
};

/// "HTOD" of "CUDA_MEMCPY_KIND_HTOD"
std::string_view lastPart(std::string_view name, std::string_view after) {
    const size_t at = name.rfind(after);
    return at == name.npos ? std::string_view() : name.substr(at + after.size());
}

Kind copyKind(std::string_view route) { // "HTOD", "UVM_DTOH" …
    if (route.starts_with("UVM_")) route.remove_prefix(4);
    if (route == "PTOP") return Kind::P2P;
    if (route.size() != 4 || route.substr(1, 2) != "TO") return Kind::D2D;
    const bool fromHost = route[0] == 'H', toHost = route[3] == 'H';
    return fromHost && toHost ? Kind::H2H : fromHost ? Kind::H2D : toHost ? Kind::D2H : Kind::D2D;
}

} // namespace

NsysTexts::NsysTexts(const SqliteFile &file) {
    const auto info = file.query("PRAGMA table_info(StringIds)");
    while (info && info->step())
        m_byRow |= info->text(1) == "id" && info->integer(5) == 1 &&
                   (info->text(2) == "INTEGER" || info->text(2) == "integer");
    if (!m_byRow) {
        const auto ids = file.query("SELECT rowid, id FROM StringIds");
        while (ids && ids->step()) m_rows.emplace(ids->integer(1), ids->integer(0));
    }
    m_query = file.query("SELECT value FROM StringIds WHERE rowid = ?");
}

std::optional<std::string> NsysTexts::find(int64_t id) {
    if (!m_query) return std::nullopt;
    if (!m_byRow) {
        const auto row = m_rows.find(id);
        if (row == m_rows.end()) return std::nullopt;
        id = row->second;
    }
    m_query->bind(id);
    if (!m_query->step() || m_query->type(0) == SqliteQuery::Type::Null) return std::nullopt;
    return std::string(m_query->text(0));
}

NsysEnum::NsysEnum(const SqliteFile &file, const std::string &table) {
    const auto &tables = file.tables();
    if (std::binary_search(tables.begin(), tables.end(), table))
        if (const auto values = file.query("SELECT id, name, label FROM " + quotedName(table)))
            while (values->step())
                m_values[values->integer(0)] = {std::string(values->text(1)),
                                                std::string(values->text(2))};
    for (const Meaning &meaning : kMeanings) // what the file names counts more
        if (meaning.table == table)
            m_values.try_emplace(meaning.id, Value{meaning.name, meaning.label});
}

const NsysEnum::Value *NsysEnum::find(int64_t id) const {
    const auto value = m_values.find(id);
    return value == m_values.end() ? nullptr : &value->second;
}

std::string_view nsysEnumOf(std::string_view column) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> enums = {{
        {"copyKind", kCopies},
        {"srcKind", kMemory},
        {"dstKind", kMemory},
        {"memKind", kMemory},
        {"syncType", kSyncs},
        {"eventClass", kClasses},
        {"severity", kSeverities},
        {"overheadType", kOverheads},
        {"launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
        {"cacheConfig", "ENUM_CUDA_FUNC_CACHE_CONFIG"},
        {"migrationCause", "ENUM_CUDA_UNIF_MEM_MIGRATION"},
    }};
    for (const auto &[name, table] : enums)
        if (name == column) return table;
    return {};
}

bool isNsysTextId(std::string_view column) {
    constexpr std::array<std::string_view, 6> ids = {"demangledName", "shortName", "mangledName",
                                                     "nameId",        "textId",    "jsonTextId"};
    return std::find(ids.begin(), ids.end(), column) != ids.end();
}

bool isNsysUnsigned(std::string_view column) {
    constexpr std::array<std::string_view, 4> names = {"globalTid", "globalPid", "endGlobalTid",
                                                       "uint64Value"};
    return std::find(names.begin(), names.end(), column) != names.end();
}

std::string withoutPaths(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        result += word.find_first_of("/\\") == word.npos ? word : "…";
        if (end < text.size()) result += ' ';
        at = end + 1;
    }
    return result;
}

std::string_view withoutVersion(std::string_view name) {
    const size_t at = name.rfind("_v");
    if (at == name.npos || name.size() - at < 6) return name;
    const bool digits = name.find_first_not_of("0123456789", at + 2) == name.npos;
    return digits ? name.substr(0, at) : name;
}

std::optional<TorchRange> torchRange(std::string_view text) {
    const size_t id = text.find(", op_id = ");
    if (id == text.npos) return std::nullopt;
    TorchRange range{text.substr(0, id)};
    constexpr std::string_view key = ", seq = ";
    const size_t at = range.name.find(key);
    if (at == range.name.npos) return range;
    const std::string_view digits = range.name.substr(at + key.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), range.sequence);
    range.name = range.name.substr(0, at);
    return range;
}

NsysCopy nsysCopy(const NsysEnum::Value *direction, const NsysEnum::Value *from,
                  const NsysEnum::Value *to) {
    const std::string_view route =
        direction ? lastPart(direction->name, "KIND_") : std::string_view();
    std::string name(route);
    if (const size_t at = name.rfind("TO"); at != name.npos) name.replace(at, 2, "to");
    name.insert(0, name.empty() ? "Memcpy" : "Memcpy ");
    if (from && to) name += " (" + from->label + " -> " + to->label + ")";
    return {copyKind(route), name};
}

NsysSync nsysSync(std::string_view enumName) {
    if (enumName.ends_with("EVENT_SYNCHRONIZE")) return NsysSync::Event;
    if (enumName.ends_with("STREAM_WAIT_EVENT")) return NsysSync::StreamWait;
    if (enumName.ends_with("STREAM_SYNCHRONIZE")) return NsysSync::Stream;
    if (enumName.ends_with("CONTEXT_SYNCHRONIZE")) return NsysSync::Context;
    return NsysSync::Unknown;
}

NsysSync nsysSyncOfCall(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (has("StreamWaitEvent")) return NsysSync::StreamWait;
    if (has("EventSynchronize") || has("EventQuery")) return NsysSync::Event;
    if (has("StreamSynchronize") || has("StreamQuery")) return NsysSync::Stream;
    if (has("DeviceSynchronize") || has("CtxSynchronize") || has("ThreadSynchronize"))
        return NsysSync::Context;
    return NsysSync::Unknown;
}

} // namespace longpole
