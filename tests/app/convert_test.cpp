// SPDX-License-Identifier: Apache-2.0
// A window that convert wrote is the window it was: the same path, sums and arguments.
#include <QTest>

#include "tests/app/command_line.h"
#include "tests/support/files.h"
#include "tests/support/loop_regimes.h"
#include "tests/support/nsys_database.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

using namespace longpole::test;
using longpole::test::run;

namespace {

constexpr const char *kSource = LONGPOLE_SOURCE_DIR;

/// Without what may differ: numbers of tracks (some are not in the window), numbers of steps, and
/// the sentence that says how the window was chosen.
QJsonValue comparable(const QJsonValue &value) {
    if (value.isArray()) {
        QJsonArray list;
        for (const QJsonValue &item : value.toArray()) list << comparable(item);
        return list;
    }
    if (!value.isObject()) return value;
    QJsonObject object;
    const QJsonObject from = value.toObject();
    for (auto it = from.begin(); it != from.end(); ++it)
        if (it.key() != "track" && it.key() != "policy" && it.key() != "steps")
            object[it.key()] = comparable(it.value());
    return object;
}

QJsonObject asked(const QStringList &words) {
    const Answer answer = run(words + QStringList{"--json"});
    if (answer.status != 0) qWarning() << words << answer.err;
    return comparable(answer.json()).toObject();
}

QByteArray contentOf(const QString &name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The first thing that differs, for people.
QString difference(const QJsonValue &a, const QJsonValue &b, const QString &at = {}) {
    if (a.isObject() && b.isObject())
        for (const QString &key : a.toObject().keys())
            if (a[key] != b[key]) return difference(a[key], b[key], at + '.' + key);
    if (a.isArray() && b.isArray())
        for (int i = 0; i < std::min(a.toArray().size(), b.toArray().size()); ++i)
            if (a[i] != b[i]) return difference(a[i], b[i], at + '.' + QString::number(i));
    const auto text = [](const QJsonValue &value) {
        return QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact).left(200);
    };
    return at + ": " + text(a) + " is now " + text(b);
}

/// Sums, idle causes and path of a window.
QList<QJsonObject> answers(const QStringList &traceAndWindow) {
    QList<QJsonObject> all;
    for (const QStringList &question : {QStringList{"path"},
                                        {"stats", "--by", "name"},
                                        {"stats", "--by", "phase"},
                                        {"stats", "--by", "op"},
                                        {"stats", "--by", "class"},
                                        {"idle"}}) {
        const Answer answer = run(question + traceAndWindow + QStringList{"--json"});
        all << comparable(answer.json()).toObject();
    }
    return all;
}

/// What `list` says of the intervals of a window but their places.
QSet<QByteArray> listed(const QStringList &words) {
    QSet<QByteArray> intervals;
    for (const QJsonValue &item : asked(QStringList{"list"} + words)["intervals"].toArray()) {
        QJsonObject interval = item.toObject();
        interval.remove("lane"); // others may be missing outside of the window
        intervals << QJsonDocument(interval).toJson(QJsonDocument::Compact);
    }
    return intervals;
}

} // namespace

