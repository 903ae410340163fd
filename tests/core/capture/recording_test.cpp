// SPDX-License-Identifier: Apache-2.0
// From a running program to its critical path: the capture library as it is, on doubles of CUDA.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/recording.h"

#include <QJsonArray>
#include <QStandardPaths>

#include <map>

using namespace longpole;
using namespace longpole::test;

namespace {

std::map<std::string, uint64_t> namesOf(const Trace &trace) {
    std::map<std::string, uint64_t> names;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row)
            ++names[std::string(trace.name({t, row}))];
    return names;
}

std::map<QString, QMap<QString, int>> edgesOf(const QString &file) {
    std::map<QString, QMap<QString, int>> edges; // type → evidence → count
    for (const QJsonValue &edge :
         run({"list", file, "--edges", "--json"}).json()["edges"].toArray())
        ++edges[edge["type"].toString()][edge["evidence"].toString()];
    return edges;
}

} // namespace

class RecordingTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
    }

    void theProgramRunsUnchanged() {
        const Recording made = record({{"--quiet"}, {"steps", "2", "status", "7"}});
        QCOMPARE(made.status, 7);
        QCOMPARE(made.out, QByteArray("victim done\n"));
        QCOMPARE(made.err, QByteArray());
    }

    void everyKindOfRecordArrives_data() {
        QTest::addColumn<int>("cupti");
        QTest::addColumn<bool>("shuffled");
        QTest::newRow("CUDA 13") << 13 << false;
        QTest::newRow("CUDA 12") << 12 << false;
        QTest::newRow("CUDA 13, in any order") << 13 << true;
        QTest::newRow("CUDA 12, in any order") << 12 << true;
    }
    void everyKindOfRecordArrives() {
        QFETCH(int, cupti);
        QFETCH(bool, shuffled);
        QMap<QString, QString> environment{{"FAKE_CUPTI_EXTRAS", "1"}};
        if (shuffled) environment["FAKE_CUPTI_SHUFFLE"] = "1";
        const Recording made = record({{"--quiet", "--allocations"},
                                       {"steps", "4", "every", "everything"},
                                       environment,
                                       cupti});
        QCOMPARE(made.status, 0);
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        const auto names = namesOf(*trace);
        const std::map<std::string, uint64_t> expected = {{"gemm", 4},
                                                          {"relu", 4},
                                                          {"gemm_backward", 4},
                                                          {"node", 12},
                                                          {"Memcpy HtoD (Pinned -> Device)", 4},
                                                          {"Memcpy DtoH (Device -> Pageable)", 4},
                                                          {"Memcpy DtoH (Device -> Pinned)", 1},
                                                          {"Memcpy PtoP (Device -> Device)", 1},
                                                          {"Memset (Device)", 4},
                                                          {"cuLaunchKernel", 12},
                                                          {"cuGraphLaunch", 4},
                                                          {"Stream Wait Event", 4},
                                                          {"Event Sync", 4},
                                                          {"Stream Sync", 1},
                                                          {"Context Sync", 1},
                                                          {"forward", 4},
                                                          {"step 3", 1},
                                                          {"across", 1},
                                                          {"registered", 1},
                                                          {"breit \u00e4", 1},
                                                          {"Buffer Flush", 1},
                                                          {"Command Buffer Full", 1}};
        for (const auto &[name, count] : expected)
            QVERIFY2(names.contains(name) && names.at(name) == count,
                     qPrintable(QString("%1: %2 instead of %3")
                                    .arg(name.c_str())
                                    .arg(names.contains(name) ? names.at(name) : 0)
                                    .arg(count)));
        QCOMPARE(names.contains("Event Record"),
                 cupti == 13); // stamped on the device since CUDA 12.8
        QCOMPARE(trace->launches.size(), size_t(4 * 9 + 2));
        for (const SyncRecord &sync : trace->syncs)
            if (sync.streamWait) QVERIFY(sync.waitOnCorrelation > 0 && sync.waitOnStream > 0);
        QCOMPARE(trace->files[0].deviceNames, std::vector<std::string>{"Pretended device"});
        QCOMPARE(trace->diagnostics[Reason::OpWithoutLaunch].count, uint64_t(0));
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
        QVERIFY(std::any_of(trace->tracks.begin(), trace->tracks.end(), [](const Track &track) {
            return track.kind == TrackKind::Thread && (track.name.find("main of the victim") != track.name.npos ||
                                                       track.name.find("named by CUPTI") != track.name.npos);
        }));
        QVERIFY(trace->files[0].producer.find(cupti == 12 ? "CUPTI 12.2" : "CUPTI 13.0") != std::string::npos);
        QCOMPARE(trace->counters.size(), size_t(1));
        QCOMPARE(trace->instants.size(), size_t(1)); // the mark of the program
        QCOMPARE(trace->diagnostics[Reason::UnknownRecord].count, uint64_t(1)); // nobody knows its kind
    }

    void theRuntimesCallsAreSorted() {
        const Recording made =
            record({{"--quiet"}, {"steps", "3", "every"}, {{"FAKE_CUDA_RUNTIME", "1"}}});
        const auto names = namesOf(*made.trace());
        QCOMPARE(names.at("cudaLaunchKernel"), uint64_t(9));
        QVERIFY(!names.contains("cuLaunchKernel"));
    }

    void stepsOfPython() {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("a Python without the sanitizer cannot load a library with it");
#endif
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("python3 is not here");
        QTemporaryDir folder;
        const QString program = folder.filePath("loop.py"), file = folder.filePath("c.lpcap");
        QFile script(program);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(
            "import sys, time\nsys.path.insert(0, sys.argv[1])\nimport longpole_steps as longpole\n"
            "for batch in longpole.steps(range(6)):\n"
            "    with longpole.phase('forward'):\n        time.sleep(0.005)\n");
        script.close();
        const Answer made = run({"record", "-q", "-o", file, "--steps", "3", "--warmup", "2", "--",
                                 python, program, LONGPOLE_SOURCE_DIR "/core/capture"});
        QVERIFY2(made.status == 0, made.err);
        const QJsonObject steps = run({"steps", file, "--json"}).json();
        QCOMPARE(steps["measured"]["steps"].toInt(), 3);
        QVERIFY(steps["measured"]["elapsed_ns"].toInteger() >= 15'000'000);
    }

    void everyEdgeTypeIsRecorded() {
        const Recording made = record({{"--quiet"}, {"steps", "12", "every", "everything"}});
        const auto edges = edgesOf(made.file);
        for (const char *type : {"launch", "event", "sync", "copy"})
            QVERIFY2(edges.contains(type) && edges.at(type).value("recorded") > 0, type);
        for (const char *type : {"launch", "event", "sync", "copy"})
            QCOMPARE(edges.at(type).size(), 1);
        const QJsonObject path = run({"path", made.file, "--json"}).json();
        qint64 sum = 0;
        for (const QJsonValue &segment : path["segments"].toArray())
            sum += segment["end_ns"].toInteger() - segment["begin_ns"].toInteger();
        QCOMPARE(sum, path["window"]["elapsed_ns"].toInteger());
        QVERIFY(sum > 0);
    }
};

QTEST_GUILESS_MAIN(RecordingTest)
#include "recording_test.moc"
