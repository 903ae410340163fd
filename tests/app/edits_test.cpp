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
        QVERIFY2(said.startsWith(changes[1]) && said.contains("assumes that"), qPrintable(said));
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
        for (const char *edit : {"unsync:name:no such call", "unsync:kind:kernel"}) {
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
        for (const char *edit : {"", "unsync", "unsync:", "unsync:kind:nothing", "unsync:name:(",
                                 "unsync:colour:red", "launch", "launch=", "launch=fast",
                                 "launch=inf", "launch=-1", "launch:0.5", "wish:kind:sync"}) {
            const Answer answer = run({"whatif", path(file), "--edit", edit});
            QVERIFY2(answer.status == 2, edit);
            QVERIFY2(answer.err.size() > 20, answer.err);
        }
        QCOMPARE(run({"whatif", path(file)}).status, 2);
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
