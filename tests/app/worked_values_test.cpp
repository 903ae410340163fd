// SPDX-License-Identifier: Apache-2.0
// The worked values of the method, from a file on disk to printed JSON: what a change is worth when work
// is serial, overlaps, or runs in two branches.
#include "tests/app/command_line.h"
#include "tests/support/files.h"

#include <QJsonArray>
#include <QTest>

using longpole::test::Answer;
using longpole::test::run;
using longpole::test::TempFile;

namespace {

const QString kExamples = LONGPOLE_SOURCE_DIR "/resources/examples/";

/// The overlapping timeline as four host threads that arrows join.
const char *const kOverlapOnThreads = R"([
{"ph":"X","name":"prepare","pid":1,"tid":1,"ts":0,"dur":20000},
{"ph":"X","name":"H2D","pid":1,"tid":2,"ts":10000,"dur":10000},
{"ph":"X","name":"compute","pid":1,"tid":3,"ts":20000,"dur":30000},
{"ph":"X","name":"logging","pid":1,"tid":4,"ts":25000,"dur":8000},
{"ph":"s","cat":"d","id":1,"pid":1,"tid":1,"ts":10000},{"ph":"f","bp":"e","cat":"d","id":1,"pid":1,"tid":2,"ts":10000},
{"ph":"s","cat":"d","id":2,"pid":1,"tid":1,"ts":20000},{"ph":"f","bp":"e","cat":"d","id":2,"pid":1,"tid":3,"ts":20000},
{"ph":"s","cat":"d","id":3,"pid":1,"tid":2,"ts":20000},{"ph":"f","bp":"e","cat":"d","id":3,"pid":1,"tid":3,"ts":20000},
{"ph":"s","cat":"d","id":4,"pid":1,"tid":3,"ts":20000},{"ph":"f","bp":"e","cat":"d","id":4,"pid":1,"tid":4,"ts":25000}])";

/// The same as a profiler records it: one thread launches, streams run, an event makes one wait.
const char *const kOverlapOnStreams = R"({"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"prepare","pid":1,"tid":1,"ts":0,"dur":20000},
{"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":1,"tid":1,"ts":10000,"dur":0,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":1,"tid":1,"ts":10000,"dur":0,"args":{"correlation":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamWaitEvent","pid":1,"tid":1,"ts":20000,"dur":0,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20000,"dur":0,"args":{"correlation":4}},
{"ph":"X","cat":"gpu_memcpy","name":"H2D","pid":0,"tid":20,"ts":10000,"dur":10000,"args":{"device":0,"stream":20,"correlation":1}},
{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":20000,"dur":0,"args":{"device":0,"stream":7,"correlation":3,"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":2}},
{"ph":"X","cat":"kernel","name":"compute","pid":0,"tid":7,"ts":20000,"dur":30000,"args":{"device":0,"stream":7,"correlation":4}},
{"ph":"X","cat":"user_annotation","name":"logging","pid":1,"tid":4,"ts":25000,"dur":8000},
{"ph":"s","cat":"d","id":4,"pid":0,"tid":7,"ts":20000},{"ph":"f","bp":"e","cat":"d","id":4,"pid":1,"tid":4,"ts":25000}]})";

/// 1 ms of enqueueing beside 20 ms of device work that ends 19 ms later, then the same synchronised.
const char *const kEnqueueOnly = R"({"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":1000},
{"ph":"X","cat":"cpu_op","name":"timed","pid":1,"tid":1,"ts":0,"dur":1000},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"work","pid":0,"tid":7,"ts":10,"dur":19990,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":30000,"dur":21000},
{"ph":"X","cat":"cpu_op","name":"timed and waited for","pid":1,"tid":1,"ts":30000,"dur":20500},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":30000,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":30010,"dur":20000,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"work","pid":0,"tid":7,"ts":30010,"dur":19990,"args":{"device":0,"stream":7,"correlation":2}}]})";

const char *const kThirtyAndSeventy = R"([
{"ph":"X","name":"fixed","pid":1,"tid":1,"ts":0,"dur":30000},
{"ph":"X","name":"computation","pid":1,"tid":1,"ts":30000,"dur":70000}])";

