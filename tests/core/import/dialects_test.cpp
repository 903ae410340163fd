// SPDX-License-Identifier: Apache-2.0
// What profilers write in their different versions: one small text and the right values for each
// peculiarity.
#include <QTest>

#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/text_trace.h"

#include <array>

using namespace longpole;
using namespace longpole::test;

namespace {

using TracePtr = std::shared_ptr<const Trace>;

TracePtr open(std::string_view json) {
    const auto trace = openText(json);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    if (!booksBalance(**trace)) qFatal("the books do not balance");
    return *trace;
}

TracePtr openJob(const std::vector<std::string> &paths) {
    Progress progress;
    const auto trace = openTraces(paths, progress);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    if (!booksBalance(**trace)) qFatal("the books do not balance");
    return *trace;
}

std::string kineto(const std::string &events, const std::string &before = "",
                   const std::string &behind = "") {
    return "{\"schemaVersion\":1," + before + "\"traceEvents\":[" + events + "]" + behind + "}";
}

/// A range of one microsecond on thread 9 of process 9.
std::string range(const std::string &name, const std::string &ts, const std::string &more = "") {
    return "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" + name +
           "\",\"pid\":9,\"tid\":9,\"ts\":" + ts + ",\"dur\":1" + more + "}";
}

std::string callOf(const Trace &trace, std::string_view op) {
    const IntervalId call = trace.callOf(find(trace, op));
    return call.valid() ? std::string(trace.name(call)) : "none";
}

} // namespace

class DialectsTest : public QObject {
    Q_OBJECT
private slots:
    /// PyTorch until 2021: a plain list, other categories, thread ids as texts.
    void legacyCategories() {
        const TracePtr trace = open(R"json([
{"ph":"M","name":"process_name","ts":1608000000000000,"pid":0,"tid":0,"args":{"name":"python"}},
{"ph":"M","name":"thread_name","pid":0,"tid":"stream 7","args":{"name":"stream 7"}},
{"ph":"X","cat":"Operator","name":"aten::loop","pid":9,"tid":"9","ts":1608000000000000,"dur":100,"args":{"Device":9,"External id":1}},
{"ph":"X","cat":"Operator","name":"aten::conv2d","pid":9,"tid":"9","ts":1608000000000001,"dur":50,"args":{"Input dims":[[64,3],[]]}},
{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":9,"tid":"9","ts":1608000000000010,"dur":5,"args":{"correlation":33,"external id":3}},
{"ph":"X","cat":"Runtime","name":"cudaMemcpyAsync","pid":9,"tid":"9","ts":1608000000000016,"dur":5,"args":{"correlation":34}},
{"ph":"X","cat":"Runtime","name":"cudaDeviceSynchronize","pid":9,"tid":"9","ts":1608000000000060,"dur":5,"args":{"correlation":36}},
{"ph":"X","cat":"Kernel","name":"sgemm","pid":0,"tid":"stream 7","ts":1608000000000020,"dur":9,"args":{"stream":7,"correlation":33,"external id":3}},
{"ph":"X","cat":"Memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":"stream 7","ts":1608000000000030,"dur":9,"args":{"stream":7,"correlation":34,"bytes":4096}},
{"ph":"X","cat":"Memset","name":"Memset (Device)","pid":0,"tid":"stream 7","ts":1608000000000040,"dur":9,"args":{"stream":7,"correlation":35}},
{"ph":"s","id":33,"pid":9,"tid":"9","ts":1608000000000010,"cat":"async","name":"launch"},
{"ph":"f","id":33,"pid":0,"tid":"stream 7","ts":1608000000000020,"cat":"async","name":"launch","bp":"e"}])json");
        QCOMPARE(textOf(*trace),
                 std::string("thread thread 9\n"
                             "  0 aten::loop 0..100000 cpu_op\n"
                             "  1   aten::conv2d 1000..51000 cpu_op\n"
                             "  1   cudaDeviceSynchronize 60000..65000 sync\n"
                             "  2     cudaLaunchKernel 10000..15000 launch\n"
                             "  2     cudaMemcpyAsync 16000..21000 runtime\n"
                             "stream stream 7\n"
                             "  0 sgemm 20000..29000 kernel\n"
                             "  0 Memcpy HtoD (Pageable -> Device) 30000..39000 h2d\n"
                             "  0 Memset (Device) 40000..49000 memset\n"));
        QCOMPARE(callOf(*trace, "sgemm"), std::string("cudaLaunchKernel"));
        QCOMPARE(callOf(*trace, "Memcpy HtoD (Pageable -> Device)"),
                 std::string("cudaMemcpyAsync"));
        QVERIFY(trace->flows.empty());
        QCOMPARE(trace->events.flows, uint64_t(2));
        QCOMPARE(reasonsOf(*trace), std::string("op_without_launch 1"));
    }

