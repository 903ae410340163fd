// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statistics.h"
#include "core/base/input_file.h"
#include "core/import/importer.h"
#include "tests/app/command_line.h"
#include "tests/support/training_trace.h"

#include <QDir>
#include <QJsonArray>
#include <QTest>

#include <algorithm>

using namespace longpole;
using longpole::test::run;

namespace {

std::string example(const std::string &name) {
    return LONGPOLE_SOURCE_DIR "/resources/examples/" + name;
}

QString file(const char *name) {
    return QString::fromStdString(example(name));
}

qint64 replayed(const char *name, const QStringList &window, const QStringList &speeds) {
    QStringList arguments = QStringList{"whatif", file(name), "--json"} + window;
    for (const QString &speed : speeds) arguments << "--speed" << speed;
    const QJsonObject json = run(arguments).json();
    return json["replay"]["ns"].toInteger();
}

constexpr qint64 kMs = 1'000'000;

std::string textOfFile(const std::string &path) {
    auto file = InputFile::open(path);
    if (!file) return {};
    TextReader reader{std::shared_ptr<const InputFile>(*file)};
    std::string text;
    std::vector<char> block(1 << 16);
    while (const size_t size = reader.read(block.data(), block.size()))
        text.append(block.data(), size);
    return text;
}

} // namespace

class ExamplesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty())
            QSKIP("LONGPOLE_CLI does not name the program");
    }

    void trainingExampleIsWhatTheGeneratorWrites() {
        std::string made;
        test::writeTrainingTrace({}, [&](std::string_view text) { made += text; });
        const std::string shipped = textOfFile(example("training.json.gz"));
        QVERIFY(!shipped.empty());
        // QCOMPARE would print megabytes
        QVERIFY2(shipped == made,
                 "make_training_trace | gzip -9n > resources/examples/training.json.gz");
    }

    void trainingExampleReadsWell() {
        Progress progress;
        const auto opened = openTraces({example("training.json.gz")}, progress);
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        const Trace &trace = **opened;
        QCOMPARE(trace.events.setAside, uint64_t(0));
        for (const Severity severity : {Severity::Repaired, Severity::Noticed})
            QVERIFY(trace.diagnostics.occurred(severity).empty());
        QCOMPARE(trace.files[0].rank, int64_t(0));
        const Steps steps = findSteps(trace);
        QCOMPARE(steps.steps.size(), size_t(20));
        QVERIFY(!steps.pipelined);
        QVERIFY(steps.startup);
        QVERIFY(steps.steps[0].length() > 5 * steps.steady->median);
        QVERIFY(steps.steps[1].length() > 2 * steps.steady->median);
        const auto window = resolveWindow(trace, steps, {});
        const auto result =
            statistics(trace, phases(trace, steps), *window, GroupBy::Phase, progress);
        TimeNs other = 0, device = 0;
        for (const char *id : {"data_wait", "transfer", "forward", "backward", "communication",
                               "synchronisation", "update"}) {
            const auto row = std::find_if(result->rows.begin(), result->rows.end(),
                                          [&](const StatRow &r) { return r.key == id; });
            QVERIFY2(row != result->rows.end() && row->exclusive > 0, id);
            device += row->sum;
        }
        for (const StatRow &row : result->rows)
            if (row.key == "other") other = row.sum;
        QVERIFY(other < device / 20);
    }

    void everyExampleBalances_data() {
        QTest::addColumn<QString>("name");
        const QDir folder(QLatin1String(LONGPOLE_SOURCE_DIR "/resources/examples"));
        for (const QString &name : folder.entryList(QDir::Files))
            QTest::newRow(qPrintable(name)) << name;
    }
    void everyExampleBalances() {
        QFETCH(QString, name);
        Progress progress;
        const auto opened = openTraces({example(name.toStdString())}, progress);
        QVERIFY(opened);
        const EventCounts &e = (*opened)->events;
        QCOMPARE(e.read, e.intervals + e.paired + e.counters + e.flows + e.instants + e.metadata +
                             e.setAside);
        QCOMPARE(e.setAside, uint64_t(0));
    }

    // Each lesson, from its file to printed JSON: the numbers that its note names.

    void serialStep() {
        const QStringList all{"--all"};
        QCOMPARE(replayed("serial_step.json", all, {"forward=2"}), 80 * kMs);
        QCOMPARE(replayed("serial_step.json", all, {"forward=inf"}), 60 * kMs);
        QCOMPARE(replayed("serial_step.json", all, {"data_wait=2"}), 80 * kMs);
        const QJsonObject json =
            run({"whatif", file("serial_step.json"), "--json", "--speed", "forward=2"}).json();
        QCOMPARE(json["amdahl"]["speedup"].toDouble(), 1.25);
        QVERIFY(qAbs(json["amdahl"]["ceiling"].toDouble() - 1.67) < 0.005);
    }

    void overlappingTimeline() {
        const char *name = "overlapping_timeline.json";
        const QJsonObject stats = run({"stats", file(name), "--json"}).json();
        QCOMPARE(stats["total"]["sum_ns"].toInteger(), 68 * kMs);
        QCOMPARE(stats["window"]["elapsed_ns"].toInteger(), 50 * kMs);
        QCOMPARE(replayed(name, {}, {"logging=2"}), 50 * kMs);
        QCOMPARE(replayed(name, {}, {"name:compute=2"}), 35 * kMs);
        const QJsonObject slack =
            run({"path", file(name), "--json"}).json()["slack"].toArray()[0].toObject();
        QCOMPARE(slack["name"].toString(), QString("logging"));
        QCOMPARE(slack["slack_ns"].toInteger(), 17 * kMs);
    }

    void enqueueTrap() {
        const char *name = "enqueue_trap.json";
        QCOMPARE(run({"info", file(name), "--json"}).json()["boundary"].toString(),
                 QString("enqueue_only"));
        const QJsonArray intervals =
            run({"list", file(name), "--json"}).json()["intervals"].toArray();
        qint64 returned = 0, ended = 0;
        for (const QJsonValue &interval : intervals) {
            const bool enqueues = interval["flags"].toArray().contains("enqueue_only");
            QCOMPARE(enqueues,
                     interval["name"] == "train_step" || interval["name"] == "ProfilerStep#1");
            const qint64 end = interval["end_ns"].toInteger();
            if (enqueues) returned = end;
            ended = std::max(ended, end);
        }
        QCOMPARE(returned, kMs);
        QCOMPARE(ended - returned, 19 * kMs);
    }

    void largestOperator() {
        const char *name = "largest_operator.json";
        const QJsonObject json =
            run({"whatif", file(name), "--json", "--speed", "forward=2"}).json();
        QCOMPARE(json["measured_ns"].toInteger(), 110 * kMs);
        QCOMPARE(json["replay"]["ns"].toInteger(), 100 * kMs);
        QCOMPARE(json["replay"]["speedup"].toDouble(), 1.1);
        QCOMPARE(json["amdahl"]["ns"].toInteger(), 88 * kMs);
        const QJsonObject knee = json["knees"].toArray()[0].toObject();
        QCOMPARE(knee["scale"].toDouble(), 34.0 / 44);
        QVERIFY(knee["takes_over"].toString().contains("AllReduce"));
        QCOMPARE(replayed(name, {}, {"forward=inf"}), 100 * kMs);
        QCOMPARE(replayed(name, {}, {"forward=2", "communication=2"}), 88 * kMs);
        // it is the largest: no name has more time
        const QJsonArray rows =
            run({"stats", file(name), "--by", "name", "--json"}).json()["rows"].toArray();
        for (const QJsonValue &row : rows) QVERIFY(row["sum_ns"].toInteger() <= 44 * kMs);
    }

    void loggingAcrossSteps() {
        const char *name = "logging_across_steps.json";
        const QStringList one{"--step", "ProfilerStep#1"};
        const QStringList several{"--steps", "ProfilerStep#2..ProfilerStep#4"};
        QCOMPARE(replayed(name, one, {"logging=2"}), 50 * kMs);
        QCOMPARE(replayed(name, several, {"logging=2"}), 3 * (38 - 4) * kMs);
    }

    /// 30 s and 1 s a step against nothing and 1.2 s: 80 and 60 s for 50 steps, 1,030 and 1,200 s
    /// for 1,000, and they cross at 150.
    void startUpReversal() {
        const QJsonObject a = run({"steps", file("startup_a.json"), "--json"}).json();
        const QJsonObject b = run({"steps", file("startup_b.json"), "--json"}).json();
        const qint64 startA = a["startup_ns"].toInteger(), startB = b["startup_ns"].toInteger();
        const qint64 stepA = a["steady"]["median_ns"].toInteger();
        const qint64 stepB = b["steady"]["median_ns"].toInteger();
        const qint64 seconds = 1000 * kMs;
        QCOMPARE(startA + 50 * stepA, 80 * seconds);
        QCOMPARE(startB + 50 * stepB, 60 * seconds);
        QCOMPARE(startA + 1000 * stepA, 1030 * seconds);
        QCOMPARE(startB + 1000 * stepB, 1200 * seconds);
        QCOMPARE((startA - startB) / (stepB - stepA), qint64(150));
        QCOMPARE(a["steps"][0]["boundary"].toString(), QString("synchronised"));
        QCOMPARE(b["steps"][0]["boundary"].toString(), QString("synchronised"));
    }

    void sizesAreMet() {
        uint64_t size = 0;
        test::writeTrainingTrace(test::shapeOfSize(5'000'000),
                                 [&](std::string_view text) { size += text.size(); });
        QVERIFY(size > 4'500'000 && size < 5'500'000);
    }
};

QTEST_GUILESS_MAIN(ExamplesTest)
#include "examples_test.moc"
