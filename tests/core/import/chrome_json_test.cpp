// SPDX-License-Identifier: Apache-2.0
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/text_trace.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

std::shared_ptr<const Trace> open(std::string_view json) {
    auto trace = openText(json);
    if (!trace) {
        qWarning("%s", trace.error().message.c_str());
        return nullptr;
    }
    return *trace;
}

const Track *trackNamed(const Trace &trace, std::string_view name) {
    for (const Track &track : trace.tracks)
        if (track.name == name) return &track;
    return nullptr;
}

} // namespace

#define OPEN(json)                                                                                  \
    const auto trace = open(json);                                                                  \
    QVERIFY(trace);                                                                                 \
    QVERIFY(booksBalance(*trace))

class ChromeJsonTest : public QObject {
    Q_OBJECT
private slots:
    void objectAndArrayForm() {
        const std::string events = R"({"ph":"X","name":"a","pid":1,"tid":2,"ts":5.001,"dur":2.5})";
        for (const std::string &json :
             {"[" + events + "]", "[" + events, "[" + events + ",", "{\"traceEvents\":[" + events + "]}",
              "\xEF\xBB\xBF {\"a\":{\"traceEvents\":[1]},\"traceEvents\" : [ " + events + " ] , \"z\":[{},{}]}"}) {
            OPEN(json);
            const IntervalId a = find(*trace, "a");
            QCOMPARE(trace->begin(a), TimeNs(0));
            QCOMPARE(trace->end(a), TimeNs(2500));
            QCOMPARE(trace->origin, TimeNs(5001));
            QCOMPARE(reasonsOf(*trace), std::string());
        }
    }

