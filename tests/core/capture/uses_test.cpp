// SPDX-License-Identifier: Apache-2.0
// What a recording is good for: its arguments, its copy as JSON, and what the options of `record`
// do.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/recording.h"

#include <QElapsedTimer>
#include <QJsonArray>

#include <algorithm>
#include <csignal>
#include <map>

using namespace longpole;
using namespace longpole::test;

namespace {

QJsonArray intervalsOf(const QString &file, const QString &name = ".*") {
    const Answer answer = run({"list", file, "--name", name, "--json"});
    if (answer.status != 0) qWarning() << answer.err;
    return answer.json()["intervals"].toArray();
}

QJsonObject argsOf(const QString &file, const QString &name) {
    const QJsonArray intervals = intervalsOf(file, name);
    return intervals.isEmpty() ? QJsonObject() : intervals[0].toObject()["args"].toObject();
}

/// Begins of one name in the recording, in ns from its zero.
QList<qint64> beginsOf(const QString &file, const QString &name) {
    QList<qint64> begins;
    for (const QJsonValue &interval : intervalsOf(file, name))
        begins << interval["begin_ns"].toInteger();
    std::sort(begins.begin(), begins.end());
    return begins;
}

/// Every dependency by type, evidence, and name and begin of both ends.
QMap<QString, int> edgesOf(const QString &file) {
    const QJsonObject list = run({"list", file, "--edges", "--json"}).json();
    const QJsonArray intervals = list["intervals"].toArray();
    const auto end = [&](const QJsonValue &at) {
        const QJsonValue interval = intervals[at.toInteger()];
        return interval["name"].toString() + '@' +
               QString::number(interval["begin_ns"].toInteger());
    };
    QMap<QString, int> edges;
    for (const QJsonValue &edge : list["edges"].toArray())
        ++edges[edge["type"].toString() + ' ' + edge["evidence"].toString() + ' ' +
                end(edge["from"]) + " → " + end(edge["to"])];
    return edges;
}

/// `record` that goes on while the test does something to it.
class Running {
public:
    Running(const QStringList &options, const QStringList &victim,
            const QMap<QString, QString> &environment = {{"FAKE_CUPTI_PERIOD", "10"}})
        : m_file(m_folder.filePath("capture.lpcap")) {
        m_process.setProcessEnvironment(doublesEnvironment(13, environment));
        m_process.setWorkingDirectory(m_folder.path());
        m_process.start(qEnvironmentVariable("LONGPOLE_CLI"),
                        QStringList{"record", "--quiet", "-o", m_file} + options +
                            QStringList{"--", victimProgram()} + victim);
        if (!m_process.waitForStarted()) qFatal("no recorder");
        // the victim says so when it has what it needs
        while (!m_process.canReadLine() && m_process.waitForReadyRead(10'000)) {
        }
        m_process.readLine();
    }
    ~Running() { end(); }
    void signal(int which) { ::kill(pid_t(m_process.processId()), which); }
    int end() {
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(60'000)) {
            m_process.kill();
            m_process.waitForFinished();
        }
        return m_process.exitCode();
    }
    const QString &file() const { return m_file; }

private:
    QTemporaryDir m_folder;
    QString m_file;
    QProcess m_process;
};

} // namespace

class UsesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
    }

    void arguments() {
        const Recording made = record(
            {{"--quiet", "--steps", "2", "--warmup", "1"}, {"steps", "4", "every", "everything"}});
        const QJsonObject gemm = argsOf(made.file, "gemm");
        QCOMPARE(gemm["grid"].toArray(), (QJsonArray{300, 1, 1}));
        QCOMPARE(gemm["block"].toArray(), (QJsonArray{128, 1, 1}));
        QVERIFY(gemm["device"] == 0 && gemm["context"] == 1 && gemm["stream"].toInt() > 7);
        QVERIFY(!gemm.contains("graph id"));
        const QJsonObject node = argsOf(made.file, "node");
        QVERIFY(node["graph id"] == 1 && node["graph node id"] == 1000);
        const QJsonArray launches = intervalsOf(made.file, "cuLaunchKernel");
        QVERIFY(std::any_of(launches.begin(), launches.end(), [&](const QJsonValue &launch) {
            return launch["args"]["correlation"] == gemm["correlation"] &&
                   launch["correlation"] == gemm["correlation"];
        }));
        const QJsonObject copy = argsOf(made.file, "Memcpy HtoD.*");
        QCOMPARE(copy["bytes"].toInt(), 1 << 16);
        QCOMPARE(copy["call"].toString(), "returns before it has ended");
        const QJsonObject back = argsOf(made.file, "Memcpy DtoH .*Pageable.");
        QVERIFY(back["bytes"] == 64 && back["call"].toString() == "waits for it");
        const QJsonObject peer = argsOf(made.file, "Memcpy PtoP.*");
        QVERIFY(peer["fromDevice"] == 0 && peer["toDevice"] == 1);
        const QJsonObject set = argsOf(made.file, "Memset.*");
        QVERIFY(set["bytes"] == 4096 && set["value"] == 0);
        // the wait names the record that it waited for
        const QJsonObject wait = argsOf(made.file, "Event Sync");
        const QJsonArray records = intervalsOf(made.file, "Event Record");
        QCOMPARE(std::count_if(records.begin(), records.end(),
                               [&](const QJsonValue &record) {
                                   return record["args"]["recorded event"] ==
                                          wait["recorded event"];
                               }),
                 std::ptrdiff_t(1));
        QCOMPARE(argsOf(made.file, "step 0")["part"].toString(), "warm-up");
        QVERIFY(argsOf(made.file, "step 1")["step"] == 1);
        QVERIFY(!argsOf(made.file, "step 1").contains("part"));
    }

    /// Read by another parser than ours: what viewers of this format rely on.
    void asJson() {
        const Recording made = record({{"--quiet", "--allocations"},
                                       {"steps", "12", "every", "everything", "threads", "3"},
                                       {{"FAKE_CUPTI_EXTRAS", "1"}}});
        const QString json = made.file + ".json";
        const Answer converted = run({"convert", made.file, "--all", json});
        QVERIFY2(converted.status == 0, converted.err);
        QFile file(json);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QJsonParseError wrong;
        const QJsonObject top = QJsonDocument::fromJson(file.readAll(), &wrong).object();
        QVERIFY2(wrong.error == QJsonParseError::NoError, qPrintable(wrong.errorString()));
        QMap<QString, QPair<int, int>> arrows, spans; // by id: begins and ends
        QMap<QString, double> arrowAt;
        int whole = 0;
        for (const QJsonValue &event : top["traceEvents"].toArray()) {
            const QString phase = event["ph"].toString();
            QVERIFY2(QStringList({"X", "M", "s", "f", "b", "e", "i", "C"}).contains(phase),
                     qPrintable(phase));
            QVERIFY(!event["name"].toString().isEmpty() || phase == "f");
            QVERIFY(event["pid"].isDouble());
            if (phase == "M") continue;
            QVERIFY(event["ts"].isDouble() && event["ts"].toDouble() >= 0);
            if (phase == "X") {
                QVERIFY(event["dur"].isDouble() && event["dur"].toDouble() >= 0);
                QVERIFY(event["tid"].isDouble());
                ++whole;
            }
            const QString id = event["cat"].toString() + event["id"].toVariant().toString();
            if (phase == "s") ++arrows[id].first, arrowAt[id] = event["ts"].toDouble();
            if (phase == "f") {
                ++arrows[id].second;
                QVERIFY(arrowAt.contains(id) && event["ts"].toDouble() >= arrowAt[id]);
            }
            if (phase == "b") ++spans[id].first;
            if (phase == "e") ++spans[id].second;
        }
        QVERIFY(arrows.size() > 12 * 9 && whole > 1000);
        for (const auto &[begins, ends] : arrows) // a graph's operations share their launch's id
            QVERIFY(begins == ends && (begins == 1 || begins == 3));
        for (const auto &[begins, ends] : spans) QVERIFY(begins == 1 && ends == 1);

        // read again it is the same recording
        QCOMPARE(edgesOf(json), edgesOf(made.file));
        QVERIFY(edgesOf(json).size() > 12 * 9);
        for (const QStringList &question : {QStringList{"stats", "--by", "name"},
                                            {"stats", "--by", "kind"},
                                            {"stats", "--by", "phase"},
                                            {"path"},
                                            {"idle"}}) {
            const auto asked = [&](const QString &trace) {
                QJsonObject answer =
                    run(QStringList{question[0], trace, "--all", "--json"} + question.mid(1))
                        .json();
                answer.remove("window");
                QJsonArray segments; // numbers of tracks differ where one has no intervals
                for (const QJsonValue &value : answer["segments"].toArray()) {
                    QJsonObject segment = value.toObject();
                    segment.remove("track");
                    segments << segment;
                }
                answer["segments"] = segments;
                QJsonArray slack;
                for (const QJsonValue &value : answer["slack"].toArray()) {
                    QJsonObject one = value.toObject();
                    one.remove("track");
                    slack << one;
                }
                answer["slack"] = slack;
                return QJsonDocument(answer).toJson();
            };
            QCOMPARE(asked(json), asked(made.file));
        }
    }

    void graphsAsAWhole() {
        const Recording made = record(
            {{"--quiet", "--graphs", "whole"}, {"steps", "4"}, {{"FAKE_CUDA_GRAPHS_WHOLE", "1"}}});
        const QJsonArray graphs = intervalsOf(made.file, "CUDA graph 1");
        QCOMPARE(graphs.size(), 4);
        QVERIFY(intervalsOf(made.file, "node").isEmpty());
        for (const QJsonValue &graph : graphs) {
            QCOMPARE(graph["kind"].toString(), "graph_exec");
            QCOMPARE(graph["end_ns"].toInteger() - graph["begin_ns"].toInteger(), qint64(63'000));
            QVERIFY(graph["args"]["graph id"] == 1);
        }
        int launched = 0;
        for (const QString &edge : edgesOf(made.file).keys())
            launched +=
                edge.startsWith("launch recorded cuGraphLaunch@") && edge.contains("CUDA graph 1@");
        QCOMPARE(launched, 4);
        // the option is what asks for such records
        const Recording nodes =
            record({{"--quiet"}, {"steps", "4"}, {{"FAKE_CUDA_GRAPHS_WHOLE", "1"}}});
        QVERIFY(intervalsOf(nodes.file, "CUDA graph 1").isEmpty());
    }

    void aSignalPausesAndResumes() {
        Running running({}, {"say", "steps", "60", "pause", "20"});
        QTest::qWait(300);
        running.signal(SIGUSR1);
        QTest::qWait(400);
        running.signal(SIGUSR1);
        QCOMPARE(running.end(), 0);
        const QList<qint64> begins = beginsOf(running.file(), "gemm");
        QVERIFY2(begins.size() > 10 && begins.size() < 55,
                 qPrintable(QString::number(begins.size())));
        qint64 longest = 0;
        for (int i = 1; i < begins.size(); ++i)
            longest = std::max(longest, begins[i] - begins[i - 1]);
        QVERIFY2(longest > 250'000'000 && longest < 1'000'000'000,
                 qPrintable(QString::number(longest)));
        QVERIFY(beginsOf(running.file(), "forward").size() < 55); // ranges pause as well
        QCOMPARE(run({"info", running.file(), "--json"}).status, 0);
    }

    void aSignalStarts() {
        Running running({"--paused"}, {"say", "steps", "60", "pause", "20"});
        QTest::qWait(500);
        running.signal(SIGUSR1);
        QCOMPARE(running.end(), 0);
        const qsizetype kernels = beginsOf(running.file(), "gemm").size();
        QVERIFY2(kernels > 5 && kernels < 45, qPrintable(QString::number(kernels)));
        const Recording never = record({{"--quiet", "--paused"}, {"steps", "5"}});
        QVERIFY(intervalsOf(never.file).isEmpty());
    }

    void otherSignalsAreTheProgrammes() {
        Running running({}, {"say", "steps", "1000", "pause", "20"});
        QTest::qWait(700);
        running.signal(SIGTERM);
        QCOMPARE(running.end(), 128 + SIGTERM);
        QVERIFY(beginsOf(running.file(), "gemm").size() > 5);
        // it came when the recording was whole
        QVERIFY(!run({"info", running.file()}).out.contains("truncated_file"));
        Progress progress;
        const auto trace = openTraces({running.file().toStdString()}, progress);
        QVERIFY(trace && (*trace)->diagnostics[Reason::TruncatedFile].count == 0);
    }

    void progressForPrograms() {
        QTemporaryDir folder;
        const QString lines = folder.filePath("lines");
        const Recording made = record({{"--quiet", "--progress", lines},
                                       {"steps", "60", "pause", "20"},
                                       {{"FAKE_CUPTI_PERIOD", "10"}}});
        QFile file(lines);
        QVERIFY(file.open(QIODevice::ReadOnly));
        qint64 before = 0;
        int read = 0;
        while (!file.atEnd()) {
            const QJsonObject line = QJsonDocument::fromJson(file.readLine()).object();
            for (const char *key :
                 {"records", "per_second", "dropped", "bytes", "steps", "processes"})
                QVERIFY2(line[key].isDouble(), key);
            QVERIFY(line["records"].toInteger() >= before);
            before = line["records"].toInteger();
            ++read;
        }
        QVERIFY2(read >= 2, qPrintable(QString::number(read)));
        QVERIFY(before > 100);
    }

    void delayAndDuration() {
        const Recording made = record({{"--quiet", "--delay", "300ms", "--duration", "400ms"},
                                       {"steps", "60", "pause", "20"},
                                       {{"FAKE_CUPTI_PERIOD", "10"}}});
        const QList<qint64> begins = beginsOf(made.file, "gemm");
        QVERIFY2(begins.size() > 5 && begins.size() < 30,
                 qPrintable(QString::number(begins.size())));
        QVERIFY(begins.last() - begins.first() < 600'000'000);
        const QList<qint64> steps = beginsOf(made.file, "step \\d+");
        QVERIFY(steps.size() < 30);
        QCOMPARE(run({"record", "--delay", "soon", "--", "true"}).status, 2);
    }

    /// From the begin of the process, which sleeps before it uses the device, to the first measured
    /// step.
    void startUpIsMeasured() {
        for (const QString asked : {"0", "400"}) {
            QElapsedTimer clock;
            clock.start();
            const Recording made = record({{"--quiet", "--steps", "4", "--warmup", "2"},
                                           {"steps", "8", "every", "sleep", asked}});
            const qint64 wall = clock.nsecsElapsed();
            const QJsonObject steps = run({"steps", made.file, "--json"}).json();
            QCOMPARE(steps["startup_source"].toString(), "measured");
            const qint64 startUp = steps["startup_ns"].toInteger();
            // the kernel counts begins of processes in hundredths of a second
            QVERIFY2(startUp > asked.toLongLong() * 1'000'000 - 10'000'000 && startUp < wall,
                     qPrintable(QString("%1 of %2").arg(startUp).arg(wall)));
        }
    }

    /// A child that was forked before the device was used and uses it itself has a file of its own.
    void aForkedChildThatUsesTheDevice() {
        const Recording made = record({{"--quiet"}, {"steps", "3", "fork-first"}});
        QCOMPARE(made.status, 0);
        QCOMPARE(made.allFiles().size(), 3); // two recordings and the list of them
        const QString job = made.file + ".job";
        QCOMPARE(beginsOf(made.file, "gemm").size(), 3);
        QCOMPARE(beginsOf(job, "gemm").size(), 6);
        QCOMPARE(beginsOf(job, "before the fork").size(), 1);
        QVERIFY(run({"why", job}).status == 0);
    }
};

QTEST_GUILESS_MAIN(UsesTest)
#include "uses_test.moc"
