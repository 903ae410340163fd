// SPDX-License-Identifier: Apache-2.0
// doctor says the right sentence for each thing that keeps a machine from recording.
#include <QTest>

#include "tests/support/recording.h"

#include <QJsonArray>

#include <dlfcn.h>

using namespace longpole::test;

namespace {

Answer doctor(QMap<QString, QString> environment, const QStringList &options = {}) {
    QProcess process;
    process.setProcessEnvironment(doublesEnvironment(13, environment));
    process.start(qEnvironmentVariable("LONGPOLE_CLI"), QStringList{"doctor", "--json"} + options);
    Answer answer;
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit)
        return answer;
    answer.status = process.exitCode();
    answer.out = process.readAllStandardOutput();
    answer.err = process.readAllStandardError();
    return answer;
}

QJsonObject checkOf(const Answer &answer, const char *id) {
    for (const QJsonValue &check : answer.json()["checks"].toArray())
        if (check["id"].toString() == id) return check.toObject();
    return {};
}

} // namespace

class DoctorTest : public QObject {
    Q_OBJECT
private slots:
    void everythingIsThere() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        const Answer answer = doctor({});
        for (const char *id :
             {"library", "driver", "cupti", "subscriber", "permission", "container", "disk"})
            QVERIFY2(checkOf(answer, id)["ok"].toBool(), answer.out);
        QVERIFY(answer.json()["ok"].toBool());
        QCOMPARE(answer.status, 0);
        QVERIFY(checkOf(answer, "driver")["says"].toString().contains("CUDA 13.0 on 2 devices"));
        QVERIFY(checkOf(answer, "cupti")["says"].toString().contains("CUDA 13.0"));
    }

    void whatIsMissing_data() {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("says");
        QTest::newRow("no device") << "FAKE_CUDA_STUB"
                                   << "100"
                                   << "driver"
                                   << "no device";
        QTest::newRow("no start") << "FAKE_CUDA_STUB"
                                  << "803"
                                  << "driver"
                                  << "cuInit says 803";
        QTest::newRow("old CUPTI") << "FAKE_CUPTI_VERSION"
                                   << "17"
                                   << "cupti"
                                   << "Use CUDA 12.0 or newer";
        QTest::newRow("old driver") << "FAKE_CUDA_DRIVER"
                                    << "12040"
                                    << "cupti"
                                    << "newer than the driver (CUDA 12.4)";
        QTest::newRow("permission") << "FAKE_CUPTI_FAIL"
                                    << "cuptiActivityEnable:10=35"
                                    << "permission"
                                    << "NVreg_RestrictProfilingToAdminUsers=0";
        QTest::newRow("permission, early") << "FAKE_CUPTI_FAIL"
                                           << "cuptiSubscribe=35"
                                           << "permission"
                                           << "restricted to administrators";
        QTest::newRow("subscriber") << "FAKE_CUPTI_FAIL"
                                    << "cuptiSubscribe=39"
                                    << "subscriber"
                                    << "Another profiler is attached";
    }
    void whatIsMissing() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        QFETCH(QString, variable);
        QFETCH(QString, value);
        QFETCH(QString, id);
        QFETCH(QString, says);
        const Answer answer = doctor({{variable, value}});
        QCOMPARE(answer.status, 1);
        QVERIFY(!answer.json()["ok"].toBool());
        const QJsonObject check = checkOf(answer, id.toUtf8());
        QVERIFY2(!check.isEmpty() && !check["ok"].toBool(), answer.out);
        QVERIFY2(check["says"].toString().contains(says), answer.out);
    }

    void theOtherProfilerIsNamed() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        const Answer answer = doctor(
            {{"FAKE_CUPTI_FAIL", "cuptiSubscribe=39"}, {"FAKE_CUPTI_OTHER", "CUPTI for PyTorch"}});
        QVERIFY2(checkOf(answer, "subscriber")["says"].toString().contains("(CUPTI for PyTorch)"),
                 answer.out);
    }

    void noDriver() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        if (dlopen("libcuda.so.1", RTLD_LAZY)) QSKIP("this machine has a driver");
        const QString cupti = qEnvironmentVariable("LONGPOLE_DOUBLES") + "/cupti13";
        const Answer answer = doctor({{"LD_LIBRARY_PATH", cupti}});
        QCOMPARE(answer.status, 1);
        QVERIFY2(checkOf(answer, "driver")["says"].toString().contains("There is no NVIDIA driver"),
                 answer.out);
        QVERIFY(checkOf(answer, "cupti")["ok"].toBool());
        QVERIFY(checkOf(answer, "permission").isEmpty()); // not known without a driver
    }

    void aCuptiThatIsNotThere() {
        if (const QString why = whyNotRecording(); !why.isEmpty()) QSKIP(qPrintable(why));
        const Answer answer = doctor({}, {"--cupti", "/nowhere/libcupti.so"});
        QVERIFY2(checkOf(answer, "cupti")["says"].toString().contains(
                     "/nowhere/libcupti.so cannot be loaded"),
                 answer.out);
    }

    /// Also where the toolkit is not installed.
    void noCaptureLibrary() {
        const Answer answer = doctor({{"LONGPOLE_CAPTURE_LIBRARY", "/nowhere/library.so"}});
        QCOMPARE(answer.status, 1);
        QVERIFY2(checkOf(answer, "library")["says"].toString().contains("cuda-cupti-dev"),
                 answer.out);
        QProcess process;
        process.setProcessEnvironment(
            doublesEnvironment(13, {{"LONGPOLE_CAPTURE_LIBRARY", "/nowhere/library.so"}}));
        process.start(qEnvironmentVariable("LONGPOLE_CLI"), {"record", "--", "true"});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 1);
        QVERIFY(process.readAllStandardError().contains("The capture library is missing"));
    }
};

QTEST_GUILESS_MAIN(DoctorTest)
#include "doctor_test.moc"
