// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/analysis/interval_edges.h"
#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "core/import/nsys_names.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"
#include "tests/support/text_trace.h"

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

using TracePtr = std::shared_ptr<const Trace>;

TracePtr opened(const std::string &bytes) {
    const auto trace = openText(bytes);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    if (!booksBalance(**trace)) qFatal("the books do not balance");
    return *trace;
}

std::string callOf(const Trace &trace, std::string_view op) {
    const IntervalId call = trace.callOf(find(trace, op));
    return call.valid() ? std::string(trace.name(call)) : "none";
}

} // namespace

class NsysSqliteTest : public QObject {
    Q_OBJECT
private slots:
    /// The same recording in both shapes of the schema gives the same trace, to the letter.
    void golden() {
        const std::string expected = "annotation NVTX ranges\n"
                                     "  0 job 2000..11000 annotation\n"
                                     "thread python3\n"
                                     "  0 outer 0..8000 annotation\n"
                                     "  1   aten::mul 200..3000 cpu_op\n"
                                     "  1   cudaStreamSynchronize 3500..7500 sync\n"
                                     "  2     cudaLaunchKernel 300..500 launch\n"
                                     "  2     cudaMemcpyAsync 600..700 runtime\n"
                                     "  2     cudaMemsetAsync 800..850 runtime\n"
                                     "  2     cudaEventRecord 900..950 event_record\n"
                                     "  2     cudaStreamWaitEvent 1000..1050 event_wait\n"
                                     "  2     cuLaunchKernel 1100..1200 launch\n"
                                     "annotation sync and event records\n"
                                     "  0 Stream Wait Event 1010..1040 event_wait\n"
                                     "  0 Stream Sync 3600..7400 sync\n"
                                     "thread thread 101\n"
                                     "thread thread 102\n"
                                     "  0 ioctl 1000..1500 runtime\n"
                                     "annotation waits of thread 102\n"
                                     "  0 pthread_cond_timedwait 1600..5000 runtime\n"
                                     "stream stream 7\n"
                                     "  0 void gemm<float>(float*) 600..1600 kernel\n"
                                     "  0 Memcpy HtoD (Pageable -> Device) 1700..1900 h2d\n"
                                     "  0 Memset (Device) 2000..2010 memset\n"
                                     "stream stream 13\n"
                                     "  0 ncclDevKernel_AllReduce 2100..7000 comm\n";
        for (const int schema : {2, 3}) {
            const TracePtr trace = opened(smallNsysExport(schema));
            QCOMPARE(textOf(*trace), expected);
            QCOMPARE(trace->events.instants, uint64_t(1));
            QCOMPARE(trace->events.metadata,
                     uint64_t(3)); // domain, event without a time, thread name
            QCOMPARE(reasonsOf(*trace), std::string());
            QCOMPARE(trace->processes.at(0).name, std::string("python3"));
            QCOMPARE(trace->processes.at(0).pid, std::string("100"));
            QCOMPARE(trace->files.at(0).format,
                     "Nsight Systems SQLite, schema " + std::to_string(schema) + ".20.2");
            QCOMPARE(trace->files.at(0).producer, std::string("NVIDIA Nsight Systems 1.2.3"));
            QCOMPARE(trace->files.at(0).deviceNames.at(0), std::string("A GPU"));
            QCOMPARE(callOf(*trace, "void gemm<float>(float*)"), std::string("cudaLaunchKernel"));
            QCOMPARE(callOf(*trace, "ncclDevKernel_AllReduce"), std::string("cuLaunchKernel"));
            const IntervalId op = find(*trace, "aten::mul");
            QCOMPARE(trace->track(op).table->sideOf(op.row).sequence, int64_t(12));
            const IntervalId copy = find(*trace, "Memcpy HtoD (Pageable -> Device)");
            QCOMPARE(trace->track(copy).table->sideOf(copy.row).bytes, int64_t(4096));
            for (const Track &track : trace->tracks)
                if (track.kind == TrackKind::Stream)
                    QVERIFY(track.order ==
                            (track.stream == 7 ? StreamOrder::Null : StreamOrder::NonBlocking));
        }
    }

