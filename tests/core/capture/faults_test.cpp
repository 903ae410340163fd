// SPDX-License-Identifier: Apache-2.0
// What goes wrong while recording costs what it must, never the program and never the file.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/recording.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QSet>

using namespace longpole;
using namespace longpole::test;

namespace {

size_t countOf(const Trace &trace, std::string_view name) {
    size_t count = 0;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row)
            count += trace.name({t, row}) == name;
    return count;
}

QStringList messagesOf(const Trace &trace) {
    QStringList messages;
    for (const Instant &instant : trace.instants)
        if (trace.tracks[instant.track].name.find("messages") != std::string::npos)
            messages << QString::fromUtf8(instant.name.data(), qsizetype(instant.name.size()));
    return messages;
}

/// A function of CUPTI that fails, what is said of it, and how many of three kernels there are.
struct Refusal {
    const char *fails, *says;
    int kernels = 3; ///< -1: it depends
    bool since13 = false;
};
constexpr Refusal kRefusals[] = {
    {"cuptiGetVersion=1", "does not tell its version", 0},
    {"cuptiGetResultString=1", ""},
    {"cuptiSubscribe=1", "subscribe"},
    {"cuptiEnableCallback=1", "contexts"},
    {"cuptiSetThreadIdType=1", "threads"},
    {"cuptiActivityRegisterTimestampCallback=999", "clock of the day"},
    {"cuptiActivityRegisterCallbacks=999", "all of the device", 0},
    {"cuptiActivityFlushPeriod=1", "killed"},
    {"cuptiActivityEnable:10=999", "all kernels", 0},
    {"cuptiActivityEnable:10=35", "administrators", 0},
    {"cuptiActivityEnable=999", "all copies", 0},
    {"cuptiActivityEnable:8=7", "names of devices"},
    {"cuptiActivityEnable:9=7", "which device a context"},
    {"cuptiActivityEnable:37=7", "how streams are ordered"},
    {"cuptiActivityEnable:11=7", "names that the program"},
    {"cuptiActivityEnable:10=7", "all kernels", 0},
    {"cuptiActivityEnable:1=7", "all copies"},
    {"cuptiActivityEnable:22=7", "copies between devices"},
    {"cuptiActivityEnable:2=7", "all memsets"},
    {"cuptiActivityEnable:5=7", "launches and waits of the host"},
    {"cuptiActivityEnable:38=7", "what a wait waits for"},
    {"cuptiActivityEnable:36=7", "which event a wait waits for"},
    {"cuptiActivityEnable:17=7", "what recording itself costs"},
    {"cuptiActivityEnable:39=7", "ids of other recorders"},
    {"cuptiActivityEnableCudaEventDeviceTimestamps=7", "stamp CUDA events", 3, true},
    {"cuptiGetCallbackName=1", "name calls"},
    {"cuptiActivityEnableRuntimeApi=1", ""}, // more is recorded than is needed
    {"cuptiActivityEnableDriverApi=1", "calls of the driver"},
    {"cuptiActivityFlushAll=1", "what came last"},
    {"cuptiActivityGetNumDroppedRecords=1", "how many records it lost"},
    {"cuptiActivityDisable=1", ""}, // the recording is over, or paused
    {"cuptiActivityGetNextRecord=1", "hand out", 0},
};

} // namespace

class FaultsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
    }

    /// The functions of CUPTI that may refuse, and what of a small recording is there all the same.
    void aCallThatFails_data() {
        QTest::addColumn<int>("cupti");
        QTest::addColumn<QString>("fails");
        QTest::addColumn<QString>("says");
        QTest::addColumn<int>("kernels");
        for (const int cupti : {13, 12})
            for (const Refusal &refusal : kRefusals) {
                if (cupti == 12 && refusal.since13) continue;
                QTest::addRow("%s, CUPTI %d", refusal.fails, cupti)
                    << cupti << refusal.fails << refusal.says << refusal.kernels;
            }
    }
    void aCallThatFails() {
        QFETCH(int, cupti);
        QFETCH(QString, fails);
        QFETCH(QString, says);
        QFETCH(int, kernels);
        const Recording made =
            record({{"--quiet"}, {"steps", "3", "every"}, {{"FAKE_CUPTI_FAIL", fails}}, cupti});
        QCOMPARE(made.status, 0);
        QCOMPARE(made.out, QByteArray("victim done\n"));
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        if (kernels >= 0) QCOMPARE(countOf(*trace, "gemm"), size_t(kernels));
        QCOMPARE(countOf(*trace, "forward"), size_t(3));
        if (says.isEmpty()) {
            QCOMPARE(made.err, QByteArray());
            return;
        }
        QVERIFY2(messagesOf(*trace).join('\n').contains(says),
                 qPrintable(messagesOf(*trace).join('\n')));
        QVERIFY2(made.err.contains(says.toUtf8()), made.err.constData());
        QVERIFY(trace->diagnostics[Reason::RecorderMessage].count > 0);
    }
    /// Each function that the library takes from CUPTI has a line, and each kind of record.
    void noCallIsForgotten() {
        const auto namesIn = [](const char *path, const char *expression) {
            QFile source(QString(LONGPOLE_SOURCE_DIR) + path);
            if (!source.open(QIODevice::ReadOnly)) qFatal("no source");
            const QString text = source.readAll();
            QSet<QString> names;
            for (auto all = QRegularExpression(expression).globalMatch(text); all.hasNext();)
                names << all.next().captured(1);
            return names;
        };
        QSet<QString> tried;
        int kinds = 0;
        for (const Refusal &refusal : kRefusals) {
            const QString fails = refusal.fails;
            tried << fails.section(':', 0, 0).section('=', 0, 0);
            kinds += fails.startsWith("cuptiActivityEnable:") && fails.endsWith("=7");
        }
        tried << "cuptiUnsubscribe"   // asked by doctor alone
              << "cuptiSubscribe_v2"; // the double fails both alike
        const QSet<QString> functions = namesIn("/core/capture/cupti_api.h", "X\\((cupti\\w+)\\)");
        QVERIFY(functions.size() > 15);
        for (const QString &function : functions)
            QVERIFY2(tried.contains(function), qPrintable(function));
        QCOMPARE(kinds,
                 int(namesIn("/core/capture/session_cupti.cpp", "Kind\\{(CUPTI_\\w+)").size()));
    }

    /// Half of a buffer that cannot be read: what was read is kept, and it is said.
    void aBufferThatBreaksOff() {
        const Recording made = record({{"--quiet"},
                                       {"flood", "20000"},
                                       {{"FAKE_CUPTI_FAIL", "cuptiActivityGetNextRecord:2=3"},
                                        {"FAKE_CUPTI_PERIOD", "100000"}}});
        QCOMPARE(made.status, 0);
        const size_t kernels = countOf(*made.trace(), "flood");
        QVERIFY2(kernels > 5'000 && kernels < 15'000, qPrintable(QString::number(kernels)));
        QVERIFY2(made.err.contains("hand out the records of a buffer"), made.err);
        QCOMPARE(made.err.count("hand out"), 1); // once, not for every buffer
    }

    void anotherSubscriber() {
        const Recording made = record({{"--quiet"},
                                       {"steps", "3"},
                                       {{"FAKE_CUPTI_FAIL", "cuptiSubscribe=39"},
                                        {"FAKE_CUPTI_OTHER", "CUPTI for Nsight Systems"}}});
        QCOMPARE(made.status, 0);
        QVERIFY2(made.err.contains(
                     "Another profiler has this process already (CUPTI for Nsight Systems)"),
                 made.err);
        QCOMPARE(countOf(*made.trace(), "step 2"), size_t(1));
    }

    void noCupti() {
        const Recording made =
            record({{"--quiet", "--cupti", "/nowhere/libcupti.so"}, {"steps", "3"}});
        QCOMPARE(made.status, 0);
        QVERIFY2(made.err.contains("/nowhere/libcupti.so cannot be loaded"), made.err);
        QCOMPARE(countOf(*made.trace(), "step 2"), size_t(1));
    }

    void aTooOldCupti() {
        const Recording made =
            record({{"--quiet"}, {"steps", "3"}, {{"FAKE_CUPTI_VERSION", "17"}}});
        QVERIFY2(made.err.contains("too old (version 17)"), made.err);
        QCOMPARE(countOf(*made.trace(), "gemm"), size_t(0));
    }

    void dropsAreCountedAndShown() {
        const Recording made = record({{"--json"}, {"steps", "3"}, {{"FAKE_CUPTI_DROP", "1234"}}});
        const QByteArray json = made.out.mid(made.out.indexOf('{'));
        QCOMPARE(QJsonDocument::fromJson(json).object()["dropped"].toInteger(), 1234);
        QCOMPARE(made.trace()->diagnostics[Reason::RecordsLost].count, uint64_t(1234));
        QVERIFY(run({"info", made.file}).out.contains("1,234"));
    }

    /// A writer that is too slow costs records, and every one of them is counted.
    void tooMuchForTheMemory() {
        const Recording made =
            record({{"--quiet", "--memory", "4"},
                    {"flood", "60000"},
                    {{"FAKE_CUPTI_SHUFFLE", "1"}, {"FAKE_CUPTI_PERIOD", "100000"}}});
        const auto trace = made.trace();
        const uint64_t kernels = countOf(*trace, "flood"),
                       calls = countOf(*trace, "cuLaunchKernel");
        const uint64_t lost = trace->diagnostics[Reason::RecordsLost].count;
        QVERIFY2(lost > 0, qPrintable(QString("nothing was lost of %1").arg(kernels)));
        QVERIFY(kernels + calls > 0);
        // all that was made: 5 steps of 13 device operations, 12 calls and a wait each …, and the
        // flood
        QVERIFY2(kernels + calls + lost >= 120'000 && kernels + calls + lost < 120'400,
                 qPrintable(QString("%1 + %2 + %3").arg(kernels).arg(calls).arg(lost)));
    }

    /// More names than are remembered: those that come again are written again.
    void namesWithoutEnd() {
        constexpr int kNames = 20'000;
        const Recording made = record({{"--quiet", "--memory", "4"},
                                       {"names", QString::number(kNames), "steps", "3", "every"}});
        QCOMPARE(made.status, 0);
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        std::vector<int> seen(kNames);
        for (uint32_t t = 0; t < trace->tracks.size(); ++t)
            for (uint32_t row = 0; row < trace->tracks[t].table->size(); ++row)
                if (const std::string name(trace->name({t, row})); name.starts_with("name "))
                    ++seen.at(std::stoul(name.substr(5)));
        const uint64_t lost = trace->diagnostics[Reason::RecordsLost].count;
        QCOMPARE(std::count(seen.begin(), seen.end(), 1) + qint64(lost), qint64(kNames));
        QVERIFY(std::count(seen.begin(), seen.end(), 1) > kNames / 2);
        QCOMPARE(countOf(*trace, "forward"), size_t(3));
        QCOMPARE(countOf(*trace, "gemm"), size_t(3));
    }

    void aForkedChildRecordsNothingAndHarmsNothing() {
        const Recording made = record({{"--quiet"}, {"steps", "3", "fork"}});
        QCOMPARE(made.status, 0);
        QCOMPARE(made.allFiles(), QStringList{"capture.lpcap"});
        const auto trace = made.trace();
        QCOMPARE(countOf(*trace, "gemm"), size_t(3));
        QCOMPARE(countOf(*trace, "in the child"), size_t(0));
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
    }

    void eachProcessHasItsFile() {
        const QString victim = victimProgram();
        const Recording made = record(
            {{"--json"}, {"steps", "3"}, {}, 13, {"sh", "-c", "\"$0\" steps 2 && \"$0\" \"$@\""}});
        QCOMPARE(made.status, 0);
        QCOMPARE(made.allFiles().size(), 3); // two recordings and the list of them
        QVERIFY(made.allFiles().contains("capture.lpcap.job"));
        const QJsonObject json =
            QJsonDocument::fromJson(made.out.mid(made.out.indexOf('{'))).object();
        QCOMPARE(json["files"].toArray().size(), 2);
        for (const QJsonValue &file : json["files"].toArray()) {
            const QJsonObject info = run({"info", file.toString(), "--json"}).json();
            QCOMPARE(info["files"][0]["format"].toString(), "Longpole capture");
        }
        const QString job = json["job"].toString();
        QCOMPARE(job, made.file + ".job");
        QCOMPARE(run({"info", job, "--json"}).json()["files"].toArray().size(), 2);
        QCOMPARE(run({"convert", job, "--all", made.file + ".json"}).status,
                 2); // one rank at a time
    }

    void anExitWithoutFlushKeepsWhatWasWritten() {
        const Recording made = record({{"--quiet"},
                                       {"steps", "10", "pause", "150", "quick-exit"},
                                       {{"FAKE_CUPTI_PERIOD", "20"}}});
        QCOMPARE(made.status, 0);
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        const size_t kernels = countOf(*trace, "gemm");
        QVERIFY2(kernels >= 5 && kernels <= 10, qPrintable(QString::number(kernels)));
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(1));
    }

    void kill9KeepsWhatWasWritten() {
        const Recording made = record(
            {{"--quiet"}, {"steps", "10", "pause", "150", "die"}, {{"FAKE_CUPTI_PERIOD", "20"}}});
        QCOMPARE(made.status, 128 + 9);
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(countOf(*trace, "gemm") >= 5);
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(1));
    }

    void aFullDiskKeepsWhatFitted() {
        // a limit on the size of files stands in for the disk
        const Recording made = record({{"--quiet"},
                                       {"steps", "3", "flood", "40000"},
                                       {{"FAKE_CUPTI_PERIOD", "20"}},
                                       13,
                                       {"bash", "-c", "ulimit -f 3000; exec \"$0\" \"$@\""}});
        QCOMPARE(made.status, 0);
        QVERIFY2(made.err.contains("takes no more"), made.err);
        QVERIFY(made.bytes().size() <= 3000 * 1024);
        const auto trace = made.trace();
        QVERIFY(trace);
        QVERIFY(booksBalance(*trace));
        QVERIFY(countOf(*trace, "flood") > 1000);
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(1));
    }

    void anOpenRangeIsDrawnToTheEnd() {
        const Recording made = record({{"--quiet"}, {"steps", "3", "open"}});
        QCOMPARE(countOf(*made.trace(), "never closed"), size_t(1));
        QCOMPARE(made.trace()->diagnostics[Reason::BeginWithoutEnd].count, uint64_t(1));
    }

    void delayAndDuration() {
        const Recording late = record({{"--quiet", "--delay", "60s"}, {"steps", "3"}});
        QCOMPARE(countOf(*late.trace(), "gemm"), size_t(0));
        const Recording early = record({{"--quiet", "--duration", "300ms"},
                                        {"steps", "20", "pause", "60"},
                                        {{"FAKE_CUPTI_PERIOD", "20"}}});
        const size_t kernels = countOf(*early.trace(), "gemm");
        QVERIFY2(kernels >= 2 && kernels <= 9, qPrintable(QString::number(kernels)));
        QCOMPARE(early.trace()->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
    }

    void aForeignFileIsNotOverwritten() {
        QTemporaryDir folder;
        const QString path = folder.filePath("thesis.txt");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("years of work");
        file.close();
        const Answer answer = run({"record", "-o", path, "--", "true"});
        QCOMPARE(answer.status, 2);
        QVERIFY(answer.err.contains("is kept"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("years of work"));
    }

    void aCommandThatIsNotThere() {
        const Answer answer = run({"record", "--", "no-such-program-anywhere"});
        QCOMPARE(answer.status, 2);
        QVERIFY(answer.err.contains("cannot be run"));
    }

    void nothingWasRecorded() {
        QTemporaryDir folder;
        const Answer answer = run({"record", "-o", folder.filePath("c"), "--", "true"});
        QCOMPARE(answer.status, 0);
        QVERIFY(answer.err.contains("no process used CUDA"));
    }
};

QTEST_GUILESS_MAIN(FaultsTest)
#include "faults_test.moc"