    /// Without arguments the rows' ids tell device and stream, however they are written.
    void streamsAsThreadIds() {
        const auto kernel = [](const char *name, const char *pid, const char *tid) {
            return QString("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%1\",\"pid\":%2,\"tid\":%3,"
                           "\"ts\":1,\"dur\":1}")
                .arg(name, pid, tid)
                .toStdString();
        };
        const TracePtr trace =
            open(kineto(kernel("a", "3", "\"stream 7\"") + "," + kernel("b", "\"3\"", "7") + "," +
                        kernel("c", "3", "\"stream 20 \"") + "," + kernel("d", "0", "0")));
        const auto on = [&](const char *name) {
            const Track &track = trace->track(find(*trace, name));
            return std::pair(track.device.value(), track.stream.value());
        };
        QCOMPARE(on("a"), std::pair(int64_t(3), int64_t(7)));
        QCOMPARE(on("b"), std::pair(int64_t(3), int64_t(7)));
        QCOMPARE(on("c"), std::pair(int64_t(3), int64_t(20)));
        QCOMPARE(on("d"), std::pair(int64_t(0), int64_t(0)));
        QCOMPARE(find(*trace, "a").track, find(*trace, "b").track);
    }

    /// Rows that the profiler writes about itself: no process of that name ran.
    void textsAsProcessIds() {
        const TracePtr trace = open(kineto(
            R"json({"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":100},
{"ph":"X","cat":"Operator","name":"old span","pid":"Traces","tid":"","ts":0,"dur":99},
{"ph":"i","s":"g","name":"Iteration Start: PyTorch Profiler","pid":"Traces","tid":"Trace PyTorch Profiler","ts":1},
{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":120},)json" +
            range("op", "10")));
        QVERIFY(!trace->track(find(*trace, "PyTorch Profiler (0)")).isResource());
        QVERIFY(!trace->track(find(*trace, "old span")).isResource());
        QVERIFY(trace->range == (TimeRange{0, 1000})); // only what ran
        QCOMPARE(trace->instants.size(), size_t(2));
        for (const Instant &instant : trace->instants)
            QVERIFY(trace->tracks[instant.track].kind == TrackKind::Annotation);
    }

    /// Times are decimal texts: exact to the nanosecond from any zero, also where a double is not.
    void exactTimes_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("second");
        QTest::addColumn<QString>("base");
        QTest::addColumn<qlonglong>("origin");
        QTest::addColumn<qlonglong>("apart");
        const auto row = [](const char *first, const char *second, const char *base,
                            qlonglong origin, qlonglong apart) {
            QTest::addRow("%s %s", first, base) << first << second << base << origin << apart;
        };
        row("1608000000000001", "1608000000000003", "", 1608000000000001000, 2000);
        row("1727592872422811.759", "1727592872422811.760", "", 1727592872422811759, 1);
        row("\"1727592872422811.759\"", "\"1727592872422811.760\"", "", 1727592872422811759, 1);
        row("1727592872422811.1", "1727592872422811.11", "", 1727592872422811100, 10);
        row("5213404.017", "5213404.018", "1711964646000000000", 1711964651213404017, 1);
        row("0.001", "0.002", "1711964646123456789", 1711964646123456790, 1);
        row("-0.001", "0.002", "1711964646123456789", 1711964646123456788, 3);
        row("10", "11", "\"1711964646000000001\"", 1711964646000010001, 1000);
        row("10", "11", "1711964646000000001.0", 1711964646000010001, 1000);
        row("1.608e15", "1608000000000000.001", "", 1608000000000000000, 1);
    }
    void exactTimes() {
        QFETCH(QString, first);
        QFETCH(QString, second);
        QFETCH(QString, base);
        QFETCH(qlonglong, origin);
        QFETCH(qlonglong, apart);
        const std::string events =
            range("a", first.toStdString()) + "," + range("b", second.toStdString());
        const std::string key = "\"baseTimeNanoseconds\":" + base.toStdString();
        for (const bool behind : {false, true}) {
            const TracePtr trace = open(
                base.isEmpty() ? kineto(events)
                               : kineto(events, behind ? "" : key + ",", behind ? "," + key : ""));
            QCOMPARE(qlonglong(trace->origin), origin);
            QCOMPARE(qlonglong(trace->begin(find(*trace, "b"))), apart);
            QCOMPARE(qlonglong(trace->end(find(*trace, "b"))), apart + 1000);
            QCOMPARE(trace->diagnostics[Reason::SubNanosecond].count, uint64_t(0));
        }
    }