    /// Waits find the record of their event by its own number, or by the handle and the order of
    /// calls.
    void waits() {
        for (const int schema : {2, 3}) {
            const TracePtr trace = opened(smallNsysExport(schema));
            QCOMPARE(trace->syncs.size(), size_t(2));
            const SyncRecord &wait = trace->syncs.at(0), &sync = trace->syncs.at(1);
            QVERIFY(wait.streamWait && !sync.streamWait);
            QCOMPARE(wait.stream, int64_t(13));
            QCOMPARE(wait.waitOnStream, int64_t(7));
            QCOMPARE(wait.waitOnCorrelation, int64_t(4));
            QCOMPARE(sync.stream, int64_t(13));
            QCOMPARE(sync.waitOnCorrelation, int64_t(-1));
        }
        // A handle that is used again means the last record before the wait.
        NsysDatabase db(2);
        db.eventRecord({.correlation = 10, .stream = 7}, 5, -1);
        db.eventRecord({.correlation = 30, .stream = 9}, 5, -1);
        db.eventRecord({.correlation = 20, .stream = 8}, 5, -1);
        db.sync({.correlation = 25, .begin = 1, .end = 2, .stream = 3}, 2, 5);
        db.sync({.correlation = 9, .begin = 3, .end = 4, .stream = 3}, 2, 5);
        const TracePtr reused = opened(db.bytes());
        QCOMPARE(reused->syncs.at(0).waitOnCorrelation, int64_t(20));
        QCOMPARE(reused->syncs.at(0).waitOnStream, int64_t(8));
        QCOMPARE(reused->syncs.at(1).waitOnCorrelation, int64_t(-1));
    }

    /// Some versions number types otherwise than their own table says, and write device 0.
    void theCallDecidesWhatASyncIs() {
        NsysDatabase db;
        db.call(100, 100, 1, 10, 20, "cudaStreamSynchronize_v3020");
        db.call(100, 100, 2, 30, 40, "cudaDeviceSynchronize_v3020");
        db.call(100, 100, 3, 50, 60, "cudaEventSynchronize_v3020");
        db.call(100, 100, 4, 70, 80, "cudaMemcpy_v3020");
        db.kernel({.correlation = 9, .begin = 5, .end = 8, .device = 1, .context = 2}, "k");
        db.sync({.correlation = 1, .begin = 11, .end = 19, .device = 0, .context = 2}, 2);
        db.sync({.correlation = 2, .begin = 31, .end = 39, .device = 0, .context = 2}, 3);
        db.sync({.correlation = 3, .begin = 51, .end = 59, .device = 0, .context = 2}, 0, 4);
        db.sync({.correlation = 4, .begin = 71, .end = 79, .device = 0, .context = 2},
                2); // no event
        const TracePtr trace = opened(db.bytes());
        for (const char *name : {"Stream Sync", "Context Sync", "Event Sync"})
            QCOMPARE(trace->kind(find(*trace, name)), Kind::Sync);
        QCOMPARE(trace->syncs.size(), size_t(4));
        for (const SyncRecord &sync : trace->syncs) {
            QVERIFY(!sync.streamWait);
            QCOMPARE(sync.device, int64_t(1));
        }
        QCOMPARE(trace->syncs.at(1).stream, int64_t(-1)); // a context waits for all streams
    }

    /// Correlation ids count in each process: equal ones join within their own alone.
    void twoProcesses() {
        NsysDatabase db;
        db.call(200, 201, 7, 100, 110, "cudaLaunchKernel_v7000");
        db.call(300, 301, 7, 105, 115, "cuLaunchKernel", 1);
        db.call(300, 301, 8, 125, 135, "cudaLaunchKernelExC_v11060");
        db.kernel({.pid = 200, .correlation = 7, .begin = 120, .end = 130, .device = 0}, "ofA");
        db.kernel({.pid = 300, .correlation = 7, .begin = 121, .end = 131, .device = 1}, "ofB");
        db.kernel({.pid = 200, .correlation = 8, .begin = 140, .end = 150, .device = 0}, "orphan");
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(callOf(*trace, "ofA"), std::string("cudaLaunchKernel"));
        QCOMPARE(callOf(*trace, "ofB"), std::string("cuLaunchKernel"));
        QCOMPARE(callOf(*trace, "orphan"), std::string("none"));
        QCOMPARE(reasonsOf(*trace), std::string("op_without_launch 1, launch_without_op 1"));
        const IntervalId op = find(*trace, "ofB");
        QCOMPARE(trace->track(op).table->sideOf(op.row).correlation, int64_t(7)); // as recorded
        QCOMPARE(trace->processes.size(), size_t(2));
    }

