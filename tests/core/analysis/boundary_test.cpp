// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/boundary.h"

#include "core/analysis/steps.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

const char *const kOneStep = "main: ProfilerStep#1 0..1ms\n"
                             "main: timed 0..1ms\n"
                             "main: cudaLaunchKernel 0..5 launch corr=1\n";

Boundary of(const std::string &more) {
    return findSteps(*traceFromText(kOneStep + more)).steps.front().boundary;
}

} // namespace

class BoundaryTest : public QObject {
    Q_OBJECT
private slots:
    void workThatRunsOn() {
        const auto trace = traceFromText(std::string(kOneStep) + "gpu0/s7: work 10..20ms corr=1\n");
        const EnqueueTails tails(*trace);
        QCOMPARE(tails.tail(find(*trace, "timed")), std::optional<TimeNs>(19'000'000));
        QCOMPARE(tails.tail(find(*trace, "cudaLaunchKernel")), std::nullopt);
        QCOMPARE(QString::fromStdString(enqueueOnlySentence(1'020'000, 19'000'000)),
                 QString("Enqueue only: this call returns after 1.02\u00a0ms, its device work ends "
                         "19.0\u00a0ms "
                         "later. It is no measure of the work."));
    }

    void whatAStepMeasures() {
        QCOMPARE(of("gpu0/s7: work 10..20ms corr=1\n"), Boundary::EnqueueOnly);
        QCOMPARE(of("gpu0/s7: work 10..900 corr=1\nmain: cudaDeviceSynchronize 10..910 sync\n"),
                 Boundary::Synchronised);
        // a pageable copy back holds its call until it is done
        QCOMPARE(of("gpu0/s7: work 10..800 corr=1\nmain: cudaMemcpyAsync 20..900 runtime corr=2\n"
                    "gpu0/s7: back 810..880 d2h corr=2\n"),
                 Boundary::Synchronised);
        QCOMPARE(of("gpu0/s7: work 10..500 corr=1\n"), Boundary::Unknown);
        QCOMPARE(of(""), Boundary::Unknown);
        // the wait was over before the last launch
        QCOMPARE(
            of("gpu0/s7: work 10..300 corr=1\nmain: cudaDeviceSynchronize 10..310 sync\n"
               "main: cudaLaunchKernel 400..405 launch corr=2\ngpu0/s7: more 410..20ms corr=2\n"),
            Boundary::EnqueueOnly);
        // within the tolerance of 5 %
        QCOMPARE(of("gpu0/s7: work 10..1040 corr=1\n"), Boundary::Unknown);
        QCOMPARE(of("gpu0/s7: work 10..1051 corr=1\n"), Boundary::EnqueueOnly);
    }

    void oneStepIsEnoughForTheTrace() {
        const auto boundary = [](const char *second) {
            return boundaryOf(*traceFromText(
                std::string(kOneStep) +
                "gpu0/s7: work 10..900 corr=1\nmain: cudaDeviceSynchronize 10..910 sync\n"
                "main: ProfilerStep#2 1ms..2ms\nmain: cudaLaunchKernel 1ms..1005 launch corr=2\n" +
                second));
        };
        QCOMPARE(boundary("gpu0/s7: work 1010..20ms corr=2\n"), Boundary::EnqueueOnly);
        QCOMPARE(boundary("gpu0/s7: work 1010..1500 corr=2\n"), Boundary::Unknown);
        QCOMPARE(
            boundary(
                "gpu0/s7: work 1010..1500 corr=2\nmain: cudaDeviceSynchronize 1020..1600 sync\n"),
            Boundary::Synchronised);
        QCOMPARE(boundaryOf(*traceFromText("main: work 0..1\n")), Boundary::Unknown);
    }

    /// Against looking at every launch and every wait.
    void everyRange() {
        std::mt19937_64 random(7);
        const auto below = [&](uint64_t n) { return random() % n; };
        for (int round = 0; round < 60; ++round) {
            std::string text;
            int correlation = 0;
            TimeNs device = 0;
            for (TimeNs at = 0; at < 4000; at += 100) {
                const TimeNs end = at + 100;
                text += "main: op" + std::to_string(at) + " " + std::to_string(at) + ".." +
                        std::to_string(at + 100 * TimeNs(1 + below(3)) - 1) + "\n";
                if (below(2)) {
                    ++correlation;
                    device = std::max(device, at + 5) + TimeNs(below(400));
                    text += "main: cudaLaunchKernel " + std::to_string(at + 1) + ".." +
                            std::to_string(at + 4) + " launch corr=" + std::to_string(correlation) +
                            "\ngpu0/s7: k " + std::to_string(device) + ".." +
                            std::to_string(device + 40) + " corr=" + std::to_string(correlation) +
                            "\n";
                    device += 41;
                } else if (below(3) == 0) {
                    text += "main: cudaStreamSynchronize " + std::to_string(at + 5) + ".." +
                            std::to_string(end - 5) + " sync\n";
                }
            }
            const auto trace = traceFromText(text);
            const EnqueueTails tails(*trace);
            for (uint32_t t = 0; t < trace->tracks.size(); ++t) {
                const Track &track = trace->tracks[t];
                if (track.kind != TrackKind::Thread) continue;
                for (uint32_t row = 0; row < track.table->size(); ++row) {
                    if (track.table->kind[row] != Kind::CpuOp) continue;
                    const TimeNs begin = track.begin(row), end = track.end(row);
                    TimeNs last = -1, done = -1;
                    for (const Launch &launch : trace->launches) {
                        const TimeNs call = trace->begin(launch.call);
                        if (call < begin || call >= end) continue;
                        last = std::max(last, call);
                        done = std::max(done, trace->end(launch.op));
                    }
                    bool waited = false;
                    for (uint32_t r = 0; r < track.table->size(); ++r)
                        waited |= track.table->kind[r] == Kind::Sync && track.begin(r) >= last &&
                                  track.end(r) <= end;
                    std::optional<TimeNs> expected;
                    if (last >= 0 && !waited &&
                        done - end > std::max<TimeNs>(50'000, (end - begin) / 20))
                        expected = done - end;
                    QCOMPARE(tails.tail({t, row}), expected);
                    QCOMPARE(enqueueTail(*trace, {t, row}), expected);
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(BoundaryTest)
#include "boundary_test.moc"
