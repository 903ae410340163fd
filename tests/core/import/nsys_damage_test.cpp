// SPDX-License-Identifier: Apache-2.0
// Databases that are odd, incomplete, foreign, hostile or damaged.
#include <QTest>

#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"
#include "tests/support/text_trace.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace longpole;
using namespace longpole::test;

namespace {

std::shared_ptr<const Trace> opened(const std::string &bytes) {
    const auto trace = openText(bytes);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    if (!booksBalance(**trace)) qFatal("the books do not balance");
    return *trace;
}

} // namespace

class NsysDamageTest : public QObject {
    Q_OBJECT
private slots:
    /// Rows that cannot be used cost themselves; everything else is as it was.
    void oddValues() {
        NsysDatabase db;
        const auto row = [&](const char *start, const char *end, const char *tid) {
            db.insert("CUPTI_ACTIVITY_KIND_RUNTIME",
                      {{"start", start}, {"end", end}, {"globalTid", tid}, {"nameId", "1"}});
        };
        db.text("call\xff");
        row("100", "200", "1");
        row("'soon'", "200", "1");
        row("x'0102'", "200", "1");
        row("100.5", "200", "1");
        row("100", "200", "NULL");
        row("100", "200", "'main'");
        row("9223372036854775807", "9223372036854775807", "1");
        row("-9223372036854775807", "5", "1");
        row("300", "250", "1");
        db.kernel({.begin = 0, .end = 0}, "never ran");
        const auto trace = opened(db.bytes());
        QCOMPARE(textOf(*trace),
                 std::string("thread thread 1\n  0 call\xEF\xBF\xBD 0..100 runtime\n"
                             "  0 call\xEF\xBF\xBD 200..200 runtime\n"));
        QCOMPARE(
            reasonsOf(*trace),
            std::string("time_out_of_range 2, wrong_type 6, negative_duration 1, invalid_utf8 1"));
        const std::pair<Reason, const char *> places[] = {
            {Reason::WrongType, "row 1 of CUPTI_ACTIVITY_KIND_KERNEL"},
            {Reason::TimeOutOfRange, "row 7 of CUPTI_ACTIVITY_KIND_RUNTIME"},
            {Reason::NegativeDuration, "row 9 of CUPTI_ACTIVITY_KIND_RUNTIME"},
            {Reason::InvalidUtf8, "row 1 of CUPTI_ACTIVITY_KIND_RUNTIME"}};
        for (const auto &[reason, place] : places)
            QCOMPARE(placeText(trace->files[0], trace->diagnostics[reason].firstOffset),
                     std::string(place));
    }

    /// Each column that an older or newer version may lack is taken out in turn.
    void missingColumns() {
        const std::pair<const char *, std::vector<const char *>> columns[] = {
            {"CUPTI_ACTIVITY_KIND_KERNEL",
             {"deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName",
              "shortName"}},
            {"CUPTI_ACTIVITY_KIND_MEMCPY",
             {"bytes", "copyKind", "srcKind", "dstKind", "globalPid"}},
            {"CUPTI_ACTIVITY_KIND_MEMSET", {"bytes", "memKind"}},
            {"CUPTI_ACTIVITY_KIND_RUNTIME", {"eventClass", "correlationId", "nameId"}},
            {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
             {"syncType", "eventId", "eventSyncId", "contextId", "streamId"}},
            {"CUPTI_ACTIVITY_KIND_CUDA_EVENT",
             {"timestamp", "eventSyncId", "eventId", "correlationId"}},
            {"NVTX_EVENTS", {"textId", "text", "endGlobalTid"}},
        };
        const uint64_t intervals = opened(smallNsysExport(3))->events.intervals;
        const std::string whole = smallNsysExport(3);
        for (const auto &[table, names] : columns)
            for (const char *name : names) {
                const TempFile file(whole, ".sqlite");
                changeDatabase(file.path(),
                               "ALTER TABLE " + std::string(table) + " DROP COLUMN " + name);
                Progress progress;
                const auto trace = openTraces({file.path()}, progress);
                QVERIFY2(trace, name);
                QVERIFY2(booksBalance(**trace), name);
                QCOMPARE((*trace)->events.intervals, intervals);
            }
    }

