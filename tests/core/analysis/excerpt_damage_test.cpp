// SPDX-License-Identifier: Apache-2.0
// What a window keeps beside its events, damaged at random: it is believed or it is not, and either
// way every analysis holds together.
#include "core/analysis/excerpt.h"
#include "core/analysis/idle.h"
#include "core/export/window_trace.h"
#include "tests/support/files.h"
#include "tests/support/loop_pairs.h"

#include <QTest>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace longpole;
using namespace longpole::test;

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kTries = 150; // takes 20 times as long
#else
constexpr int kTries = 1'500;
#endif

/// A step of a loop as convert writes it.
std::string windowFile() {
    LoopRegime regime{"", {}};
    regime.shape.steps = 4;
    regime.shape.layers = 2;
    regime.shape.fetch = 600'000;
    const LoopCase run = loopCase(regime, simulateLoop(regime.shape));
    const DependencyGraph graph = graphOf(run);
    WindowRequest request;
    request.step = "2";
    const Window window = *resolveWindow(*run.trace, run.steps, request);
    const Excerpt excerpt = excerptOf(*run.trace, run.steps, run.phases, graph, window);
    const EventArguments none{[](IntervalId) { return std::string("{}"); },
                              [](uint32_t, uint64_t) { return std::string("{}"); }};
    const TempFile file("");
    if (!writeWindowTrace(*run.trace, excerpt, none, file.path())) qFatal("cannot write");
    std::ifstream in(file.path(), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

/// Changes one to four places of what is kept: digits, signs, whole numbers, any byte.
std::string damaged(std::string text, size_t from, size_t to, std::mt19937 &random) {
    for (unsigned i = 0, n = 1 + random() % 4; i < n; ++i) {
        to = std::min(to, text.size() - 1);
        size_t at = from + random() % (to - from);
        switch (random() % 4) {
        case 0: // another digit
            while (at + 1 < to && !std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
            text[at] = char('0' + random() % 10);
            break;
        case 1: // a much longer number, or a negative one
            while (at + 1 < to && !std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
            text.insert(at, random() % 2 ? "99999999" : "-");
            break;
        case 2: // one element less
            while (at + 1 < to && text[at] != ',') ++at;
            text.erase(at, 1 + random() % 6);
            break;
        default:
            text[at] = char(random() % 256);
        }
    }
    return text;
}

} // namespace

class ExcerptDamageTest : public QObject {
    Q_OBJECT
private slots:
    void everythingHoldsTogether() {
        const std::string good = windowFile();
        const size_t from = good.find("\"longpole\"");
        QVERIFY(from != good.npos);
        const size_t to = good.rfind('}');
        std::mt19937 random(20);
        int believed = 0, unfit = 0, refused = 0;
        for (int i = 0; i < kTries; ++i) {
            const std::string text = i ? damaged(good, from + 12, to, random) : good;
            const auto trace = openText(text, 1);
            if (!trace) {
                ++refused;
                QVERIFY(trace.error().message.size() > 10);
                continue;
            }
            QVERIFY(booksBalance(**trace));
            const bool said = reasonsOf(**trace).find("excerpt_unfit") != std::string::npos;
            (*trace)->excerpt ? ++believed : ++unfit;
            QVERIFY(!((*trace)->excerpt && said));
            if (i == 0) QVERIFY((*trace)->excerpt);
            holdsTogether(**trace);
            if (QTest::currentTestFailed()) {
                std::ofstream("excerpt_damage.json", std::ios::binary) << text;
                return;
            }
        }
        std::printf("%d files: %d believed, %d not, %d refused\n", kTries, believed, unfit,
                    refused);
        std::fflush(stdout);
        QVERIFY(believed > 1 && unfit > kTries / 4);
    }

private:
    static void holdsTogether(const Trace &trace) {
        const Steps steps = findSteps(trace);
        const Phases phased = phases(trace, steps);
        Progress progress;
        const auto graph = buildGraph(trace, steps, phased, progress);
        QVERIFY(graph);
        QCOMPARE(replay(*graph, {}), graph->time);
        const auto window = resolveWindow(trace, steps, {});
        if (!window) return;
        const CriticalPath path = criticalPath(trace, steps, *graph, *window);
        TimeNs at = window->range.begin;
        for (const PathSegment &segment : path.segments) {
            QCOMPARE(segment.begin, at);
            at = segment.end;
        }
        QCOMPARE(at, window->range.end);
        const auto books = idleBooks(trace, phased, *graph, *window, progress);
        QVERIFY(books);
        for (const DeviceIdle &device : *books)
            QCOMPARE(device.busy + device.idle, window->range.length());
    }
};

QTEST_APPLESS_MAIN(ExcerptDamageTest)
#include "excerpt_damage_test.moc"