    /// A base that is no number is none; half a number is no number.
    void basesThatAreNone() {
        for (const char *base :
             {"1.7e18", "\"soon\"", "-5", "9223372036854775808", "null", "{}", "12.5"}) {
            const TracePtr trace =
                open(kineto(range("a", "7"), "\"baseTimeNanoseconds\":" + std::string(base) + ","));
            QCOMPARE(trace->origin, TimeNs(7000));
            QCOMPARE(trace->files[0].clock, std::string("microseconds as written"));
        }
    }

    /// null is nothing, not a text.
    void fieldsThatAreNull() {
        const TracePtr trace = open(R"json([
{"ph":"X","name":null,"cat":null,"pid":null,"tid":null,"ts":1,"dur":1,"args":null},
{"ph":"X","name":"null","pid":1,"tid":1,"ts":1,"dur":1}])json");
        QCOMPARE(trace->tracks.size(), size_t(2));
        QVERIFY(find(*trace, "null").valid());
        const Track &track = trace->track(find(*trace, ""));
        QCOMPARE(track.name, std::string("thread without an id"));
        QCOMPARE(trace->processes[track.process].pid, std::string());
    }

    void workThatWasStillRunning() {
        const TracePtr trace =
            open(kineto(range("whole", "1", ",\"args\":{\"finished\":true}") + "," +
                        range("cut", "5", ",\"args\":{\"finished\":false}")));
        const auto flags = [&](const char *name) {
            const IntervalId id = find(*trace, name);
            return trace->track(id).table->flags[id.row];
        };
        QCOMPARE(flags("cut") & kUnfinished, int(kUnfinished));
        QCOMPARE(flags("whole") & kUnfinished, 0);
    }

    /// The stream of a wait is in its arguments: the thread id is stream + 1,000,000, or 1 or
    /// 4294967295 for "none".
    void waitsNameTheirStream() {
        const TracePtr trace = open(kineto(
            R"json({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000007,"ts":1,"dur":2,"args":{"stream":7,"correlation":1,"device":0}},
{"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":1,"ts":4,"dur":2,"args":{"stream":-1,"correlation":2,"device":0}},
{"ph":"X","cat":"cuda_sync","name":"Event Sync","pid":0,"tid":4294967295,"ts":7,"dur":2,"args":{"stream":4294967295,"correlation":3,"device":0,"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":11}},
{"ph":"X","cat":"cuda_sync","name":"Event Sync","pid":0,"tid":1,"ts":10,"dur":2,"args":{"stream":18446744073709551615,"correlation":4,"device":0}},
{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":8,"ts":13,"dur":1,"args":{"stream":8,"correlation":5,"device":0,"wait_on_stream":-1,"wait_on_cuda_event_record_corr_id":-1}},
{"ph":"X","cat":"cuda_event","name":"Event Record","pid":0,"tid":8,"ts":15,"dur":0.001,"args":{"stream":8,"correlation":6,"device":0}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}})json"));
        QCOMPARE(trace->syncs.size(), size_t(5));
        const std::array<int64_t, 5> streams = {7, -1, -1, -1, 8};
        for (size_t i = 0; i < 5; ++i) {
            QCOMPARE(trace->syncs[i].stream, streams[i]);
            QCOMPARE(trace->syncs[i].correlation, int64_t(i + 1));
            QCOMPARE(trace->syncs[i].streamWait, i == 4);
        }
        QCOMPARE(trace->syncs[2].waitOnStream, int64_t(7));
        QCOMPARE(trace->syncs[2].waitOnCorrelation, int64_t(11));
        QCOMPARE(trace->syncs[4].waitOnStream, int64_t(-1));
        // one row of records for the device, and nothing of it on a stream
        const Track &records = trace->track(find(*trace, "Stream Sync"));
        QVERIFY(records.kind == TrackKind::Annotation && records.table->size() == 6);
        QCOMPARE(trace->track(find(*trace, "k")).table->size(), uint32_t(1));
    }

    /// The device-side copy of a range begins 1 ns before its first operation and crosses others.
    void annotationsOfTheDevice() {
        const TracePtr trace = open(kineto(
            R"json({"ph":"X","cat":"kernel","name":"one","pid":0,"tid":7,"ts":10,"dur":10,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"kernel","name":"two","pid":0,"tid":7,"ts":25,"dur":10,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"gpu_user_annotation","name":"forward","pid":0,"tid":7,"ts":9.999,"dur":20.003,"args":{"External id":5}})json"));
        const IntervalId copy = find(*trace, "forward");
        QVERIFY(!trace->track(copy).isResource());
        QCOMPARE(trace->begin(copy), TimeNs(-1));
        QCOMPARE(trace->track(find(*trace, "one")).table->lanes(), uint32_t(1));
        QVERIFY(trace->range == (TimeRange{0, 25'000}));
    }

    /// The profiler's own work has a row of its own, and a mark where recording ended.
    void whatTheProfilerDidItself() {
        const TracePtr trace = open(kineto(
            R"json({"ph":"M","name":"process_name","pid":-1,"tid":0,"args":{"name":"CUPTI"}},
{"ph":"X","cat":"overhead","name":"Command Buffer Full","pid":-1,"tid":0,"ts":50,"dur":5},
{"ph":"i","s":"g","name":"Record Window End","pid":"Traces","tid":"","ts":90},)json" +
            range("op", "20")));
        const IntervalId full = find(*trace, "Command Buffer Full");
        QVERIFY(trace->kind(full) == Kind::Overhead && !trace->track(full).isResource());
        QVERIFY(trace->range == (TimeRange{0, 1000}));
        QCOMPARE(trace->instants.at(0).name, std::string_view("Record Window End"));
        QCOMPARE(trace->instants.at(0).time, TimeNs(70'000));
    }

    void memoryInstantsAndCounters() {
        const std::string instant =
            R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":9,"tid":9,"ts":15.125,"args":{"Addr":140024373182464,"Bytes":-512,"Total Allocated":10240,"Device Id":0,"Device Type":1}})";
        const std::string text = kineto(
            range("op", "10") + "," + instant +
            R"(,{"ph":"C","name":"GPU memory","pid":9,"ts":12,"args":{"allocated":9007199254740992,"reserved":"2.5e3"}})");
        const TempFile file(text);
        const TracePtr trace = openJob({file.path()});
        QCOMPARE(trace->instants.size(), size_t(1));
        QCOMPARE(trace->instants[0].time, TimeNs(5125));
        QCOMPARE(trace->instants[0].offset, uint64_t(text.find(instant)));
        EventArgs args(trace);
        QVERIFY(args.json(0, trace->instants[0].offset)->find("\"Bytes\":-512") !=
                std::string::npos);
        QCOMPARE(trace->counters.size(), size_t(2));
        QCOMPARE(trace->counters[0].value.at(0), 9007199254740992.0);
        QCOMPARE(trace->counters[1].value.at(0), 2500.0);
        QCOMPARE(trace->events.instants, uint64_t(1));
        QCOMPARE(trace->events.counters, uint64_t(1));
    }

    /// Calls that launch nothing have a flow's end all the same: it is no arrow.
    void loneEndsOfFlows() {
        const TracePtr trace = open(kineto(
            R"json({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":10,"dur":5,"args":{"correlation":11}},
{"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":9,"tid":9,"ts":18,"dur":1,"args":{"correlation":12}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":9,"args":{"device":0,"stream":7,"correlation":11}},
{"ph":"s","cat":"ac2g","name":"ac2g","id":11,"pid":9,"tid":9,"ts":10},
{"ph":"f","cat":"ac2g","name":"ac2g","id":11,"pid":0,"tid":7,"ts":30,"bp":"e"},
{"ph":"f","cat":"ac2g","name":"ac2g","id":12,"pid":9,"tid":9,"ts":18,"bp":"e"},
{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":11,"pid":9,"tid":9,"ts":12})json"));
        QCOMPARE(trace->events.flows, uint64_t(4));
        QVERIFY(trace->flows.empty());
        QCOMPARE(trace->launches.size(), size_t(1));
        QCOMPARE(callOf(*trace, "k"), std::string("cudaLaunchKernel"));
    }

    /// A graph: one call, hundreds of operations, on two streams.
    void oneCallOfManyOperations() {
        std::string events =
            R"({"ph":"X","cat":"cuda_runtime","name":"hipGraphLaunch","pid":9,"tid":9,"ts":0,"dur":5,"args":{"correlation":7}})";
        for (int i = 0; i < 421; ++i)
            events +=
                QString(
                    R"(,{"ph":"X","cat":"kernel","name":"k%1","pid":2,"tid":%2,"ts":%3,"dur":1,"args":{"device":2,"stream":%2,"correlation":7}})")
                    .arg(i)
                    .arg(i % 2)
                    .arg(10 + 2 * i)
                    .toStdString();
        const TracePtr trace = open(kineto(events));
        const IntervalId call = find(*trace, "hipGraphLaunch");
        QVERIFY(trace->kind(call) == Kind::GraphLaunch);
        QCOMPARE(trace->opsOf(call).size(), size_t(421));
        for (const char *op : {"k0", "k1", "k420"})
            QVERIFY(trace->callOf(find(*trace, op)) == call);
        QCOMPARE(reasonsOf(*trace), std::string());
    }

    /// Digits are kept, however many; an id that fits no number joins nothing.
    void integersBeyond64Bits() {
        const TempFile file(kineto(
            R"json({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":1,"args":{"correlation":18446744073709551615}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":18446744073709551609,"ts":2,"dur":1,"args":{"device":0,"stream":7,"correlation":18446744073709551615,"Comms Id":10159970886766084423,"huge":-123456789012345678901234567890}},)json" +
            range("t", "3")));
        const TracePtr trace = openJob({file.path()});
        EventArgs args(trace);
        const std::string written =
            R"~({"device":0,"stream":7,"correlation":18446744073709551615,)~"
            R"~("Comms Id":10159970886766084423,)~"
            R"~("huge":-123456789012345678901234567890})~";
        QCOMPARE(*args.json(find(*trace, "k")), written);
        QVERIFY(trace->launches.empty());
        QVERIFY(trace->track(find(*trace, "k")).stream == 7);
    }

    void rocm() {
        const auto call = [](const char *name, int ts, int id) {
            return QString(
                       R"({"ph":"X","cat":"cuda_runtime","name":"%1","pid":9,"tid":9,"ts":%2,"dur":1,"args":{"cid":4,"correlation":%3}},)")
                .arg(name)
                .arg(ts)
                .arg(id)
                .toStdString();
        };
        const auto op = [](const char *cat, const char *name, int ts, int id) {
            return QString(
                       R"({"ph":"X","cat":"%1","name":"%2","pid":2,"tid":0,"ts":%3,"dur":1,"args":{"device":2,"stream":0,"correlation":%4}},)")
                .arg(cat)
                .arg(name)
                .arg(ts)
                .arg(id)
                .toStdString();
        };
        const TracePtr trace =
            open(kineto(call("hipLaunchKernel", 0, 1) + call("hipExtModuleLaunchKernel", 2, 2) +
                        call("hipMemcpyWithStream", 4, 3) + call("hipStreamSynchronize", 6, 4) +
                        call("hipMemsetAsync", 8, 5) + op("kernel", "Cijk_Ailk_Bljk", 10, 1) +
                        op("kernel", "ncclDevKernel_Generic_4", 12, 2) +
                        op("gpu_memcpy", "CopyDeviceToHost", 14, 3) +
                        op("gpu_memset", "FillBuffer", 16, 5) + range("op", "30")));
        const std::pair<const char *, Kind> kinds[] = {
            {"hipLaunchKernel", Kind::Launch},
            {"hipExtModuleLaunchKernel", Kind::Launch},
            {"hipMemcpyWithStream", Kind::Runtime},
            {"hipStreamSynchronize", Kind::Sync},
            {"hipMemsetAsync", Kind::Runtime},
            {"Cijk_Ailk_Bljk", Kind::Kernel},
            {"ncclDevKernel_Generic_4", Kind::Comm},
            {"CopyDeviceToHost", Kind::D2H},
            {"FillBuffer", Kind::Memset},
        };
        for (const auto &[name, kind] : kinds)
            QVERIFY2(trace->kind(find(*trace, name)) == kind, name);
        QCOMPARE(trace->launches.size(), size_t(4));
        QVERIFY(trace->track(find(*trace, "FillBuffer")).device == 2);
    }

    /// Times and ids of flows are texts, ids are longer than 64 bits, and texts hold line ends.
    void ascend() {
        const TempFile file(
            R"json([{"ph":"X","name":"aten::add","pid":9,"tid":9,"ts":"1727592872422811.759","dur":14.299,"cat":"cpu_op","args":{"Sequence number":-1,"Input Dims":";\r\n;\r\n"}},
{"ph":"M","name":"process_name","pid":401408,"tid":0,"args":{"name":"Ascend Hardware"}},
{"ph":"s","bp":"e","name":"torch_to_npu","id":"23821508758294495231","pid":9,"tid":9,"ts":"1727592872422812.759","cat":"async_npu"},
{"ph":"f","bp":"e","name":"torch_to_npu","id":"23821508758294495231","pid":401408,"tid":2,"ts":"1727592872422830.001","cat":"async_npu"},
{"ph":"X","name":"MatMul","pid":401408,"tid":2,"ts":"1727592872422830.001","dur":1.23,"args":{"Task Id":1}},
{"ph":"X","name":"MEMCPY_ASYNC","pid":401408,"tid":2,"ts":"1727592872422840.001","dur":2},
{"ph":"X","name":"NOTIFY_WAIT","pid":401408,"tid":3,"ts":"1727592872422840.001","dur":2},
{"ph":"X","name":"EVENT_WAIT","pid":401408,"tid":3,"ts":"1727592872422850.001","dur":2},
{"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"Overlap Analysis"}},
{"ph":"X","name":"Computing","pid":5,"tid":0,"ts":"1727592872422830.001","dur":1.23},
{"ph":"C","name":"Read(MB/s)","pid":7,"tid":0,"ts":"1727592872422813.5","args":{"Read(MB/s)":12.5}}])json");
        const TracePtr trace = openJob({file.path()});
        QCOMPARE(trace->origin, TimeNs(1727592872422811759));
        QCOMPARE(trace->begin(find(*trace, "MatMul")), TimeNs(18'242));
        QCOMPARE(trace->end(find(*trace, "MatMul")), TimeNs(19'472));
        QCOMPARE(trace->end(find(*trace, "aten::add")), TimeNs(14'299));
        const Track &stream = trace->track(find(*trace, "MatMul"));
        QVERIFY(stream.kind == TrackKind::Stream && stream.device == 0 && stream.stream == 2);
        QVERIFY(trace->kind(find(*trace, "MatMul")) == Kind::Kernel);
        QVERIFY(trace->kind(find(*trace, "MEMCPY_ASYNC")) == Kind::D2D);
        QVERIFY(trace->kind(find(*trace, "NOTIFY_WAIT")) == Kind::Comm);
        QVERIFY(trace->kind(find(*trace, "EVENT_WAIT")) == Kind::EventWait);
        QVERIFY(trace->track(find(*trace, "Computing")).kind == TrackKind::Annotation);
        QCOMPARE(trace->flows.size(), size_t(2));
        QCOMPARE(trace->flows[1].track, find(*trace, "MatMul").track);
        QVERIFY(trace->flows[0].id == trace->flows[1].id);
        QCOMPARE(trace->counters.at(0).value.at(0), 12.5);
        QCOMPARE(trace->counters.at(0).time.at(0), TimeNs(1'741));
        EventArgs args(trace);
        const std::string dims = "\";\\r\\n;\\r\\n\"";
        QVERIFY(args.json(find(*trace, "aten::add"))->find(dims) != std::string::npos);
    }

    /// Calls of other devices are calls, not operators.
    void otherDevices() {
        const TracePtr trace = open(kineto(
            R"json({"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","pid":9,"tid":9,"ts":0,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"privateuse1_runtime","name":"npuFree","pid":9,"tid":9,"ts":6,"dur":5},
{"ph":"X","cat":"mtia_runtime","name":"mtiaStreamSynchronize","pid":9,"tid":9,"ts":12,"dur":5},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":1,"ts":10,"dur":5,"args":{"device":0,"stream":1,"correlation":7}})json"));
        QVERIFY(trace->kind(find(*trace, "urEnqueueKernelLaunch")) == Kind::Launch);
        QVERIFY(trace->kind(find(*trace, "npuFree")) == Kind::Runtime);
        QVERIFY(trace->kind(find(*trace, "mtiaStreamSynchronize")) == Kind::Sync);
        QCOMPARE(callOf(*trace, "gemm"), std::string("urEnqueueKernelLaunch"));
    }
};

QTEST_APPLESS_MAIN(DialectsTest)
#include "dialects_test.moc"
