// SPDX-License-Identifier: Apache-2.0
// Runs the command line as a user does and checks what cli.md promises: exit statuses, keys, books.
#include "tests/app/command_line.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using longpole::test::Answer;
using longpole::test::run;

namespace {

const QString kExamples = LONGPOLE_SOURCE_DIR "/resources/examples/";

/// Of a list of keys, those that an object lacks.
QStringList missing(const QJsonObject &object, const char *keys) {
    QStringList lacking;
    for (const QString &key : QString(keys).split(' '))
        if (!object.contains(key)) lacking.append(key);
    return lacking;
}

qint64 whole(const QJsonValue &value) {
    return value.toInteger(-1);
}

} // namespace

class CommandsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty())
            QSKIP("LONGPOLE_CLI does not name the program");
        QVERIFY(m_folder.isValid());
        write("broken.json", "{\"traceEvents\": 5}");
        write("empty.json", "{\"traceEvents\": []}");
        write("notes.json",
              "{\"traceEvents\": "
              "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"x\"}}]}");
        write("counter.json",
              "[{\"ph\":\"C\",\"name\":\"memory\",\"pid\":1,\"ts\":5,\"args\":{\"used\":1.5,"
              "\"free\":2}},"
              "{\"ph\":\"X\",\"name\":\"w\\u00f6rk\",\"cat\":\"c\",\"pid\":1,\"tid\":\"t\",\"ts\":"
              "1,\"dur\":2,"
              "\"args\":{\"big\":10159970886766084423,\"nan\":NaN,\"deep\":{\"list\":[1,2]}}},"
              "{\"ph\":\"X\",\"name\":\"later\",\"pid\":1,\"tid\":\"t\",\"ts\":9,\"dur\":1}]");
        write("rules.json",
              "{\"version\":1,\"phases\":[{\"id\":\"mine\",\"match\":[{\"name\":\"compute\"}]}]}");
    }

    void statusesAndMessages_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const QString trace = kExamples + "training.json.gz";
        const auto row = [](const char *name, QStringList arguments, int status, const char *says) {
            QTest::newRow(name) << arguments << status << says;
        };
        row("no command", {}, 2,
            "why, info, list, steps, stats, path, idle, whatif, rank, compare, convert, "
            "record and doctor");
        row("no such command", {"wy", trace}, 2, "there is no command \"wy\"");
        row("unknown option", {"info", trace, "--frobnicate"}, 2, "--frobnicate");
        row("no trace", {"info"}, 2, "TRACE");
        row("help", {"--help"}, 0, "");
        row("version", {"--version"}, 0, "");
        row("info help", {"info", "--help"}, 0, "");
        row("missing file", {"info", file("nowhere.json")}, 3, "nowhere.json");
        row("folder", {"info", m_folder.path()}, 3, "");
        row("broken", {"info", file("broken.json")}, 3, "broken.json");
        row("empty", {"info", file("empty.json")}, 0, "");
        row("empty steps", {"steps", file("empty.json")}, 0, "");
        row("empty list", {"list", file("empty.json")}, 0, "");
        row("empty why", {"why", file("empty.json")}, 1, "no thread and no stream");
        row("empty, no command", {file("empty.json")}, 1, "no thread and no stream");
        row("no device", {"idle", file("counter.json")}, 1, "No device stream");
        row("empty stats", {"stats", file("empty.json")}, 1, "No host thread");
        row("empty edges", {"list", file("empty.json"), "--edges"}, 0, "");
        row("bad expression", {"list", trace, "--name", "("}, 2, "is not valid");
        row("bad limit", {"list", trace, "--limit", "many"}, 2, "--limit");
        row("limit below zero", {"list", trace, "--limit", "-1"}, 2, "a whole number as in 20");
        row("input named twice", {"info", "-", "-"}, 2, "only once");
        row("rules are a folder", {"stats", trace, "--phases", m_folder.path()}, 3, "(");
        row("bad range", {"stats", trace, "--range", "5"}, 2, "--range");
        row("backwards range", {"stats", trace, "--range", "5ms..2ms"}, 2, "--range");
        row("bad steps", {"stats", trace, "--steps", "3"}, 2, "--steps");
        row("no such step", {"stats", trace, "--step", "ProfilerStep#99"}, 2, "ProfilerStep#99");
        row("two windows", {"stats", trace, "--all", "--step", "3"}, 2, "Only one");
        row("bad grouping", {"stats", trace, "--by", "colour"}, 2, "--by");
        row("missing rules", {"stats", trace, "--phases", file("nowhere.json")}, 3, "nowhere.json");
        row("bad rules", {"stats", trace, "--phases", file("empty.json")}, 2, "version");
    }
    void statusesAndMessages() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, says);
        const Answer answer = run(arguments);
        QCOMPARE(answer.status, status);
        QVERIFY2(QString::fromUtf8(answer.err).contains(says), answer.err);
        QCOMPARE(answer.err.isEmpty(), status == 0);
        QCOMPARE(answer.out.isEmpty(), status != 0);
    }

    /// Names come from files that anybody may have written: none of them may act on the terminal.
    void namesCannotActOnTheTerminal() {
        write("acting.json", "[{\"ph\":\"X\",\"name\":\"\\u001b[31mred\\r\\n\\u009b2J\\u202e\","
                             "\"pid\":1,\"tid\":\"\\u001bt\","
                             "\"ts\":1,\"dur\":2,\"args\":{\"k\":\"\\u009b2J\"}}]");
        for (const QStringList &command : {QStringList{"info"},
                                           {"list"},
                                           {"stats", "--by", "name"},
                                           {"stats", "--by", "track"}}) {
            const Answer answer = run(command + QStringList{file("acting.json")});
            QCOMPARE(answer.status, 0);
            const QString text = QString::fromUtf8(answer.out);
            QVERIFY(text.contains(QChar(0xFFFD)));
            for (const QChar c : text)
                QVERIFY2(c == '\n' || (c.category() != QChar::Other_Control &&
                                       c.category() != QChar::Other_Format),
                         qPrintable(command.join(' ')));
        }
    }

    void infoHasItsKeysAndBalances() {
        const Answer answer = run({"info", kExamples + "training.json.gz", "--json", "--sha256"});
        QCOMPARE(answer.status, 0);
        const QJsonObject info = answer.json();
        QCOMPARE(
            missing(
                info,
                "files job events set_aside repaired noticed tracks devices sync_records begin_ns "
                "end_ns origin_ns boundary"),
            QStringList());
        const QJsonObject source = info["files"][0].toObject();
        QCOMPARE(missing(source, "name fingerprint sha256 format producer clock"), QStringList());
        QCOMPARE(source["name"], "training.json.gz");
        QCOMPARE(source["sha256"].toString().size(), 64);
        const QJsonObject events = info["events"].toObject();
        qint64 parts = 0, intervals = 0;
        for (const char *part :
             {"intervals", "paired", "counters", "flows", "instants", "metadata", "set_aside"})
            parts += whole(events[part]);
        QCOMPARE(parts, whole(events["read"]));
        for (const QJsonValue &track : info["tracks"].toArray()) {
            QCOMPARE(missing(track.toObject(),
                             "name kind process rank device stream thread intervals lanes"),
                     QStringList());
            intervals += whole(track["intervals"]);
        }
        QCOMPARE(intervals, whole(events["intervals"]));
        const QJsonObject device = info["devices"][0].toObject();
        QCOMPARE(
            missing(device, "device kernels copies memsets kernel_union_ns busy_union_ns skew_ns"),
            QStringList());
        QVERIFY(whole(device["kernel_union_ns"]) <= whole(device["busy_union_ns"]));
        QCOMPARE(info["job"]["ranks"].toArray(), QJsonArray({0}));
        QCOMPARE(whole(info["job"]["world_size"]), 4);
        QVERIFY(run({"info", kExamples + "training.json.gz", "--json"})
                    .json()
                    .value("files")[0]["sha256"]
                    .isNull());
    }

    void infoOfNothingIsNull() {
        const QJsonObject info = run({"info", file("notes.json"), "--json"}).json();
        QVERIFY(info["begin_ns"].isNull() && info["end_ns"].isNull() && info["origin_ns"].isNull());
        QCOMPARE(whole(info["events"]["metadata"]), 1);
    }

    void infoHelpNamesTheDiagnostics() {
        const QByteArray help = run({"info", "--help"}).out;
        for (const char *id : {"truncated_file", "begin_without_end", "overlap", "async_event"})
            QVERIFY2(help.contains(id), id);
    }

    void whyIsTheDefault() {
        const QString trace = kExamples + "training.json.gz";
        const Answer why = run({"why", trace, "--step", "3"});
        QCOMPARE(why.status, 0);
        QVERIFY(why.out.startsWith("Step 3 takes "));
        const qsizetype lines = why.out.count('\n');
        QVERIFY(lines >= 5 && lines <= 8);
        QCOMPARE(run({trace, "--step", "3"}).out, why.out);
        const QJsonObject json = run({"why", trace, "--step", "3", "--json"}).json();
        QCOMPARE(missing(json, "window lines levers trust"), QStringList());
        QCOMPARE(json["lines"].toArray().size(), lines);
        QCOMPARE(
            missing(json["trust"].toObject(), "recorded inferred assumed untraced unexplained"),
            QStringList());
        for (const QJsonValue &lever : json["levers"].toArray()) {
            QCOMPARE(missing(lever.toObject(), "selector on_path_ns sum_ns gain_125_ns gain_2_ns "
                                               "gain_inf_ns low_ns high_ns knee_scale evidence"),
                     QStringList());
            const QJsonObject whatif = run({"whatif", trace, "--step", "3", "--json", "--speed",
                                            lever["selector"].toString() + "=2"})
                                           .json();
            QCOMPARE(whole(whatif["replay"]["ns"]),
                     whole(json["window"]["elapsed_ns"]) - whole(lever["gain_2_ns"]));
        }
    }

    void idleBooksBalance() {
        const QJsonObject idle = run({"idle", kExamples + "training.json.gz", "--json"}).json();
        const QJsonObject device = idle["devices"][0].toObject();
        QCOMPARE(missing(device, "device window_ns busy_ns idle_ns by_cause intervals"),
                 QStringList());
        const QJsonObject causes = device["by_cause"].toObject();
        QCOMPARE(missing(causes, "stream_dependency collective_wait transfer_wait launch_latency "
                                 "data_wait sync_wait transfer_blocking allocator compile profiler "
                                 "handoff_wait host_bound kernel_gap window_edge unexplained"),
                 QStringList());
        qint64 sum = 0, pieces = 0;
        for (const QJsonValue &cause : causes) sum += whole(cause);
        for (const QJsonValue &piece : device["intervals"].toArray()) {
            QCOMPARE(missing(piece.toObject(), "begin_ns end_ns cause evidence"), QStringList());
            pieces += whole(piece["end_ns"]) - whole(piece["begin_ns"]);
        }
        QCOMPARE(sum, whole(device["idle_ns"]));
        QCOMPARE(pieces, sum);
        QCOMPARE(whole(device["busy_ns"]) + sum, whole(device["window_ns"]));
    }

    void stepsHaveTheirKeys() {
        const Answer answer = run({"steps", kExamples + "training.json.gz", "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonObject steps = answer.json();
        QCOMPARE(missing(steps,
                         "found_by steps steady steady_reason startup_ns startup_source pipelined"),
                 QStringList());
        QCOMPARE(steps["steps"].toArray().size(), 20);
        QCOMPARE(missing(steps["steps"][3].toObject(),
                         "index name begin_ns end_ns drained_end_ns length_ns period_ns "
                         "left_out reason boundary"),
                 QStringList());
        QVERIFY(steps["steps"][0]["left_out"].toBool() && !steps["steps"][0]["reason"].isNull());
        QVERIFY(!steps["steps"][3]["left_out"].toBool() && steps["steps"][3]["reason"].isNull());
        QVERIFY(steps["steps"][19]["period_ns"].isNull());
        QCOMPARE(missing(steps["steady"].toObject(),
                         "first last n median_ns iqr_ns p5_ns p95_ns min_ns max_ns ci95_ns"),
                 QStringList());
        QCOMPARE(whole(steps["steady"]["n"]), 18);
    }

    void stepsOfNothing() {
        const QJsonObject steps = run({"steps", file("empty.json"), "--json"}).json();
        QCOMPARE(steps["found_by"], "none");
        QVERIFY(steps["steps"].toArray().isEmpty() && steps["steps"].isArray());
        QVERIFY(steps["steady"].isNull() && !steps["steady_reason"].toString().isEmpty());
    }

    void overlappingTimelineAddsUp() {
        const QJsonObject stats =
            run({"stats", kExamples + "overlapping_timeline.json", "--all", "--json"}).json();
        QCOMPARE(missing(stats, "window total rows communication"), QStringList());
        QCOMPARE(
            missing(stats["window"].toObject(), "begin_ns end_ns elapsed_ns kind steps policy"),
            QStringList());
        QCOMPARE(whole(stats["window"]["elapsed_ns"]), 50'000'000);
        QCOMPARE(stats["window"]["kind"], "all");
        QCOMPARE(whole(stats["total"]["sum_ns"]), 68'000'000);
        QCOMPARE(whole(stats["total"]["union_ns"]), 50'000'000);
        QCOMPARE(whole(stats["total"]["self_ns"]), 68'000'000);
    }

    void statsHaveTheirKeysAndAddUp_data() {
        QTest::addColumn<QString>("by");
        for (const char *by : {"name", "phase", "track", "kind"}) QTest::newRow(by) << by;
    }
    void statsHaveTheirKeysAndAddUp() {
        QFETCH(QString, by);
        const Answer answer = run({"stats", kExamples + "training.json.gz", "--by", by, "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonObject stats = answer.json();
        qint64 sum = 0, count = 0, exclusive = 0, onPath = 0, walked = 0;
        const QJsonObject path = run({"path", kExamples + "training.json.gz", "--json"}).json();
        for (const QJsonValue &segment : path["segments"].toArray())
            if (segment["type"] == "activity")
                walked += whole(segment["end_ns"]) - whole(segment["begin_ns"]);
        QStringList keys;
        for (const QJsonValue &row : stats["rows"].toArray()) {
            QCOMPARE(missing(row.toObject(), "key count sum_ns union_ns exclusive_ns self_ns "
                                             "on_path_ns mean_ns p50_ns p95_ns max_ns"),
                     QStringList());
            onPath += whole(row["on_path_ns"]);
            keys.append(row["key"].toString());
            sum += whole(row["sum_ns"]);
            count += whole(row["count"]);
            exclusive += whole(row["exclusive_ns"]);
        }
        QCOMPARE(keys.removeDuplicates(), 0);
        QCOMPARE(sum, whole(stats["total"]["sum_ns"]));
        QCOMPARE(count, whole(stats["total"]["count"]));
        QCOMPARE(exclusive, whole(stats["total"]["union_ns"]));
        QVERIFY(walked > 0);
        QCOMPARE(onPath, walked);
        const QJsonObject communication = stats["communication"][0].toObject();
        QCOMPARE(missing(communication,
                         "device sum_ns union_ns exposed_ns exposed_on_path_ns hidden_share"),
                 QStringList());
        QVERIFY(whole(communication["exposed_on_path_ns"]) >= 0);
        QVERIFY(whole(communication["exposed_on_path_ns"]) <= whole(communication["exposed_ns"]));
        const double hidden = communication["hidden_share"].toDouble();
        QVERIFY(hidden > 0 && hidden < 1);
    }

    void windowsAreChosen() {
        const auto window = [](const QStringList &arguments) {
            return run(QStringList{"stats", kExamples + "training.json.gz", "--json"} + arguments)
                .json()
                .value("window")
                .toObject();
        };
        QCOMPARE(window({})["kind"], "drained");
        QCOMPARE(window({"--step", "3"})["steps"].toArray(), QJsonArray({3, 3}));
        QCOMPARE(window({"--step", "ProfilerStep#3"}), window({"--step", "3"}));
        QCOMPARE(window({"--steps", "3..5"})["kind"], "period");
        QCOMPARE(window({"--steps", "3..19"})["kind"], "drained");
        QCOMPARE(window({"--range", "1s..1.5s"})["elapsed_ns"].toInteger(), 500'000'000);
        QVERIFY(window({"--range", "1s..1.5s"})["steps"].isNull());
    }

    void refusalsAreObjects() {
        const Answer answer = run({"stats", file("empty.json"), "--json"});
        QCOMPARE(answer.status, 1);
        QCOMPARE(missing(answer.json(), "reason window total rows communication"), QStringList());
        QVERIFY(!answer.json().value("reason").toString().isEmpty() &&
                answer.json().value("total").isNull());
    }

    void listHasEverything() {
        const Answer answer = run({"list", file("counter.json"), "--json"});
        QCOMPARE(answer.status, 0);
        const QJsonObject list = answer.json();
        QCOMPARE(missing(list, "intervals total counters"), QStringList());
        QCOMPARE(whole(list["total"]), 2);
        const QJsonObject first = list["intervals"][0].toObject();
        QCOMPARE(
            missing(
                first,
                "name category kind phase track lane depth begin_ns end_ns correlation flags args"),
            QStringList());
        QCOMPARE(first["name"], QString::fromUtf8("wörk"));
        QCOMPARE(whole(first["end_ns"]) - whole(first["begin_ns"]), 2'000);
        QVERIFY(answer.out.contains("10159970886766084423")); // digit by digit
        QCOMPARE(first["args"]["nan"], "NaN");
        QCOMPARE(first["args"]["deep"]["list"].toArray(), QJsonArray({1, 2}));
        QCOMPARE(list["counters"].toArray().size(), 2);
        QCOMPARE(missing(list["counters"][0].toObject(), "name series ts_ns value track"),
                 QStringList());
    }

    void listIsNarrowed() {
        const auto list = [](const QStringList &arguments) {
            return run(QStringList{"list", kExamples + "training.json.gz", "--json"} + arguments)
                .json();
        };
        QCOMPARE(whole(list({"--name", "ProfilerStep#\\d+"})["total"]), 20);
        const QJsonObject limited = list({"--name", "ProfilerStep#1\\d", "--limit", "3"});
        QCOMPARE(limited["intervals"].toArray().size(), 3);
        QCOMPARE(whole(limited["total"]), 10); // before the limit
        QCOMPARE(whole(list({"--track", "stream 20"})["total"]), 40);
        QCOMPARE(whole(list({"--track", "no such track"})["total"]), 0);
        QVERIFY(whole(list({"--step", "5"})["total"]) < whole(list({})["total"]) / 10);
    }

    /// The overlay opens again, with the path as a row that fills the window.
    void overlayOpensAgain() {
        for (const char *name : {"overlay.json.gz", "overlay.json"}) {
            const QStringList step = {kExamples + "training.json.gz", "--step", "5", "--json"};
            const Answer path =
                run(QStringList{"path"} + step + QStringList{"--overlay", file(name)});
            QVERIFY2(path.status == 0, path.err);
            const QJsonObject info = run({"info", file(name), "--json"}).json();
            QCOMPARE(whole(info["events"]["set_aside"]), 0);
            QVERIFY(info["noticed"].toArray().isEmpty() && info["repaired"].toArray().isEmpty());
            const QJsonArray listed = run({"list", file(name), "--json", "--track", "path"})
                                          .json()
                                          .value("intervals")
                                          .toArray();
            qint64 sum = 0, critical = 0;
            for (const QJsonValue &interval : listed) {
                sum += whole(interval["end_ns"]) - whole(interval["begin_ns"]);
                critical += interval["args"]["critical"].toInt();
            }
            QCOMPARE(sum, whole(path.json().value("window")["elapsed_ns"]));
            QCOMPARE(critical, listed.size());
        }
        const Answer refused = run({"path", kExamples + "training.json.gz", "--overlay",
                                    file("no such folder/overlay.json")});
        QCOMPARE(refused.status, 1);
        QVERIFY(refused.out.isEmpty() && refused.err.contains("cannot be written"));
        QVERIFY(!QFile::exists(file("overlay.json.part")));
    }

    void edgesJoinListedIntervals() {
        const QJsonObject list =
            run({"list", kExamples + "training.json.gz", "--json", "--edges", "--step", "5"})
                .json();
        const QJsonArray intervals = list["intervals"].toArray(), edges = list["edges"].toArray();
        QSet<QString> types;
        for (const QJsonValue &edge : edges) {
            QCOMPARE(missing(edge.toObject(), "type evidence from to"), QStringList());
            const QJsonObject from = intervals[edge["from"].toInt(-1)].toObject();
            const QJsonObject to = intervals[edge["to"].toInt(-1)].toObject();
            types.insert(edge["type"].toString());
            if (edge["type"] != "launch") continue;
            QCOMPARE(from["correlation"], to["correlation"]);
            QVERIFY(from["track"] != to["track"]);
            QCOMPARE(edge["evidence"], "recorded");
        }
        for (const char *type : {"launch", "stream"}) QVERIFY2(types.contains(type), type);
        QVERIFY(!types.contains("program") && !types.contains("window"));
        QVERIFY(!run({"list", kExamples + "training.json.gz", "--json", "--step", "5"})
                     .json()
                     .contains("edges"));
    }

    void listIsInTheOrderOfTheSource() {
        const QJsonArray all =
            run({"list", file("counter.json"), "--json"}).json().value("intervals").toArray();
        QCOMPARE(all[1]["name"], "later");
    }

    void rulesAreReplaced() {
        const QJsonObject stats = run({"stats", kExamples + "overlapping_timeline.json", "--phases",
                                       file("rules.json"), "--json"})
                                      .json();
        QStringList keys;
        for (const QJsonValue &row : stats["rows"].toArray()) keys.append(row["key"].toString());
        keys.sort();
        QCOMPARE(keys, QStringList({"mine", "other"}));
    }

    void readsStandardInput() {
        QFile source(kExamples + "serial_step.json");
        QVERIFY(source.open(QIODevice::ReadOnly));
        const Answer answer = run({"stats", "-", "--all", "--json"}, source.readAll());
        QCOMPARE(answer.status, 0);
        QCOMPARE(whole(answer.json().value("total")["sum_ns"]), 100'000'000);
    }

    void ranksAreOneJob() {
        const Answer answer =
            run({"info", kExamples + "training.json.gz", kExamples + "serial_step.json", "--json"});
        QCOMPARE(answer.status, 0);
        QCOMPARE(answer.json().value("files").toArray().size(), 2);
        QCOMPARE(answer.json().value("devices").toArray().size(),
                 2); // each file has a device 0 of its own
    }

    /// Rounded by largest remainder: what is printed adds up to the printed total.
    void printedColumnsAddUp() {
        const Answer answer = run({"stats", kExamples + "training.json.gz", "--by", "name"});
        const QList<QByteArray> lines = answer.out.split('\n');
        const auto find = [&](const char *begin) {
            return std::find_if(lines.begin(), lines.end(),
                                [&](const QByteArray &line) { return line.startsWith(begin); });
        };
        const auto title = find("Name"), rule = find("\u2500"), total = find("total");
        QVERIFY(title < rule && rule < total && total != lines.end());
        const qsizetype end =
            title->indexOf("sum of durations ms") + qstrlen("sum of durations ms");
        const auto microseconds = [&](const QByteArray &line) {
            // columns are aligned by characters
            QString cell = QString::fromUtf8(line).left(end).section("  ", -1).trimmed();
            return qRound64(cell.remove(',').remove("< ").toDouble() * 1000) *
                   !line.contains("< 0.001");
        };
        qint64 sum = 0;
        for (auto line = title + 1; line != rule; ++line) sum += microseconds(*line);
        QVERIFY(microseconds(*total) > 0);
        QCOMPARE(sum, microseconds(*total));
    }

    void textIsForPeople() {
        const Answer stats = run({"stats", kExamples + "overlapping_timeline.json"});
        QVERIFY(stats.out.contains("sum of durations ms"));
        QVERIFY(stats.out.contains("68.000"));
        QVERIFY(run({"info", kExamples + "serial_step.json"}).out.contains("stream 20"));
        QVERIFY(run({"steps", kExamples + "serial_step.json"}).out.contains("No steps found"));
        QVERIFY(run({"list", kExamples + "serial_step.json"}).out.contains("forward/backward"));
        QVERIFY(run({"steps", kExamples + "training.json.gz"}).out.contains("median"));
    }

private:
    QString file(const QString &name) const { return m_folder.filePath(name); }
    void write(const QString &name, const QByteArray &text) {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(text);
    }
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(CommandsTest)
#include "commands_test.moc"
