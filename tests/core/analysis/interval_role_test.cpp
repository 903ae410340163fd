// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/analysis/interval_role.h"
#include "core/import/importer.h"
#include "tests/support/text_trace.h"

#include <random>

using namespace longpole;

namespace {

struct Analysed {
    explicit Analysed(std::shared_ptr<const Trace> of) : trace(std::move(of)) {
        steps = findSteps(*trace);
        phases = longpole::phases(*trace, steps);
        Progress progress;
        graph = *buildGraph(*trace, steps, phases, progress);
        path = criticalPath(*trace, steps, graph, *resolveWindow(*trace, steps, {}));
    }
    IntervalRole role(const char *name) const {
        return roleOf(*trace, graph, path, test::find(*trace, name));
    }
    IntervalId id(const char *name) const { return test::find(*trace, name); }

    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phases;
    DependencyGraph graph;
    CriticalPath path;
};

Analysed overlapping() {
    Progress progress;
    auto trace =
        openTraces({LONGPOLE_SOURCE_DIR "/resources/examples/overlapping_timeline.json"}, progress);
    if (!trace) qFatal("%s", trace.error().message.c_str());
    return Analysed(*trace);
}

bool has(const std::vector<IntervalRole::Link> &links, IntervalId id, EdgeType type) {
    return std::any_of(links.begin(), links.end(),
                       [&](const auto &l) { return l.interval == id && l.type == type; });
}

} // namespace

/// What one interval means for the end: on the path, or how much room it has.
class IntervalRoleTest : public QObject {
    Q_OBJECT
private slots:
    void theOverlappingExample();
    void launchAndSyncAreLinked();
    void aRangeAroundThePathIsOnItInPart();
    void nobodyIsOnThePathAndHasSlack();
    void whatWaitsSaysForWhom();
};

void IntervalRoleTest::theOverlappingExample() {
    const Analysed of = overlapping();
    const IntervalRole logging = of.role("logging");
    QCOMPARE(logging.onPath, TimeNs(0));
    QCOMPARE(logging.slack.value(), TimeNs(17'000'000));
    QVERIFY(!logging.critical());
    const IntervalRole compute = of.role("compute");
    QCOMPARE(compute.onPath, TimeNs(30'000'000));
    QCOMPARE(compute.slack.value(), TimeNs(0));
    QVERIFY(compute.critical());
    QVERIFY(has(compute.waitedFor, of.id("prepare"), EdgeType::Handoff));
    QVERIFY(has(of.role("prepare").waiting, of.id("compute"), EdgeType::Handoff));
}

void IntervalRoleTest::launchAndSyncAreLinked() {
    const Analysed of(test::traceFromText("main: work 0..300\n"
                                          "main: cudaLaunchKernel 300..310 launch corr=1\n"
                                          "main: cudaDeviceSynchronize 320..700 sync\n"
                                          "main: log 700..1000\n"
                                          "gpu0/s7: gemm 320..690 corr=1\n"));
    const IntervalRole gemm = of.role("gemm");
    QVERIFY(has(gemm.waitedFor, of.id("cudaLaunchKernel"), EdgeType::Launch));
    QVERIFY(has(gemm.waiting, of.id("cudaDeviceSynchronize"), EdgeType::Sync));
    QVERIFY(has(of.role("cudaDeviceSynchronize").waitedFor, of.id("gemm"), EdgeType::Sync));
    QCOMPARE(gemm.onPath, TimeNs(370'000));
}

void IntervalRoleTest::aRangeAroundThePathIsOnItInPart() {
    const Analysed of(test::traceFromText("main: forward 0..1000\n"
                                          "main: work 0..400\n"
                                          "main: cudaLaunchKernel 400..410 launch corr=1\n"
                                          "main: cudaDeviceSynchronize 420..1000 sync\n"
                                          "gpu0/s7: gemm 415..990 corr=1\n"));
    const IntervalRole forward = of.role("forward");
    TimeNs onHost = 0; // a walk over the segments
    for (const PathSegment &s : of.path.segments)
        if (s.type == PathSegment::Type::Activity && s.interval.track == of.id("forward").track)
            onHost += s.end - s.begin;
    QCOMPARE(forward.onPath, onHost);
    QVERIFY(forward.onPath >= 400'000 && forward.onPath < 500'000);
}

namespace {

Analysed random(uint32_t seed) {
    std::mt19937 random(seed);
    const auto upTo = [&](uint32_t n) { return int(random() % n); };
    std::string text;
    int host = 0, device = 0;
    for (int i = 1; i <= 60; ++i) {
        const auto line = [&](const std::string &track, const std::string &name, int from, int to,
                              const std::string &rest) {
            text += track + ": " + name + std::to_string(i) + " " + std::to_string(from) + ".." +
                    std::to_string(to) + " " + rest + "\n";
        };
        const int work = 5 + upTo(60);
        line("main", "op", host, host + work, "");
        host += work + upTo(4);
        line("main", "cudaLaunchKernel", host, host + 5, "launch corr=" + std::to_string(i));
        const int begin = std::max(device, host + 6), length = 10 + upTo(90);
        line("gpu0/s7", "k", begin, begin + length, "corr=" + std::to_string(i));
        device = begin + length + 1;
        host += 8;
        if (upTo(9) == 0) {
            line("main", "cudaDeviceSynchronize", host, device + 4, "sync");
            host = device + 5;
        }
    }
    return Analysed(test::traceFromText(text));
}

} // namespace

void IntervalRoleTest::nobodyIsOnThePathAndHasSlack() {
    for (uint32_t seed = 0; seed < 20; ++seed) {
        const Analysed of = random(seed);
        for (uint32_t t = 0; t < of.trace->tracks.size(); ++t)
            for (uint32_t row = 0; row < of.trace->tracks[t].table->size(); ++row) {
                const IntervalId id{t, row};
                const IntervalRole role = roleOf(*of.trace, of.graph, of.path, id);
                TimeNs own = 0;
                for (const PathSegment &s : of.path.segments)
                    if (s.type == PathSegment::Type::Activity && s.interval == id)
                        own += s.end - s.begin;
                if (own > 0) QCOMPARE(role.slack.value(), TimeNs(0));
                QVERIFY(role.onPath >= own);
                QVERIFY(role.onPath <= of.trace->end(id) - of.trace->begin(id));
            }
    }
}

void IntervalRoleTest::whatWaitsSaysForWhom() {
    for (uint32_t seed = 0; seed < 20; ++seed) {
        const Analysed of = random(seed);
        for (uint32_t t = 0; t < of.trace->tracks.size(); ++t)
            for (uint32_t row = 0; row < of.trace->tracks[t].table->size(); ++row) {
                const IntervalId id{t, row};
                for (const auto &effect : roleOf(*of.trace, of.graph, of.path, id).waiting) {
                    const IntervalRole other =
                        roleOf(*of.trace, of.graph, of.path, effect.interval);
                    const bool back =
                        std::any_of(other.waitedFor.begin(), other.waitedFor.end(),
                                    [&](const auto &l) { return l.type == effect.type; });
                    QVERIFY2(back, edgeTypeName(effect.type).data());
                }
            }
    }
}

QTEST_APPLESS_MAIN(IntervalRoleTest)
#include "interval_role_test.moc"
