// SPDX-License-Identifier: Apache-2.0
#include "core/import/importer.h"
#include "tests/support/files.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Several blocks of events, many of which hold what looks like the border between two events.
std::string trickyEvents(int count, const char *gap, bool poison) {
    std::mt19937 random(3);
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < count; ++i) {
        if (i) text += std::string(",") + gap;
        text += "{\"ph\":\"X\",\"name\":\"n" + std::to_string(i % 97) + "\",\"pid\":1,\"tid\":" +
                std::to_string(i % 5) + ",\"ts\":" + std::to_string(10 * i) + ",\"dur\":9,\"args\":{\"list\":[";
        for (unsigned k = 0, n = random() % 40; k < n; ++k)
            text += std::string(k ? "," : "") + gap + "{\"ph\":\"X\",\"k\":" + std::to_string(k) + "}";
        text += "],\"text\":\"";
        for (unsigned k = 0, n = random() % 20; k < n; ++k) text += "},{\\\"ph\\\":\\\"X\\\"},\\n  {";
        text += "\"}}";
        if (poison && i % 1000 == 500) text += ",{\"ph\":\"X\",\"name\":\"unclosed,\"ts\":1,\"dur\":2}";
    }
    return text + "],\"other\":[{\"ph\":1},{\"ph\":2}],\"traceName\":\"}\"}";
}

} // namespace

class BlocksTest : public QObject {
    Q_OBJECT
private slots:
    /// Block borders are guesses; no guess may change the result, on any number of threads.
    void bordersDoNotMatter() {
        const int count = 20'000;
        std::string expected;
        for (const char *gap : {"", "\n  "})
            for (unsigned threads : {1u, 2u, 5u}) {
                const auto trace = openText(trickyEvents(count, gap, false), threads);
                QVERIFY(trace);
                QVERIFY(booksBalance(**trace));
                QCOMPARE((*trace)->events.read, uint64_t(count));
                QCOMPARE(reasonsOf(**trace), std::string("other_list 1"));
                const std::string text = textOf(**trace);
                if (expected.empty()) expected = text;
                QVERIFY(text == expected);
            }
    }

    /// A missing quote costs the event it is in, not the rest of the file.
    void brokenEventsCostOnlyThemselves() {
        const int count = 20'000;
        const auto trace = openText(trickyEvents(count, "\n", true), 2);
        QVERIFY(trace);
        QVERIFY(booksBalance(**trace));
        const uint64_t broken = (*trace)->diagnostics[Reason::BrokenEvent].count;
        QVERIFY2(broken >= 20 && broken < 200, qPrintable(QString::number(broken)));
        QVERIFY2((*trace)->intervalCount() > count - 400, qPrintable(QString::number((*trace)->intervalCount())));
    }

    void gzipAndPlainAgree() {
        const std::string text = trickyEvents(6'000, "\n  ", false);
        const auto plain = openText(text), packed = openText(gzip(text));
        QVERIFY(plain && packed);
        QVERIFY(textOf(**plain) == textOf(**packed));
        QCOMPARE((*packed)->files[0].textBytes, uint64_t(text.size()));
    }

    void cancels() {
        const TempFile file(trickyEvents(20'000, "", false));
        Progress progress;
        progress.stop();
        const auto trace = openTraces({file.path()}, progress);
        QVERIFY(!trace);
        QVERIFY(trace.error().kind == ErrorKind::Cancelled);
    }
};

QTEST_APPLESS_MAIN(BlocksTest)
#include "blocks_test.moc"
