// SPDX-License-Identifier: Apache-2.0
// Traces carry the environment of the profiled program, users and hosts. None of it may come out.
#include <QTest>

#include "tests/app/command_line.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"

#include <QFile>
#include <QTemporaryDir>

using namespace longpole::test;

namespace {

constexpr const char *kSecret = "s3cr3t";

/// The secret with a number, so that a leak names its place.
std::string secret(int place) {
    return kSecret + std::to_string(place);
}
std::string quoted(int place) {
    return "'" + secret(place) + "'";
}

std::string nsysWithSecrets() {
    NsysDatabase db;
    db.text("PATH=/bin\nAPI_KEY=" + secret(1));
    db.insert("META_DATA_CAPTURE", {{"name", "'CAPTURE_ENVIRONMENT'"}, {"value", quoted(2)}});
    db.insert("TARGET_INFO_SYSTEM_ENV", {{"name", "'DeviceEnvironment'"}, {"value", quoted(3)}});
    db.insert("TARGET_INFO_SYSTEM_ENV", {{"name", "'Hostname'"}, {"value", quoted(4)}});
    db.insert("PROCESSES", {{"globalPid", std::to_string(NsysDatabase::global(100))},
                            {"pid", "100"},
                            {"name", quoted(5)}});
    db.insert("ProcessStreams", {{"globalPid", std::to_string(NsysDatabase::global(100))},
                                 {"filenameId", std::to_string(db.text("stdout of " + secret(6)))},
                                 {"contentId", std::to_string(db.text("said " + secret(7)))}});
    db.run("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_HOST', " + quoted(8) +
           "), ('EXPORT_USER', " + quoted(9) + "), ('EXPORT_PARAM_INPUT_PATH', '/srv/" +
           secret(10) + "')");
    db.insert("DIAGNOSTIC_EVENT", {{"timestamp", "900"},
                                   {"severity", "2"},
                                   {"text", "'Cannot write /srv/" + secret(11) + "/log'"},
                                   {"globalPid", std::to_string(NsysDatabase::global(100))}});
    db.insert("DIAGNOSTIC_EVENT", {{"timestamp", "901"}, {"severity", "1"}, {"text", quoted(12)}});
    db.threadName(100, 100, "python3");
    db.call(100, 100, 1, 1000, 1100, "cudaLaunchKernel_v7000");
    db.nvtx(59, 100, 100, 900, 3000, "ProfilerStep#1");
    db.kernel({100, 1, 1200, 2500}, "gemm");
    return db.bytes();
}

std::string kinetoWithSecrets() {
    const std::string user = "\"username\":\"" + secret(20) + "\"",
                      host = "\"host_name\":\"" + secret(21) + "\"";
    return "{\"schemaVersion\":1," + user + "," + host + ",\"hostname\":\"" + secret(22) +
           "\",\"env\":{\"HOSTNAME\":\"" + secret(23) +
           "\"},\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":1,"
           "\"tid\":1,"
           "\"ts\":1,\"dur\":5}],\"distributedInfo\":{\"rank\":0,\"world_size\":1,\"host\":\"" +
           secret(24) + "\"}}";
}

} // namespace

class PrivacyTest : public QObject {
    Q_OBJECT
private slots:
    void noCommandTells_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("suffix");
        const std::string nsys = nsysWithSecrets();
        QTest::newRow("nsys") << QByteArray::fromStdString(nsys) << ".sqlite";
        QTest::newRow("nsys, cut")
            << QByteArray::fromStdString(nsys.substr(0, nsys.size() * 2 / 3)) << ".sqlite";
        QTest::newRow("kineto") << QByteArray::fromStdString(kinetoWithSecrets()) << ".json";
    }

    void noCommandTells() {
        QFETCH(QByteArray, content);
        QFETCH(QString, suffix);
        QVERIFY(content.contains(kSecret));
        const TempFile file(content.toStdString(), suffix.toStdString());
        const QTemporaryDir folder;
        const QString trace = QString::fromStdString(file.path()),
                      overlay = folder.filePath("overlay.json");
        const QStringList converted{folder.filePath("w.json"), folder.filePath("w.csv")};
        for (const char *command :
             {"info", "list", "steps", "stats", "path", "idle", "rank", "why", "whatif"})
            for (const bool json : {false, true}) {
                QStringList words{command, trace};
                if (json) words << "--json";
                if (words[0] == "whatif")
                    words << "--speed"
                          << "kind:kernel=2";
                if (words[0] == "path") words << "--overlay" << overlay;
                const Answer answer = run(words);
                QVERIFY2(answer.status >= 0, command);
                QVERIFY2(!answer.out.contains(kSecret),
                         (command + (": " + answer.out)).constData());
                QVERIFY2(!answer.err.contains(kSecret),
                         (command + (": " + answer.err)).constData());
            }
        for (const QString &out : converted) {
            const Answer answer = run({"convert", trace, out});
            QVERIFY(!answer.out.contains(kSecret) && !answer.err.contains(kSecret));
        }
        for (const QString &name : QStringList{overlay} + converted) {
            QFile written(name);
            if (written.open(QIODevice::ReadOnly)) QVERIFY(!written.readAll().contains(kSecret));
        }
    }
};

QTEST_GUILESS_MAIN(PrivacyTest)
#include "privacy_test.moc"
