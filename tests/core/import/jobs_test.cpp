// SPDX-License-Identifier: Apache-2.0
// What a file says of its place in a job, and several files as one job.
#include <QTest>

#include <QFile>
#include <QTemporaryDir>

#include "core/capture/format.h"
#include "core/import/importer.h"
#include "core/import/rank_in_name.h"
#include "tests/support/capture_file.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"
#include "tests/support/text_trace.h"

using namespace longpole;
using namespace longpole::test;

namespace {

using TracePtr = std::shared_ptr<const Trace>;

TracePtr openJob(const std::vector<std::string> &paths) {
    Progress progress;
    const auto trace = openTraces(paths, progress);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    if (!booksBalance(**trace)) qFatal("the books do not balance");
    return *trace;
}

TracePtr open(std::string_view json) {
    const TempFile file(json);
    return openJob({file.path()});
}

std::string kineto(const std::string &events, const std::string &before = "",
                   const std::string &behind = "") {
    return "{\"schemaVersion\":1," + before + "\"traceEvents\":[" + events + "]" + behind + "}";
}

const std::string kRange = R"({"ph":"X","name":"a","pid":9,"tid":9,"ts":1,"dur":1})";

} // namespace

class JobsTest : public QObject {
    Q_OBJECT
private slots:
    /// Facts about the run may stand on either side of the events, and be long.
    void keysOnBothSides() {
        std::string groups = "\"pg_config\":[";
        while (groups.size() < 3 << 20) groups += R"({"pg_name":"0","ranks":[0,1,2,3,4,5,6,7]},)";
        groups += "{}]";
        const std::string facts =
            "\"distributedInfo\":{" + groups +
            ",\"backend\":\"nccl\",\"rank\":5,\"world_size\":\"16\"},"
            "\"deviceProperties\":[{\"id\":0,\"name\":\"A\"},{\"id\":1,\"name\":\"B\"}]";
        for (const bool behind : {false, true}) {
            const TracePtr trace =
                open(kineto(kRange, behind ? "\"traceName\":\"x\"," : facts + ",",
                            behind ? "," + facts + ",\"traceName\":\"x\"" : ""));
            const SourceFile &file = trace->files.at(0);
            QVERIFY(file.rank == 5 && file.worldSize == 16);
            QCOMPARE(file.deviceNames.at(1), std::string("B"));
            QCOMPARE(file.format, std::string("PyTorch (Kineto) JSON"));
            QCOMPARE(reasonsOf(*trace), std::string());
        }
    }

    void ranksAreWrittenInManyWays() {
        const auto rankOf = [](const char *info) {
            return open(kineto(kRange, "\"distributedInfo\":" + std::string(info) + ","))
                ->files[0]
                .rank;
        };
        QVERIFY(rankOf(R"~({"rank":0})~") == 0);
        QVERIFY(rankOf(R"~({"rank":"3"})~") == 3);
        QVERIFY(rankOf(R"~({"rank":3.0})~") == 3);
        QVERIFY(rankOf(R"~({"loss":NaN,"rank":2,})~") == 2);
        QVERIFY(!rankOf(R"~({"rank":-1})~"));
        QVERIFY(!rankOf(R"~({"rank":null})~"));
        QVERIFY(!rankOf(R"~({"world_size":8})~"));
        QVERIFY(!rankOf(R"~([3])~"));
    }

    void ranksInFileNames() {
        const std::pair<const char *, int> cases[] = {
            {"megatron_rank3.json.gz", 3},
            {"/runs/rank0/trace-Rank_12.1699.pt.trace.json", 12},
            {"hta_sampled_128ranks_rank0.json.gz", 0},
            {"global_rank=7.sqlite", 7},
            {"rank.4", 4},
            {"step3 rank 2 of 8.json", 2},
            {"rank0_of_8_rank0.json", 0},
            {"out/rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", 1},
            {"rank1/a/b/c/d/trace.json", -1},
            {"prank3.json", -1},
            {"ranking.json", -1},
            {"local_rank3.json", -1},
            {"dp_rank0_tp_rank1.json", -1},
            {"worker0.pt.trace.json", -1},
            {"rank1699999999999.json", -1},
            {"rank", -1},
            {"", -1},
        };
        for (const auto &[path, rank] : cases)
            QVERIFY2(rankInName(path).value_or(-1) == rank, path);
        // what the file says itself counts more
        const TempFile named(kineto(kRange), "_rank3.json"),
            both(kineto(kRange, "\"distributedInfo\":{\"rank\":4},"), "_rank3.json");
        QVERIFY(openJob({named.path()})->files[0].rank == 3);
        QVERIFY(openJob({both.path()})->files[0].rank == 4);
    }

