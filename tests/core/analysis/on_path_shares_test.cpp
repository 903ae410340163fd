// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/on_path_shares.h"

#include "tests/support/files.h"
#include "tests/support/loop_simulator.h"

#include <QTest>

#include "tests/support/text_trace.h"

#include <map>
#include <random>

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

    /// Exposed communication of each device, on the path and off it, counted microsecond by
    /// microsecond: what other devices compute hides nothing.
    void communicationOfSeveralDevices() {
        TimeNs exposedSomewhere = 0, onPathSomewhere = 0;
        for (uint32_t seed = 0; seed < 30; ++seed) {
            std::mt19937 random(seed);
            const auto below = [&](int n) { return int(random() % uint32_t(n)); };
            std::string text = "main: step 0..400\n";
            for (const char *stream : {"gpu0/s7", "gpu0/s20", "gpu1/s7", "gpu1/s20"})
                for (int at = below(20); at < 350;) {
                    const int length = 1 + below(40);
                    text += std::string(stream) + ": op " + std::to_string(at) + ".." +
                            std::to_string(at + length) + (below(3) ? "\n" : " comm\n");
                    at += length + below(3) * below(20);
                }
            text += "gpu1/s20: last 400..500 comm\ngpu1/s7: beside 420..440\n";
            const auto trace = traceFromText(text);
            const Steps steps = findSteps(*trace);
            const Phases phased = phases(*trace, steps);
            Progress progress;
            const auto graph = buildGraph(*trace, steps, phased, progress);
            const Window window = *resolveWindow(*trace, steps, {});
            const CriticalPath path = criticalPath(*trace, steps, *graph, window);
            auto result = statistics(*trace, phased, window, GroupBy::Kind, progress);
            addOnPath(*result, *trace, phased, path, GroupBy::Kind);
            QCOMPARE(result->communication.size(), size_t(2));
            for (const Communication &c : result->communication) {
                TimeNs exposed = 0, onPath = 0, unionTime = 0;
                constexpr TimeNs us = 1'000;
                for (TimeNs t = window.range.begin; t < window.range.end; t += us) {
                    bool communicates = false, computes = false;
                    for (const Track &track : trace->tracks)
                        for (uint32_t row = 0; row < track.table->size(); ++row) {
                            if (track.device != c.device || track.begin(row) > t ||
                                track.end(row) <= t)
                                continue;
                            communicates |= track.table->kind[row] == Kind::Comm;
                            computes |= track.table->kind[row] == Kind::Kernel;
                        }
                    unionTime += communicates ? us : 0;
                    if (!communicates || computes) continue;
                    exposed += us;
                    for (const PathSegment &s : path.segments)
                        if (s.type == PathSegment::Type::Activity && s.interval.row != kNone &&
                            trace->kind(s.interval) == Kind::Comm &&
                            trace->track(s.interval).device == c.device)
                            onPath +=
                                std::max<TimeNs>(0, std::min(s.end, t + us) - std::max(s.begin, t));
                }
                QCOMPARE(c.unionTime, unionTime);
                QCOMPARE(c.exposed, exposed);
                QCOMPARE(c.exposedOnPath, onPath);
                exposedSomewhere += exposed;
                onPathSomewhere += onPath;
            }
        }
        QVERIFY(onPathSomewhere > 0 && exposedSomewhere > onPathSomewhere);
    }
};

QTEST_APPLESS_MAIN(OnPathSharesTest)
#include "on_path_shares_test.moc"
