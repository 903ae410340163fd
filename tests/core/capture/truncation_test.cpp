// SPDX-License-Identifier: Apache-2.0
// A capture that is cut or damaged anywhere opens with every chunk that is whole.
#include <QTest>

#include "core/capture/format.h"
#include "tests/support/capture_file.h"
#include "tests/support/files.h"

#include <cstring>
#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Chunk {
    size_t begin, end;
    uint32_t records;
};

std::vector<Chunk> chunksOf(const std::string &file) {
    std::vector<Chunk> chunks;
    for (size_t at = sizeof(capture::FileHead); at + sizeof(capture::ChunkHead) <= file.size();) {
        capture::ChunkHead head;
        std::memcpy(&head, file.data() + at, sizeof head);
        chunks.push_back({at, at + sizeof head + head.length, head.records});
        at = chunks.back().end;
    }
    return chunks;
}

} // namespace

class TruncationTest : public QObject {
    Q_OBJECT
private slots:
    void atEveryByte() {
        const std::string whole = smallCapture();
        const std::vector<Chunk> chunks = chunksOf(whole);
        QVERIFY(chunks.size() >= 4);
        for (size_t size = sizeof(capture::FileHead); size < whole.size(); ++size) {
            uint64_t records = 0;
            size_t kept = 0;
            for (const Chunk &chunk : chunks)
                if (chunk.end <= size) records += chunk.records, ++kept;
            const auto trace = openText(whole.substr(0, size));
            if (kept == 0 && size > sizeof(capture::FileHead)) {
                QVERIFY(!trace);
                QVERIFY(trace.error().message.find("Record again") != std::string::npos);
                continue;
            }
            QVERIFY2(trace, qPrintable(QString::number(size)));
            QCOMPARE((*trace)->events.read, records);
            QVERIFY(booksBalance(**trace));
            QCOMPARE((*trace)->diagnostics[Reason::TruncatedFile].count, uint64_t(1));
        }
        QCOMPARE((*openText(whole))->diagnostics[Reason::TruncatedFile].count, uint64_t(0));
    }

    /// One flipped bit costs the chunk that it is in, and is told.
    void aFlippedBit() {
        const std::string whole = smallCapture();
        const std::vector<Chunk> chunks = chunksOf(whole);
        const uint64_t all = (*openText(whole))->events.read;
        std::mt19937 random(3);
        for (const Chunk &chunk : chunks)
            for (int round = 0; round < 200; ++round) {
                std::string damaged = whole;
                damaged[chunk.begin + random() % (chunk.end - chunk.begin)] ^=
                    char(1 << random() % 8);
                const auto trace = openText(damaged);
                QVERIFY(trace);
                QVERIFY(booksBalance(**trace));
                const bool last = chunk.end == whole.size();
                QCOMPARE((*trace)->events.read, all - chunk.records + (last ? 0 : 1));
                QCOMPARE((*trace)->diagnostics[Reason::UnknownRecord].count,
                         uint64_t(last ? 0 : 1));
                QCOMPARE((*trace)->diagnostics[Reason::TruncatedFile].count,
                         uint64_t(last ? 1 : 0));
            }
    }

    /// Garbage with a right checksum: a recorder that is wrong, or somebody's joke.
    void wellFormedNonsense() {
        std::mt19937_64 random(5);
        for (int round = 0; round < 2000; ++round) {
            CaptureFile file;
            for (int n = 0; n < 20; ++n) {
                std::string record(8 * (1 + random() % 16), '\0');
                for (char &c : record) c = char(random() % 4 ? random() : 0);
                const capture::Record head{capture::Type(random() % 26), uint16_t(random() % 64),
                                           uint32_t(random() % 8 ? record.size() : random())};
                std::memcpy(record.data(), &head, sizeof head);
                file.raw(record);
            }
            file.end();
            const auto trace = openText(file.text());
            if (trace) QVERIFY(booksBalance(**trace));
        }
    }
};

QTEST_APPLESS_MAIN(TruncationTest)
#include "truncation_test.moc"
