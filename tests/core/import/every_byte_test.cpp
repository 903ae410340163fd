// SPDX-License-Identifier: Apache-2.0
// Ten small files of all dialects, cut at every byte and with flipped bits: each is shown or
// refused, in bounded time and memory.
#include <QTest>

#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"

#include <chrono>
#include <random>
#include <sys/resource.h>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Each is a dialect of its own: old and new PyTorch, AMD, Ascend, what browsers and other tools
/// write.
std::vector<std::string> written() {
    return {
        R"json({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU"}],"distributedInfo":{"rank":1,"world_size":2},
"displayTimeUnit":"ms","baseTimeNanoseconds":1727743122000000000,"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":9,"tid":9,"ts":10.125,"dur":99.5},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":12.001,"dur":5.25,"args":{"correlation":3,"cbid":211}},
{"ph":"s","id":3,"pid":9,"tid":9,"ts":12.001,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"kernel","name":"void gemm<float>(int)","pid":0,"tid":7,"ts":20.5,"dur":30,"args":{"device":0,"stream":7,"correlation":3,"grid":[1,2,3]}},
{"ph":"f","id":3,"pid":0,"tid":7,"ts":20.5,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":9,"dur":110},
{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":130}],"traceName":"a.json"})json",
        R"json([{"ph":"X","cat":"Operator","name":"add","pid":7,"tid":"7","ts":1608000000000000,"dur":50,"args":{"Input dims":[[1,2],[]],"External id":3}},
{"ph":"X","cat":"Runtime","name":"cudaMemcpyAsync","pid":7,"tid":"7","ts":1608000000000010,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"Memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":"stream 7","ts":1608000000000020,"dur":9,"args":{"stream":7,"bytes":4096,"correlation":3}},
{"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}}])json",
        R"json({"traceEvents":[{"ph":"B","name":"outer","pid":1,"tid":1,"ts":0},{"ph":"B","name":"inner","pid":1,"tid":1,"ts":"1.5"},
{"ph":"E","pid":1,"tid":1,"ts":2},{"ph":"E","name":"outer","pid":1,"tid":1,"ts":3},{"ph":"B","name":"open","pid":1,"tid":2,"ts":4}]})json",
        R"json([{"ph":"b","cat":"net","id":"0x1","name":"request","pid":1,"tid":1,"ts":10},{"ph":"n","cat":"net","id":"0x1","name":"data","pid":1,"tid":1,"ts":11},
{"ph":"e","cat":"net","id":"0x1","name":"request","pid":1,"tid":2,"ts":20},{"ph":"S","cat":"o","id":7,"name":"f","pid":1,"tid":1,"ts":1},
{"ph":"F","cat":"o","id":7,"name":"f","pid":1,"tid":1,"ts":5},{"ph":"b","cat":"l","id2":{"local":"1"},"name":"one","pid":1,"tid":1,"ts":0}])json",
        R"json([{"ph":"C","name":"Read(MB/s)","pid":1,"ts":"1727592872422811.759","args":{"Read(MB/s)":12.5,"free":"3"}},
{"ph":"X","name":"MatMul","pid":3,"tid":2,"ts":"1727592872422811.760","dur":1.23,"args":{"note":"a\r\nb"}},
{"ph":"s","cat":"async_npu","id":"23821508758294495231","pid":1,"tid":2,"ts":"1727592872422811.8","name":"x"},
{"ph":"f","bp":"e","cat":"async_npu","id":"23821508758294495231","pid":3,"tid":2,"ts":"1727592872422812.1","name":"x"}])json",
        R"json({"otherData":{"a":[1,{"b":null}]},"stackFrames":{"1":{"name":"x"}},"samples":[{"cpu":0}],"traceEvents":[
{"ph":"I","name":"global","ts":1e2,"s":"g"},{"ph":"P","name":"sample","ts":3,"sf":1},{"ph":"N","id":1,"name":"o","ts":1},
{"name":"late ph","args":{"correlation":18446744073709551615},"ts":-0.25,"dur":1E-1,"tid":9223372036854775809,"pid":-1,"ph":"X"}],"systemTraceEvents":"x"})json",
        "\xEF\xBB\xBF \n[{\"ph\":\"X\",\"name\":\"C:\\work\\u00e9\\ud83d\\ude00 \\\"q\\\" "
        "\xff\x01\",\"pid\":\"p\\\\\",\"tid\":\"t\",\"ts\":1,\"dur\":2},\n"
        "{\"ph\":\"X\",\"name\":\"nan\",\"ts\":NaN,\"dur\":Infinity},,{\"ph\":\"X\",\"name\":\"a\","
        "\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":-9223372036854775808}",
        R"json({"traceEvents":[{"ph":"X","cat":"cuda_api","name":"cudaLaunchKernel_v7000","pid":"Host 0","tid":"CUDA API 99","ts":1,"dur":2},
{"ph":"X","cat":"cuda","name":"gemm","pid":"Device 1","tid":"CUDA API 7","ts":4.001,"dur":2},
{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":1000007,"ts":0,"dur":9,"args":{"stream":4294967295}},
{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":3,"dur":0,"args":{"wait_on_stream":-1,"wait_on_cuda_event_record_corr_id":2}}]})json"};
}

