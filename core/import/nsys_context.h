// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/import/event_table.h"
#include "core/import/nsys_names.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace longpole {

/// What the tables of one Nsight Systems export share while they are read into a builder:
/// processes, tracks and texts. One thread.
class NsysContext {
public:
    NsysContext(const SqliteFile &file, TraceBuilder &builder, Progress &progress);

    bool exists(std::string_view table) const;
    /// The rows of a table; none where it does not exist.
    EventTable open(std::string_view table, std::span<const WantedColumn> columns);
    /// Rows that are counted, but not looked at.
    void setAsideAll(std::string_view table);
    void knows(std::string_view table); ///< without reading it: it holds facts, no events

    struct Thread {
        uint32_t process, track;
    };
    uint32_t processOf(int64_t globalId);
    /// The same for a column that may be absent: then of the only process there is.
    uint32_t deviceProcess(int64_t globalPid);
    Thread threadOf(int64_t globalTid);
    uint32_t streamOf(uint32_t process, int64_t device, int64_t stream);

    /// The text of StringIds[id] in the builder's pool, the empty one where there is none; as the
    /// file has it, or without the version of an API function.
    StringId text(int64_t id, uint64_t offset);
    StringId callName(int64_t id, uint64_t offset);
    /// A text from the file in the builder's pool, as valid UTF-8.
    StringId intern(std::string_view text, uint64_t offset);
    StringId category(std::string_view name) { return builder.strings().intern(name); }

    struct StreamKey {
        uint32_t process;
        int64_t device, stream;
        auto operator<=>(const StreamKey &) const = default;
    };
    const std::map<StreamKey, uint32_t> &streams() const { return m_streams; }
    int64_t
    pidOfProcess(uint32_t process) const; ///< its plain number, as the tables of facts have it
    /// The process of a thread, or kNone when no event is on it.
    uint32_t processOfThread(int64_t globalTid) const;
    static int64_t pidOf(int64_t globalId) { return int64_t(uint64_t(globalId) >> 24 & 0xFFFFFF); }
    static int64_t tidOf(int64_t globalId) { return globalId & 0xFFFFFF; }

    /// Tables with rows that nobody asked for.
    std::vector<std::string> unknownTables() const;

    using ProcessAndId = std::pair<uint32_t, int64_t>;
    const SqliteFile &file;
    TraceBuilder &builder;
    Progress &progress;
    std::map<ProcessAndId, NsysSync>
        waitingCalls;                         ///< process, correlation → what the call waits for
    std::map<ProcessAndId, int64_t> deviceOf; ///< process number, context → device
    std::set<int64_t> namedThreads;           ///< through NVTX, by global id
    bool isNsys = false;                      ///< a table that only Nsight Systems writes is there

private:
    NsysTexts m_texts;
    std::vector<bool> m_known; ///< by table
    double m_rowsRead = 0, m_rowsExpected = 0;
    std::unordered_map<uint64_t, uint32_t> m_processes; ///< by a global id without its thread
    std::unordered_map<int64_t, Thread> m_threads;      ///< by global id
    std::map<StreamKey, uint32_t> m_streams;
    StreamKey m_lastStream{kNone, 0, 0};
    uint32_t m_lastStreamTrack = kNone;
    std::unordered_map<int64_t, StringId> m_plain, m_calls; ///< by StringIds.id
};

void readNsysHost(NsysContext &context);   ///< API calls, NVTX, OS calls, the profiler's own work
void readNsysDevice(NsysContext &context); ///< kernels, copies, graphs, events and waits
/// Who wrote the file, when, on which devices: what device tables need.
void readNsysFacts(NsysContext &context);
/// Names and flags of the threads and streams that hold something.
void nameNsysTracks(NsysContext &context);

} // namespace longpole
