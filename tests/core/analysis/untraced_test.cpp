// SPDX-License-Identifier: Apache-2.0
// Time of a host thread without an event is called untraced where the thread ran and the profiler
// saw nothing. Where waits are recorded it must never be one: the simulator knows when each thread
// stood still.
#include "tests/support/loop_pairs.h"
#include "tests/support/loop_simulator.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr TimeNs kShort = 50'000; ///< so short a hole of a thread is not told from work

/// Untraced time of a path in which its thread waited: for the device, and for another thread.
struct Hidden {
    TimeNs device = 0, threads = 0, untraced = 0;
};
Hidden hiddenIn(const LoopCase &run, const CriticalPath &path, const std::vector<LoopWait> &waits) {
    Hidden hidden;
    for (const PathSegment &s : path.segments) {
        if (s.type != PathSegment::Type::Untraced) continue;
        hidden.untraced += s.end - s.begin;
        for (const LoopWait &wait : waits) {
            if (run.trace->tracks[s.track].thread != std::to_string(wait.tid)) continue;
            const TimeNs both = std::min(s.end, wait.end - run.trace->origin) -
                                std::max(s.begin, wait.begin - run.trace->origin);
            if (both > 0 && wait.device) hidden.device += both;
            if (both > kShort && !wait.device) hidden.threads += both;
        }
    }
    return hidden;
}

} // namespace

class UntracedTest : public QObject {
    Q_OBJECT
private slots:
    void neverWhereItsThreadWaits() {
        size_t runs = 0;
        TimeNs untraced = 0, waited = 0, withoutHandoffs = 0;
        for (LoopRegime regime : loopRegimes()) {
            regime.shape.waits = LoopShape::Waits::Rows;
            if (regime.shape.recordedFrom > 0) continue; // begins in the middle of waits
            std::vector<LoopWait> waits;
            const std::string text = simulateLoop(regime.shape, {}, &waits);
            const LoopCase run = loopCase(regime, text);
            Window all;
            all.range = run.trace->range;
            const auto pathBy = [&](GraphRules rules) {
                return criticalPath(*run.trace, run.steps, graphOf(run, rules), all);
            };
            const CriticalPath path = pathBy({});
            QVERIFY2(double(path.byEvidence.unexplained) <= 0.01 * double(all.range.length()),
                     regime.name.c_str());
            const Hidden hidden = hiddenIn(run, path, waits);
            QVERIFY2(hidden.device == 0 && hidden.threads == 0,
                     (regime.name + ": " + formatDuration(hidden.device) + ", " +
                      formatDuration(hidden.threads))
                         .c_str());
            untraced += hidden.untraced;
            withoutHandoffs +=
                hiddenIn(run, pathBy(GraphRules::without(GraphRule::Handoffs)), waits).threads;
            for (const LoopWait &wait : waits) waited += wait.device ? wait.end - wait.begin : 0;
            ++runs;
        }
        std::printf("%zu runs: threads waited %s for the device, and %s of the paths is untraced\n",
                    runs, formatDuration(waited).c_str(), formatDuration(untraced).c_str());
        QVERIFY(runs >= 20);
        QVERIFY(untraced > 0 && waited > untraced);
        QVERIFY(withoutHandoffs > 0); // so it would be seen
    }
};

QTEST_APPLESS_MAIN(UntracedTest)
#include "untraced_test.moc"
