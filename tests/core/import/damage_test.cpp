// SPDX-License-Identifier: Apache-2.0
// Every importer of the table is tried on truncated and garbled input.
#include "core/import/importer.h"
#include "tests/support/capture_file.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"

#include <QTest>

#include <map>
#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

/// A small valid input for each importer; a new line of the table needs one here.
const std::map<std::string, std::string, std::less<>> &samples() {
    static const std::map<std::string, std::string, std::less<>> all = {
        {"chrome_json", R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU"}],"traceEvents":[
{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":100.5,"dur":50.25,"args":{"Sequence number":4,"dims":[[1,2],[]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":110,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"k\u00e9","pid":0,"tid":7,"ts":1.3e2,"dur":20,"args":{"device":0,"stream":7,"correlation":3}},
{"ph":"B","name":"b","pid":1,"tid":2,"ts":1},{"ph":"E","pid":1,"tid":2,"ts":"2.5"},
{"ph":"C","name":"mem","pid":1,"ts":3,"args":{"used":12}},
{"ph":"s","cat":"mine","id":"1","pid":1,"tid":1,"ts":101},{"ph":"f","bp":"e","cat":"mine","id":"1","pid":1,"tid":2,"ts":102},
{"ph":"i","name":"now","pid":1,"tid":1,"ts":104,"s":"g"}
],"distributedInfo":{"rank":0,"world_size":2},"baseTimeNanoseconds":5000})"},
        {"nsys_sqlite", smallNsysExport(3)},
        {"longpole_capture", smallCapture()},
    };
    return all;
}

/// Opens without crash or hang; then either a sentence or balanced books.
QString judge(std::string_view content) {
    const auto trace = openText(content, 2);
    if (!trace) return trace.error().message.size() > 10 ? QString() : QString("an error without a sentence");
    if (!booksBalance(**trace)) return "the books do not balance";
    for (const Track &track : (*trace)->tracks)
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (track.table->duration[row] < 0) return "an interval ends before it begins";
    return {};
}

} // namespace

class DamageTest : public QObject {
    Q_OBJECT
private slots:
    void everyImporterHasASample() {
        for (const Importer &importer : importers()) {
            const auto sample = samples().find(importer.id);
            QVERIFY2(sample != samples().end(), importer.id.data());
            QVERIFY(importer.sniff(sample->second));
            QVERIFY(openText(sample->second));
        }
    }

    void truncated() {
        for (const auto &[id, sample] : samples())
            for (const std::string &content : {sample, gzip(sample)})
                for (size_t size = 0; size < content.size(); size += size < 200 ? 1 : 3) {
                    const QString fault = judge(std::string_view(content).substr(0, size));
                    QVERIFY2(fault.isEmpty(), qPrintable(QString("%1 at %2: %3").arg(id.c_str()).arg(size).arg(fault)));
                }
    }

    void garbled() {
        std::mt19937 random(11);
        const std::string_view nasty = "{}[]\",:\\\n\0\x80\xff-9e.n";
        for (const auto &[id, sample] : samples())
            for (int round = 0; round < 1500; ++round) {
                std::string content = sample;
                for (unsigned k = 0, n = 1 + random() % 6; k < n; ++k) {
                    const size_t at = random() % content.size();
                    const char c = nasty[random() % nasty.size()];
                    switch (random() % 3) {
                    case 0: content[at] = c; break;
                    case 1: content.insert(at, 1, c); break;
                    default: content.erase(at, 1 + random() % 5); break;
                    }
                }
                const QString fault = judge(round % 8 ? content : gzip(content));
                QVERIFY2(fault.isEmpty(), qPrintable(QString("%1 round %2: %3").arg(id.c_str()).arg(round).arg(fault)));
            }
    }

    void aCutIsToldOnce() {
        const std::string packed = gzip(samples().at("chrome_json"));
        const auto cut = openText(packed.substr(0, packed.size() * 2 / 3));
        QVERIFY(cut);
        QCOMPARE((*cut)->diagnostics[Reason::TruncatedFile].count, uint64_t(1));
    }

    /// Zeros pad files on tapes and some disks; anything else behind the stream was lost or added.
    void whatFollowsTheGzipStreamIsNoticed() {
        const std::string packed = gzip(samples().at("chrome_json"));
        const std::pair<std::string, uint64_t> tails[] = {
            {"", 0}, {std::string(600, '\0'), 0}, {"garbage", 1}};
        for (const auto &[tail, count] : tails) {
            const auto trace = openText(packed + tail);
            QVERIFY(trace);
            QCOMPARE((*trace)->diagnostics[Reason::TrailingData].count, count);
            QCOMPARE((*trace)->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
        }
    }

    /// Sums with times of events have to stay inside 64 bits, also between the files of a job.
    void absurdClocks() {
        const auto text = [](const std::string &base, const std::string &ts) {
            return R"({"baseTimeNanoseconds":)" + base +
                   R"(,"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":)" + ts +
                   R"(,"dur":1}]})";
        };
        for (const std::string base : {"9223372036854775807", "-9223372036854775808",
                                       "2305843009213693952", "-1", "18446744073709551615"})
            for (const std::string ts : {"1", "-2305843009213693", "2305843009213692"}) {
                const TempFile odd(text(base, ts)), plain(text("1700000000000000000", "5"));
                Progress progress;
                const auto trace = openTraces({odd.path(), plain.path()}, progress);
                QVERIFY(trace);
                const TimeNs written = std::stoll(ts) * 1000; // the base is not used
                QCOMPARE((*trace)->origin, std::min<TimeNs>(written, 1700000000000005000));
                QVERIFY((*trace)->range.begin >= 0 && !(*trace)->range.empty());
            }
    }

    void garbledGzip() {
        std::mt19937 random(12);
        for (const auto &[id, sample] : samples()) {
            const std::string packed = gzip(sample);
            for (int round = 0; round < 500; ++round) {
                std::string content = packed;
                for (int k = 0; k < 3; ++k) content[2 + random() % (content.size() - 2)] = char(random());
                const QString fault = judge(content);
                QVERIFY2(fault.isEmpty(), qPrintable(fault));
            }
        }
    }
};

QTEST_APPLESS_MAIN(DamageTest)
#include "damage_test.moc"
