// SPDX-License-Identifier: Apache-2.0
// Changes of the program itself, from a file on disk to printed JSON: what each is worth in a trace
// small enough to work out by hand, what it assumes, and when it is refused.
#include "tests/app/command_line.h"
#include "tests/support/files.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using longpole::test::Answer;
using longpole::test::run;
using longpole::test::TempFile;

namespace {

QString path(const TempFile &file) {
    return QString::fromStdString(file.path());
}

std::string event(const char *category, const std::string &name, int tid, int ts, int dur,
                  const std::string &args) {
    return "{\"ph\":\"X\",\"cat\":\"" + std::string(category) + "\",\"name\":\"" + name +
           "\",\"pid\":" + (tid < 7 ? "1" : "0") + ",\"tid\":" + std::to_string(tid) +
           ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" +
           args + "}}";
}
/// A call of thread 1, and the work that it enqueues on stream 7. Times in us.
std::string call(const char *name, int id, int ts, int dur) {
    return event("cuda_runtime", name, 1, ts, dur, "\"correlation\":" + std::to_string(id));
}
std::string op(const char *category, const char *name, int id, int ts, int dur) {
    return event(category, name, 7, ts, dur,
                 "\"device\":0,\"stream\":7,\"correlation\":" + std::to_string(id));
}
std::string host(const char *name, int ts, int dur) {
    return event("cpu_op", name, 1, ts, dur, "");
}
std::string trace(const std::vector<std::string> &events) {
    std::string text = "{\"traceEvents\": [";
    for (const std::string &e : events) text += (&e == &events.front() ? "\n" : ",\n") + e;
    return text + "]}";
}

/// The host waits 105 us for a kernel, works 50 us and launches the next one.
const std::string kWaits =
    trace({call("cudaLaunchKernel", 1, 0, 5), op("kernel", "first", 1, 10, 100),
           call("cudaStreamSynchronize", 2, 5, 111), host("work", 116, 50),
           call("cudaLaunchKernel", 3, 166, 5), op("kernel", "second", 3, 176, 100)});

/// The same, but what it waits for is a value.
const std::string kReads =
    trace({call("cudaLaunchKernel", 1, 0, 5), op("kernel", "first", 1, 10, 100),
           call("cudaMemcpyAsync", 4, 5, 5),
           op("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 4, 111, 2),
           call("cudaStreamSynchronize", 2, 10, 109), host("work", 119, 50),
           call("cudaLaunchKernel", 3, 169, 5), op("kernel", "second", 3, 179, 100)});

/// Two launches of 10 us with 20 us of work between; their kernels are short.
const std::string kLaunches = trace(
    {call("cudaLaunchKernel", 1, 0, 10), op("kernel", "first", 1, 14, 6), host("work", 10, 20),
     call("cudaLaunchKernel", 2, 30, 10), op("kernel", "second", 2, 44, 6)});

/// A value is fetched by an operator: a copy, and the wait for it.
const std::string kItem =
    trace({call("cudaLaunchKernel", 1, 0, 5), op("kernel", "first", 1, 10, 100),
           host("aten::item", 5, 116), call("cudaMemcpyAsync", 4, 7, 5),
           op("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 4, 111, 2),
           call("cudaStreamSynchronize", 2, 12, 107), host("work", 121, 50),
           call("cudaLaunchKernel", 3, 171, 5), op("kernel", "second", 3, 181, 100)});

/// A batch from pageable memory: the call stages it, then the host waits until it is there.
const std::string kPageable =
    trace({call("cudaMemcpyAsync", 1, 0, 40),
           op("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1, 10, 40),
           call("cudaStreamSynchronize", 2, 40, 16), host("work", 56, 20),
           call("cudaLaunchKernel", 3, 76, 5), op("kernel", "kernel", 3, 86, 20)});

/// A copy back whose call waits for it; `later`: whether something waits for the stream later.
std::string blockingCopy(bool later) {
    std::vector<std::string> events = {
        call("cudaLaunchKernel", 1, 0, 5),
        op("kernel", "first", 1, 10, 100),
        call("cudaMemcpyAsync", 2, 5, 115),
        op("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 2, 111, 2),
        host("work", 120, 50),
        call("cudaLaunchKernel", 3, 173, 5),
        op("kernel", "second", 3, 183, 100)};
    if (later) events.push_back(call("cudaStreamSynchronize", 4, 170, 3));
    return trace(events);
}

/// Three steps of 60 us with two launches of 10 us in each; a graph launch of 7 us behind them.
std::string steps(bool graphLaunch) {
    std::vector<std::string> events;
    for (int step = 0; step < 3; ++step) {
        const int at = 60 * step, id = 10 * step;
        events.push_back(
            event("user_annotation", "ProfilerStep#" + std::to_string(step), 1, at, 60, ""));
        events.push_back(call("cudaLaunchKernel", id + 1, at, 10));
        events.push_back(op("kernel", "first", id + 1, at + 14, 6));
        events.push_back(host("work", at + 10, 20));
        events.push_back(call("cudaLaunchKernel", id + 2, at + 30, 10));
        events.push_back(op("kernel", "second", id + 2, at + 44, 6));
    }
    if (graphLaunch) events.push_back(call("cudaGraphLaunch", 99, 180, 7));
    return trace(events);
}

} // namespace

class EditsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty())
            QSKIP("LONGPOLE_CLI does not name the program");
    }

    void workedValues_data() {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QStringList>("changes");
        QTest::addColumn<int>("us");
        const auto row = [](const char *name, const std::string &text, const QStringList &changes,
                            int us) {
            QTest::newRow(qPrintable(QString(name) + " " + changes.join(' ')))
                << QString::fromStdString(text) << changes << us;
        };
        // The host works at once, [5, 55], and launches behind it; then the first kernel rules.
        for (const char *selector : {"kind:sync", "name:cudaStreamSynchronize", "synchronisation"})
            row("waits", kWaits, {"--edit", QString("unsync:") + selector}, 210);
        row("waits", kWaits, {"--edit", "unsync:kind:sync", "--speed", "name:first=2"}, 165);
        row("waits", kWaits, {"--edit", "unsync:kind:sync", "--speed", "name:first=inf"}, 165);
        row("waits", kWaits, {"--edit", "unsync:kind:nothing like it"}, -1);
        row("launches", kLaunches, {"--edit", "launch=0.5"}, 40);
        row("launches", kLaunches, {"--edit", "launch=2"}, 70);
        row("launches", kLaunches, {"--edit", "launch=0"}, 30);
        row("launches", kLaunches, {"--edit", "launch=1"}, 50);
        row("launches", kLaunches, {"--edit", "launch=0.5", "--speed", "name:work=2"}, 30);
        // no work of 50 us; no first kernel and no launch of it: the copy begins 5 us behind its
        // call
        row("waits", kWaits, {"--edit", "remove:name:work"}, 226);
        row("reads", kReads, {"--edit", "remove:name:first"}, 178);
        row("frees",
            trace({call("cudaLaunchKernel", 1, 0, 5), op("kernel", "first", 1, 10, 100),
                   call("cudaFree", 2, 5, 107), host("work", 112, 50)}),
            {"--edit", "remove:name:cudaFree"}, 110);
        // the host goes on at 5; the second kernel begins where the copy was to
        row("item", kItem, {"--edit", "remove:name>:aten::item"}, 211);
        row("item", kItem, {"--edit", "remove:name>:aten::item", "--edit", "remove:name:work"},
            211);
        row("item", kItem, {"--edit", "remove:name>:aten::item", "--speed", "name:first=inf"}, 165);
        // the call costs 5 us, as a launch does; the kernel begins where the copy has ended
        row("pageable", kPageable, {"--edit", "async:kind:h2d"}, 70);
        row("pageable", kPageable, {"--edit", "async:name:cudaMemcpyAsync"}, 70);
        row("pageable", kPageable, {"--edit", "async:transfer=0.5"}, 55);
        row("pageable", kPageable, {"--edit", "async:kind:h2d=2"}, 110);
        row("copy back", blockingCopy(true), {"--edit", "async:kind:d2h"}, 229);
        row("copy back", blockingCopy(true), {"--edit", "async:kind:d2h=0"}, 227);
        // one launch of 4 us, then the work of 20 us; the second kernel begins behind the first
        row("launches", kLaunches, {"--edit", "graph:0..50us=4us"}, 24);
        row("launches", kLaunches, {"--edit", "graph:0..50us=4us", "--speed", "name:work=inf"}, 20);
        for (const bool graphFirst : {false, true}) // their order does not matter
            row("waits", kWaits,
                {"--edit", graphFirst ? "graph:0..300us=5us" : "unsync:kind:sync", "--edit",
                 graphFirst ? "unsync:kind:sync" : "graph:0..300us=5us"},
                210);
        row("steps", steps(false), {"--edit", "graph:step=4us"}, 132);
        row("steps", steps(true), {"--edit", "graph:step"}, 148);
    }
    void workedValues() {
        QFETCH(QString, trace);
        QFETCH(QStringList, changes);
        QFETCH(int, us);
        const TempFile file(trace.toStdString());
        const Answer answer = run(QStringList{"whatif", path(file), "--all", "--json"} + changes);
        if (us < 0) {
            QCOMPARE(answer.status, 2);
            return;
        }
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonObject json = answer.json(), replay = json["replay"].toObject();
        QCOMPARE(replay["ns"].toInteger(), qint64(us) * 1000);
        QVERIFY(replay["low_ns"].toInteger() <= us * 1000);
        QVERIFY(replay["high_ns"].toInteger() >= us * 1000);
        QVERIFY(replay["floor_ns"].toInteger() <= us * 1000);
        QCOMPARE(json["baseline_replay_ns"], json["measured_ns"]);
        // the edit and what it assumes, in both forms of the answer
        const QString said = json["warnings"].toArray().first().toString();
        QVERIFY2(changes.contains(said.section(" changes", 0, 0)) && said.contains("assumes that"),
                 qPrintable(said));
        const Answer text = run(QStringList{"whatif", path(file), "--all"} + changes);
        QVERIFY2(text.out.contains(("assumed   " + said).toUtf8()), text.out);
    }

    void refusals_data() {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("edit");
        QTest::addColumn<QString>("why");
        const auto row = [](const std::string &text, const char *edit, const char *why) {
            QTest::newRow(edit) << QString::fromStdString(text) << QString(edit) << QString(why);
        };
        row(kReads, "unsync:kind:sync", "which the program reads next");
        row(kReads, "remove:kind:sync", "is what makes its value known");
        row(kReads, "remove:kind:d2h", "stays and hands the program the value");
        row(kReads, "remove:kind:launch", "which stays");
        row(blockingCopy(false), "async:kind:d2h", "the program reads it when the call returns");
        row(kWaits, "graph:0..300us=5us", "waits between the launches");
        row(blockingCopy(false), "graph:0..299us=5us", "waits between the launches");
        row(kWaits, "graph:step=5us", "the trace shows none");
        row(kLaunches, "graph:0..50us", "the trace launches no graph");
    }
    void refusals() {
        QFETCH(QString, trace);
        QFETCH(QString, edit);
        QFETCH(QString, why);
        const TempFile file(trace.toStdString());
        const Answer answer = run({"whatif", path(file), "--all", "--json", "--edit", edit});
        QCOMPARE(answer.status, 1);
        const QJsonObject json = answer.json();
        QVERIFY2(json["reason"].toString().contains(why), qPrintable(json["reason"].toString()));
        QVERIFY(json.contains("replay") && json["replay"].isNull());
        QVERIFY2(QString(answer.err).contains(why), answer.err);
    }

    void nothingMatches() {
        const TempFile file(kWaits);
        for (const char *edit :
             {"unsync:name:no such call", "unsync:kind:kernel", "remove:name:nothing",
              "async:kind:kernel", "graph:200us..300us=1us"}) {
            const QJsonObject json =
                run({"whatif", path(file), "--all", "--json", "--edit", edit}).json();
            QCOMPARE(json["replay"]["ns"], json["measured_ns"]);
            QCOMPARE(json["replay"]["low_ns"], json["measured_ns"]);
            QCOMPARE(json["warnings"].toArray().size(), 1);
            QVERIFY(json["warnings"][0].toString().contains(edit));
        }
    }

    void wrongUsage() {
        const TempFile file(kWaits);
        for (const char *edit : {"",
                                 "unsync",
                                 "unsync:",
                                 "unsync:kind:nothing",
                                 "unsync:name:(",
                                 "unsync:colour:red",
                                 "launch",
                                 "launch=",
                                 "launch=fast",
                                 "launch=inf",
                                 "launch=-1",
                                 "launch:0.5",
                                 "wish:kind:sync",
                                 "remove",
                                 "remove=2",
                                 "async:",
                                 "async:kind:h2d=",
                                 "async:kind:h2d=inf",
                                 "async:kind:h2d=fast",
                                 "graph",
                                 "graph:",
                                 "graph:steps",
                                 "graph:5..",
                                 "graph:step=",
                                 "graph:step=dear",
                                 "graph:step=-1us"}) {
            const Answer answer = run({"whatif", path(file), "--edit", edit});
            QVERIFY2(answer.status == 2, edit);
            QVERIFY2(answer.err.size() > 20, answer.err);
        }
        QCOMPARE(run({"whatif", path(file)}).status, 2);
    }

    /// What is said beyond the assumption.
    void notes_data() {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("edit");
        QTest::addColumn<QString>("note");
        const auto row = [](const std::string &text, const char *edit, const char *note) {
            QTest::newRow(edit) << QString::fromStdString(text) << QString(edit) << QString(note);
        };
        row(kPageable, "async:kind:h2d", "say what is left of the time");
        row(kItem, "remove:name:aten::item", "only the own time of");
        row(kItem, "async:kind:d2h", "0 of 1 transfer (those that hold the host up) and assumes");
        row(trace({call("cudaLaunchKernel", 1, 0, 5), op("kernel", "first", 1, 10, 100),
                   call("cudaMemcpyAsync", 2, 5, 5),
                   op("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 2, 111, 2),
                   host("work", 10, 150)}),
            "async:name:Memcpy.*", "0 of 1 transfer"); // nobody waits for it as it is
        row(kItem, "async:kind:d2h=0.5", "gives all of them the named share");
        row(kWaits, "unsync:kind:kernel", "matches no call that waits for the device");
        row(kWaits, "graph:200us..300us=1us", "matches no range with two launches");
    }
    void notes() {
        QFETCH(QString, trace);
        QFETCH(QString, edit);
        QFETCH(QString, note);
        const TempFile file(trace.toStdString());
        const Answer answer = run({"whatif", path(file), "--all", "--edit", edit});
        QVERIFY2(answer.status == 0, answer.err);
        QVERIFY2(QString(answer.out).contains(note), answer.out);
    }

    /// What an edit leaves open lies within the interval: here the work between the launches.
    void intervalReachesTheOtherReading() {
        const TempFile file(kLaunches);
        const QJsonObject json =
            run({"whatif", path(file), "--all", "--json", "--edit", "graph:0..50us=4us"}).json();
        QCOMPARE(json["replay"]["ns"].toInteger(), qint64(24'000));
        QVERIFY(json["replay"]["low_ns"].toInteger() <= 20'000);
        QVERIFY(json["replay"]["low_ns"].toInteger() >= 19'000);
    }

    void claimsCarryTheEdit() {
        const TempFile file(kWaits), kept("");
        QCOMPARE(run({"whatif", path(file), "--all", "--edit", "unsync:kind:sync", "--claim",
                      path(kept)})
                     .status,
                 0);
        QFile claimFile(path(kept));
        QVERIFY(claimFile.open(QFile::ReadOnly));
        const QJsonObject claim = QJsonDocument::fromJson(claimFile.readAll()).object();
        QCOMPARE(claim["edit"].toArray(), QJsonArray{"unsync:kind:sync"});
        QCOMPARE(claim["speed"].toArray(), QJsonArray());
        QCOMPARE(claim["predicted_ns"].toInteger(), qint64(210'000));
        QVERIFY(claim["text"].toString().startsWith("unsync:kind:sync: from"));
    }
};

QTEST_GUILESS_MAIN(EditsTest)
#include "edits_test.moc"