const std::vector<std::string> &files() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> list = written();
        list.push_back(gzip(list[0]));
        list.push_back(gzip(list[1]) + gzip(list[2])); // two members behind each other
        return list;
    }();
    return all;
}

/// Opens, reads every argument, and is back in a second; then either a sentence or balanced books.
QString judge(std::string_view content) {
    const auto begin = std::chrono::steady_clock::now();
    const auto trace = openText(content, 1);
    if (!trace) {
        if (trace.error().message.size() < 10) return "an error without a sentence";
    } else {
        if (!booksBalance(**trace)) return "the books do not balance";
        EventArgs args(*trace);
        for (uint32_t t = 0; t < (*trace)->tracks.size(); ++t) {
            const TrackTable &table = *(*trace)->tracks[t].table;
            for (uint32_t row = 0; row < table.size(); ++row) {
                if (table.duration[row] < 0) return "an interval ends before it begins";
                (void)args.json({t, row});
            }
        }
    }
    const auto spent = std::chrono::steady_clock::now() - begin;
    return spent < std::chrono::seconds(5) ? QString() : QString("it took longer than 5 s");
}

double peakMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) * 1024 / 1e6;
}

} // namespace

class EveryByteTest : public QObject {
    Q_OBJECT
private slots:
    void allAreTraces() {
        QCOMPARE(files().size(), size_t(10));
        for (const std::string &file : files()) {
            const auto trace = openText(file, 1);
            QVERIFY(trace && (*trace)->intervalCount() > 0);
        }
        m_before = peakMegabytes();
    }

    void everyPrefix() {
        for (size_t f = 0; f < files().size(); ++f)
            for (size_t size = 0; size <= files()[f].size(); ++size) {
                const QString fault = judge(std::string_view(files()[f]).substr(0, size));
                if (!fault.isEmpty())
                    QFAIL(qPrintable(QString("file %1 at %2: %3").arg(f).arg(size).arg(fault)));
            }
    }

    void tenThousandFlips() {
        std::mt19937 random(4);
        std::vector<std::string> all = files();
        all.push_back(smallNsysExport(3));
        for (int round = 0; round < 10'000; ++round) {
            const size_t f = random() % all.size();
            std::string content = all[f];
            for (unsigned k = 0, n = 1 + random() % 3; k < n; ++k)
                content[random() % content.size()] ^= char(1u << random() % 8);
            const QString fault = judge(content);
            if (!fault.isEmpty())
                QFAIL(qPrintable(QString("file %1 round %2: %3").arg(f).arg(round).arg(fault)));
        }
    }

    /// A length or count that was made up by damage must not be believed.
    void memoryStaysSmall() {
        const double more = peakMegabytes() - m_before;
        QVERIFY2(more < 512, qPrintable(QString("%1 MB more than before").arg(more)));
    }

private:
    double m_before = 0;
};

QTEST_APPLESS_MAIN(EveryByteTest)
#include "every_byte_test.moc"
