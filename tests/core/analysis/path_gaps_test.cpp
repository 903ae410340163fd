// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/path_gaps.h"
#include "tests/support/random_trace.h"
#include "tests/support/text_trace.h"

#include <QTest>

using namespace longpole;
using namespace longpole::test;

namespace {

struct Answer {
    PathGaps gaps;
    TimeNs unexplained = 0;
};

Answer answerOf(const std::string &text) {
    const auto trace = traceFromText(text);
    const Steps steps = findSteps(*trace);
    Progress progress;
    const auto graph = buildGraph(*trace, steps, phases(*trace, steps), progress);
    if (!graph) qFatal("%s", graph.error().message.c_str());
    Window window;
    window.range = trace->range;
    const CriticalPath path = criticalPath(*trace, steps, *graph, window);
    return {pathGaps(*trace, *graph, path), path.byEvidence.unexplained};
}

} // namespace

class PathGapsTest : public QObject {
    Q_OBJECT
private slots:
    void whatWouldExplainThem_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<qint64>("launches");
        QTest::addColumn<qint64>("before");
        QTest::addColumn<qint64>("waits");
        QTest::addColumn<qint64>("beside");
        const std::string first = "main: cudaLaunchKernel 0..2 launch corr=1\n"
                                  "gpu0/s7: a 4..10 corr=1\n";
        QTest::newRow("a launch that is not there")
            << first + "gpu0/s7: b 500..600\n"
            << qint64(490'000) << qint64(0) << qint64(0) << qint64(0);
        QTest::newRow("work from before the recording")
            << std::string(
                   "main: cudaLaunchKernel 0..2 launch corr=1\ngpu0/s7: a 500..600 corr=1\n")
            << qint64(0) << qint64(490'000) << qint64(0) << qint64(0);
        QTest::newRow("a wait without a record")
            << first + "main: cudaLaunchKernel 2..4 launch corr=2\ngpu0/s7: b 500..600 corr=2\n"
            << qint64(0) << qint64(0) << qint64(490'000) << qint64(0);
        const std::string second = first + "main: cudaLaunchKernel 2..4 launch corr=2\n"
                                           "main: cudaLaunchKernel 4..6 launch corr=3\n"
                                           "gpu0/s7: b 470..600 corr=2\n";
        QTest::newRow("beside a kernel that may have filled the device")
            << second + "gpu0/s8: big 8..520 corr=3\n"
            << qint64(0) << qint64(0) << qint64(460'000) << qint64(460'000);
        QTest::newRow("beside a kernel for a while")
            << second + "gpu0/s8: big 8..300 corr=3\n"
            << qint64(0) << qint64(0) << qint64(460'000) << qint64(0);
        QTest::newRow("beside a kernel of another device")
            << second + "gpu1/s8: big 8..520 corr=3\n"
            << qint64(0) << qint64(0) << qint64(460'000) << qint64(0);
    }
    void whatWouldExplainThem() {
        QFETCH(std::string, text);
        QFETCH(qint64, launches);
        QFETCH(qint64, before);
        QFETCH(qint64, waits);
        QFETCH(qint64, beside);
        const auto [gaps, unexplained] = answerOf(text);
        QCOMPARE(gaps.launches + gaps.before + gaps.waits, unexplained);
        const auto close = [](TimeNs is, qint64 should) {
            return should == 0 ? is == 0 : std::abs(is - should) <= 10'000; // less a lag
        };
        QVERIFY(close(gaps.launches, launches));
        QVERIFY(close(gaps.before, before));
        QVERIFY(close(gaps.waits, waits));
        QVERIFY(close(gaps.beside, beside));
    }

    void addUp() {
        for (uint64_t seed = 0; seed < randomTraces(); ++seed) {
            const auto [gaps, unexplained] = answerOf(joined(randomTraceLines(seed)));
            QCOMPARE(gaps.launches + gaps.before + gaps.waits, unexplained);
            QVERIFY(0 <= gaps.beside && gaps.beside <= gaps.waits);
        }
    }
};

QTEST_APPLESS_MAIN(PathGapsTest)
#include "path_gaps_test.moc"
