// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/on_path_shares.h"

#include "tests/support/files.h"
#include "tests/support/loop_simulator.h"

#include <QTest>

#include <map>

using namespace longpole;
using namespace longpole::test;

class OnPathSharesTest : public QObject {
    Q_OBJECT
private slots:
    /// However the work is grouped, its rows hold what the path's segments hold.
    void rowsAddUpToThePath() {
        LoopShape shape;
        shape.steps = 5;
        shape.allReduce = 2'000'000;
        const auto trace = *openText(simulateLoop(shape), 1);
        const Steps steps = findSteps(*trace);
        const Phases phased = phases(*trace, steps);
        Progress progress;
        const auto graph = buildGraph(*trace, steps, phased, progress);
        const Window window = *resolveWindow(*trace, steps, {});
        const CriticalPath path = criticalPath(*trace, steps, *graph, window);
        for (const GroupBy by : {GroupBy::Name, GroupBy::Phase, GroupBy::Track, GroupBy::Kind}) {
            std::map<std::string, TimeNs> expected;
            TimeNs sum = 0;
            for (const PathSegment &s : path.segments) {
                if (s.type != PathSegment::Type::Activity) continue;
                const std::string key = by == GroupBy::Name ? std::string(trace->name(s.interval))
                                        : by == GroupBy::Phase ? phased.rules.rules[s.phase].id
                                        : by == GroupBy::Track
                                            ? std::to_string(s.interval.track)
                                            : std::string(kindName(trace->kind(s.interval)));
                expected[key] += s.end - s.begin;
                sum += s.end - s.begin;
            }
            auto result = statistics(*trace, phased, window, by, progress);
            QVERIFY(!result->hasPath);
            addOnPath(*result, *trace, phased, path, by);
            QVERIFY(result->hasPath);
            QVERIFY(sum > 0);
            QCOMPARE(result->total.onPath, sum);
            for (const StatRow &row : result->rows) {
                const auto key = by == GroupBy::Track ? std::to_string(row.index) : row.key;
                QCOMPARE(row.onPath, expected[key]);
                QVERIFY(row.onPath <= row.unionTime);
            }
        }
    }
};

QTEST_APPLESS_MAIN(OnPathSharesTest)
#include "on_path_shares_test.moc"
