// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTest>

#include "core/analysis/search.h"
#include "tests/support/random_trace.h"
#include "tests/support/text_trace.h"

#include <algorithm>
#include <random>
#include <set>

using namespace longpole;

namespace {

std::string lower(std::string text) {
    for (char &c : text)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    return text;
}

/// Written another way: every row, every text, QRegularExpression.
std::set<IntervalId> bruteForce(const Trace &trace, const SearchQuery &query) {
    const bool pattern = query.text.size() > 2 && query.text.front() == '/';
    const std::string body = pattern ? query.text.substr(1, query.text.size() - 2) : query.text;
    const auto matches = [&](std::string_view text) {
        if (pattern)
            return QRegularExpression(QString::fromStdString(body))
                .match(QString::fromUtf8(text.data(), qsizetype(text.size())))
                .hasMatch();
        return lower(std::string(text)).find(lower(body)) != std::string::npos;
    };
    std::set<IntervalId> found;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row) {
            const Track &track = trace.tracks[t];
            if (!query.category.empty() && track.categoryOf(row) != query.category) continue;
            if (matches(track.nameOf(row)) || matches(track.categoryOf(row)))
                found.insert({t, row});
        }
    return found;
}

std::set<IntervalId> asSet(const SearchHits &hits) {
    std::set<IntervalId> all;
    for (size_t i = 0; i < hits.count; ++i) all.insert(hits.at(i));
    return all;
}

SearchHits found(const Trace &trace, const SearchQuery &query) {
    Progress progress;
    const auto hits = search(trace, query, progress, 3);
    if (!hits) qFatal("%s", hits.error().message.c_str());
    return *hits;
}

const char *const kTrace = "main: aten::linear 0..100 cat=cpu_op\n"
                           "main: GEMM here 10..20 cat=cpu_op\n"
                           "main: aten::relu 200..300 cat=user_op\n"
                           "gpu0/s7: void gemm<float> 20..50 cat=kernel\n"
                           "gpu0/s7: gemm_tail 60..70 cat=kernel\n"
                           "gpu0/s9: Memcpy HtoD 20..30 h2d cat=gpu_memcpy\n";

} // namespace

class SearchTest : public QObject {
    Q_OBJECT
private slots:
    void partsOfNamesWhateverTheCase();
    void slashesMakeAPattern();
    void categoriesMatchAndFilter();
    void tracksAreFoundByName();
    void nothingIsFoundForNothing();
    void badPatternsSaySo();
    void agreesWithBruteForceOnRandomTraces();
    void walksByTimeAndBack();
    void joinsHits();
    void stops();
};

void SearchTest::partsOfNamesWhateverTheCase() {
    const auto trace = test::traceFromText(kTrace);
    const SearchHits hits = found(*trace, {"gemm", {}});
    const std::set<IntervalId> expected{test::find(*trace, "GEMM here"),
                                        test::find(*trace, "void gemm<float>"),
                                        test::find(*trace, "gemm_tail")};
    QCOMPARE(hits.count, size_t(3));
    QVERIFY(asSet(hits) == expected);
    for (const IntervalId id : expected) QVERIFY(hits.contains(id));
    QVERIFY(!hits.contains(test::find(*trace, "aten::relu")));
    QVERIFY(hits.trackNames.empty());
}

void SearchTest::slashesMakeAPattern() {
    const auto trace = test::traceFromText(kTrace);
    QCOMPARE(found(*trace, {"/^aten::(linear|relu)$/", {}}).count, size_t(2));
    QCOMPARE(found(*trace, {"/gemm/", {}}).count, size_t(2)); // patterns keep the case
    QCOMPARE(found(*trace, {"/(?i)gemm/", {}}).count, size_t(3));
    QCOMPARE(found(*trace, {"/", {}}).count, size_t(0)); // a part of a text that nobody has
}

void SearchTest::categoriesMatchAndFilter() {
    const auto trace = test::traceFromText(kTrace);
    QCOMPARE(found(*trace, {"gpu_mem", {}}).count, size_t(1));
    QCOMPARE(found(*trace, {"gemm", "kernel"}).count, size_t(2));
    QCOMPARE(found(*trace, {"gemm", "kern"}).count, size_t(0));
    QVERIFY((categoriesOf(*trace) ==
             std::vector<std::string>{"cpu_op", "gpu_memcpy", "kernel", "user_op"}));
}

