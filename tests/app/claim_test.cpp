// SPDX-License-Identifier: Apache-2.0
// A prediction that whatif keeps and compare judges by the run after the change, from files on disk
// to printed JSON.
#include "tests/app/command_line.h"
#include "tests/support/files.h"
#include "tests/support/loop_simulator.h"
#include "tests/support/small_loop.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using longpole::test::Answer;
using longpole::test::run;
using longpole::test::TempFile;
using longpole::test::textOf;
using Loop = longpole::test::SmallLoop;

namespace {

QString path(const TempFile &file) {
    return QString::fromStdString(file.path());
}

} // namespace

class ClaimTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty())
            QSKIP("LONGPOLE_CLI does not name the program");
    }

    /// A claim is kept by whatif and judged by the run after the change.
    void verdicts_data() {
        QTest::addColumn<Loop>("after");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *name, const Loop &after, const char *verdict,
                            const char *why) {
            QTest::newRow(name) << after << QString(verdict) << QString(why);
        };
        row("as predicted", {.gemm = 3'000'000, .add = 1'000'000, .jitter = 20'000, .seed = 32},
            "held", "meets the predicted");
        row("no faster", {.seed = 33}, "refuted", "lies outside the predicted");
        row("faster than that", {.gemm = 1'000'000, .add = 1'000'000, .seed = 34}, "refuted",
            "lies outside");
        row("few steps", {.steps = 9, .gemm = 3'000'000, .add = 1'000'000, .seed = 35},
            "not established", "fewer than 8");
        row("less work", {.gemm = 3'000'000, .add = 1'000'000, .seed = 36, .batch = 16},
            "not established", "work");
        row("not waited for", {.gemm = 3'000'000, .add = 1'000'000, .seed = 37, .waits = false},
            "not established", "boundaries");
        row("all over the place", {.gemm = 100'000, .jitter = 20'000'000, .seed = 38},
            "not established", "wider than the predicted change");
    }
    void verdicts() {
        QFETCH(Loop, after);
        QFETCH(QString, verdict);
        QFETCH(QString, why);
        const TempFile a(textOf({.seed = 31})), b(textOf(after)), kept("");
        const QStringList change{"whatif", path(a), "--speed", "kind:kernel=2", "--json"};
        const Answer made = run(change + QStringList{"--claim", path(kept)});
        QCOMPARE(made.status, 0);
        const QJsonObject forecast = made.json();
        QFile file(path(kept));
        QVERIFY(file.open(QFile::ReadOnly));
        const QJsonObject claim = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(claim["version"].toInt(), 1);
        QCOMPARE(claim["speed"].toArray(), QJsonArray{"kind:kernel=2"});
        QCOMPARE(claim["edit"].toArray(), QJsonArray());
        QCOMPARE(claim["window"], forecast["window"]);
        QCOMPARE(claim["predicted_ns"], forecast["replay"]["ns"]);
        QCOMPARE(claim["low_ns"], forecast["replay"]["low_ns"]);
        QCOMPARE(claim["high_ns"], forecast["replay"]["high_ns"]);
        const QJsonObject info = run({"info", path(a), "--json"}).json();
        QCOMPARE(claim["fingerprint"], info["files"][0]["fingerprint"]);
        for (const char *key : {"text", "confidence"}) QVERIFY2(claim.contains(key), key);

        // whichever side the claim was made from, the other one judges it
        for (const bool swapped : {false, true}) {
            const Answer answer = run({"compare", path(swapped ? b : a), path(swapped ? a : b),
                                       "--claim", path(kept), "--json"});
            const QJsonObject judged = answer.json()["judgement"].toObject();
            QCOMPARE(judged["verdict"].toString(), verdict);
            QVERIFY2(judged["why"].toString().contains(why), qPrintable(judged["why"].toString()));
            QVERIFY(!judged["why"].toString().contains("neither"));
            QCOMPARE(judged["predicted_ns"], claim["predicted_ns"]);
            QCOMPARE(judged["low_ns"], claim["low_ns"]);
            QCOMPARE(judged["high_ns"], claim["high_ns"]);
            const QJsonObject steady =
                run({"steps", path(b), "--json"}).json()["steady"].toObject();
            QCOMPARE(judged["measured_ns"], steady["median_ns"]);
            QCOMPARE(judged["ci95_ns"], steady["ci95_ns"]);
        }
        const TempFile c(textOf({.seed = 39}));
        const QJsonObject other =
            run({"compare", path(c), path(c), "--claim", path(kept), "--json"}).json();
        QVERIFY(other["judgement"]["why"].toString().contains("from neither"));
    }

    /// Nothing tells when the batch of this step was ready, so the claim spans both ends.
    void batchesThatNobodyWaitedFor() {
        longpole::test::LoopShape loop;
        loop.seed = 52'005;
        loop.steps = 12;
        loop.layers = 6;
        loop.gemm = 120'000;
        loop.fetch = 14'000'000;
        loop.workersTraced = false;
        const TempFile file(longpole::test::simulateLoop(loop)), kept("");
        const Answer made = run(
            {"whatif", path(file), "--speed", "kind:kernel=2", "--claim", path(kept), "--json"});
        QCOMPARE(made.status, 0);
        const QJsonObject forecast = made.json();
        QVERIFY(QJsonDocument(forecast["warnings"].toArray())
                    .toJson()
                    .contains("nothing tells when a batch was ready"));
        QFile written(path(kept));
        QVERIFY(written.open(QFile::ReadOnly));
        const QJsonObject claim = QJsonDocument::fromJson(written.readAll()).object();
        QCOMPARE(claim["low_ns"], forecast["replay"]["low_ns"]);
        QVERIFY(claim["high_ns"].toDouble() > 1.5 * forecast["replay"]["high_ns"].toDouble());
    }

    void damaged_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << QByteArray("nope") << QString("it is no JSON from byte");
        QTest::newRow("a list") << QByteArray("[]") << QString("array");
        QTest::newRow("no version") << QByteArray("{}") << QString("key 'version' not found");
        QTest::newRow("wrong type")
            << QByteArray("{\"version\": 1, \"speed\": 3}") << QString("array");
    }
    /// Names the file and what is wrong with it, in no library's words.
    void damaged() {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const TempFile a(textOf({})), claim(text.toStdString());
        const Answer answer = run({"compare", path(a), path(a), "--claim", path(claim)});
        QCOMPARE(answer.status, 3);
        QVERIFY2(answer.err.contains(path(claim).toUtf8()), answer.err);
        QVERIFY2(answer.err.contains(says.toUtf8()), answer.err);
        QVERIFY2(!answer.err.contains("json.exception"), answer.err);
    }

    /// A claim about an edit is judged like any other, and what it is about is kept.
    void ofEdits_data() {
        QTest::addColumn<QStringList>("change");
        QTest::addColumn<Loop>("after");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("why");
        const QStringList half{"--edit", "launch=0.5", "--speed", "kind:kernel=2"};
        const QStringList waits{"--edit", "unsync:kind:sync"};
        const Loop faster{.gemm = 3'000'000, .add = 1'000'000, .jitter = 20'000, .seed = 42};
        QTest::newRow("as predicted") << half << faster << QString("held") << QString("meets");
        QTest::newRow("no faster")
            << half << Loop{.seed = 43} << QString("refuted") << QString("lies outside");
        QTest::newRow("no wait") << waits << Loop{.seed = 44, .waits = false}
                                 << QString("not established") << QString("boundaries");
    }
    void ofEdits() {
        QFETCH(QStringList, change);
        QFETCH(Loop, after);
        QFETCH(QString, verdict);
        QFETCH(QString, why);
        const TempFile a(textOf({.seed = 41})), b(textOf(after)), kept("");
        const Answer made = run(QStringList{"whatif", path(a), "--claim", path(kept)} + change);
        QVERIFY2(made.status == 0, made.err);
        QFile file(path(kept));
        QVERIFY(file.open(QFile::ReadOnly));
        const QJsonObject claim = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(claim["edit"].toArray(), QJsonArray{change[1]});
        QVERIFY2(claim["text"].toString().contains(change[1]),
                 qPrintable(claim["text"].toString()));
        const QJsonObject judged =
            run({"compare", path(a), path(b), "--claim", path(kept), "--json"})
                .json()["judgement"]
                .toObject();
        QCOMPARE(judged["verdict"].toString(), verdict);
        QVERIFY2(judged["why"].toString().contains(why), qPrintable(judged["why"].toString()));
    }

    void ofARangeIsNotJudged() {
        const TempFile a(textOf({})), b(textOf({.gemm = 3000000, .seed = 2})), kept("");
        QCOMPARE(run({"whatif", path(a), "--speed", "kind:kernel=2", "--range", "1ms..9ms",
                      "--claim", path(kept)})
                     .status,
                 0);
        const QJsonObject json =
            run({"compare", path(a), path(b), "--claim", path(kept), "--json"}).json();
        QCOMPARE(json["judgement"]["verdict"].toString(), QString("not established"));
        QVERIFY(json["judgement"]["why"].toString().contains("no run of whole steps"));
    }

    void cannotBeWritten() {
        const TempFile a(textOf({}));
        QCOMPARE(
            run({"whatif", path(a), "--speed", "kind:kernel=2", "--claim", path(a) + "/inside"})
                .status,
            1);
    }
};

QTEST_GUILESS_MAIN(ClaimTest)
#include "claim_test.moc"