    void missingTables() {
        const std::string whole = smallNsysExport(3);
        for (const char *table :
             {"StringIds", "ThreadNames", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS",
              "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "META_DATA_EXPORT"}) {
            const TempFile file(whole, ".sqlite");
            changeDatabase(file.path(), "DROP TABLE " + std::string(table));
            Progress progress;
            const auto trace = openTraces({file.path()}, progress);
            QVERIFY2(trace && booksBalance(**trace), table);
        }
    }

    void otherDatabases() {
        const std::pair<const char *, const char *> cases[] = {
            {"", "no_nsys_tables"},
            {"CREATE TABLE songs (title TEXT)", "no_nsys_tables"},
            {"CREATE TABLE StringTable (_id_ INTEGER, value TEXT)", "nvprof_profile"},
            {"CREATE TABLE rocpd_api (id INTEGER, start INTEGER)", "rocpd_database"},
            {"CREATE TABLE STRING_IDS (id, value); CREATE TABLE TASK (startNs)", "ascend_database"},
        };
        for (const auto &[sql, reason] : cases) {
            const TempFile file("", ".sqlite");
            changeDatabase(file.path(), "CREATE TABLE t (a); DROP TABLE t; " + std::string(sql));
            Progress progress;
            const auto trace = openTraces({file.path()}, progress);
            QVERIFY(!trace);
            QCOMPARE(trace.error().reason, std::string(reason));
            QVERIFY(trace.error().message.starts_with(file.path()));
        }
        const auto packed = openText(gzip(smallNsysExport(3)));
        QVERIFY(!packed);
        QCOMPARE(packed.error().reason, std::string("compressed_database"));
    }

    /// A schema that calls functions, or a view in the place of a table, is not followed.
    void hostileSchema() {
        const TempFile file("", ".sqlite");
        changeDatabase(file.path(),
                       "CREATE TABLE ThreadNames (nameId, priority, globalTid); CREATE VIEW "
                       "NVTX_EVENTS AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT "
                       "start + 1 FROM n) SELECT start FROM n");
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(trace);
        QCOMPARE((*trace)->events.read, uint64_t(0));
    }

    /// Nothing appears beside the file, not even where its header asks for a log.
    void nothingIsWritten() {
        const std::string folder = std::filesystem::temp_directory_path() / "longpole-nsys-test";
        std::filesystem::remove_all(folder);
        std::filesystem::create_directory(folder);
        std::string bytes = smallNsysExport(3);
        bytes[18] = bytes[19] = 2; // write-ahead log
        const std::string path = folder + "/trace.sqlite";
        std::FILE *file = std::fopen(path.c_str(), "wb");
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::fclose(file);
        std::filesystem::permissions(path, std::filesystem::perms::owner_read);
        Progress progress;
        const auto trace = openTraces({path}, progress);
        QVERIFY(trace);
        EventArgs args(*trace);
        QVERIFY(args.json(find(**trace, "outer")));
        int files = 0;
        for (const auto &entry : std::filesystem::directory_iterator(folder))
            files += entry.is_regular_file();
        QCOMPARE(files, 1);
        std::filesystem::remove_all(folder);
    }

    /// What SQLite keeps beside a database while it is written is not read, and that is said: rows
    /// are missing, or all of them.
    void logsBeside() {
        const std::string whole = smallNsysExport(3);
        const TempFile file(whole, ".sqlite"), empty("", ".sqlite");
        changeDatabase(empty.path(), "CREATE TABLE t (a); DROP TABLE t");
        const auto reasons = [&](const std::string &path) {
            Progress progress;
            const auto trace = openTraces({path}, progress);
            return trace ? reasonsOf(**trace) : trace.error().reason;
        };
        const std::string wal("\x37\x7f\x06\x82\x00\x2d\xe2\x18", 8),
            journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
        const struct {
            const char *suffix;
            std::string content, ofWhole, ofEmpty;
        } cases[] = {
            {"-wal", wal, "log_beside 1", "log_beside"},
            {"-journal", journal, "log_beside 1", "log_beside"},
            {"-wal", "", "", "no_nsys_tables"},                         // folded in
            {"-journal", std::string(512, '\0'), "", "no_nsys_tables"}, // done with
            {"-other", wal, "", "no_nsys_tables"},
        };
        for (const auto &c : cases) {
            for (const std::string &path : {file.path(), empty.path()}) {
                std::ofstream(path + c.suffix, std::ios::binary) << c.content;
                QCOMPARE(reasons(path), path == file.path() ? c.ofWhole : c.ofEmpty);
                std::filesystem::remove(path + c.suffix);
            }
        }
        std::ofstream(file.path() + "-wal", std::ios::binary) << wal;
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        std::filesystem::remove(file.path() + "-wal");
        QVERIFY(trace);
        const Diagnostics::Entry &entry = (*trace)->diagnostics[Reason::LogBeside];
        QCOMPARE(placeText((*trace)->files[0], entry.firstOffset),
                 std::string("the file as a whole"));
        QCOMPARE((*trace)->events.intervals, opened(whole)->events.intervals);
    }

    /// Best of a few tries: a busy machine may hold either thread back.
    void cancels() {
        NsysDatabase db;
        db.call(100, 100, 1, 1, 2, "c");
        db.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) "
               "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
               "correlationId, nameId) SELECT i, i + 1, 0, 281476654432356, i, 1 FROM n");
        const TempFile file(db.bytes(), ".sqlite");
        bool quick = false;
        for (int i = 0; i < 8 && !quick; ++i) {
            Progress progress;
            bool cancelled = false;
            std::chrono::steady_clock::time_point end;
            std::thread reader([&] {
                const auto trace = openTraces({file.path()}, progress);
                end = std::chrono::steady_clock::now();
                cancelled = !trace && trace.error().kind == ErrorKind::Cancelled;
            });
            while (progress.fraction() < 0.1) std::this_thread::yield();
            const auto begin = std::chrono::steady_clock::now();
            progress.stop();
            reader.join();
            quick = cancelled && end - begin < std::chrono::milliseconds(100);
        }
        QVERIFY(quick);
    }

    /// Damage anywhere costs rows or the file, never more time than reading it.
    void damage() {
        const std::string whole = smallNsysExport(3);
        const auto judge = [](const std::string &bytes, size_t at) {
            const auto begin = std::chrono::steady_clock::now();
            const auto trace = openText(bytes);
            if (trace) {
                QVERIFY2(booksBalance(**trace), qPrintable(QString::number(at)));
                EventArgs args(*trace);
                for (uint32_t t = 0; t < (*trace)->tracks.size(); ++t)
                    for (uint32_t row = 0; row < (*trace)->tracks[t].table->size(); ++row)
                        (void)args.json(IntervalId{t, row});
            } else {
                QVERIFY(trace.error().message.size() > 20);
            }
            QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
        };
        for (size_t at = 0; at < whole.size(); at += 97) {
            for (const int bit : {0x01, 0x80, 0xFF}) {
                std::string bytes = whole;
                bytes[at] = char(bytes[at] ^ bit);
                judge(bytes, at);
            }
            judge(whole.substr(0, at + 1), at);
        }
    }
};

QTEST_GUILESS_MAIN(NsysDamageTest)
#include "nsys_damage_test.moc"
