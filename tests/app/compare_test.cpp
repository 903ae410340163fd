// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, from files on disk to printed JSON: differences of work before any ratio,
// what no ratio can be over, and start-up against steps.
#include "tests/app/command_line.h"
#include "tests/support/files.h"
#include "tests/support/small_loop.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>

using longpole::test::Answer;
using longpole::test::run;
using longpole::test::TempFile;
using longpole::test::textOf;
using Loop = longpole::test::SmallLoop;

namespace {

const QString kExamples = LONGPOLE_SOURCE_DIR "/resources/examples/";

QString path(const TempFile &file) {
    return QString::fromStdString(file.path());
}

QJsonObject compared(const TempFile &a, const TempFile &b, const QStringList &more = {}) {
    const Answer answer = run(QStringList{"compare", path(a), path(b), "--json"} + more);
    if (answer.status != 0) qWarning() << answer.status << answer.err;
    return answer.json();
}

std::vector<qint64> steadyLengths(const QJsonObject &steps) {
    std::vector<qint64> lengths;
    for (const QJsonValue &step : steps["steps"].toArray())
        if (!step["left_out"].toBool()) lengths.push_back(step["length_ns"].toInteger());
    return lengths;
}

/// All values of "what", in their order.
QStringList topics(const QJsonObject &json) {
    QStringList what;
    for (const QJsonValue &d : json["differences"].toArray()) what << d["what"].toString();
    return what;
}

QString startup(const char *side) {
    return kExamples + "startup_" + side + ".json";
}

} // namespace

class CompareTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (qEnvironmentVariable("LONGPOLE_CLI").isEmpty())
            QSKIP("LONGPOLE_CLI does not name the program");
    }

    void sameRunTwiceIsATie() {
        const TempFile file(textOf({}));
        const QJsonObject json = compared(file, file, {"--run-steps", "1000", "--reused", "both"});
        QVERIFY(json["refused"].isNull() && json["differences"].toArray().isEmpty());
        const QJsonObject steps = run({"steps", path(file), "--json"}).json();
        QCOMPARE(json["a"].toObject(), steps);
        QCOMPARE(json["b"].toObject(), steps);
        QCOMPARE(json["ratio"]["median"].toDouble(), 1.0);
        QCOMPARE(json["ratio"]["shift_ns"].toInteger(), qint64(0));
        const QJsonArray ci = json["ratio"]["ci95"].toArray();
        QVERIFY(ci[0].toDouble() < 1 && ci[1].toDouble() > 1);
        QVERIFY(json["ratio"]["mann_whitney_p"].toDouble() > 0.9);
        QCOMPARE(json["at"]["first"].toString(), QString("tie"));
        QCOMPARE(json["at"]["a_ns"], json["at"]["b_ns"]);
        QCOMPARE(json["reused"].toString(), QString("both"));
        QCOMPARE(json["crossover"]["state"].toString(), QString("parallel"));
        QVERIFY(json["crossover"]["steps"].isNull() && json["judgement"].isNull());
        for (const QJsonValue &delta : json["deltas"].toArray())
            QCOMPARE(delta["a_ns"], delta["b_ns"]);
    }

    /// The printed numbers against the lengths of the steps, by the plainest arithmetic.
    void fasterKernels() {
        const TempFile a(textOf({.seed = 3})), b(textOf({.gemm = 3'000'000, .seed = 4}));
        const QJsonObject json = compared(a, b);
        QCOMPARE(topics(json), QStringList());
        const qint64 medianA = json["a"]["steady"]["median_ns"].toInteger();
        const qint64 medianB = json["b"]["steady"]["median_ns"].toInteger();
        QCOMPARE(json["ratio"]["median"].toDouble(), double(medianB) / double(medianA));
        const QJsonArray ci = json["ratio"]["ci95"].toArray();
        QVERIFY(ci[0].toDouble() <= json["ratio"]["median"].toDouble());
        QVERIFY(ci[1].toDouble() >= json["ratio"]["median"].toDouble() && ci[1].toDouble() < 0.7);
        std::vector<qint64> shifts;
        for (const qint64 x : steadyLengths(json["a"].toObject()))
            for (const qint64 y : steadyLengths(json["b"].toObject())) shifts.push_back(y - x);
        std::sort(shifts.begin(), shifts.end());
        const qint64 low = shifts[(shifts.size() - 1) / 2], high = shifts[shifts.size() / 2];
        QCOMPARE(json["ratio"]["shift_ns"].toInteger(), low + (high - low) / 2);
        // complete separation of 12 and 12 values: U = 0, z = 71.5 / sqrt(300)
        QVERIFY(qAbs(json["ratio"]["mann_whitney_p"].toDouble() - 3.66e-5) < 1e-6);
        QVERIFY(json["at"].isNull()); // nobody said how long the run is
        QVERIFY(run({"compare", path(a), path(b)}).out.contains("between-run variation"));
    }

    /// Of an even number of steps the median lies between two; both columns add up to it all the
    /// same.
    void deltasAddUpToTheNanosecond() {
        for (const int steps : {10, 11, 14}) {
            const TempFile a(textOf({.steps = steps, .seed = 11}));
            const TempFile b(textOf({.steps = steps + 1, .add = 1'234'567, .seed = 12}));
            const QJsonObject json = compared(a, b);
            qint64 sumA = 0, sumB = 0;
            for (const QJsonValue &delta : json["deltas"].toArray()) {
                sumA += delta["a_ns"].toInteger();
                sumB += delta["b_ns"].toInteger();
            }
            QCOMPARE(sumA, json["a"]["steady"]["median_ns"].toInteger());
            QCOMPARE(sumB, json["b"]["steady"]["median_ns"].toInteger());
        }
    }

    void anotherBatchIsRefusedWithItsDifferences() {
        const TempFile a(textOf({})), b(textOf({.gemm = 12'000'000, .batch = 64}));
        const Answer answer = run({"compare", path(a), path(b), "--json"});
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.err.contains("Not compared: the input sizes differ"));
        const QJsonObject json = answer.json();
        QVERIFY(json["refused"].toString().contains("[[32,1024],[1024,1024]] against [[64,1024]"));
        QCOMPARE(topics(json),
                 (QStringList{"input sizes of aten::linear", "launch shapes of gemm_bf16",
                              "launch shapes of add_float", "h2d bytes a step"}));
        QCOMPARE(json["differences"][1]["a"].toString(), QString("32×4×1 blocks of 256×1×1"));
        QCOMPARE(json["differences"][3]["a"].toString(), QString("131,072"));
        for (const char *key : {"a", "b", "ratio", "at", "crossover", "deltas", "judgement"}) {
            QVERIFY2(json.contains(key), key);
            QVERIFY2(json[key].isNull(), key);
        }
        const Answer text = run({"compare", path(a), path(b)});
        QCOMPARE(text.status, 1);
        QVERIFY(text.out.contains("input sizes of aten::linear") && !text.out.contains("as fast"));
    }

    /// Where neither trace tells shapes, the bytes of a batch do.
    void bytesTellTheBatch() {
        const auto plain = [](Loop loop) {
            std::string text = textOf(loop);
            for (const std::string key : {"Input Dims", "grid"})
                for (size_t at; (at = text.find(key)) != text.npos;) text.replace(at, 4, "none");
            return text;
        };
        const TempFile a(plain({})), b(plain({.batch = 64}));
        const Answer answer = run({"compare", path(a), path(b), "--json"});
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.json()["refused"].toString().contains("(131,072 against 262,144 a step)"));
        QVERIFY(compared(a, a)["refused"].isNull());
    }

    void anotherDeviceIsRefused() {
        const TempFile a(textOf({})), b(textOf({.device = "A100"}));
        const Answer answer = run({"compare", path(a), path(b), "--json"});
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.json()["refused"].toString().contains("H200 against A100"));
    }

    /// Other kernels are what most changes are about: listed, and compared.
    void otherKernelsAreListed() {
        const TempFile a(textOf({})), b(textOf({.kernel = "gemm_e4m3"}));
        const QJsonObject json = compared(a, b);
        QCOMPARE(topics(json),
                 (QStringList{"precision in kernel names", "kernel names that the other side lacks",
                              "kernel gemm_bf16 a step", "kernel gemm_e4m3 a step"}));
        QCOMPARE(json["differences"][0]["a"].toString(), QString("bf16, fp32"));
        QCOMPARE(json["differences"][0]["b"].toString(), QString("fp32, fp8"));
        const TempFile c(textOf({.gemms = 2}));
        const QJsonObject more = compared(a, c);
        QCOMPARE(topics(more), (QStringList{"kernels a step", "kernel gemm_bf16 a step"}));
        QCOMPARE(more["differences"][0]["b"].toString(), QString("3"));
    }

    void enqueueingIsNotCompared() {
        const TempFile a(textOf({})), b(textOf({.waits = false}));
        for (const bool swapped : {false, true}) {
            const Answer answer =
                run({"compare", path(swapped ? b : a), path(swapped ? a : b), "--json"});
            QCOMPARE(answer.status, 1);
            const QString refused = answer.json()["refused"].toString();
            QVERIFY(refused.startsWith(
                swapped ? "Not compared: A measures enqueueing only, B is synchronised. Record A"
                        : "Not compared: A is synchronised, B measures enqueueing only. Record B"));
            QCOMPARE(topics(answer.json()), QStringList{"boundary"});
            QVERIFY(answer.json()["ratio"].isNull());
        }
        // both alike: from begin to begin, which is what a step takes of a pipelined loop
        const QJsonObject both = compared(b, b);
        QCOMPARE(both["ratio"]["median"].toDouble(), 1.0);
    }

    void startUpReversesTheWinner_data() {
        QTest::addColumn<int>("steps");
        QTest::addColumn<qint64>("a");
        QTest::addColumn<qint64>("b");
        QTest::addColumn<QString>("first");
        QTest::newRow("50") << 50 << qint64(80) << qint64(60) << "b";
        QTest::newRow("150") << 150 << qint64(180) << qint64(180) << "tie";
        QTest::newRow("1,000") << 1000 << qint64(1030) << qint64(1200) << "a";
    }
    void startUpReversesTheWinner() {
        QFETCH(int, steps);
        QFETCH(qint64, a);
        QFETCH(qint64, b);
        QFETCH(QString, first);
        for (const QStringList &given : {QStringList{}, QStringList{"--startup-a", "30s"}}) {
            const QJsonObject json =
                run(QStringList{"compare", startup("a"), startup("b"), "--startup-b", "0s",
                                "--run-steps", QString::number(steps), "--json"} +
                    given)
                    .json();
            QCOMPARE(json["at"]["steps"].toInteger(), qint64(steps));
            QCOMPARE(json["at"]["a_ns"].toInteger(), a * 1'000'000'000);
            QCOMPARE(json["at"]["b_ns"].toInteger(), b * 1'000'000'000);
            QCOMPARE(json["at"]["first"].toString(), first);
            QCOMPARE(json["crossover"]["state"].toString(), QString("crosses"));
            for (const char *key : {"steps", "low", "high"})
                QCOMPARE(json["crossover"][key].toDouble(), 150.0);
            QCOMPARE(json["ratio"]["median"].toDouble(), 1.2);
            QCOMPARE(json["a"]["startup_source"].toString(),
                     QString(given.isEmpty() ? "measured" : "given"));
        }
    }

    void startUpThatIsReusedOrUnknown() {
        const QStringList both{"compare", startup("a"),  startup("b"),
                               "--json",  "--run-steps", "50"};
        const QJsonObject unknown = run(both).json();
        QVERIFY(unknown["at"].isNull() && unknown["crossover"].isNull());
        QVERIFY(!unknown["ratio"].isNull());
        const QJsonObject reused =
            run(both + QStringList{"--startup-b", "0s", "--reused", "a"}).json();
        QCOMPARE(reused["at"]["a_ns"].toInteger(), qint64(50'000'000'000));
        QCOMPARE(reused["at"]["first"].toString(), QString("a"));
        QCOMPARE(reused["crossover"]["state"].toString(), QString("a_always"));
        QCOMPARE(reused["reused"].toString(), QString("a"));
        QCOMPARE(reused["a"]["startup_ns"].toInteger(), qint64(30'000'000'000));
        const QJsonObject behind =
            run(both + QStringList{"--startup-a", "0", "--startup-b", "1s"}).json();
        QCOMPARE(behind["crossover"]["state"].toString(), QString("a_always"));
    }

    /// Steps that hardly differ may never make up for a start-up: the crossing has no upper end.
    void crossingThatMayNeverCome() {
        const TempFile a(textOf({.gemm = 5'990'000, .jitter = 400'000, .seed = 5}));
        const TempFile b(textOf({.jitter = 400'000, .seed = 5}));
        const QJsonObject json = compared(a, b, {"--startup-a", "1s", "--startup-b", "0"});
        QCOMPARE(json["crossover"]["state"].toString(), QString("crosses"));
        QVERIFY(json["crossover"]["steps"].toDouble() > json["crossover"]["low"].toDouble());
        QVERIFY(json["crossover"]["high"].isNull());
        QVERIFY(run({"compare", path(a), path(b), "--startup-a", "1s", "--startup-b", "0"})
                    .out.contains("– never)"));
    }

    void fewStepsHaveNoInterval() {
        const TempFile a(textOf({.steps = 9})), b(textOf({.steps = 14, .seed = 2}));
        const QJsonObject json = compared(a, b, {"--startup-a", "1s", "--startup-b", "0"});
        QCOMPARE(json["a"]["steady"]["n"].toInteger(), qint64(7));
        QVERIFY(json["ratio"]["median"].toDouble() > 0.9);
        QVERIFY(json["ratio"]["ci95"].isNull() && json["ratio"]["mann_whitney_p"].isNull());
        QVERIFY(json["crossover"]["low"].isNull() && json["crossover"]["high"].isNull());
        QCOMPARE(topics(json), QStringList{"steps compared"});
    }

    /// Several files a side are repeated runs: all their steps count, and their spread.
    void repeatedRuns() {
        const TempFile a1(textOf({.seed = 21})), a2(textOf({.gemm = 6'400'000, .seed = 22}));
        const TempFile b(textOf({.gemm = 3'000'000, .seed = 23})), other(textOf({.batch = 8}));
        const QJsonObject json =
            run({"compare", path(a1), path(a2), "--against", path(b), "--json"}).json();
        QCOMPARE(json["a"]["steady"]["n"].toInteger(), qint64(24));
        QCOMPARE(json["a"]["steps"].toArray().size(), 28);
        QCOMPARE(json["a"]["steady"]["last"].toInteger(), qint64(26));
        const QJsonObject one = compared(a1, b);
        const auto width = [](const QJsonObject &c) {
            return c["ratio"]["ci95"][1].toDouble() - c["ratio"]["ci95"][0].toDouble();
        };
        QVERIFY(width(json) > 3 * width(one)); // runs differ by more than steps do
        qint64 sum = 0;
        for (const QJsonValue &delta : json["deltas"].toArray()) sum += delta["a_ns"].toInteger();
        QCOMPARE(sum, json["a"]["steady"]["median_ns"].toInteger());
        const Answer mixed =
            run({"compare", path(a1), path(other), "--against", path(b), "--json"});
        QCOMPARE(mixed.status, 1);
        QVERIFY(mixed.json()["refused"].toString().contains("the runs of A are no repetitions"));
    }

    void noStepsNoComparison() {
        const TempFile a(textOf({})), none("[]"), two(textOf({.steps = 2}));
        const Answer answer = run({"compare", path(a), path(none), "--json"});
        QCOMPARE(answer.status, 1);
        QVERIFY(answer.json()["refused"].toString().contains("no steps are found in B"));
        const Answer few = run({"compare", path(two), path(a), "--json"});
        QCOMPARE(few.status, 1);
        QVERIFY(few.json()["refused"].toString().contains("A has no steady window"));
    }

    void wrongUsage() {
        const TempFile a(textOf({}));
        const QString file = path(a);
        for (const QStringList &arguments :
             {QStringList{file}, QStringList{file, file, file}, QStringList{"--against", file},
              QStringList{file, file, "--run-steps", "0"},
              QStringList{file, file, "--run-steps", "-1"},
              QStringList{file, file, "--startup-a", "soon"},
              QStringList{file, file, "--startup-b", "-1s"},
              QStringList{file, file, "--reused", "c"}, QStringList{"-", "-"}}) {
            const Answer answer = run(QStringList{"compare"} + arguments);
            QVERIFY2(answer.status == 2, qPrintable(arguments.join(' ')));
            QVERIFY(answer.out.isEmpty() && !answer.err.isEmpty());
        }
    }

    void unreadable() {
        const TempFile a(textOf({})), broken("{\"traceEvents\": 7", ".json"), claim("{}");
        const QString file = path(a);
        QCOMPARE(run({"compare", file, file + ".missing"}).status, 3);
        QCOMPARE(run({"compare", file, file, "--claim", file + ".missing"}).status, 3);
        QCOMPARE(run({"compare", file, file, "--claim", path(claim)}).status, 3);
    }
};

QTEST_GUILESS_MAIN(CompareTest)
#include "compare_test.moc"
