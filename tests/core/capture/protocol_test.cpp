// SPDX-License-Identifier: Apache-2.0
// The measuring protocol: warm-up apart, the device waited for at both ends, steps over elapsed
// time.
#include <QTest>

#include "tests/support/files.h"
#include "tests/support/recording.h"

#include <QJsonArray>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Measured {
    Recording recording;
    int synchronised; ///< calls that the double of the driver counted
};

Measured measure(const QStringList &options, const QStringList &victim,
                 QMap<QString, QString> environment = {}) {
    QTemporaryDir folder;
    const QString log = folder.filePath("log");
    environment["FAKE_CUDA_LOG"] = log;
    Measured result{record({QStringList{"--quiet"} + options, victim, environment}), 0};
    QFile counted(log);
    if (counted.open(QIODevice::ReadOnly)) result.synchronised = int(counted.readAll().count('\n'));
    return result;
}

} // namespace

class ProtocolTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
    }

    void synchronisedBoundary() {
        const Measured made = measure({"--steps", "20", "--warmup", "5"}, {"steps", "40"});
        QCOMPARE(made.recording.status, 0);
        QCOMPARE(made.synchronised,
                 2); // one context: before the first measured step and after the last
        const QString file = made.recording.file;
        QCOMPARE(run({"info", file, "--json"}).json()["boundary"].toString(), "synchronised");
        QVERIFY(run({"info", file}).out.contains("synchronised"));
        const QJsonObject steps = run({"steps", file, "--json"}).json();
        const QJsonArray list = steps["steps"].toArray();
        QVERIFY2(list.size() >= 25, qPrintable(QString::number(list.size())));
        for (int i = 0; i < list.size(); ++i) {
            const QString reason = list[i]["reason"].toString();
            QCOMPARE(reason.startsWith("warm-up"), i < 5);
            if (i >= 25) QVERIFY(list[i]["left_out"].toBool());
        }
        const QJsonObject run20 = steps["measured"].toObject();
        QCOMPARE(run20["steps"].toInt(), 20);
        QCOMPARE(run20["warmup"].toInt(), 5);
        const qint64 elapsed = run20["elapsed_ns"].toInteger();
        QCOMPARE(run20["per_step_ns"].toInteger(), elapsed / 20);
        // 20 steps of about 620 µs of work on one stream, that ran to its end
        QVERIFY2(elapsed > 20 * 600'000 && elapsed < 20 * 10'000'000,
                 qPrintable(QString::number(elapsed)));
        QVERIFY(
            run20["policy"].toString().contains("waited for before the first and after the last"));
        QCOMPARE(steps["startup_source"].toString(), "measured");
        QVERIFY(steps["startup_ns"].toInteger() > 0);
        const QByteArray text = run({"steps", file}).out;
        QVERIFY2(text.contains("20 steps in") && text.contains("5 steps of warm-up"), text);
    }

    /// The host runs ahead: the typical window is what was measured, not how fast work is enqueued.
    void theMeasuredRunIsTheWindow() {
        const Measured made = measure({"--steps", "20", "--warmup", "5"}, {"steps", "40"});
        const QString file = made.recording.file;
        const QJsonObject measured = run({"steps", file, "--json"}).json()["measured"].toObject();
        const QJsonObject path = run({"path", file, "--json"}).json();
        const QJsonObject window = path["window"].toObject();
        QCOMPARE(window["begin_ns"], measured["begin_ns"]);
        QCOMPARE(window["elapsed_ns"], measured["elapsed_ns"]);
        QCOMPARE(window["steps"].toArray(), (QJsonArray{5, 24}));
        qint64 sum = 0, kernels = 0;
        for (const QJsonValue &segment : path["segments"].toArray()) {
            const qint64 length = segment["end_ns"].toInteger() - segment["begin_ns"].toInteger();
            sum += length;
            if (segment["kind"].toString() == "kernel") kernels += length;
        }
        QCOMPARE(sum, window["elapsed_ns"].toInteger());
        // 610 µs of kernels a step, however long a busy machine takes to notice that they have
        // ended
        constexpr qint64 kKernels = 20 * 610'000;
        QVERIFY2(kernels > kKernels * 95 / 100,
                 qPrintable(QString("%1 of %2").arg(kernels).arg(sum)));
        const QJsonObject faster =
            run({"whatif", file, "--speed", "kind:kernel=2", "--json"}).json();
        const qint64 saved = faster["measured_ns"].toInteger() - faster["replay"]["ns"].toInteger();
        QVERIFY2(saved > kKernels / 2 * 95 / 100 && saved < kKernels / 2 * 105 / 100,
                 qPrintable(QString::number(saved)));
        // a loop that waits in every step keeps its typical step
        const Measured waiting =
            measure({"--steps", "20", "--warmup", "5"}, {"steps", "30", "every"});
        const QJsonObject typical = run({"path", waiting.recording.file, "--json"}).json();
        const QJsonArray one = typical["window"]["steps"].toArray();
        QCOMPARE(one.size(), 2);
        QCOMPARE(one[0], one[1]);
    }

    /// Two measured runs of a loop that runs ahead: what the device takes for a step is compared.
    void measuredRunsAreCompared() {
        const Measured a = measure({"--steps", "20", "--warmup", "5"}, {"steps", "40"});
        const Measured b = measure({"--steps", "20", "--warmup", "5"}, {"steps", "40"});
        const QString claim = a.recording.folder->filePath("claim.json");
        QCOMPARE(
            run({"whatif", a.recording.file, "--speed", "name:gemm=2", "--claim", claim}).status,
            0);
        const Answer answer = run({"compare", a.recording.file, "--against", b.recording.file,
                                   "--claim", claim, "--json"});
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonObject compared = answer.json();
        const double ratio = compared["ratio"]["median"].toDouble();
        QVERIFY2(ratio > 0.95 && ratio < 1.05, qPrintable(QString::number(ratio)));
        const qint64 took = compared["judgement"]["measured_ns"].toInteger();
        QVERIFY2(took > 600'000 && took < 640'000, qPrintable(QString::number(took)));
        qint64 sum = 0;
        for (const QJsonValue &delta : compared["deltas"].toArray())
            sum += delta["a_ns"].toInteger();
        QVERIFY2(sum > 600'000 && sum < 640'000, qPrintable(QString::number(sum)));
    }

    void noBoundary() {
        const Measured made =
            measure({"--steps", "20", "--warmup", "5", "--boundary", "none"}, {"steps", "40"});
        QCOMPARE(made.synchronised, 0);
        QCOMPARE(run({"info", made.recording.file, "--json"}).json()["boundary"].toString(),
                 "enqueue_only");
        const Measured waited = measure({"--steps", "20", "--warmup", "5"}, {"steps", "40"});
        const Answer compared =
            run({"compare", made.recording.file, "--against", waited.recording.file, "--json"});
        QCOMPARE(compared.status, 1);
        QVERIFY2(compared.json()["refused"].toString().contains("enqueue"), compared.out);
    }

    /// Enqueueing is quick, the device is not: what the two boundaries measure differs by that.
    void theBoundaryIsWhatIsMeasured() {
        const auto elapsed = [](const QStringList &options) {
            const Measured made =
                measure(QStringList{"--steps", "20", "--warmup", "2"} + options, {"steps", "22"});
            const QJsonObject steps = run({"steps", made.recording.file, "--json"}).json();
            return steps["measured"]["elapsed_ns"].toInteger();
        };
        const qint64 sync = elapsed({}), none = elapsed({"--boundary", "none"});
        QVERIFY2(none > 0 && none * 3 < sync, qPrintable(QString("%1 and %2").arg(sync).arg(none)));
    }

    void aWaitThatFailsIsNoBoundary() {
        const Measured made = measure({"--steps", "5", "--warmup", "1"}, {"steps", "10"},
                                      {{"FAKE_CUDA_SYNC_FAILS", "1"}});
        QCOMPARE(made.synchronised, 2);
        QVERIFY(run({"info", made.recording.file, "--json"}).json()["boundary"].toString() !=
                "synchronised");
        QVERIFY(run({"steps", made.recording.file}).out.contains("could not be waited for"));
    }

    void recordingStopsAfterTheLastStep() {
        const Measured made =
            measure({"--steps", "3", "--warmup", "1"}, {"steps", "40", "pause", "20"});
        const auto trace = made.recording.trace();
        QVERIFY(trace->files[0].measurement->whole());
        QVERIFY2(trace->files[0].measurement->steps.size() <= 9, "it went on");
        QCOMPARE(trace->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
    }

    void tooFewSteps() {
        const Measured made = measure({"--steps", "20", "--warmup", "5"}, {"steps", "10"});
        QVERIFY(run({"steps", made.recording.file, "--json"}).json()["measured"].isNull());
        const Recording loud = record({{"--steps", "20", "--warmup", "5"}, {"steps", "10"}});
        QVERIFY2(loud.err.contains("only 10 of 25 steps were seen"), loud.err);
    }

    void stepsByAnyName() {
        const Measured made =
            measure({"--steps", "3", "--warmup", "1", "--step-name", "forw"}, {"steps", "10"});
        const QJsonObject steps = run({"steps", made.recording.file, "--json"}).json();
        QCOMPARE(steps["found_by"].toString(), "range forward");
        QCOMPARE(steps["measured"]["steps"].toInt(), 3);
    }
};

QTEST_GUILESS_MAIN(ProtocolTest)
#include "protocol_test.moc"
