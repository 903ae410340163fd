// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/import/argument_search.h"
#include "core/import/event_args.h"
#include "tests/support/files.h"

#include <set>

using namespace longpole;

namespace {

std::string manyEvents() {
    std::string text = "{\"traceEvents\": [";
    for (int i = 0; i < 3000; ++i)
        text += std::string(i ? ",\n" : "\n") + "{\"ph\":\"X\",\"cat\":\"c" +
                std::to_string(i % 3) +
                "\",\"name\":\"n\",\"pid\":1,\"tid\":" + std::to_string(i % 7) +
                ",\"ts\":" + std::to_string(i * 10) + ",\"dur\":5,\"args\":{\"Grid\":[" +
                std::to_string(i % 100) + ",1,1],\"key" + std::to_string(i % 5) + "\":\"Value\"}}";
    return text + "]}";
}

} // namespace

class ArgumentSearchTest : public QObject {
    Q_OBJECT
private slots:
    void findsWhatReadingEachFinds_data();
    void findsWhatReadingEachFinds();
    void stops();
};

void ArgumentSearchTest::findsWhatReadingEachFinds_data() {
    QTest::addColumn<bool>("compressed");
    QTest::addRow("plain") << false;
    QTest::addRow("gzip") << true;
}

void ArgumentSearchTest::findsWhatReadingEachFinds() {
    QFETCH(bool, compressed);
    const auto opened = test::openText(compressed ? test::gzip(manyEvents()) : manyEvents());
    QVERIFY(opened);
    for (const char *query : {"[17,1,1]", "value", "/key[13]/", "nowhere"})
        for (const char *category : {"", "c1"}) {
            const auto match = TextMatch::compile(query);
            Progress progress;
            const auto found = searchArguments(*opened, *match, category, progress);
            QVERIFY(found);
            std::set<IntervalId> expected;
            EventArgs arguments(*opened);
            for (uint32_t t = 0; t < (*opened)->tracks.size(); ++t)
                for (uint32_t row = 0; row < (*opened)->tracks[t].table->size(); ++row)
                    if ((!*category || (*opened)->tracks[t].categoryOf(row) == category) &&
                        match->in(*arguments.json({t, row})))
                        expected.insert({t, row});
            QVERIFY(std::set<IntervalId>(found->begin(), found->end()) == expected);
            QCOMPARE(found->size(), expected.size());
            QVERIFY(progress.fraction() == 1);
        }
}

void ArgumentSearchTest::stops() {
    const auto opened = test::openText(manyEvents());
    Progress progress;
    progress.stop();
    const auto found = searchArguments(*opened, *TextMatch::compile("value"), {}, progress);
    QVERIFY(!found);
    QVERIFY(found.error().kind == ErrorKind::Cancelled);
}

QTEST_APPLESS_MAIN(ArgumentSearchTest)
#include "argument_search_test.moc"
