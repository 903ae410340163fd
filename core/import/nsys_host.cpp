// SPDX-License-Identifier: Apache-2.0
// What the threads did: API calls, ranges of NVTX and of libraries, and the profiler's own work.
#include "core/import/event_kind.h"
#include "core/import/nsys_context.h"

#include <algorithm>
#include <array>

namespace longpole {

namespace {

using enum WantedColumn::Need;

/// Functions of the system that wait for something else, whatever it is.
bool isSleep(std::string_view name) {
    constexpr std::array<std::string_view, 14> sleeps = {
        "poll", "ppoll",   "select",       "pselect",   "epoll_", "pthread_cond_",   "pthread_join",
        "sem_", "sigwait", "sigtimedwait", "nanosleep", "usleep", "clock_nanosleep", "wait"};
    constexpr std::array<std::string_view, 5> quick = {
        "pthread_cond_signal", "pthread_cond_broadcast", "sem_post", "epoll_ctl", "epoll_create"};
    const auto begins = [&](std::string_view begin) { return name.starts_with(begin); };
    return std::any_of(sleeps.begin(), sleeps.end(), begins) &&
           std::none_of(quick.begin(), quick.end(), begins);
}

class HostTables {
public:
    explicit HostTables(NsysContext &context) : m_context(context), m_builder(context.builder) {}

