// SPDX-License-Identifier: Apache-2.0
//
// What must hold on any trace: the invariants I16 and I17.
#include "core/analysis/statistics.h"
#include "tests/support/loop_pairs.h"
#include "tests/support/random_trace.h"
#include "tests/support/simulated_machine.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>
#include <utility>

using namespace longpole;
using namespace longpole::test;

namespace {

/// Work on two threads and two streams within 60 us, in places nested, never crossing.
std::string someLines(Random &random) {
    std::string lines;
    const auto add = [&](const std::string &track, const char *name, TimeNs begin, TimeNs end) {
        lines +=
            track + ": " + name + " " + std::to_string(begin) + ".." + std::to_string(end) + "\n";
    };
    constexpr const char *names[] = {"aten::mm", "data wait", "logging", "Optimizer.step#A"};
    for (const std::string track : {"main", "other", "gpu0/s7", "gpu0/s20"}) {
        for (TimeNs at = random.between(0, 20); at < 50;) {
            const TimeNs end = at + random.between(1, 9);
            add(track, names[random.between(0, 3)], at, end);
            if (!track.starts_with("gpu") && end - at > 3)
                add(track, names[random.between(0, 3)], at + 1, end - random.between(0, 1));
            at = end + random.between(0, 12);
        }
    }
    return lines;
}

/// Each selected activity on the path may be rounded down by 1 ns.
TimeNs selectedBy(const LoopCase &run, const DependencyGraph &graph, const std::string &selector) {
    std::vector<std::string> unmatched;
    const auto scaling =
        resolveScaling(*run.trace, run.phases, graph, {{selector, {1, 2}}}, unmatched);
    return std::count(scaling->selected.begin(), scaling->selected.end(), true);
}

} // namespace

class TracePropertiesTest : public QObject {
    Q_OBJECT
private slots:
    void exclusiveSharesTileTheWindow() { // I16
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            Random random(seed);
            const auto trace =
                traceFromText(seed % 2 ? someLines(random) : joined(randomTraceLines(seed + 1)));
            const Steps steps = findSteps(*trace);
            const Phases phaseOf = phases(*trace, steps);
            Window window;
            window.kind = Window::Kind::Range;
            window.range.begin = random.between(0, 30) * us;
            window.range.end = window.range.begin + random.between(1, 30) * us;
            TimeNs idle = 0;
            for (TimeNs t = window.range.begin; t < window.range.end; t += us) {
                bool busy = false;
                for (const Track &track : trace->tracks)
                    for (uint32_t row = 0; row < track.table->size(); ++row)
                        busy |= track.begin(row) <= t && t < track.end(row);
                idle += busy ? 0 : us;
            }
            for (const GroupBy by :
                 {GroupBy::Phase, GroupBy::Kind, GroupBy::Name, GroupBy::Track}) {
                Progress progress;
                const auto result = statistics(*trace, phaseOf, window, by, progress);
                QVERIFY(result);
                TimeNs sum = idle;
                for (const StatRow &row : result->rows) sum += row.exclusive;
                QCOMPARE(sum, window.range.length());
            }
        }
    }

    void replayOfACaptureNeverBeatsItsCeiling() { // I17
        WindowRequest all;
        all.all = true;
        for (const LoopRegime &regime : loopRegimes(2)) {
            const LoopCase run = loopCase(regime, simulateLoop(regime.shape));
            const DependencyGraph graph = graphOf(run);
            const Window window = *resolveWindow(*run.trace, run.steps, all);
            SpeedFactor factor{0, 1}, other{1, 3}; // in turn
            for (const LoopChange &change : changesOf(regime.shape)) {
                std::swap(factor, other);
                Progress progress;
                const auto result = whatIf(*run.trace, run.steps, run.phases, graph, window,
                                           {{change.selector, factor}}, {}, progress);
                QVERIFY(result && result->amdahl);
                QVERIFY(result->replay.ns + selectedBy(run, graph, change.selector) >=
                        result->amdahl->ns);
                QVERIFY(result->replay.low <= result->replay.ns &&
                        result->replay.ns <= result->replay.high);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TracePropertiesTest)
#include "trace_properties_test.moc"