    /// A device synchronisation waits for the streams of its own process, a wait for its own
    /// events.
    void edgesStayInTheirProcess() {
        NsysDatabase db;
        for (const int pid : {200, 300}) {
            const int at = pid == 200 ? 0 : 50;
            const std::string name = pid == 200 ? "A" : "B";
            db.call(pid, pid, 1, 1000 + at, 2000 + at, "cudaLaunchKernel_v7000");
            db.call(pid, pid, 2, 3000 + at, 3500 + at, "cudaEventRecord_v3020");
            db.call(pid, pid, 3, 4000 + at, 4500 + at, "cudaStreamWaitEvent_v3020");
            db.call(pid, pid, 4, 5000 + at, 6000 + at, "cudaLaunchKernel_v7000");
            db.call(pid, pid, 5, 7000 + at, 90'000 + 100 * at, "cudaDeviceSynchronize_v3020");
            db.eventRecord({.pid = pid, .correlation = 2}, 1, 77);
            db.sync({.pid = pid, .correlation = 3, .begin = 4100, .end = 4200, .stream = 9}, 2, 1,
                    77);
            db.kernel({.pid = pid, .correlation = 1, .begin = 8000 + at, .end = 40'000 + 100 * at},
                      "first" + name);
            db.kernel({.pid = pid,
                       .correlation = 4,
                       .begin = 41'000 + 100 * at,
                       .end = 80'000 + 100 * at,
                       .stream = 9},
                      "second" + name);
        }
        const TracePtr trace = opened(db.bytes());
        const Steps steps = findSteps(*trace);
        Progress progress;
        const auto graph = buildGraph(*trace, steps, phases(*trace, steps), progress);
        QVERIFY(graph);
        int events = 0, syncs = 0;
        for (const IntervalEdge &edge : intervalEdges(*trace, *graph)) {
            QCOMPARE(trace->track(edge.from).process, trace->track(edge.to).process);
            events += edge.type == EdgeType::Event && edge.evidence == Evidence::Recorded;
            syncs += edge.type == EdgeType::Sync;
        }
        QCOMPARE(events, 2);
        QVERIFY(syncs >= 2);
    }

    /// Global ids are unsigned; their upper bits tell machines apart.
    void globalIds() {
        NsysDatabase db;
        const auto tid = [](uint64_t above, int64_t pid, int64_t thread) {
            return std::to_string(int64_t(above << 48 | uint64_t(pid) << 24 | uint64_t(thread)));
        };
        for (const uint64_t above : {0x0001u, 0xFFFEu})
            db.insert("CUPTI_ACTIVITY_KIND_RUNTIME",
                      {{"start", "1"}, {"end", "2"}, {"globalTid", tid(above, 16777215, 77)}});
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(trace->processes.size(), size_t(2));
        QCOMPARE(trace->processes.at(0).pid, std::string("16777215"));
        QVERIFY(trace->processes.at(1).pid.starts_with("16777215 on "));
        for (const Track &track : trace->tracks) QCOMPARE(track.thread, std::string("77"));
    }

    void graphs() {
        NsysDatabase db;
        db.call(100, 100, 4, 10, 20, "cudaGraphLaunch_v10000");
        db.graph({.correlation = 4, .begin = 30, .end = 90}, 12);
        const TracePtr trace = opened(db.bytes());
        const IntervalId graph = find(*trace, "CUDA graph 12");
        QCOMPARE(trace->kind(graph), Kind::GraphExec);
        QCOMPARE(trace->kind(trace->callOf(graph)), Kind::GraphLaunch);
    }

    /// Traced node by node, a graph is many operations of one call; one that begins on the host
    /// says so in the place of a device.
    void nodesOfGraphs() {
        NsysDatabase db;
        db.call(100, 100, 4, 10, 20, "cudaGraphLaunch_v10000");
        db.call(100, 100, 5, 30, 40, "cudaGraphLaunch_v10000");
        for (int i = 0; i < 300; ++i)
            db.kernel({.correlation = 4, .begin = 100 + 10 * i, .end = 105 + 10 * i, .device = 1},
                      "node");
        db.graph({.correlation = 5, .begin = 5000, .end = 5100, .device = 0x7FFFFFFF}, 0);
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(trace->opsOf(trace->callOf(find(*trace, "node"))).size(), size_t(300));
        const IntervalId graph = find(*trace, "CUDA graph 0");
        QVERIFY(trace->track(graph).device == 1); // as what else ran in its context
        QCOMPARE(trace->begin(trace->callOf(graph)), TimeNs(20));
    }

    /// An event record has a time only where the device told one; either way waits find it.
    void recordsWithTimes() {
        NsysDatabase db;
        db.eventRecord({.correlation = 2, .stream = 7}, 11, 501, 150);
        db.eventRecord({.correlation = 3, .stream = 7}, 12, 502, 0);
        db.sync({.correlation = 5, .begin = 200, .end = 210, .stream = 13}, 2, 11, 501);
        db.sync({.correlation = 6, .begin = 220, .end = 230, .stream = 13}, 2, 12, 502);
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(textOf(*trace), std::string("annotation sync and event records\n"
                                             "  0 Event Record 0..0 event_record\n"
                                             "  0 Stream Wait Event 50..60 event_wait\n"
                                             "  0 Stream Wait Event 70..80 event_wait\n"));
        QCOMPARE(trace->events.metadata, uint64_t(1));
        QCOMPARE(trace->syncs.at(0).waitOnCorrelation, int64_t(2));
        QCOMPARE(trace->syncs.at(1).waitOnCorrelation, int64_t(3));
    }

    /// The name with the least priority number is the program's own; it names what has events.
    void threadNames() {
        NsysDatabase db;
        for (const int tid : {100, 101, 102}) db.call(100, tid, tid, 10, 20, "cudaFree_v3020");
        db.threadName(100, 101, "from the system", 30);
        db.threadName(100, 101, "by the program", 10);
        db.threadName(100, 100, "trainer", 20);
        db.threadName(100, 199, "idle", 20);
        const TracePtr trace = opened(db.bytes());
        std::vector<std::string> names;
        for (const Track &track : trace->tracks) names.push_back(track.name);
        QCOMPARE(names, (std::vector<std::string>{"by the program", "thread 102", "trainer"}));
        QCOMPARE(trace->processes.at(0).name, std::string("trainer"));
        QCOMPARE(trace->events.metadata, uint64_t(4));
    }

    /// Flags of streams count in their process; the null stream is known by its context.
    void flagsOfStreams() {
        NsysDatabase db;
        for (const int stream : {7, 13, 14, 15})
            db.kernel({.correlation = stream, .begin = 10, .end = 20, .stream = stream}, "k");
        db.kernel({.pid = 200, .correlation = 1, .begin = 10, .end = 20, .stream = 13}, "k");
        db.insert(
            "TARGET_INFO_CUDA_CONTEXT_INFO",
            {{"nullStreamId", "7"}, {"processId", "100"}, {"deviceId", "0"}, {"contextId", "1"}});
        for (const auto &[stream, flag] : {std::pair("13", "1"), std::pair("14", "2")})
            db.insert(
                "TARGET_INFO_CUDA_STREAM",
                {{"streamId", stream}, {"processId", "100"}, {"contextId", "1"}, {"flag", flag}});
        const TracePtr trace = opened(db.bytes());
        std::string orders;
        for (const Track &track : trace->tracks)
            orders += trace->processes[track.process].pid + '/' + track.name + ' ' +
                      std::string(streamOrderName(track.order)) + ", ";
        QCOMPARE(orders, std::string("100/stream 7 null, 100/stream 13 blocking, "
                                     "100/stream 14 non_blocking, 100/stream 15 , "
                                     "200/stream 13 , "));
    }

    /// What the file names counts; a number that it leaves out means what it always meant.
    void namesOfNumbers() {
        NsysDatabase db;
        db.run("CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER, name TEXT, label TEXT)");
        db.run("INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (2, 'CUDA_MEMCPY_KIND_HTOD', 'in')");
        db.copy({.correlation = 1, .begin = 10, .end = 20}, 64, 2, 1, 2);
        db.copy({.correlation = 2, .begin = 30, .end = 40}, 64, 8, 2, 2);
        db.copy({.correlation = 3, .begin = 50, .end = 60}, 64, 77, 2, 2);
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(trace->kind(find(*trace, "Memcpy HtoD (Pinned -> Device)")), Kind::H2D);
        QCOMPARE(trace->kind(find(*trace, "Memcpy DtoD (Device -> Device)")), Kind::D2D);
        QCOMPARE(trace->kind(find(*trace, "Memcpy (Device -> Device)")), Kind::D2D);
    }

    void nvtx() {
        NsysDatabase db;
        db.call(100, 100, 1, 100, 200, "cudaFree_v3020");
        db.nvtx(59, 100, 100, 50, 400, "outer");
        db.nvtx(59, 100, 100, 60, 300, "inner", true);
        db.nvtx(60, 100, 100, 150, 500, "crosses");
        db.nvtx(60, 100, 100, 250, 600, "crosses too");
        db.nvtx(59, 100, 100, 350, -1, "never ends");
        db.nvtx(39, 100, 100, 20, -1, "the worker");
        db.threadName(100, 100, "python3");
        db.nvtx(33, 100, 100, 20, -1, "category");
        db.nvtx(70, 100, 100, 20, 30, "taken over");
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(textOf(*trace), std::string("annotation NVTX ranges\n"
                                             "  0 crosses 100..450 annotation\n"
                                             "  1 crosses too 200..550 annotation\n"
                                             "thread the worker\n"
                                             "  0 outer 0..350 annotation\n"
                                             "  1   inner 10..250 annotation\n"
                                             "  1 never ends 300..550 annotation\n"
                                             "  2     cudaFree 50..150 runtime\n"));
        QCOMPARE(reasonsOf(*trace), std::string("row_not_shown 1, begin_without_end 1, overlap 2"));
    }

    /// What the profiler warns of is an instant, without folders; the rest is counted.
    void messages() {
        NsysDatabase db;
        const auto message = [&](const char *severity, const char *text) {
            db.insert("DIAGNOSTIC_EVENT",
                      {{"timestamp", "5"}, {"severity", severity}, {"text", text}});
        };
        message("1", "'Profiling has started.'");
        message("2", "'Not all events of /srv/user/run were collected.'");
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(trace->instants.size(), size_t(1));
        QCOMPARE(std::string(trace->instants[0].name),
                 std::string("Not all events of … were collected."));
        QCOMPARE(trace->events.metadata, uint64_t(1));
    }

    void messagesInArguments() {
        NsysDatabase db;
        db.insert("DIAGNOSTIC_EVENT",
                  {{"timestamp", "5"}, {"severity", "3"}, {"text", "'Lost C:\\Users\\me now.'"}});
        const TempFile file(db.bytes(), ".sqlite");
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(trace);
        EventArgs args(*trace);
        QCOMPARE(*args.json(0, (*trace)->instants.at(0).offset),
                 std::string("{\"timestamp\":5,\"severity\":3,\"severity "
                             "(name)\":\"Error\",\"text\":\"Lost … now.\"}"));
    }

    void whatIsNotShownIsCounted() {
        NsysDatabase db;
        for (int i = 0; i < 3; ++i)
            db.insert("SCHED_EVENTS", {{"start", "1"}, {"cpu", "0"}, {"isSchedIn", "1"}});
        db.insert("SAMPLING_CALLCHAINS", {{"id", "1"}, {"symbol", "2"}});
        db.insert("PROFILER_OVERHEAD",
                  {{"start", "5"}, {"end", "8"}, {"globalTid", "1"}, {"overheadType", "8"}});
        const TracePtr trace = opened(db.bytes());
        QCOMPARE(reasonsOf(*trace), std::string("row_not_shown 3, table_not_read 1"));
        const auto placeOf = [&](Reason reason) {
            return placeText(trace->files[0], trace->diagnostics[reason].firstOffset);
        };
        QCOMPARE(placeOf(Reason::RowNotShown), std::string("row 1 of SCHED_EVENTS"));
        QCOMPARE(placeOf(Reason::TableNotRead), std::string("row 1 of SAMPLING_CALLCHAINS"));
        QCOMPARE(textOf(*trace),
                 std::string("annotation overhead\n  0 Command buffer full 0..3 overhead\n"));
    }

    void arguments() {
        NsysDatabase db;
        db.copy({.correlation = 9007199254740993, .begin = 10, .end = 20}, 9223372036854775807, 1,
                0, 2);
        db.kernel({.pid = 100, .begin = 30, .end = 40}, "k\"1\"");
        db.insert("NVTX_EVENTS", {{"start", "5"},
                                  {"end", "6"},
                                  {"eventType", "59"},
                                  {"text", "x'41ff'"},
                                  {"globalTid", "-2"}});
        const TempFile file(db.bytes(), ".sqlite");
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(trace);
        EventArgs args(*trace);
        QCOMPARE(
            *args.json(find(**trace, "Memcpy HtoD (Pageable -> Device)")),
            std::string(
                R"~({"start":10,"end":20,"deviceId":0,"contextId":1,"streamId":7,)~"
                R"~("correlationId":9007199254740993,"globalPid":281476654432256,)~"
                R"~("bytes":9223372036854775807,"copyKind":1,"copyKind (name)":"Host-to-Device",)~"
                R"~("srcKind":0,"srcKind (name)":"Pageable","dstKind":2,"dstKind (name)":"Device"})~"));
        const auto kernel = args.entries(find(**trace, "k\"1\""));
        QVERIFY(kernel);
        const auto name =
            std::find_if(kernel->begin(), kernel->end(),
                         [](const EventArgs::Entry &e) { return e.key == "demangledName"; });
        QCOMPARE(name->value, std::string("k\"1\""));
        const std::string range = *args.json(find(**trace, "A\xEF\xBF\xBD"));
        QVERIFY(range.find("\"globalTid\":18446744073709551614") != range.npos);
        changeDatabase(file.path(), "CREATE TABLE more (a)");
        QCOMPARE(args.json(find(**trace, "k\"1\"")).error().reason, std::string("file_changed"));
    }

    void names() {
        QCOMPARE(withoutVersion("cudaLaunchKernel_v7000"), std::string_view("cudaLaunchKernel"));
        QCOMPARE(withoutVersion("cudaStreamGetCaptureInfo_v2_v11030"),
                 std::string_view("cudaStreamGetCaptureInfo_v2"));
        QCOMPARE(withoutVersion("cuMemcpyAsync_v2"), std::string_view("cuMemcpyAsync_v2"));
        QCOMPARE(withoutVersion("cudaMemcpyAsync_ptsz_v7000"),
                 std::string_view("cudaMemcpyAsync_ptsz"));
        QCOMPARE(withoutVersion("_v7000"), std::string_view(""));
        const NsysEnum::Value dtoh{"CUDA_MEMCPY_KIND_UVM_DTOH", ""},
            atod{"CUDA_MEMCPY_KIND_ATOD", ""}, ptop{"CUDA_MEMCPY_KIND_PTOP", ""},
            htoa{"CUDA_MEMCPY_KIND_HTOA", ""}, htoh{"CUDA_MEMCPY_KIND_HTOH", ""};
        QCOMPARE(nsysCopy(&dtoh, nullptr, nullptr).kind, Kind::D2H);
        QCOMPARE(nsysCopy(&dtoh, nullptr, nullptr).name, std::string("Memcpy UVM_DtoH"));
        QCOMPARE(nsysCopy(&atod, nullptr, nullptr).kind, Kind::D2D);
        QCOMPARE(nsysCopy(&ptop, nullptr, nullptr).kind, Kind::P2P);
        QCOMPARE(nsysCopy(&htoa, nullptr, nullptr).kind, Kind::H2D);
        QCOMPARE(nsysCopy(&htoh, nullptr, nullptr).kind, Kind::H2H);
        QCOMPARE(nsysCopy(nullptr, nullptr, nullptr).name, std::string("Memcpy"));
    }
};

QTEST_GUILESS_MAIN(NsysSqliteTest)
#include "nsys_sqlite_test.moc"