/// Two branches of 30, then 20 that needs both.
const char *const kTwoBranches = R"([
{"ph":"X","name":"left","pid":1,"tid":1,"ts":0,"dur":30000},
{"ph":"X","name":"right","pid":1,"tid":2,"ts":0,"dur":30000},
{"ph":"X","name":"join","pid":1,"tid":1,"ts":30000,"dur":20000},
{"ph":"s","cat":"d","id":1,"pid":1,"tid":2,"ts":30000},{"ph":"f","bp":"e","cat":"d","id":1,"pid":1,"tid":1,"ts":30000}])";

} // namespace

class WorkedValuesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty()) QSKIP("LONGPOLE_CLI does not name the program");
    }

    void replays_data() {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QStringList>("speeds");
        QTest::addColumn<double>("ms");
        const auto row = [](const QString &trace, const QStringList &speeds, double ms) {
            QTest::newRow(qPrintable(trace + " " + speeds.join(' '))) << trace << speeds << ms;
        };
        for (const char *overlap :
             {"overlapping_timeline.json", "overlap on threads", "overlap on streams"}) {
            row(overlap, {"name:prepare=0.5"}, 70);
            row(overlap, {"name:H2D=0.5"}, 60);
            row(overlap, {"name:prepare=2"}, 45);
            row(overlap, {"name:prepare=inf"}, 40);
            row(overlap, {"name:H2D=2"}, 50);
            row(overlap, {"name:H2D=inf"}, 50);
            row(overlap, {"name:compute=2"}, 35);
            row(overlap, {"name:compute=inf"}, 33);
            row(overlap, {"name:logging=2"}, 50);
            row(overlap, {"name:logging=inf"}, 50);
            row(overlap, {"name:prepare=inf", "name:H2D=inf"}, 30);
        }
        row("serial_step.json", {"kind:kernel=2"}, 80);
        row("serial_step.json", {"data_wait=2"}, 80);
        row("serial_step.json", {"kind:kernel=inf"}, 60);
        row("largest_operator.json", {"forward=2"}, 100);
        row("largest_operator.json", {"forward=inf"}, 100);
        row("30 and 70", {"name:computation=2"}, 65);
        row("two branches", {"name:left=2"}, 50);
        row("two branches", {"name:right=2"}, 50);
        row("two branches", {"name:left=2", "name:right=2"}, 35);
    }
    void replays() {
        QFETCH(QString, trace);
        QFETCH(QStringList, speeds);
        QFETCH(double, ms);
        QStringList arguments = {"whatif", fileOf(trace), "--all", "--json"};
        for (const QString &speed : speeds) arguments << "--speed" << speed;
        const Answer answer = run(arguments);
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonObject json = answer.json();
        QCOMPARE(json["replay"].toObject()["ns"].toInteger(), qint64(ms * 1e6));
        QCOMPARE(json["baseline_replay_ns"], json["measured_ns"]);
        QCOMPARE(json["curve"].toArray().first().toObject()["ns"], json["measured_ns"]);
    }

    /// Replay equals Amdahl where work is serial, and stays below it where it is not.
    void amdahlIsTheCeiling() {
        const QJsonObject serial =
            run({"whatif", fileOf("serial_step.json"), "--all", "--json", "--speed", "kind:kernel=2"}).json();
        QCOMPARE(serial["amdahl"].toObject()["ns"].toInteger(), qint64(80'000'000));
        QCOMPARE(serial["amdahl"].toObject()["speedup"].toDouble(), 1.25);
        const QJsonObject infinite =
            run({"whatif", fileOf("serial_step.json"), "--all", "--json", "--speed", "kind:kernel=inf"}).json();
        QCOMPARE(infinite["amdahl"].toObject()["ceiling"].toDouble(), 100.0 / 60);
        const QJsonObject overlap =
            run({"whatif", fileOf("overlapping_timeline.json"), "--all", "--json", "--speed", "name:H2D=2"}).json();
        QCOMPARE(overlap["amdahl"].toObject()["ns"].toInteger(), qint64(45'000'000));
        QCOMPARE(overlap["replay"].toObject()["ns"].toInteger(), qint64(50'000'000));
        const QJsonObject slower =
            run({"whatif", fileOf("serial_step.json"), "--all", "--json", "--speed", "kind:kernel=0.5"}).json();
        QVERIFY(slower["amdahl"].isNull());
        QCOMPARE(slower["replay"].toObject()["ns"].toInteger(), qint64(140'000'000));
    }

    /// A third longer than half as fast again: the factor is not a decimal, so it costs some ns.
    void slowedDownByHalf() {
        for (const char *trace :
             {"overlapping_timeline.json", "overlap on threads", "overlap on streams"})
            for (const auto &[name, ms] : {std::pair("prepare", 60), std::pair("H2D", 55)}) {
                const QJsonObject json = run({"whatif", fileOf(trace), "--all", "--json", "--speed",
                                              QString("name:%1=0.666666667").arg(name)})
                                             .json();
                const qint64 off = json["replay"]["ns"].toInteger() - qint64(ms) * 1'000'000;
                QVERIFY2(qAbs(off) < 100, qPrintable(QString("%1 %2 %3").arg(trace, name).arg(off)));
            }
    }

    /// Logging ends 12 ms before it would delay its step, and holds up the preparation of the next.
    void offOneStepAndOnAcrossSteps() {
        const QString trace = fileOf("logging_across_steps.json");
        const QStringList one{"--step", "ProfilerStep#1", "--json"};
        const QStringList several{"--steps", "ProfilerStep#1..ProfilerStep#3", "--json"};
        const auto onPath = [](const QJsonObject &path) {
            qint64 sum = 0;
            for (const QJsonValue &s : path["segments"].toArray())
                if (s["name"] == "logging") sum += s["end_ns"].toInteger() - s["begin_ns"].toInteger();
            return sum;
        };
        const QJsonObject inOne = run(QStringList{"path", trace} + one).json();
        QCOMPARE(inOne["window"]["elapsed_ns"].toInteger(), qint64(50'000'000));
        QCOMPARE(onPath(inOne), qint64(0));
        qint64 slack = -1;
        for (const QJsonValue &s : inOne["slack"].toArray())
            if (s["name"] == "logging" && s["begin_ns"].toInteger() < 50'000'000)
                slack = s["slack_ns"].toInteger();
        QCOMPARE(slack, qint64(12'000'000));
        QCOMPARE(onPath(run(QStringList{"path", trace} + several).json()), qint64(24'000'000));
        const auto gain = [&](const QStringList &window) {
            const QJsonObject json =
                run(QStringList{"whatif", trace, "--speed", "logging=2"} + window).json();
            return json["measured_ns"].toInteger() - json["replay"]["ns"].toInteger();
        };
        QCOMPARE(gain(one), qint64(0));
        QCOMPARE(gain(several), qint64(12'000'000));
    }

    void sumUnionAndElapsed() {
        for (const char *trace :
             {"overlapping_timeline.json", "overlap on threads", "overlap on streams"}) {
            const QJsonObject json = run({"stats", fileOf(trace), "--all", "--json"}).json();
            QCOMPARE(json["total"]["sum_ns"].toInteger(), qint64(68'000'000));
            QCOMPARE(json["total"]["union_ns"].toInteger(), qint64(50'000'000));
            QCOMPARE(json["window"]["elapsed_ns"].toInteger(), qint64(50'000'000));
        }
    }

    void enqueueingIsNotTheWork() {
        const QJsonObject list = run({"list", fileOf("enqueue only"), "--json"}).json();
        for (const QJsonValue &interval : list["intervals"].toArray()) {
            const QString name = interval["name"].toString();
            const bool labelled = interval["flags"].toArray().contains("enqueue_only");
            QCOMPARE(labelled, name == "timed" || name == "ProfilerStep#0");
        }
        const QJsonObject steps = run({"steps", fileOf("enqueue only"), "--json"}).json();
        QCOMPARE(steps["steps"][0]["boundary"].toString(), QString("enqueue_only"));
        QCOMPARE(steps["steps"][0]["drained_end_ns"].toInteger(), qint64(20'000'000));
        QCOMPARE(steps["steps"][1]["boundary"].toString(), QString("synchronised"));
        QCOMPARE(run({"info", fileOf("enqueue only"), "--json"}).json()["boundary"].toString(),
                 QString("enqueue_only"));
    }

    void curveHasItsKnee() {
        const QJsonObject json =
            run({"whatif", fileOf("overlapping_timeline.json"), "--all", "--json", "--speed", "name:compute=2"}).json();
        // beyond 30 → 13 ms logging rules
        const QJsonArray knees = json["knees"].toArray();
        QCOMPARE(knees.size(), 1);
        QCOMPARE(knees[0].toObject()["ns"].toInteger(), qint64(33'000'000));
        QCOMPARE(knees[0].toObject()["scale"].toDouble(), 13.0 / 30);
        QCOMPARE(knees[0].toObject()["takes_over"].toString(), QString("logging"));
        QCOMPARE(json["bottleneck_after"]["name"].toString(), QString("prepare"));
        const QJsonObject infinite = run({"whatif", fileOf("overlapping_timeline.json"), "--all",
                                          "--json", "--speed", "name:compute=inf"})
                                         .json();
        QCOMPARE(infinite["bottleneck_after"]["name"].toString(), QString("logging"));
        const QJsonObject serial = run({"whatif", fileOf("serial_step.json"), "--all", "--json",
                                        "--speed", "kind:kernel=inf"})
                                       .json();
        QCOMPARE(serial["bottleneck_after"]["phase"].toString(), QString("data_wait"));
    }

    void slackAndPath() {
        for (const char *trace :
             {"overlapping_timeline.json", "overlap on threads", "overlap on streams"}) {
            const QJsonObject json = run({"path", fileOf(trace), "--all", "--json"}).json();
            const QJsonArray slack = json["slack"].toArray();
            QCOMPARE(slack.size(), 1);
            QCOMPARE(slack[0].toObject()["name"].toString(), QString("logging"));
            QCOMPARE(slack[0].toObject()["slack_ns"].toInteger(), qint64(17'000'000));
            qint64 at = 0;
            for (const QJsonValue &s : json["segments"].toArray()) {
                QCOMPARE(s["begin_ns"].toInteger(), at);
                at = s["end_ns"].toInteger();
            }
            QCOMPARE(at, qint64(50'000'000));
            QCOMPARE(json["by_evidence"]["recorded"].toInteger(), qint64(50'000'000));
        }
    }

    /// What a lever of rank gains is what a what-if of its selector says.
    void ranksLevers_data() {
        QTest::addColumn<QString>("by");
        for (const char *by : {"phase", "kind", "name"}) QTest::newRow(by) << by;
    }
    void ranksLevers() {
        QFETCH(QString, by);
        const QString trace = kExamples + "training.json.gz";
        const QJsonObject rank = run({"rank", trace, "--by", by, "--json"}).json();
        const qint64 measured = rank["window"]["elapsed_ns"].toInteger();
        const QJsonArray levers = rank["levers"].toArray();
        QVERIFY(levers.size() >= 3);
        for (qsizetype i = 0; i < levers.size(); ++i) {
            if (i > 0) QVERIFY(levers[i]["low_ns"].toInteger() <= levers[i - 1]["low_ns"].toInteger());
            if (i > 4) continue;
            const QString selector = levers[i]["selector"].toString();
            const Answer answer = run({"whatif", trace, "--json", "--speed", selector + "=2"});
            QVERIFY2(answer.status == 0, answer.err);
            const QJsonObject replay = answer.json().value("replay").toObject();
            QCOMPARE(replay["ns"].toInteger(), measured - levers[i]["gain_2_ns"].toInteger());
            QCOMPARE(replay["high_ns"].toInteger(), measured - levers[i]["low_ns"].toInteger());
            QCOMPARE(replay["low_ns"].toInteger(), measured - levers[i]["high_ns"].toInteger());
        }
    }

    void ranksTheOverlap() {
        const QJsonObject rank =
            run({"rank", fileOf("overlap on threads"), "--all", "--by", "name", "--json"}).json();
        const QJsonArray levers = rank["levers"].toArray();
        QVERIFY(levers.size() >= 2);
        QCOMPARE(levers[0]["selector"].toString(), QString("name:compute"));
        QCOMPARE(levers[0]["on_path_ns"].toInteger(), qint64(30'000'000));
        QCOMPARE(levers[0]["gain_125_ns"].toInteger(), qint64(6'000'000));
        QCOMPARE(levers[0]["gain_2_ns"].toInteger(), qint64(15'000'000));
        QCOMPARE(levers[0]["gain_inf_ns"].toInteger(), qint64(17'000'000));
        QVERIFY(qAbs(levers[0]["knee_scale"].toDouble() - 13.0 / 30) < 1e-6);
        QCOMPARE(levers[1]["selector"].toString(), QString("name:prepare"));
        QCOMPARE(levers[1]["gain_2_ns"].toInteger(), qint64(5'000'000));
        QVERIFY(levers[1]["knee_scale"].toDouble() >= 0.5); // then the copy rules
        for (const QJsonValue &lever : levers) QVERIFY(lever["selector"].toString() != "name:logging");
    }

    /// Parts of a selector joined with & must all hold; names may hold the sign itself.
    void selectorsAreJoined() {
        const TempFile file(R"([{"ph":"X","name":"a & b","pid":1,"tid":1,"ts":0,"dur":10000},
{"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":4000},{"ph":"X","name":"work","pid":1,"tid":1,"ts":10000,"dur":20000}])");
        const auto ms = [&](const char *speed) {
            const QJsonObject json =
                run({"whatif", QString::fromStdString(file.path()), "--all", "--json", "--speed", speed}).json();
            return json["replay"]["ns"].toInteger() / 1'000'000;
        };
        QCOMPARE(ms("name:work=2"), 18);
        QCOMPARE(ms("name:work & name>:a & b=2"), 28);
        QCOMPARE(ms("name:a & b=2"), 27);
        QCOMPARE(ms("name:work & kind:kernel=2"), 30);
    }

    void factorOneChangesNothing() {
        for (const QStringList &window : {QStringList{}, QStringList{"--all"}, QStringList{"--step", "3"}, QStringList{"--steps", "3..6"}}) {
            const Answer answer =
                run(QStringList{"whatif", kExamples + "training.json.gz", "--json", "--speed", "name:.*=1"} + window);
            QVERIFY2(answer.status == 0, answer.err);
            const QJsonObject json = answer.json(), replay = json["replay"].toObject();
            QCOMPARE(replay["ns"], json["measured_ns"]);
            QCOMPARE(replay["low_ns"], json["measured_ns"]);
            QCOMPARE(replay["speedup"].toDouble(), 1.0);
        }
    }

    /// Where nothing of a window is left the speed-up has no number: ∞, and null as the ceiling has.
    void nothingLeftIsInfinite() {
        const longpole::test::TempFile alone(
            R"([{"ph":"X","cat":"cpu_op","name":"forward","pid":1,"tid":1,"ts":0,"dur":10000}])");
        const QStringList ask{"whatif", QString::fromStdString(alone.path()), "--speed",
                              "phase:forward=inf"};
        const QJsonObject json = run(ask + QStringList{"--json"}).json();
        for (const char *part : {"replay", "amdahl"}) {
            const QJsonObject object = json[QLatin1String(part)].toObject();
            QCOMPARE(object["ns"].toInt(-1), 0);
            QVERIFY(object.contains("speedup") && object["speedup"].isNull());
        }
        const Answer answer = run(ask);
        QVERIFY2(answer.out.contains("speed-up ∞") && !answer.out.contains("1.000×"), answer.out);
        QVERIFY2(!answer.out.contains("then "), answer.out);
    }

    void refusesWhatItCannotRead() {
        for (const char *bad : {"kernel", "kind:kernel=", "kind:kernel=0", "kind:kernel=-2", "kind:nothing=2",
                                "name:(=2", "colour:red=2", "=2"})
            QCOMPARE(run({"whatif", fileOf("serial_step.json"), "--speed", bad}).status, 2);
        const QJsonObject none =
            run({"whatif", fileOf("serial_step.json"), "--all", "--json", "--speed", "name:no such work=2"}).json();
        QCOMPARE(none["replay"].toObject()["ns"], none["measured_ns"]);
        QCOMPARE(none["warnings"].toArray().size(), 1);
    }

private:
    QString fileOf(const QString &trace) {
        const auto path = [](const TempFile &file) { return QString::fromStdString(file.path()); };
        if (trace == "overlap on threads") return path(m_overlap);
        if (trace == "overlap on streams") return path(m_streams);
        if (trace == "enqueue only") return path(m_enqueue);
        if (trace == "30 and 70") return path(m_thirty);
        if (trace == "two branches") return path(m_branches);
        return kExamples + trace;
    }
    const TempFile m_overlap{kOverlapOnThreads}, m_streams{kOverlapOnStreams},
        m_enqueue{kEnqueueOnly}, m_thirty{kThirtyAndSeventy}, m_branches{kTwoBranches};
};

QTEST_GUILESS_MAIN(WorkedValuesTest)
#include "worked_values_test.moc"