    /// Equal numbers of processes, threads, devices, streams and correlations in two files are not
    /// the same ones.
    void filesOfAJobStayApart() {
        const auto rank = [](const char *n) {
            return kineto(
                QString(R"({"ph":"M","name":"process_name","pid":9,"args":{"name":"train %1"}},
{"ph":"X","cat":"cuda_runtime","name":"launch%1","pid":9,"tid":9,"ts":10,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k%1","pid":0,"tid":7,"ts":20,"dur":5,"args":{"device":0,"stream":7,"correlation":1}})")
                    .arg(n)
                    .toStdString());
        };
        const TempFile a(rank("A"), "_rank0.json"), b(rank("B"), "_rank1.json");
        const TracePtr trace = openJob({a.path(), b.path()});
        QCOMPARE(trace->processes.size(), size_t(4));
        QCOMPARE(trace->tracks.size(), size_t(4));
        for (const std::string n : {"A", "B"}) {
            const IntervalId op = find(*trace, "k" + n), call = find(*trace, "launch" + n);
            QVERIFY(trace->callOf(op) == call);
            QCOMPARE(trace->processes[trace->track(call).process].name, "train " + n);
        }
        QVERIFY(trace->files[0].rank == 0 && trace->files[1].rank == 1);
        QCOMPARE(reasonsOf(*trace), std::string("clocks_not_aligned 1"));
    }

    /// What the recorder leaves beside the files of several processes opens them as one job.
    void aListOfRecordings() {
        QTemporaryDir folder;
        const auto put = [&](const char *name, const std::string &content) {
            QFile file(folder.filePath(name));
            if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
            file.write(content.data(), qint64(content.size()));
            return folder.filePath(name).toStdString();
        };
        const std::string first = put("a.lpcap", smallCapture());
        const std::string second = put("a.lpcap.77", smallCapture());
        const std::string job =
            put("a.lpcap.job", capture::kJobHead + std::string("a.lpcap\r\n\na.lpcap.77\n"));
        const TracePtr listed = openJob({job}), named = openJob({first, second});
        QCOMPARE(listed->files.size(), size_t(2));
        QCOMPARE(listed->files[1].path, second);
        QCOMPARE(listed->events.read, named->events.read);
        QCOMPARE(listed->tracks.size(), named->tracks.size());
        QCOMPARE(openJob({first, job})->files.size(), size_t(3));

        const auto refused = [](const std::string &path) {
            Progress progress;
            const auto trace = openTraces({path}, progress);
            return trace ? std::string() : trace.error().message;
        };
        QFile::remove(QString::fromStdString(second));
        QVERIFY(refused(job).find("names a.lpcap.77, which is not beside it") != std::string::npos);
        for (const char *name : {"../a.lpcap", "/etc/passwd", ".."})
            QVERIFY(refused(put("b.job", capture::kJobHead + std::string(name))).find("no name") !=
                    std::string::npos);
        QVERIFY(refused(put("b.job", capture::kJobHead)).find("names none") != std::string::npos);
        QVERIFY(refused(put("b.job", "a.lpcap\n")).find("names") ==
                std::string::npos); // no such list
    }

    /// A database has rows and no bytes: what is said of its clock is said of the whole file.
    void databasesInAJob() {
        const TempFile json(kineto(kRange)), database(smallNsysExport(3), ".sqlite");
        const TracePtr trace = openJob({json.path(), database.path()});
        const Diagnostics::Entry &entry = trace->diagnostics[Reason::ClocksNotAligned];
        QCOMPARE(entry.file, uint32_t(1));
        QCOMPARE(placeText(trace->files[1], entry.firstOffset), std::string("the file as a whole"));
    }
};

QTEST_APPLESS_MAIN(JobsTest)
#include "jobs_test.moc"
