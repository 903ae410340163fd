// SPDX-License-Identifier: Apache-2.0
#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "core/import/json_args.h"
#include "tests/support/files.h"
#include "tests/support/text_trace.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

std::string rewritten(std::string_view args) {
    return jsonObject(argsOfEvent("{\"ph\":\"X\",\"args\":" + std::string(args) + ",\"ts\":1}"));
}

} // namespace

class EventArgsTest : public QObject {
    Q_OBJECT
private slots:
    void rewritesValidJson() {
        QCOMPARE(rewritten(R"({"a":1,"b":"x"})"), std::string(R"({"a":1,"b":"x"})"));
        QCOMPARE(rewritten(R"({"id": 23821508758294495231, "f":1.50e-3})"),
                 std::string(R"({"id":23821508758294495231,"f":1.50e-3})"));
        QCOMPARE(rewritten(R"({"n":NaN,"i":-Infinity,"t":true,"z":null})"),
                 std::string(R"({"n":"NaN","i":"-Infinity","t":true,"z":null})"));
        QCOMPARE(rewritten(R"({"dims": [[1, 2],[ ],{"k":"v"}]})"), std::string(R"({"dims":[[1,2],[],{"k":"v"}]})"));
        QCOMPARE(rewritten("{\"bad\":\"a\xff\"}"), std::string("{\"bad\":\"a\xEF\xBF\xBD\"}"));
        QCOMPARE(rewritten(R"({"path":"C:\work\q","ok":"\u00e9\n"})"),
                 std::string("{\"path\":\"C:\\\\work\\\\q\",\"ok\":\"\u00e9\\n\"}"));
        QCOMPARE(rewritten("7"), std::string(R"({"args":7})"));
        QCOMPARE(rewritten("{}"), std::string("{}"));
        QCOMPARE(rewritten("null"), std::string("{}"));
        QCOMPARE(jsonObject(argsOfEvent(R"({"ph":"X"})")), std::string("{}"));
        QCOMPARE(jsonObject(argsOfEvent(R"({"args" 5})")), std::string("{\"unreadable\":\"{\\\"args\\\" 5}\"}"));
    }

    void deepNestingIsText() {
        std::string deep(5000, '[');
        deep += std::string(5000, ']');
        const std::string json = rewritten("{\"deep\":" + deep + "}");
        QVERIFY(json.find("\"[[") != std::string::npos);
        QCOMPARE(std::count(json.begin(), json.end(), '['), 5000);
    }

    void findsEventsInPlainAndGzip() {
        std::string text = "{\"traceEvents\":[\n";
        const int events = 60000;
        for (int i = 0; i < events; ++i)
            text += "{\"ph\":\"X\",\"name\":\"n" + std::to_string(i) + "\",\"pid\":1,\"tid\":1,\"ts\":" +
                    std::to_string(2 * i) + ",\"dur\":1,\"args\":{\"index\":" + std::to_string(i) +
                    ",\"pad\":\"" + std::string(400, 'x') + "\"}}" + (i + 1 < events ? ",\n" : "\n");
        text += "]}";
        for (const std::string &content : {text, gzip(text)}) {
            const TempFile file(content);
            Progress progress;
            const auto trace = openTraces({file.path()}, progress);
            QVERIFY(trace);
            QCOMPARE((*trace)->intervalCount(), uint64_t(events));
            EventArgs args(*trace);
            for (uint32_t row : {0u, 59999u, 3u, 30000u, 30001u, 29999u}) {
                const auto json = args.json(IntervalId{0, row});
                QVERIFY(json);
                QVERIFY(json->starts_with("{\"index\":" + std::to_string(row) + ","));
            }
            // in order of the file it is one pass
            for (uint32_t row = 0; row < events; row += 1) QVERIFY(args.json(IntervalId{0, row}));
        }
    }

    /// Longer than all pieces in which text is read; the scans of growing pieces stay few.
    void readsVeryLongEvents() {
        const char *head = "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1,"
                           "\"args\":{\"k\":\"";
        const std::string mebibyte = gzip(std::string(1 << 20, 'a'));
        std::string packed = gzip(head);
        for (int i = 0; i < 20; ++i) packed += mebibyte;
        const TempFile file(packed + gzip("\"}}]"));
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(trace);
        EventArgs args(*trace);
        const auto json = args.json(find(**trace, "a"));
        QVERIFY(json);
        QCOMPARE(json->size(), (size_t(20) << 20) + 8); // {"k":""}
    }

    void joinsBeginAndEnd() {
        const TempFile file(R"json([
            {"ph":"B","name":"a","pid":1,"tid":1,"ts":0,"args":{"k":1,"same":2}},
            {"ph":"E","name":"a","pid":1,"tid":1,"ts":5,"args":{"k":3,"same":2,"late":"x"}}])json");
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(trace);
        EventArgs args(*trace);
        const IntervalId a = find(**trace, "a");
        QCOMPARE(*args.json(a), std::string(R"json({"k":1,"same":2,"k (end)":3,"late":"x"})json"));
        QCOMPARE(args.entries(a)->back().value, std::string("x"));
    }

    void saysThatTheFileChanged() {
        auto file = std::make_unique<TempFile>(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}])");
        Progress progress;
        const auto trace = openTraces({file->path()}, progress);
        QVERIFY(trace);
        std::FILE *f = std::fopen(file->path().c_str(), "a");
        std::fputs(" ", f);
        std::fclose(f);
        EventArgs args(*trace);
        const auto json = args.json(find(**trace, "a"));
        QVERIFY(!json);
        QCOMPARE(json.error().reason, std::string("file_changed"));
    }
};

QTEST_APPLESS_MAIN(EventArgsTest)
#include "event_args_test.moc"
