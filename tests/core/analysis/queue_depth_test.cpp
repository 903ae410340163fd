// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/queue_depth.h"
#include "tests/support/random_trace.h"
#include "tests/support/text_trace.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

class QueueDepthTest : public QObject {
    Q_OBJECT
private slots:
    void countsWhatHasNotBegun() {
        const auto trace = traceFromText("main: cudaLaunchKernel 0..2 launch corr=1\n"
                                         "main: cudaLaunchKernel 2..4 launch corr=2\n"
                                         "main: cudaLaunchKernel 4..6 launch corr=3\n"
                                         "main: cudaLaunchKernel 50..60 launch corr=4\n"
                                         "gpu0/s7: a 5..20 corr=1\ngpu0/s7: b 20..30 corr=2\n"
                                         "gpu0/s7: c 30..40 corr=3\ngpu0/s20: d 55..70 corr=4\n"
                                         "gpu0/s20: e 70..80\n");
        const auto depths = queueDepths(*trace);
        QCOMPARE(depths.size(), 1u); // d began before its call returned, e has none
        QCOMPARE(depths[0].name, std::string("queue depth"));
        QCOMPARE(trace->tracks[depths[0].track].stream, std::optional<int64_t>(7));
        QCOMPARE(depths[0].time, (std::vector<TimeNs>{2'000, 4'000, 5'000, 6'000, 20'000, 30'000}));
        QCOMPARE(depths[0].value, (std::vector<double>{1, 2, 1, 2, 1, 0}));
        QCOMPARE(valueAt(depths[0], 0), 0.0);
        QCOMPARE(valueAt(depths[0], 4'500), 2.0);
        QCOMPARE(valueAt(depths[0], 90'000), 0.0);
    }

    /// Counted one by one at every change, on any trace.
    void anyTrace() {
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const auto trace = traceFromText(joined(randomTraceLines(seed)));
            for (const CounterSeries &series : queueDepths(*trace)) {
                for (size_t i = 0; i < series.time.size(); ++i) {
                    double count = 0;
                    const Track &track = trace->tracks[series.track];
                    for (uint32_t row = 0; row < track.table->size(); ++row) {
                        const IntervalId call = trace->callOf({series.track, row});
                        count += call.valid() && trace->end(call) <= series.time[i] &&
                                 series.time[i] < track.begin(row);
                    }
                    QCOMPARE(series.value[i], count);
                    QVERIFY(i == 0 || series.time[i - 1] < series.time[i]);
                }
                QCOMPARE(series.value.back(), 0.0);
            }
        }
    }
};

QTEST_APPLESS_MAIN(QueueDepthTest)
#include "queue_depth_test.moc"