void SearchTest::tracksAreFoundByName() {
    const auto trace = test::traceFromText(kTrace);
    const SearchHits hits = found(*trace, {"main", {}});
    QCOMPARE(hits.count, size_t(0));
    QCOMPARE(hits.trackNames.size(), size_t(1));
    QCOMPARE(trace->tracks[hits.trackNames.front()].name, std::string("main"));
}

void SearchTest::nothingIsFoundForNothing() {
    const auto trace = test::traceFromText(kTrace);
    for (const char *text : {"", "//", "no such name"}) {
        QCOMPARE(found(*trace, {text, {}}).count, size_t(0));
        QVERIFY(found(*trace, {text, {}}).trackNames.empty());
    }
}

void SearchTest::badPatternsSaySo() {
    const auto trace = test::traceFromText(kTrace);
    Progress progress;
    const auto hits = search(*trace, {"/(/", {}}, progress);
    QVERIFY(!hits);
    QVERIFY(hits.error().kind == ErrorKind::Usage);
    QVERIFY(hits.error().message.find("is not valid") != std::string::npos);
}

void SearchTest::agreesWithBruteForceOnRandomTraces() {
    size_t some = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        const auto trace = test::traceFromText(test::joined(test::randomTraceLines(seed)));
        std::vector<std::string> categories = categoriesOf(*trace);
        categories.push_back("");
        for (const char *text : {"a", "cuda", "SYNC", "/^[a-c]/", "/e.*[0-9]/", "/l|k/", "7"})
            for (const std::string &category : categories) {
                const SearchQuery query{text, category};
                const SearchHits hits = found(*trace, query);
                const auto expected = bruteForce(*trace, query);
                QVERIFY2(asSet(hits) == expected, text);
                QCOMPARE(hits.count, expected.size());
                some += hits.count;
                size_t inLanes = 0;
                for (uint32_t t = 0; t < trace->tracks.size(); ++t)
                    for (uint32_t lane = 0; lane < trace->tracks[t].table->lanes(); ++lane)
                        for (const uint32_t row : hits.inLane(*trace, t, lane)) {
                            QCOMPARE(trace->tracks[t].table->laneOf(row), lane);
                            ++inLanes;
                        }
                QCOMPARE(inLanes, hits.count);
            }
    }
    QVERIFY(some > 1000);
}

void SearchTest::walksByTimeAndBack() {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const auto trace = test::traceFromText(test::joined(test::randomTraceLines(seed)));
        const SearchHits hits = found(*trace, {"/[aeu]/", {}});
        const auto all = asSet(hits);
        std::vector<IntervalId> expected(all.begin(), all.end());
        std::sort(expected.begin(), expected.end(), [&](IntervalId a, IntervalId b) {
            return std::tuple(trace->begin(a), a.track, a.row) <
                   std::tuple(trace->begin(b), b.track, b.row);
        });
        std::vector<IntervalId> walked;
        HitPlace at{trace->range.begin - 1, {}};
        while (const auto next = hitBeside(*trace, hits, at, 1)) {
            QCOMPARE(hitsBefore(*trace, hits, {trace->begin(*next), *next}), walked.size());
            walked.push_back(*next);
            at = {trace->begin(*next), *next};
        }
        QVERIFY(walked == expected);
        walked.clear();
        at = {trace->range.end + 1'000'000'000, {}};
        while (const auto next = hitBeside(*trace, hits, at, -1)) {
            walked.insert(walked.begin(), *next);
            at = {trace->begin(*next), *next};
        }
        QVERIFY(walked == expected);
    }
}

void SearchTest::joinsHits() {
    const auto trace = test::traceFromText(kTrace);
    const SearchHits gemm = found(*trace, {"gemm", {}}), aten = found(*trace, {"aten", {}});
    const IntervalId both = test::find(*trace, "GEMM here");
    const SearchHits all = joined(gemm, joined(aten, hitsOf({both, both})));
    QCOMPARE(all.count, size_t(5));
    QVERIFY(all.contains(both));
    QVERIFY(asSet(all) == bruteForce(*trace, {"/gemm|GEMM|aten/", {}}));
}

void SearchTest::stops() {
    const auto trace = test::traceFromText(kTrace);
    Progress progress;
    progress.stop();
    const auto hits = search(*trace, {"gemm", {}}, progress);
    QVERIFY(!hits);
    QVERIFY(hits.error().kind == ErrorKind::Cancelled);
}

QTEST_APPLESS_MAIN(SearchTest)
#include "search_test.moc"
