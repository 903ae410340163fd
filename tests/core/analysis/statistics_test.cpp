// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/order_statistics.h"
#include "core/analysis/statistics.h"
#include "core/analysis/step_markers.h"
#include "tests/support/lane_model.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <utility>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr TimeNs ms = 1'000'000;

constexpr const char *kOverlap = R"(
    1: prepare 0ms..20ms
    4: logging 25ms..33ms
    gpu0/s20: H2D 10ms..20ms h2d
    gpu0/s7: compute 20ms..50ms
)";

Statistics statisticsOf(const Trace &trace, GroupBy by, std::optional<TimeRange> range = {}) {
    const Steps steps = findSteps(trace);
    WindowRequest request;
    request.range = range;
    request.all = !range;
    Progress progress;
    const auto result = statistics(trace, phases(trace, steps),
                                   *resolveWindow(trace, steps, request), by, progress);
    return *result;
}

StatRow rowOf(const Statistics &result, std::string_view key) {
    for (const StatRow &row : result.rows)
        if (row.key == key) return row;
    return {};
}

/// Nested and overlapping work on threads and streams, made at random, but the same every time.
std::vector<std::string> randomLines(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return int(random() % uint32_t(n)); };
    const char *tracks[] = {"a", "b", "c", "gpu0/s7", "gpu0/s20", "gpu1/s7"};
    const char *kinds[] = {"kernel", "comm", "h2d", "memset"};
    std::vector<std::string> lines;
    for (int i = 0; i < 200; ++i) {
        const std::string track = tracks[below(6)];
        const int begin = below(1000), length = below(10) == 0 ? 0 : below(60);
        std::string line = track + ": op" + std::to_string(below(12)) + " " +
                           std::to_string(begin) + ".." + std::to_string(begin + length);
        if (track[0] == 'g') line += std::string(" ") + kinds[below(4)];
        lines.push_back(std::move(line));
    }
    lines.push_back("a: ProfilerStep#1 0..500");
    lines.push_back("a: ProfilerStep#2 500..1100");
    return lines;
}

std::string joined(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) text += line + "\n";
    return text;
}

} // namespace

class StatisticsTest : public QObject {
    Q_OBJECT
private slots:
    void overlappingTimeline() {
        const auto trace = traceFromText(kOverlap);
        const Statistics result = statisticsOf(*trace, GroupBy::Name);
        QCOMPARE(result.window.range.length(), 50 * ms);
        QCOMPARE(result.total.sum, 68 * ms);
        QCOMPARE(result.total.unionTime, 50 * ms);
        QCOMPARE(result.total.count, uint64_t(4));
        QCOMPARE(rowOf(result, "compute").exclusive, 30 * ms);
        QCOMPARE(rowOf(result, "H2D").exclusive, 10 * ms);
        QCOMPARE(rowOf(result, "prepare").exclusive, 10 * ms);
        QCOMPARE(rowOf(result, "logging").exclusive, TimeNs(0));
        QCOMPARE(result.rows.front().key, "compute");
    }