class ConvertTest : public QObject {
    Q_OBJECT
private slots:
    void examplesKeepTheirPath_data() {
        QTest::addColumn<QString>("trace");
        const QDir folder(QString(kSource) + "/resources/examples");
        for (const QString &name : folder.entryList({"*.json", "*.json.gz"}))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void examplesKeepTheirPath() {
        QFETCH(QString, trace);
        keepsItsPath(trace, {{}, {"--all"}, {"--range", "1ms..4ms"}});
    }

    /// Programs of every regime, in windows of every kind in turn.
    void loopsKeepTheirPath() {
        const QList<QStringList> windows{
            {}, {"--steps", "1..2"}, {"--step", "3"}, {"--range", "7ms..19.5ms"}};
        int tried = 0;
        for (const LoopRegime &regime : loopRegimes(1)) {
            const TempFile file(simulateLoop(regime.shape), ".json");
            keepsItsPath(QString::fromStdString(file.path()), {windows[tried++ % windows.size()]});
            if (QTest::currentTestFailed()) return qWarning("%s", regime.name.c_str());
        }
        QVERIFY(tried > 20);
    }

    void databasesBecomeTraces() {
        NsysDatabase db;
        db.threadName(100, 100, "python3");
        db.nvtx(59, 100, 100, 900, 9000, "train");
        db.nvtx(60, 100, 100, 950, 8000, "apart");
        db.call(100, 100, 1, 1000, 1100, "cudaLaunchKernel_v7000");
        db.call(100, 100, 2, 1200, 8000, "cudaDeviceSynchronize_v3020");
        db.kernel({100, 1, 1500, 7500}, "gemm");
        const TempFile file(db.bytes(), ".sqlite");
        keepsItsPath(QString::fromStdString(file.path()), {{}, {"--range", "2us..5us"}});
    }

    void everyArgumentIsThere() {
        const QString trace = QString(kSource) + "/resources/examples/training.json.gz";
        const QTemporaryDir folder;
        const QString out = folder.filePath("window.json.gz");
        QCOMPARE(run({"convert", trace, "--step", "7", out}).status, 0);
        const QJsonObject window = asked({"path", trace, "--step", "7"})["window"].toObject();
        const QString range =
            QString("%1..%2").arg(window["begin_ns"].toInteger()).arg(window["end_ns"].toInteger());
        const auto before = listed({trace, "--range", range}),
                   after = listed({out, "--range", range});
        QVERIFY(before.size() > 100);
        QCOMPARE(before - after, QSet<QByteArray>());
        QCOMPARE(after - before, QSet<QByteArray>());
    }

    void aWindowOfAWindow() {
        const QString trace = QString(kSource) + "/resources/examples/training.json.gz";
        const QTemporaryDir folder;
        const QString once = folder.filePath("once.json"), twice = folder.filePath("twice.json");
        QCOMPARE(run({"convert", trace, "--steps", "5..8", once}).status, 0);
        QCOMPARE(run({"convert", once, twice}).status, 0);
        QCOMPARE(answers({twice}), answers({trace, "--steps", "5..8"}));
        QVERIFY(contentOf(twice).size() < QFileInfo(once).size() * 11 / 10);
    }

    /// What was kept belongs to these events alone: others make the reader work it out anew.
    void aChangedFileIsNotBelieved() {
        const QString trace = QString(kSource) + "/resources/examples/serial_step.json";
        const QTemporaryDir folder;
        const QString out = folder.filePath("window.json");
        QCOMPARE(run({"convert", trace, out}).status, 0);
        const QByteArray good = contentOf(out);
        const auto unfit = [&](const QByteArray &text) {
            QFile file(out);
            if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) return false;
            file.close();
            if (run({"path", out, "--json"}).status != 0) return false;
            const QJsonArray noticed = run({"info", out, "--json"}).json()["noticed"].toArray();
            return std::any_of(noticed.begin(), noticed.end(), [](const QJsonValue &entry) {
                return entry["reason"].toString() == "excerpt_unfit";
            });
        };
        QVERIFY(!unfit(good));
        QByteArray text = good;
        const int first = int(text.indexOf("{\"ph\":\"X\""));
        text.insert(first,
                    "{\"ph\":\"X\",\"name\":\"more\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},");
        QVERIFY(unfit(text));
        for (const char *column : {"node_time", "node_edges", "edge_back", "edge_weight",
                                   "activity_place", "interval_phase", "op_interval"}) {
            text = good;
            const int at = int(text.indexOf(column)) + int(strlen(column)) + 3;
            if (text[at] == ']') continue; // no device in it
            text.insert(at, "123456");
            QVERIFY2(unfit(text), column);
        }
        text = good;
        QVERIFY(unfit(text.replace("\"version\":1,\"zero_ns\"", "\"version\":9,\"zero_ns\"")));
    }