    void beginAndEnd() {
        OPEN(R"([{"ph":"B","name":"outer","pid":1,"tid":1,"ts":0},
            {"ph":"B","name":"inner","pid":1,"tid":1,"ts":10},
            {"ph":"E","pid":1,"tid":1,"ts":20},
            {"ph":"E","name":"other","pid":1,"tid":1,"ts":30},
            {"ph":"E","name":"stray","pid":1,"tid":9,"ts":30},
            {"ph":"E","name":"zero","pid":1,"tid":2,"ts":40},
            {"ph":"B","name":"zero","pid":1,"tid":2,"ts":40},
            {"ph":"B","name":"open","pid":1,"tid":2,"ts":45},
            {"ph":"X","name":"last","pid":1,"tid":3,"ts":0,"dur":50}])");
        QCOMPARE(trace->end(find(*trace, "inner")), TimeNs(20'000));
        QCOMPARE(trace->end(find(*trace, "outer")), TimeNs(30'000));
        QCOMPARE(trace->end(find(*trace, "zero")), TimeNs(40'000));
        QCOMPARE(trace->end(find(*trace, "open")), TimeNs(50'000));
        QCOMPARE(trace->events.paired, uint64_t(3));
        QCOMPARE(reasonsOf(*trace), std::string("end_without_begin 1, begin_without_end 1, end_name_mismatch 1"));
    }

    void orderOfTheFileDoesNotMatter() {
        OPEN(R"([{"ph":"E","name":"a","pid":1,"tid":1,"ts":30},{"ph":"X","name":"child","pid":1,"tid":1,"ts":5,"dur":1},
            {"ph":"B","name":"a","pid":1,"tid":1,"ts":0}])");
        QCOMPARE(trace->track({0, 0}).table->depth[find(*trace, "child").row], uint16_t(1));
        QCOMPARE(reasonsOf(*trace), std::string());
    }

    void idsOfAllSorts() {
        OPEN(R"([{"ph":"M","name":"thread_name","pid":-1,"tid":"main","args":{"name":"alpha"}},
            {"ph":"X","name":"a","pid":-1,"tid":"main","ts":0,"dur":1},
            {"ph":"X","name":"b","pid":1,"tid":9223372036854775809,"ts":0,"dur":1},
            {"ph":"X","name":"c","pid":1,"tid":9223372036854775810,"ts":0,"dur":1},
            {"ph":"X","name":"d","pid":1,"tid":-4294967295,"ts":0,"dur":1},
            {"ph":"X","name":"e","pid":1,"tid":1,"ts":0,"dur":1}])");
        QCOMPARE(trace->tracks.size(), size_t(5));
        QVERIFY(trackNamed(*trace, "alpha"));
        QVERIFY(trackNamed(*trace, "thread 9223372036854775810"));
    }

    void launchesFollowTheCorrelation() {
        OPEN(R"({"schemaVersion":1,"traceEvents":[
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":0,"dur":5,"args":{"correlation":3}},
            {"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":9,"tid":9,"ts":6,"dur":1,"args":{"correlation":4}},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,"args":{"device":0,"stream":7,"correlation":3}},
            {"ph":"X","cat":"Kernel","name":"old","pid":1,"tid":"stream 20","ts":10,"dur":5},
            {"ph":"f","cat":"ac2g","id":4,"pid":9,"tid":9,"ts":6,"bp":"e"},
            {"ph":"s","cat":"mine","id":"x","pid":9,"tid":9,"ts":2}]})");
        QCOMPARE(trace->launches.size(), size_t(1));
        QVERIFY(trace->callOf(find(*trace, "k")) == find(*trace, "cudaLaunchKernel"));
        QCOMPARE(trace->opsOf(find(*trace, "cudaLaunchKernel")).size(), size_t(1));
        QVERIFY(!trace->callOf(find(*trace, "old")).valid());
        QCOMPARE(trace->track(find(*trace, "old")).device.value(), int64_t(1));
        QCOMPARE(trace->track(find(*trace, "old")).stream.value(), int64_t(20));
        QCOMPARE(trace->flows.size(), size_t(1));
        QCOMPARE(trace->events.flows, uint64_t(2));
    }

    void kindsAndPlaces() {
        OPEN(R"json([
            {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":0,"dur":1},
            {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":7,"ts":2,"dur":1},
            {"ph":"X","cat":"gpu_user_annotation","name":"forward","pid":0,"tid":7,"ts":0,"dur":9},
            {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000007,"ts":0,"dur":9,"args":{"stream":4294967295}},
            {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":5,"tid":5,"ts":0,"dur":9},
            {"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":90},
            {"ph":"i","cat":"x","name":"Record Window End","pid":"Traces","tid":"","ts":99,"s":"g"}])json");
        QVERIFY(trace->kind(find(*trace, "Memcpy HtoD (Pinned -> Device)")) == Kind::H2D);
        QVERIFY(trace->kind(find(*trace, "ncclDevKernel_AllReduce")) == Kind::Comm);
        QVERIFY(trace->kind(find(*trace, "cudaStreamSynchronize")) == Kind::Sync);
        const Track *stream = trackNamed(*trace, "stream 7");
        QVERIFY(stream && stream->table->size() == 2);
        QVERIFY(trace->track(find(*trace, "forward")).kind == TrackKind::Annotation);
        QVERIFY(trace->track(find(*trace, "Stream Sync")).kind == TrackKind::Annotation);
        QCOMPARE(trace->syncs.size(), size_t(1));
        // annotation rows and instants do not stretch the trace
        QCOMPARE(trace->range.end, TimeNs(9000));
        QCOMPARE(trace->instants.size(), size_t(1));
    }

    /// As tools write it that make JSON from an export of Nsight Systems: the pid names the device.
    void madeFromNsightSystems() {
        OPEN(R"([
{"ph":"X","cat":"cuda_api","name":"cudaLaunchKernel_v7000","pid":"Host 0","tid":"CUDA API 99","ts":1,"dur":2},
{"ph":"X","cat":"nvtx","name":"Setup","pid":"Host 0","tid":"NVTX 99","ts":0,"dur":9},
{"ph":"X","cat":"cuda","name":"gemm","pid":"Device 1","tid":"CUDA API 7","ts":4.001,"dur":2},
{"ph":"X","cat":"nvtx-kernel","name":"Setup","pid":"Device 1","tid":"NVTX 99","ts":4.001,"dur":2}])");
        QCOMPARE(trace->kind(find(*trace, "cudaLaunchKernel_v7000")), Kind::Launch);
        const IntervalId kernel = find(*trace, "gemm");
        QCOMPARE(trace->kind(kernel), Kind::Kernel);
        QVERIFY(trace->track(kernel).device == 1 && trace->track(kernel).stream == 7);
        QCOMPARE(trace->begin(kernel), TimeNs(4001));
        int annotations = 0; // the device-side copy of a range is no work
        for (const Track &track : trace->tracks) annotations += track.kind == TrackKind::Annotation;
        QCOMPARE(annotations, 1);
    }

    void countersAndInstants() {
        OPEN(R"([{"ph":"C","name":"memory","pid":1,"ts":10,"args":{"used":5,"free":"2.5","note":"x"}},
            {"ph":"C","name":"memory","pid":1,"ts":5,"args":{"used":4}},
            {"ph":"C","name":"empty","pid":1,"ts":5,"args":{}},
            {"ph":"C","name":"memory","id":2,"pid":1,"ts":7,"args":{"used":1}},
            {"ph":"I","name":"now","pid":1,"tid":1,"ts":7,"s":"p"}])");
        QCOMPARE(trace->counters.size(), size_t(3));
        QCOMPARE(trace->counters[0].value, (std::vector<double>{4, 5}));
        QCOMPARE(trace->events.counters, uint64_t(3));
        QCOMPARE(trace->instants[0].name, std::string_view("now"));
        QCOMPARE(reasonsOf(*trace), std::string("empty_counter 1"));
    }

    void everyEventIsCounted() {
        OPEN(R"([{"ph":"b","name":"a","ts":0},{"ph":"N"},{"ph":"P"},{"ph":"?"},{},7,"x",null,
            {"ph":"X","name":"no dur","ts":1},{"ph":"X","name":"nan","ts":1,"dur":NaN},
            {"ph":"X","name":"far","ts":9e30,"dur":1},{"ph":"X","name":"back","ts":9,"dur":-3},
            {"args":{"correlation":12},"ts":1,"dur":1,"tid":1,"pid":1,"name":"late ph","cat":"cuda_runtime","ph":"X"}])");
        QCOMPARE(trace->events.read, uint64_t(13));
        QCOMPARE(reasonsOf(*trace),
                 std::string("async_event 1, object_event 1, sample_event 1, unknown_phase 2, not_an_object 3, "
                             "bad_time 2, time_out_of_range 1, negative_duration 1"));
        const IntervalId late = find(*trace, "late ph");
        QCOMPARE(trace->track(late).table->sideOf(late.row).correlation, int64_t(12));
    }

    /// What shares a category and an id nests by itself, on a row that belongs to no thread.
    void asynchronousEvents() {
        OPEN(R"([{"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":100},
            {"ph":"b","cat":"net","id":"0x1","name":"request","pid":1,"tid":1,"ts":10},
            {"ph":"b","cat":"net","id":"0x1","name":"connect","pid":1,"tid":1,"ts":20},
            {"ph":"b","cat":"net","id":"0x2","name":"request","pid":1,"tid":1,"ts":25},
            {"ph":"n","cat":"net","id":"0x1","name":"resolved","pid":1,"tid":1,"ts":28},
            {"ph":"e","cat":"net","id":"0x1","name":"connect","pid":1,"tid":9,"ts":30},
            {"ph":"e","cat":"net","id":"0x1","name":"request","pid":2,"tid":1,"ts":40},
            {"ph":"e","cat":"net","id":"0x2","name":"request","pid":1,"tid":1,"ts":60},
            {"ph":"e","cat":"disk","id":"0x2","name":"request","pid":1,"tid":1,"ts":61},
            {"ph":"S","cat":"old","id":7,"name":"frame","pid":1,"tid":1,"ts":200},
            {"ph":"T","cat":"old","id":7,"name":"frame","pid":1,"tid":1,"ts":210,"args":{"step":"draw"}},
            {"ph":"F","cat":"old","id":7,"name":"frame","pid":1,"tid":1,"ts":220},
            {"ph":"b","cat":"net","id":"0x3","name":"never ends","pid":1,"tid":1,"ts":70},
            {"ph":"b","cat":"l","id2":{"local":"1"},"name":"one","pid":1,"tid":1,"ts":0},
            {"ph":"b","cat":"l","id2":{"local":"1"},"name":"two","pid":2,"tid":1,"ts":5},
            {"ph":"e","cat":"l","id2":{"local":"1"},"pid":1,"tid":1,"ts":8},
            {"ph":"e","cat":"l","id2":{"local":"1"},"pid":2,"tid":1,"ts":9}])");
        QVERIFY(booksBalance(*trace));
        const auto lasts = [&](const char *name) {
            const IntervalId id = find(*trace, name);
            return trace->end(id) - trace->begin(id);
        };
        QCOMPARE(lasts("connect"), TimeNs(10'000));
        QCOMPARE(lasts("frame"), TimeNs(20'000));
        QCOMPARE(lasts("never ends"), TimeNs(150'000));
        QCOMPARE(lasts("one"), TimeNs(8'000));
        QCOMPARE(lasts("two"), TimeNs(4'000));
        const IntervalId connect = find(*trace, "connect"), request = find(*trace, "request");
        QCOMPARE(lasts("request"), TimeNs(30'000));
        QCOMPARE(trace->track(connect).table->parent[connect.row], request.row);
        QCOMPARE(trace->track(connect).name, std::string("async net"));
        QVERIFY(!trace->track(connect).isResource());
        QCOMPARE(trace->range.end, TimeNs(100'000)); // it stretches no window
        QCOMPARE(trace->instants.size(), size_t(2));
        QCOMPARE(trace->events.paired, uint64_t(6));
        QCOMPARE(reasonsOf(*trace), std::string("end_without_begin 1, begin_without_end 1"));
    }

    void noticesWhatCannotBe() {
        OPEN(R"([{"ph":"X","cat":"kernel","name":"impossible","pid":0,"tid":7,"ts":1700000000000000,"dur":900},
            {"ph":"X","cat":"kernel","name":"next","pid":0,"tid":7,"ts":1700000000000010,"dur":5},
            {"ph":"X","cat":"kernel","name":"last","pid":0,"tid":7,"ts":1700000000000020,"dur":5},
            {"ph":"X","cat":"cpu_op","name":"lost","pid":1,"tid":1,"ts":0,"dur":5}])");
        QCOMPARE(trace->events.intervals, uint64_t(4));
        QCOMPARE(reasonsOf(*trace), std::string("duration_overrun 1, zero_time 1"));
        QCOMPARE(trace->end(find(*trace, "impossible")) - trace->begin(find(*trace, "impossible")),
                 TimeNs(900'000));
    }

    void repairsTexts() {
        OPEN("[{\"ph\":\"X\",\"name\":\"C:\\work\\x\\u12\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1},"
             "{\"ph\":\"X\",\"name\":\"a\xff\xfe z\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},"
             "{\"ph\":\"X\",\"name\":\"line\nbreak\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":1},"
             "{\"ph\":\"X\",\"name\":\"\\ud83d\\ude00 \\u00e9 \\ud83d\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1}]");
        QVERIFY(find(*trace, "C:\\work\\x\\u12").valid());
        QVERIFY(find(*trace, "a\xEF\xBF\xBD\xEF\xBF\xBD z").valid());
        QVERIFY(find(*trace, "line break").valid());
        QVERIFY(find(*trace, "\xF0\x9F\x98\x80 \xC3\xA9 \xEF\xBF\xBD").valid());
        QCOMPARE(reasonsOf(*trace), std::string("invalid_utf8 1, control_character 1, bad_escape 1"));
    }

    void topLevelFacts() {
        OPEN(R"({"deviceProperties":[{"id":1,"name":"GPU B"}],"traceEvents":[
            {"ph":"X","name":"a","pid":1,"tid":1,"ts":100.5,"dur":1}],
            "distributedInfo":{"rank":3,"world_size":8,"backend":"nccl"},"baseTimeNanoseconds":1711964646000000000})");
        const SourceFile &file = trace->files.at(0);
        QCOMPARE(file.rank.value(), int64_t(3));
        QCOMPARE(file.worldSize.value(), int64_t(8));
        QCOMPARE(file.deviceNames.at(1), std::string("GPU B"));
        QCOMPARE(trace->origin, TimeNs(1711964646000100500));
    }

    void ranksOfOneJobShareAClock() {
        const auto rank = [](int number, const char *base) {
            return "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" + std::to_string(number) +
                   "},\"baseTimeNanoseconds\":" + base +
                   ",\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch" +
                   std::to_string(number) +
                   "\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":5,\"args\":{\"correlation\":1}},"
                   "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k" +
                   std::to_string(number) +
                   "\",\"pid\":0,\"tid\":7,\"ts\":20,\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}]}";
        };
        const TempFile a(rank(0, "1000000000")), b(rank(1, "1005000000"));
        Progress progress;
        const auto opened = openTraces({b.path(), a.path()}, progress);
        QVERIFY(opened);
        const Trace &trace = **opened;
        QCOMPARE(trace.begin(find(trace, "launch0")), TimeNs(0));
        QCOMPARE(trace.begin(find(trace, "launch1")), TimeNs(5'000'000));
        for (const char *n : {"0", "1"})
            QVERIFY(trace.callOf(find(trace, std::string("k") + n)) == find(trace, std::string("launch") + n));
        QVERIFY(booksBalance(trace));
    }

    void refusalsAreSentences_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("object") << QByteArray(R"({"nodes":[],"spans":1})") << QByteArray("no_trace_events");
        QTest::newRow("execution trace") << QByteArray(R"({"schema":"1.0.4","pid":7,"nodes":[{"id":1}]})")
                                         << QByteArray("execution_trace");
        QTest::newRow("cut before the events")
            << QByteArray("{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"na") << QByteArray("truncated_file");
        QTest::newRow("lines of events") << QByteArray("{\"ph\":\"X\",\"ts\":1}\n{\"ph\":\"X\",\"ts\":2}\n")
                                         << QByteArray("no_trace_events");
        QTest::newRow("lines of Nsight Systems")
            << QByteArray("{\"Type\":48,\"CudaEvent\":{}}\n{\"Type\":2}\n") << QByteArray("nsys_json_lines");
        QTest::newRow("log") << QByteArray("[2024-01-01 10:00:00] INFO started\n[2024-01-01 10:00:01] step 1\n")
                             << QByteArray("no_trace_events");
        QTest::newRow("packed twice") << QByteArray::fromStdString(gzip(gzip("[]"))) << QByteArray("gzip_twice");
        QTest::newRow("list") << QByteArray("[1,2,3]") << QByteArray("no_trace_events");
        QTest::newRow("text") << QByteArray("step 1 took 3 ms\n") << QByteArray("unknown_format");
        QTest::newRow("zip") << QByteArray("PK\x03\x04 and so on") << QByteArray("zip_archive");
        QTest::newRow("gzip of text") << QByteArray::fromStdString(gzip("no trace")) << QByteArray("unknown_format");
        QTest::newRow("half a gzip") << QByteArray::fromStdString(gzip("{\"schemaVersion\":1}").substr(0, 14))
                                     << QByteArray("truncated_stream");
    }
    void refusalsAreSentences() {
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, reason);
        const auto trace = openText(content.toStdString());
        QVERIFY(!trace);
        QCOMPARE(QByteArray::fromStdString(trace.error().reason), reason);
        QVERIFY(trace.error().message.ends_with('.'));
    }
};

QTEST_APPLESS_MAIN(ChromeJsonTest)
#include "chrome_json_test.moc"