    void serialStep() {
        const auto trace = traceFromText(R"(
            main: data_wait 0..40
            gpu0/s20: copy 40..50 h2d
            gpu0/s7: compute 50..90
            main: optimizer 90..100
        )");
        const Statistics result = statisticsOf(*trace, GroupBy::Phase);
        QCOMPARE(result.total.sum, result.total.unionTime);
        QCOMPARE(rowOf(result, "data_wait").exclusive, 40'000);
        QCOMPARE(rowOf(result, "transfer").exclusive, 10'000);
        QCOMPARE(rowOf(result, "forward").exclusive, 40'000);
        QCOMPARE(rowOf(result, "update").exclusive, 10'000);
    }

    void hostSumsAreSelfTimes() {
        const auto trace = traceFromText(R"(
            main: ProfilerStep#1 0..100
            main: outer 10..60
            main: inner 20..30
            main: deepest 22..25
            main: late 50..70
        )");
        const Statistics result = statisticsOf(*trace, GroupBy::Name);
        QCOMPARE(rowOf(result, "outer").sum, 30'000); // late began last, so it owns 50..60
        QCOMPARE(rowOf(result, "inner").sum, 7'000);
        QCOMPARE(rowOf(result, "deepest").sum, 3'000);
        QCOMPARE(rowOf(result, "late").sum, 20'000);
        QCOMPARE(rowOf(result, "outer").max, 50'000); // with its children
        QCOMPARE(result.total.sum, 60'000);
        QCOMPARE(result.total.unionTime, 60'000); // the marker alone is nobody's time
        QCOMPARE(rowOf(result, "ProfilerStep#1").count, uint64_t(0));
    }

    void equalRangesNestInOrder() {
        const auto trace = traceFromText("main: outer 0..10\nmain: inner 0..10\n");
        const Statistics result = statisticsOf(*trace, GroupBy::Name);
        QCOMPARE(rowOf(result, "inner").sum, 10'000);
        QCOMPARE(rowOf(result, "outer").sum, 0);
    }

    void everythingIsClippedToTheWindow() {
        const auto trace = traceFromText(kOverlap);
        const Statistics result = statisticsOf(*trace, GroupBy::Name, TimeRange{15 * ms, 30 * ms});
        QCOMPARE(rowOf(result, "prepare").sum, 5 * ms);
        QCOMPARE(rowOf(result, "H2D").sum, 5 * ms);
        QCOMPARE(rowOf(result, "compute").sum, 10 * ms);
        QCOMPARE(rowOf(result, "compute").max, 10 * ms);
        QCOMPARE(rowOf(result, "logging").sum, 5 * ms);
        QCOMPARE(result.total.unionTime, 15 * ms);
        QCOMPARE(statisticsOf(*trace, GroupBy::Name, TimeRange{60 * ms, 70 * ms}).rows.size(),
                 size_t(0));
    }

    void annotationRowsAreNoWork() {
        const auto trace = traceFromText("main: work 0..10\n~gpu ranges: forward 0..90\n");
        const Statistics result = statisticsOf(*trace, GroupBy::Name);
        QCOMPARE(result.total.sum, 10'000);
        QCOMPARE(result.total.count, uint64_t(1));
    }

    void communicationIsHiddenByKernelsOnly() {
        const auto trace = traceFromText(R"(
            gpu0/s24: ncclAllReduce 0..100 comm
            gpu0/s7: gemm 20..50
            gpu0/s8: gemm 40..60
            gpu0/s20: copy 60..90 h2d
            gpu1/s7: gemm 0..100
        )");
        const Statistics result = statisticsOf(*trace, GroupBy::Kind);
        QCOMPARE(result.communication.size(), size_t(2));
        QCOMPARE(result.communication[0].unionTime, 100'000);
        QCOMPARE(result.communication[0].exposed, 60'000);
        QCOMPARE(result.communication[0].hiddenShare, 0.4);
        QVERIFY(!result.communication[1].hiddenShare);
    }

    void rowsAddUp_data() {
        QTest::addColumn<int>("by");
        for (const GroupBy by : {GroupBy::Name, GroupBy::Phase, GroupBy::Track, GroupBy::Kind})
            QTest::addRow("%d", int(by)) << int(by);
    }
    void rowsAddUp() {
        QFETCH(int, by);
        for (uint32_t seed = 1; seed <= 20; ++seed) {
            const auto trace = traceFromText(joined(randomLines(seed)));
            for (const TimeRange range : {TimeRange{0, 1'200'000}, TimeRange{301'000, 777'000}}) {
                const Statistics result = statisticsOf(*trace, GroupBy(by), range);
                StatRow sum;
                for (const StatRow &row : result.rows) {
                    sum.count += row.count;
                    sum.sum += row.sum;
                    sum.self += row.self;
                    sum.exclusive += row.exclusive;
                    QVERIFY(row.unionTime <= row.sum && row.exclusive <= row.unionTime);
                    QVERIFY(row.p50 <= row.p95 && row.p95 <= row.max && row.max <= range.length());
                }
                QCOMPARE(sum.count, result.total.count);
                QCOMPARE(sum.sum, result.total.sum);
                QCOMPARE(sum.self, result.total.self);
                QCOMPARE(sum.exclusive,
                         result.total.unionTime); // exclusive and idle tile the window
                QVERIFY(result.total.unionTime <= range.length());
            }
        }
    }

    /// The same figures by looking at every microsecond.
    void agreesWithCounting() {
        for (uint32_t seed = 30; seed < 40; ++seed) {
            const auto trace = traceFromText(joined(randomLines(seed)));
            TimeNs unionTime = 0, sum = 0;
            std::map<Kind, TimeNs> exclusive;
            for (TimeNs t = trace->range.begin; t < trace->range.end; t += 1'000) {
                std::set<Kind> running;
                for (const Track &track : trace->tracks) {
                    bool threadRuns = false;
                    for (uint32_t row = 0; row < track.table->size(); ++row) {
                        if (track.begin(row) > t || track.end(row) <= t) continue;
                        if (isStepMarker(track.nameOf(row))) continue;
                        running.insert(track.table->kind[row]);
                        if (track.kind == TrackKind::Stream) sum += 1'000;
                        threadRuns |= track.kind == TrackKind::Thread;
                    }
                    sum += threadRuns ? 1'000 : 0;
                }
                if (running.empty()) continue;
                unionTime += 1'000;
                for (const Kind kind : {Kind::Kernel, Kind::Comm, Kind::H2D, Kind::CpuOp}) {
                    const bool copies = kind == Kind::H2D && running.contains(Kind::Memset);
                    if (!running.contains(kind) && !copies) continue;
                    exclusive[kind] += 1'000;
                    break;
                }
            }
            const Statistics result = statisticsOf(*trace, GroupBy::Kind);
            QCOMPARE(result.total.unionTime, unionTime);
            QCOMPARE(result.total.sum, sum);
            QCOMPARE(rowOf(result, "kernel").exclusive, exclusive[Kind::Kernel]);
            QCOMPARE(rowOf(result, "comm").exclusive, exclusive[Kind::Comm]);
            QCOMPARE(rowOf(result, "h2d").exclusive + rowOf(result, "memset").exclusive,
                     exclusive[Kind::H2D]);
            QCOMPARE(rowOf(result, "cpu_op").exclusive, exclusive[Kind::CpuOp]);
        }
    }

    void selfTimesOfAThreadAreItsUnion() {
        for (uint32_t seed = 1; seed <= 20; ++seed) {
            const auto trace = traceFromText(joined(randomLines(seed)));
            const Statistics result = statisticsOf(*trace, GroupBy::Track);
            for (const char *thread : {"a", "b", "c"})
                QCOMPARE(rowOf(result, thread).sum, rowOf(result, thread).unionTime);
        }
    }

    void windowsAddUp() {
        const auto trace = traceFromText(joined(randomLines(7)));
        const auto sum = [&](TimeNs from, TimeNs to) {
            return statisticsOf(*trace, GroupBy::Name, TimeRange{from, to}).total.sum;
        };
        QCOMPARE(sum(0, 333'000) + sum(333'000, 1'200'000), sum(0, 1'200'000));
    }

    void orderOfEventsDoesNotMatter() {
        std::vector<std::string> lines = randomLines(3);
        const Statistics before = statisticsOf(*traceFromText(joined(lines)), GroupBy::Track);
        std::mt19937 random(1);
        std::shuffle(lines.begin(), lines.end(), random);
        const Statistics after = statisticsOf(*traceFromText(joined(lines)), GroupBy::Track);
        QCOMPARE(before.rows.size(), after.rows.size());
        for (const StatRow &row : before.rows) {
            QCOMPARE(rowOf(after, row.key).sum, row.sum);
            QCOMPARE(rowOf(after, row.key).unionTime, row.unionTime);
        }
        QCOMPARE(before.total.unionTime, after.total.unionTime);
    }

    void tracksOfOneNameAreToldApart() {
        const auto trace = traceFromText("gpu0/s7: a 0..1\ngpu1/s7: b 0..1\ngpu1/s8: c 0..1\n");
        const Statistics result = statisticsOf(*trace, GroupBy::Track);
        QCOMPARE(rowOf(result, "stream 7 of device 0").count, uint64_t(1));
        QCOMPARE(rowOf(result, "stream 7 of device 1").count, uint64_t(1));
        QCOMPARE(rowOf(result, "stream 8").count, uint64_t(1));
    }

    /// Ranges of the window that are counted apart make the same whole, whoever counts them.
    void threadsDoNotMatter_data() { rowsAddUp_data(); }
    void threadsDoNotMatter() {
        QFETCH(int, by);
        const auto trace = laneModel(1'000'000);
        const Phases phased = phases(*trace, findSteps(*trace));
        for (const TimeRange range :
             {trace->range, TimeRange{trace->range.begin + 7'001, trace->range.end - 90'003}}) {
            const Window window{range, Window::Kind::Range, {}, {}};
            Progress progress;
            const auto one = statistics(*trace, phased, window, GroupBy(by), progress, 1);
            const auto three = statistics(*trace, phased, window, GroupBy(by), progress, 3);
            const auto figures = [](const StatRow &row) {
                return std::tuple(row.key, row.count, row.device, row.sum, row.unionTime,
                                  row.exclusive, row.self, row.mean, row.p50, row.p95, row.max);
            };
            QVERIFY(figures(one->total) == figures(three->total));
            QVERIFY(one->total.count > 990'000);
            QCOMPARE(one->rows.size(), three->rows.size());
            for (size_t i = 0; i < one->rows.size(); ++i)
                QVERIFY2(figures(one->rows[i]) == figures(three->rows[i]),
                         one->rows[i].key.c_str());
            QCOMPARE(one->communication.size(), size_t(2));
            for (size_t i = 0; i < 2; ++i) {
                QCOMPARE(one->communication[i].sum, three->communication[i].sum);
                QCOMPARE(one->communication[i].exposed, three->communication[i].exposed);
            }
        }
    }

    /// Many and few, short ones and those above 4.29 s, all equal and all different.
    void lengthsAreDescribedAsIfTheyWereSorted() {
        std::mt19937_64 random(5);
        for (const size_t count : {0, 1, 2, 3, 5, 21, 1'000, 16'383, 16'384, 50'000})
            for (const int bits : {0, 3, 10, 31, 32, 33, 40}) {
                std::vector<TimeNs> all;
                std::array<Lengths, 3> lists;
                double sum = 0;
                for (size_t i = 0; i < count; ++i) {
                    const TimeNs length =
                        TimeNs((random() & ((uint64_t(1) << bits) - 1)) >> random() % 3);
                    lists[random() % 3].add(length);
                    all.push_back(length);
                    sum += double(length);
                }
                std::sort(all.begin(), all.end());
                const LengthFacts facts =
                    LengthFacts::of(std::array{&std::as_const(lists[0]), &std::as_const(lists[1]),
                                               &std::as_const(lists[2])},
                                    Progress::never());
                QCOMPARE(facts.count, count);
                QCOMPARE(facts.p50, quantile(all, 0.5));
                QCOMPARE(facts.p95, quantile(all, 0.95));
                QCOMPARE(facts.max, all.empty() ? 0 : all.back());
                QCOMPARE(facts.mean, all.empty() ? 0 : TimeNs(sum / double(count)));
            }
    }

    /// A burst between long silences, more lanes than intervals in most of them, and times days
    /// apart: the sweep divides until few are left, and each interval is counted once.
    void burstsAndSilences() {
        std::string text;
        for (int i = 0; i < 3'000; ++i) {
            const std::string stream = "gpu0/s" + std::to_string(i % 600) + ": k ";
            const int begin = i / 600 * 10;
            text += stream + std::to_string(begin) + ".." + std::to_string(begin + 7) + "\n";
        }
        text += "gpu0/s1: k 300000000ms..300000001ms\n"; // after 3.5 days
        const Statistics result = statisticsOf(*traceFromText(text), GroupBy::Name);
        QCOMPARE(result.total.count, uint64_t(3'001));
        QCOMPARE(result.total.sum, 3'000 * 7'000 + ms);
        QCOMPARE(result.total.unionTime, 5 * 7'000 + ms);
        QCOMPARE(result.total.max, ms);
    }

    void stops() {
        const auto trace = traceFromText(kOverlap);
        const Steps steps = findSteps(*trace);
        Progress progress;
        progress.stop();
        const auto result = statistics(*trace, phases(*trace, steps),
                                       *resolveWindow(*trace, steps, {}), GroupBy::Name, progress);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
    }

    void devicesHaveUnions() {
        const auto trace = traceFromText(R"(
            gpu0/s7: a 0..10
            gpu0/s7: b 5..15
            gpu0/s8: c 12..20 comm
            gpu0/s20: d 18..30 h2d
            gpu0/s20: e 40..41 memset
            gpu1/s7: f 0..1
            main: cpu 0..100
        )");
        const auto devices = deviceFacts(*trace);
        QCOMPARE(devices.size(), size_t(2));
        QCOMPARE(devices[0].kernels, uint64_t(3));
        QCOMPARE(devices[0].copies, uint64_t(1));
        QCOMPARE(devices[0].memsets, uint64_t(1));
        QCOMPARE(devices[0].kernelUnion, 20'000);
        QCOMPARE(devices[0].busyUnion, 31'000);
        QCOMPARE(devices[1].device, int64_t(1));
    }

    /// Causality asks for the shift after which 99 of 100 operations follow their launch.
    void clocksThatDisagree() {
        const auto trace = [](int early) {
            std::string text;
            for (int i = 0; i < 200; ++i) {
                const std::string t = std::to_string(i * 100), corr = " corr=" + std::to_string(i);
                const int begin = i * 100 + (i < early ? i - 9 : 5);
                text += "main: cudaLaunchKernel " + t + ".." + std::to_string(i * 100 + 2) +
                        " launch" + corr + "\ngpu0/s7: k " + std::to_string(begin) + ".." +
                        std::to_string(begin + 3) + corr + "\n";
            }
            return traceFromText(text);
        };
        const auto skew = [](const std::shared_ptr<const Trace> &t) {
            return deviceFacts(*t).at(0).skew;
        };
        QCOMPARE(trace(4)->diagnostics[Reason::OpBeforeLaunch].count, uint64_t(4));
        QVERIFY(!skew(trace(0)));
        QVERIFY(!skew(trace(2))); // 1 % may be anything
        QCOMPARE(skew(trace(3)), std::optional<TimeNs>(7'000));
        QCOMPARE(skew(trace(9)), std::optional<TimeNs>(7'000));
    }
};

QTEST_APPLESS_MAIN(StatisticsTest)
#include "statistics_test.moc"