    void tablesHoldExactTimes() {
        const QString trace = QString(kSource) + "/resources/examples/serial_step.json";
        const QTemporaryDir folder;
        const QString out = folder.filePath("window.csv");
        const Answer answer = run({"convert", trace, "--all", out, "--json"});
        QCOMPARE(answer.status, 0);
        QList<QByteArray> lines = contentOf(out).split('\n');
        QCOMPARE(lines.takeLast(), QByteArray());
        const QList<QByteArray> head = lines.takeFirst().split(',');
        QCOMPARE(lines.size(), answer.json()["intervals"].toInteger());
        QCOMPARE(answer.json()["bytes"].toInteger(), QFileInfo(out).size());
        const auto column = [&](const QByteArray &line, const char *name) {
            return line.split(',').value(head.indexOf(name));
        };
        qint64 onPath = 0;
        QMap<QByteArray, qint64> spans;
        for (const QByteArray &line : lines) {
            QCOMPARE(line.split(',').size(), head.size());
            const qint64 begin = column(line, "begin_ns").toLongLong(),
                         end = column(line, "end_ns").toLongLong();
            QCOMPARE(column(line, "duration_ns").toLongLong(), end - begin);
            spans[column(line, "name") + column(line, "begin_ns")] += end - begin;
            onPath += column(line, "on_path_ns").toLongLong();
        }
        const QJsonObject all = asked({"list", trace});
        for (const QJsonValue &item : all["intervals"].toArray())
            QCOMPARE(spans[item["name"].toString().toUtf8() +
                           QByteArray::number(item["begin_ns"].toInteger())],
                     item["end_ns"].toInteger() - item["begin_ns"].toInteger());
        qint64 activity = 0;
        for (const QJsonValue &s : asked({"path", trace, "--all"})["segments"].toArray())
            if (s["type"].toString() == "activity")
                activity += s["end_ns"].toInteger() - s["begin_ns"].toInteger();
        QCOMPARE(onPath, activity);
    }

    void namesInTablesAreQuoted() {
        const TempFile file("[{\"ph\":\"X\",\"name\":\"a,\\\"b\\\"\\nc\",\"pid\":1,\"tid\":1,"
                            "\"ts\":0,\"dur\":2}]",
                            ".json");
        const QTemporaryDir folder;
        const QString out = folder.filePath("t.csv");
        QCOMPARE(run({"convert", QString::fromStdString(file.path()), out}).status, 0);
        QVERIFY2(contentOf(out).contains(",\"a,\"\"b\"\"\nc\","), contentOf(out).constData());
    }

    void nothingElseIsOverwritten() {
        const QString trace = QString(kSource) + "/resources/examples/serial_step.json";
        const QTemporaryDir folder;
        const QString other = folder.filePath("other.json");
        QVERIFY(QFile::copy(trace, other)); // a second trace, and OUT forgotten
        const QByteArray before = contentOf(other);
        const Answer answer = run({"convert", trace, other});
        QCOMPARE(answer.status, 2);
        QVERIFY(answer.err.contains("exists"));
        QCOMPARE(contentOf(other), before);
        for (const char *name : {"own.json", "own.json.gz", "own.csv"}) {
            const QString own = folder.filePath(name);
            QCOMPARE(run({"convert", trace, own}).status, 0);
            QCOMPARE(run({"convert", trace, own}).status, 0);
        }
        QCOMPARE(run({"convert", trace}).status, 2);
        QCOMPARE(run({"convert", trace, folder.filePath("out.txt")}).status, 2);
        QCOMPARE(run({"convert", trace, trace, folder.filePath("two.json")}).status, 2);
        QCOMPARE(run({"convert", trace, folder.filePath("no/such/folder.json")}).status, 1);
    }

    void aForecastSaysThatItIsCut() {
        const QString trace = QString(kSource) + "/resources/examples/serial_step.json";
        const QTemporaryDir folder;
        const QString out = folder.filePath("window.json");
        QCOMPARE(run({"convert", trace, out}).status, 0);
        const auto warns = [](const QString &file) {
            return run({"whatif", file, "--speed", "kind:cpu_op=2"}).out.contains("one window");
        };
        QVERIFY(warns(out));
        QVERIFY(!warns(trace));
    }

private:
    void keepsItsPath(const QString &trace, const QList<QStringList> &windows) {
        const QTemporaryDir folder;
        for (const QStringList &window : windows) {
            const QString out = folder.filePath("window.json.gz");
            const Answer answer =
                run(QStringList{"convert", trace} + window + QStringList{out, "--json"});
            QVERIFY2(answer.status == 0, answer.err);
            const auto before = answers(QStringList{trace} + window), after = answers({out});
            QVERIFY(!before.first()["segments"].toArray().isEmpty());
            for (int i = 0; i < before.size(); ++i)
                if (before[i] != after[i])
                    QFAIL(qPrintable(window.join(' ') + " question " + QString::number(i) +
                                     difference(before[i], after[i])));
        }
    }
};

QTEST_GUILESS_MAIN(ConvertTest)
#include "convert_test.moc"
