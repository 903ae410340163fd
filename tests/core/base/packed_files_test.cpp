// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/input_file.h"
#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/nsys_database.h"
#include "tests/support/packed.h"

#include <csignal>
#include <random>
#include <sys/resource.h>

using namespace longpole;
using namespace longpole::test;

namespace {

std::string numbers(size_t bytes) {
    std::string text;
    std::mt19937 random(7);
    while (text.size() < bytes) text += std::to_string(random()) + '\n';
    return text;
}

std::string traceOf(int events) {
    std::string text = R"({"schemaVersion":1,"traceEvents":[)";
    for (int i = 0; i < events; ++i)
        text += (i ? ",\n" : "\n") +
                (R"({"ph":"X","cat":"cpu_op","name":"op)" + std::to_string(i % 7)) +
                R"(","pid":1,"tid":1,"ts":)" + std::to_string(100 * i) +
                R"(,"dur":50,"args":{"number":)" + std::to_string(i) + "}}";
    return text + "]}";
}

std::string readAll(TextReader &reader) {
    std::string all, buffer(70'001, '\0');
    for (size_t got; (got = reader.read(buffer.data(), buffer.size())) > 0;)
        all.append(buffer, 0, got);
    return all;
}

TextReader::State stateOf(const std::string &content) {
    const TempFile file(content, ".zst");
    auto input = InputFile::open(file.path());
    TextReader reader(**input);
    readAll(reader);
    return reader.state();
}

Result<std::shared_ptr<const Trace>> openPacked(const std::string &content) {
    const TempFile file(content, ".packed");
    Progress progress;
    return openTraces({file.path()}, progress);
}

} // namespace

/// Files without places to restart from: they are unpacked beside the reading.
class PackedFilesTest : public QObject {
    Q_OBJECT
private slots:
    void readAsTheirText() {
        const std::string text = numbers(5'000'000);
        const size_t half = text.size() / 2;
        for (const std::string &content :
             {zstd(text), zstd(text.substr(0, half)) + zstd(text.substr(half)),
              zip({{"a.json", text}}), zip({{"folder/", ""}, {"folder/a.json", text}}, false)}) {
            const TempFile file(content, ".packed");
            auto input = InputFile::open(file.path());
            QVERIFY(input);
            TextReader reader(**input);
            QVERIFY(readAll(reader) == text);
            QVERIFY(reader.state() == TextReader::State::Good);
            QCOMPARE(reader.fraction(), 1.0);
            QCOMPARE((*input)->bytes(), uint64_t(content.size()));
            QCOMPARE((*input)->readableBytes(), uint64_t(text.size()));
            TextReader again{std::shared_ptr<const InputFile>(*input)};
            for (const size_t at : {size_t(4'000'000), size_t(5), text.size() - 3}) {
                again.seek(at);
                std::string piece(100, '\0');
                piece.resize(again.read(piece.data(), piece.size()));
                QVERIFY(piece == text.substr(at, 100));
            }
        }
    }

    /// The facts about a file are those of the file, not of its text.
    void fingerprintIsOfTheFile() {
        const std::string content = zstd(numbers(3'000'000));
        const TempFile file(content, ".zst");
        const std::string print = (*InputFile::open(file.path()))->fingerprint();
        QVERIFY(print.starts_with(std::to_string(content.size()) + "-"));
    }

    void tracesOpenWithTheirArguments() {
        const std::string text = traceOf(20'000);
        for (const std::string &content : {zstd(text), zip({{"trace.json", text}})}) {
            const auto trace = openPacked(content);
            QVERIFY2(trace, trace ? "" : trace.error().message.c_str());
            QCOMPARE((*trace)->intervalCount(), uint64_t(20'000));
            EventArgs args(*trace);
            for (const uint32_t row : {19'999u, 3u, 12'345u}) {
                const auto json = args.json({0, row});
                QVERIFY(json);
                QVERIFY(json->find("\"number\":" + std::to_string(row)) != json->npos);
            }
        }
    }

    void databasesOpenToo() {
        const auto trace = openPacked(zstd(smallNsysExport(3)));
        QVERIFY2(trace, trace ? "" : trace.error().message.c_str());
        QVERIFY((*trace)->intervalCount() > 0);
    }

    void saysWhatIsWrong() {
        const std::string packed = zstd(numbers(1'000'000));
        QVERIFY(stateOf(packed.substr(0, packed.size() / 2)) == TextReader::State::Truncated);
        std::string garbled = packed;
        for (size_t i = garbled.size() / 2; i < garbled.size() / 2 + 400; ++i)
            garbled[i] = char(i * 37);
        QVERIFY(stateOf(garbled) != TextReader::State::Good);

        const std::string text = traceOf(100);
        QCOMPARE(openPacked(zip({{"a.json", text}, {"b.json", text}})).error().reason,
                 std::string("zip_archive"));
        QCOMPARE(openPacked(zip({})).error().reason, std::string("unknown_format"));
        QCOMPARE(openPacked(zip({{"a.json", text}}).substr(0, 200)).error().reason,
                 std::string("zip_archive"));
        QCOMPARE(openPacked(zstd(zstd(text))).error().reason, std::string("packed_twice"));
        const auto cut = openPacked(zstd(traceOf(20'000)).substr(0, 20'000));
        if (cut) QCOMPARE(int((*cut)->diagnostics[Reason::TruncatedFile].count), 1);
    }

    /// Any damage ends in a sentence or in balanced books.
    void damaged() {
        std::mt19937 random(3);
        const std::string text = traceOf(300);
        for (const std::string &whole :
             {zstd(text), zip({{"a.json", text}}), zip({{"a.json", text}}, false)})
            for (int round = 0; round < 300; ++round) {
                std::string content = whole;
                for (int k = 0; k < 3; ++k) content[random() % content.size()] = char(random());
                if (round % 2) content.resize(random() % content.size());
                const auto trace = openPacked(content);
                if (trace)
                    QVERIFY(booksBalance(**trace));
                else
                    QVERIFY(trace.error().message.size() > 10);
            }
    }

    void refusesWhereTheDiskIsFull() {
        const std::string content = zstd(traceOf(100'000));
        const TempFile file(content, ".json.zst");
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit little{1 << 20, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &little);
        Progress progress;
        const auto trace = openTraces({file.path()}, progress);
        setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY(!trace);
        QCOMPARE(trace.error().reason, std::string("no_room"));
    }
};

QTEST_GUILESS_MAIN(PackedFilesTest)
#include "packed_files_test.moc"
