// SPDX-License-Identifier: Apache-2.0
#include "core/base/input_file.h"
#include "tests/support/files.h"

#include <QTest>

#include <cstdio>
#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Lines that say where they stand, so that a wrong place shows.
std::string numberedText(size_t bytes) {
    std::string text;
    char line[64];
    std::mt19937 random(7);
    while (text.size() < bytes) {
        std::snprintf(line, sizeof line, "%012zu %08x\n", text.size(), unsigned(random()));
        text += line;
    }
    return text;
}

std::string readAll(TextReader &reader, size_t piece) {
    std::string all, buffer(piece, '\0');
    for (size_t got; (got = reader.read(buffer.data(), piece)) > 0;) all.append(buffer, 0, got);
    return all;
}

} // namespace

class InputFileTest : public QObject {
    Q_OBJECT
private slots:
    void readsPlainAndGzipAlike() {
        const std::string text = numberedText(3'000'000);
        for (const std::string &content : {text, gzip(text), gzip(text.substr(0, 1'000'001)) + gzip(text.substr(1'000'001))}) {
            const TempFile file(content);
            auto input = InputFile::open(file.path());
            QVERIFY(input);
            TextReader reader(**input);
            QVERIFY(readAll(reader, 70'001) == text);
            QCOMPARE(int(reader.state()), int(TextReader::State::Good));
            QCOMPARE(reader.fraction(), 1.0);
        }
    }

    /// What came before a damaged place is read in pieces of any size, and found again.
    void readsUpToDamage() {
        const std::string text = numberedText(300'000);
        std::string packed = gzip(text);
        const size_t middle = packed.size() / 2;
        for (size_t i = 0; i < 16; ++i) packed[middle + i] = '\xff';
        const TempFile file(packed);
        auto input = InputFile::open(file.path());
        QVERIFY(input);
        std::string whole;
        for (const size_t piece : {1'000'000, 70'001, 4096, 7}) {
            TextReader reader{std::shared_ptr<const InputFile>(*input)};
            const std::string read = readAll(reader, piece);
            QCOMPARE(int(reader.state()), int(TextReader::State::Corrupt));
            QCOMPARE(reader.offset(), uint64_t(read.size()));
            if (whole.empty()) whole = read;
            QVERIFY(read == whole);
        }
        QVERIFY(whole.size() > 10'000);
        TextReader reader{std::shared_ptr<const InputFile>(*input)};
        reader.seek(whole.size() - 10);
        std::string end(100, '\0');
        QCOMPARE(reader.read(end.data(), end.size()), size_t(10));
        QVERIFY(whole.ends_with(std::string_view(end).substr(0, 10)));
    }

    /// 40 MiB make two restart points; any place is found from the begin, from a point and backwards.
    void seeksInGzip() {
        const std::string text = numberedText(40 << 20);
        const TempFile file(gzip(text));
        auto input = InputFile::open(file.path());
        QVERIFY(input);
        {
            TextReader first(**input);
            QVERIFY(readAll(first, 1 << 20).size() == text.size());
        }
        TextReader reader{std::shared_ptr<const InputFile>(*input)};
        for (size_t at : {size_t(0), size_t(39) << 20, size_t(5), (size_t(16) << 20) - 3, size_t(17) << 20,
                          text.size() - 10, size_t(33) << 20}) {
            reader.seek(at);
            std::string piece(100, '\0');
            piece.resize(reader.read(piece.data(), piece.size()));
            QVERIFY(piece == text.substr(at, 100));
        }
    }

    void saysWhatIsWrong() {
        const std::string packed = gzip(numberedText(100'000));
        const auto stateOf = [](const std::string &content) {
            const TempFile file(content);
            auto input = InputFile::open(file.path());
            TextReader reader(**input);
            readAll(reader, 4096);
            return reader.state();
        };
        QCOMPARE(int(stateOf(packed.substr(0, packed.size() / 2))), int(TextReader::State::Truncated));
        QCOMPARE(int(stateOf(packed.substr(0, 5))), int(TextReader::State::Truncated));
        std::string garbled = packed;
        for (size_t i = garbled.size() / 2; i < garbled.size() / 2 + 40; ++i) garbled[i] = char(i * 37);
        QVERIFY(stateOf(garbled) != TextReader::State::Good);

        QCOMPARE(InputFile::open("/nowhere/at/all.json").error().reason, std::string("cannot_open"));
        QCOMPARE(InputFile::open("/").error().reason, std::string("is_a_folder"));
        const TempFile empty("");
        QCOMPARE(InputFile::open(empty.path()).error().reason, std::string("empty_file"));
    }

    void fingerprintSeesEveryMegabyte() {
        std::string text = numberedText(5'000'000);
        const TempFile file(text);
        const std::string first = (*InputFile::open(file.path()))->fingerprint();
        QVERIFY(first.starts_with(std::to_string(text.size()) + "-"));
        QCOMPARE((*InputFile::open(file.path()))->fingerprint(), first);
        for (size_t at : {size_t(0), size_t(1) << 20, text.size() - 1}) {
            std::string other = text;
            other[at] ^= 1;
            const TempFile changed(other);
            QVERIFY((*InputFile::open(changed.path()))->fingerprint() != first);
        }
    }
};

QTEST_APPLESS_MAIN(InputFileTest)
#include "input_file_test.moc"