    void calls() {
        constexpr WantedColumn columns[] = {
            {"start", Required}, {"end", Required}, {"eventClass"}, {"globalTid", Required},
            {"correlationId"},   {"nameId"},        {"name", Text}};
        enum { Start, End, Class, Tid, Correlation, NameId, Name };
        const bool hasWaits = m_context.exists("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
        const NsysEnum classes(m_context.file, std::string(nsysEnumOf("eventClass")));
        EventTable rows = m_context.open("CUPTI_ACTIVITY_KIND_RUNTIME", columns);
        const StringId runtime = m_context.category("cuda_runtime"),
                       driver = m_context.category("cuda_driver"),
                       backtrace = m_context.category("cuda_backtrace");
        while (rows.next()) {
            IntervalRow row;
            if (!rows.times(Start, End, row)) continue;
            const NsysContext::Thread thread = m_context.threadOf(rows[Tid]);
            row.kind = Kind::Runtime;
            row.name = rows[NameId] != EventTable::kAbsent
                           ? m_context.callName(rows[NameId], row.offset)
                           : m_context.intern(withoutVersion(rows.text(Name)), row.offset);
            const NsysEnum::Value *eventClass = classes.find(rows[Class]);
            const std::string_view className =
                eventClass ? std::string_view(eventClass->name) : std::string_view();
            if (className.ends_with("BACKTRACE")) {
                row.category = backtrace; // the same call, with what it took to record its stack
                m_builder.addInterval(thread.track, row);
                continue;
            }
            row.category = className.ends_with("DRIVER") ? driver : runtime;
            const Call &call = callOf(row.name);
            row.kind = call.kind;
            SideRow side;
            if (rows[Correlation] >= 0) side.correlation = rows[Correlation];
            if (hasWaits && call.waitsFor != NsysSync::Unknown)
                m_context.waitingCalls[{thread.process, side.correlation}] = call.waitsFor;
            row.side = m_builder.addSide(thread.track, side);
            m_builder.addInterval(thread.track, row);
        }
    }

    /// Calls into the system. One that sleeps is no work: it stands beside its thread, which has a
    /// hole there, as where a profiler sees no such calls.
    void systemCalls() {
        ranges("OSRT_API", "osrt", Kind::Runtime,
               [this](const NsysContext::Thread &thread, int64_t globalTid, StringId name) {
                   if (!isSleep(m_builder.strings()[name])) return thread.track;
                   const std::string tid = std::to_string(NsysContext::tidOf(globalTid));
                   return m_builder.annotationTrack(thread.process, "sleeps " + tid,
                                                    "waits of thread " + tid);
               });
    }

    /// Calls of a library that are ranges of their thread and nothing more.
    void libraryCalls(std::string_view table, std::string_view categoryName) {
        ranges(table, categoryName, Kind::CpuOp,
               [](const NsysContext::Thread &thread, int64_t, StringId) { return thread.track; });
    }

    void nvtx() {
        constexpr WantedColumn columns[] = {{"start"},     {"end"},    {"eventType", Required},
                                            {"globalTid"}, {"textId"}, {"text", Text}};
        EventTable rows = m_context.open("NVTX_EVENTS", columns);
        m_nvtx = m_context.category("nvtx");
        while (rows.next()) nvtxEvent(rows);
    }

    void overhead(std::string_view table) {
        constexpr WantedColumn columns[] = {{"start", Required},
                                            {"end", Required},
                                            {"globalTid", Required},
                                            {"nameId"},
                                            {"overheadType"}};
        enum { Start, End, Tid, NameId, Type };
        const NsysEnum types(m_context.file, std::string(nsysEnumOf("overheadType")));
        EventTable rows = m_context.open(table, columns);
        const StringId category = m_context.category("overhead");
        while (rows.next()) {
            IntervalRow row;
            if (!rows.times(Start, End, row)) continue;
            row.name = m_context.text(rows[NameId], row.offset);
            const NsysEnum::Value *type = types.find(rows[Type]);
            if (type && m_builder.strings()[row.name].empty())
                row.name = m_context.intern(type->label, row.offset);
            row.category = category;
            row.kind = Kind::Overhead;
            m_builder.addInterval(
                m_builder.annotationTrack(m_context.processOf(rows[Tid]), "overhead", "overhead"),
                row);
        }
    }

    /// Warnings and errors of the profiler are instants; what it was merely glad to say is counted.
    void messages() {
        constexpr WantedColumn columns[] = {
            {"timestamp", Required}, {"severity"}, {"globalPid"}, {"text", Text}};
        enum { Time, Severity, Pid, Message };
        const NsysEnum severities(m_context.file, std::string(nsysEnumOf("severity")));
        EventTable rows = m_context.open("DIAGNOSTIC_EVENT", columns);
        while (rows.next()) {
            const NsysEnum::Value *severity = severities.find(rows[Severity]);
            IntervalRow row;
            if (!severity || (severity->name != "Warning" && severity->name != "Error")) {
                ++m_builder.events.metadata;
            } else if (rows.times(Time, Time, row)) {
                const uint32_t track = m_builder.annotationTrack(
                    m_context.deviceProcess(rows[Pid]), "messages", "messages of the profiler");
                m_builder.addInstant(track, row.begin,
                                     m_context.intern(withoutPaths(rows.text(Message)), row.offset),
                                     row.offset, 'p');
                ++m_builder.events.instants;
            }
        }
    }

private:
    template <class TrackOf>
    void ranges(std::string_view table, std::string_view categoryName, Kind kind, TrackOf trackOf) {
        constexpr WantedColumn columns[] = {
            {"start", Required}, {"end", Required}, {"globalTid", Required},
            {"nameId"},          {"textId"},        {"name", Text}};
        enum { Start, End, Tid, NameId, TextId, Name };
        EventTable rows = m_context.open(table, columns);
        const StringId category = m_context.category(categoryName);
        while (rows.next()) {
            IntervalRow row;
            if (!rows.times(Start, End, row)) continue;
            const int64_t id = rows.valueOr(NameId, rows[TextId]);
            row.name = id != EventTable::kAbsent ? m_context.text(id, row.offset)
                                                 : m_context.intern(rows.text(Name), row.offset);
            row.category = category;
            row.kind = kind;
            m_builder.addInterval(trackOf(m_context.threadOf(rows[Tid]), rows[Tid], row.name), row);
        }
    }

    enum Nvtx { kStart, kEnd, kType, kTid, kTextId, kText };

    struct Call {
        Kind kind = Kind::Runtime;
        NsysSync waitsFor = NsysSync::Unknown;
    };
    const Call &callOf(StringId name) {
        const auto [it, isNew] = m_calls.try_emplace(name.index);
        const std::string_view text = m_builder.strings()[name];
        if (isNew) it->second = {eventKind("cuda_runtime", text).kind, nsysSyncOfCall(text)};
        return it->second;
    }

    void nvtxEvent(EventTable &rows) {
        switch (rows[kType]) {
        case 33: // category
        case 75: // domain made
        case 76: // domain gone
            ++m_builder.events.metadata;
            return;
        case 39: // name of a thread
            if (rows[kTid] == EventTable::kAbsent) return rows.setAside(Reason::WrongType);
            m_context.namedThreads.insert(rows[kTid]);
            m_builder.nameThread(m_context.processOf(rows[kTid]),
                                 std::to_string(NsysContext::tidOf(rows[kTid])),
                                 m_builder.strings()[textOf(rows)]);
            ++m_builder.events.metadata;
            return;
        case 34: // mark
        case 59: // push and pop: nests on its thread
        case 60: // start and end: may cross threads and anything else
            break;
        default:
            return rows.setAside(Reason::RowNotShown);
        }
        if (rows[kTid] == EventTable::kAbsent || rows[kStart] == EventTable::kAbsent)
            return rows.setAside(Reason::WrongType);
        const bool open = rows[kEnd] == EventTable::kAbsent;
        IntervalRow row;
        if (!rows.times(kStart, open ? kStart : kEnd, row)) return;
        row.category = m_nvtx;
        row.kind = Kind::Annotation;
        const NsysContext::Thread thread = m_context.threadOf(rows[kTid]);
        if (rows[kType] == 34) {
            m_builder.addInstant(thread.track, row.begin, textOf(rows), row.offset, 't');
            ++m_builder.events.instants;
            return;
        }
        const uint32_t track =
            rows[kType] == 59
                ? thread.track
                : m_builder.annotationTrack(thread.process, "nvtx ranges", "NVTX ranges");
        // numbers in a name make it unlike any other, so they are taken out before it is kept
        const bool written = rows[kTextId] == EventTable::kAbsent;
        if (const auto torch = written ? torchRange(rows.text(kText)) : std::nullopt) {
            row.name = m_context.intern(torch->name, row.offset);
            row.kind = Kind::CpuOp;
            SideRow side;
            side.sequence = torch->sequence;
            row.side = m_builder.addSide(track, side);
        } else {
            row.name = textOf(rows);
        }
        if (open)
            m_builder.addBegin(track, row);
        else
            m_builder.addInterval(track, row);
    }

    StringId textOf(EventTable &rows) {
        return rows[kTextId] != EventTable::kAbsent
                   ? m_context.text(rows[kTextId], rows.offset())
                   : m_context.intern(rows.text(kText), rows.offset());
    }

    NsysContext &m_context;
    TraceBuilder &m_builder;
    StringId m_nvtx;
    std::unordered_map<uint32_t, Call> m_calls; ///< by name
};

} // namespace

void readNsysHost(NsysContext &context) {
    HostTables tables(context);
    tables.calls();
    tables.nvtx();
    tables.systemCalls();
    for (const char *table :
         {"CUDNN_EVENTS", "CUBLAS_EVENTS", "MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS",
          "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"})
        tables.libraryCalls(table, std::string_view(table).starts_with("MPI") ? "mpi" : "library");
    tables.overhead("PROFILER_OVERHEAD");
    tables.overhead("CUPTI_ACTIVITY_KIND_OVERHEAD");
    tables.messages();
    context.setAsideAll("SCHED_EVENTS");
}

} // namespace longpole
