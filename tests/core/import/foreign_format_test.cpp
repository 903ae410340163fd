// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/import/foreign_format.h"
#include "core/import/importer.h"
#include "tests/support/files.h"

using namespace longpole;
using namespace longpole::test;

namespace {

std::string messageOf(const std::string &path, std::string_view head = "\x01\x02") {
    return foreignFormat(path, head).message;
}

} // namespace

class ForeignFormatTest : public QObject {
    Q_OBJECT
private slots:
    /// The command can be pasted as it stands.
    void reportsOfNsightSystems() {
        const auto has = [](const std::string &text, const std::string &part) {
            return text.find(part) != text.npos;
        };
        QVERIFY(has(messageOf("runs/step.nsys-rep"),
                    ": nsys export --type sqlite --output runs/step.sqlite runs/step.nsys-rep (and "
                    "open runs/step.sqlite)."));
        QVERIFY(has(messageOf("old.QDREP"), " --output old.sqlite old.QDREP "));
        QVERIFY(has(messageOf("my run's.nsys-rep"),
                    " --output 'my run'\\''s.sqlite' 'my run'\\''s.nsys-rep' "));
        QVERIFY(has(messageOf("FILE NAME.nsys-rep"), " 'FILE NAME.sqlite' 'FILE NAME.nsys-rep' "));
        QVERIFY(has(messageOf("a.qdstrm"),
                    "QdstrmImporter --input-file a.qdstrm (and export that: nsys "
                    "export --type sqlite --output a.sqlite a.nsys-rep)."));
    }

    void reasons_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char *path, const QByteArray &head, const char *reason) {
            QTest::addRow("%s %s", path, reason) << QByteArray(path) << head << QByteArray(reason);
        };
        const QByteArray packet("\x0a\x61\x32\x5a\x10\x06\x0a\x0a\x08\x06", 10);
        row("a.pftrace", packet, "perfetto_trace");
        row("a.perfetto-trace", packet, "perfetto_trace");
        row("trace", packet, "perfetto_trace");
        row("host.xplane.pb", "", "xplane_profile");
        row("host.pb", QByteArray("\x0a\x20\x08\x01\x12\x0d/device:GPU:0", 19), "xplane_profile");
        row("a.et", "", "execution_trace");
        row("a.ncu-rep", "", "ncu_report");
        row("a.zip", "PK\x03\x04", "zip_archive");
        row("snapshot.pickle", "\x80\x04\x95", "python_pickle");
        row("a.json.bz2", "BZh91AY", "bzip2_file");
        row("a.json.xz",
            QByteArray("\xfd"
                       "7zXZ\0",
                       6),
            "xz_file");
        row("a.json.lz4", "\x04\x22\x4d\x18", "lz4_file");
        row("a.7z", "7z\xbc\xaf\x27\x1c", "seven_zip_archive");
        row("a.tar", QByteArray(257, 'a') + "ustar" + QByteArray(3, '0'), "tar_archive");
        row("report.h5", "\x89HDF\r\n\x1a\n", "hdf5_file");
        row("report.arrow", "ARROW1", "arrow_file");
        row("KERNEL.parquet", "PAR1", "parquet_file");
        row("a.json", "version https://git-lfs.github.com/spec/v1\n", "git_lfs_pointer");
        row("a.json", "\n <!DOCTYPE html>", "web_page");
        row("b.json", "<HTML lang", "web_page");
        row("a.json", QByteArray("\xff\xfe{\0", 4), "utf16_text");
        row("a.pdf", "%PDF-1.4", "pdf_document");
        row("a.png", "\x89PNG\r\n", "picture");
        row("notes.txt", "step 1 took 3 ms\n", "unknown_format");
        row("a.bin", "\x01\x02\x03", "unknown_format");
    }
    void reasons() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, head);
        QFETCH(QByteArray, reason);
        const Error error = foreignFormat(path.toStdString(), head.toStdString());
        QCOMPARE(QByteArray::fromStdString(error.reason), reason);
        QVERIFY(error.message.ends_with('.'));
        QVERIFY(error.message.find("FILE") == std::string::npos);
        QVERIFY(error.message.find("NAME.") == std::string::npos);
    }

    /// No command that is proposed writes over the file.
    void namesOfResults() {
        const auto has = [](const std::string &text, const char *part) {
            return text.find(part) != text.npos;
        };
        QVERIFY(
            has(messageOf("runs.1/a.json", "\xff\xfe{"), " runs.1/a.json > runs.1/a.utf8.json "));
        QVERIFY(has(messageOf("runs.1/report", "ARROW1"),
                    " --output runs.1/report.sqlite runs.1/report.nsys-rep."));
    }

    void openingSaysIt() {
        const TempFile file("QDREP\x01\x02", ".nsys-rep");
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(!trace);
        QCOMPARE(trace.error().reason, std::string("nsys_report"));
        QVERIFY(trace.error().message.starts_with(file.path() + " is a report of Nsight Systems"));
    }
};

QTEST_APPLESS_MAIN(ForeignFormatTest)
#include "foreign_format_test.moc"
