// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/analysis/relatives.h"
#include "tests/support/random_trace.h"
#include "tests/support/text_trace.h"

using namespace longpole;

class RelativesTest : public QObject {
    Q_OBJECT
private slots:
    void forwardAndBackwardFindEachOther();
    void recordsAndWaitsFindEachOther();
    void pythonIsFoundAtTheLaunch();
    void childrenAreThoseThatNameTheirParent();
};

void RelativesTest::forwardAndBackwardFindEachOther() {
    const auto trace = test::traceFromText("main: aten::mm 0..10 seq=5\n"
                                           "main: aten::relu 20..30 seq=6\n"
                                           "engine: MmBackward0 50..70 seq=5 fwd=1\n"
                                           "engine: aten::t 52..60 seq=5 fwd=1\n"
                                           "engine: ReluBackward0 40..45 seq=6 fwd=1\n");
    const auto id = [&](const char *name) { return test::find(*trace, name); };
    QVERIFY((autogradPartners(*trace, id("aten::mm"), 9) ==
             std::vector<IntervalId>{id("MmBackward0"), id("aten::t")}));
    QCOMPARE(autogradPartners(*trace, id("aten::mm"), 1).size(), size_t(1));
    QVERIFY(
        (autogradPartners(*trace, id("aten::t"), 9) == std::vector<IntervalId>{id("aten::mm")}));
    QVERIFY(isBackwardOp(*trace, id("aten::t")) && !isBackwardOp(*trace, id("aten::mm")));
}

void RelativesTest::recordsAndWaitsFindEachOther() {
    const auto trace = test::traceFromText("main: cudaEventRecord 0..2 event_record corr=6\n"
                                           "main: cudaStreamWaitEvent 3..4 event_wait corr=7\n"
                                           "other: cudaEventSynchronize 5..30 sync corr=8\n"
                                           "main: cudaLaunchKernel 10..12 launch corr=9\n"
                                           "wait: 3..3 corr=7 stream=7 on=20 record=6\n"
                                           "sync: 5..30 corr=8 record=6\n"
                                           "gpu0/s7: gemm 40..90 corr=9\n");
    const auto id = [&](const char *name) { return test::find(*trace, name); };
    QVERIFY((eventPartners(*trace, id("cudaEventRecord"), 9) ==
             std::vector<IntervalId>{id("cudaStreamWaitEvent"), id("cudaEventSynchronize")}));
    QVERIFY((eventPartners(*trace, id("cudaStreamWaitEvent"), 9) ==
             std::vector<IntervalId>{id("cudaEventRecord")}));
    QVERIFY((eventPartners(*trace, id("cudaEventSynchronize"), 9) ==
             std::vector<IntervalId>{id("cudaEventRecord")}));
    for (const char *name : {"cudaLaunchKernel", "gemm"})
        QVERIFY(eventPartners(*trace, id(name), 9).empty());
}

void RelativesTest::pythonIsFoundAtTheLaunch() {
    const auto trace = test::traceFromText("main: train.py(3): main 0..100 python\n"
                                           "main: model.py(7): forward 10..60 python\n"
                                           "main: aten::mm 20..50\n"
                                           "main: cudaLaunchKernel 30..32 launch corr=1\n"
                                           "gpu0/s7: gemm 40..90 corr=1\n");
    const auto id = [&](const char *name) { return test::find(*trace, name); };
    const std::vector<IntervalId> stack{id("model.py(7): forward"), id("train.py(3): main")};
    QVERIFY(pythonStack(*trace, id("gemm")) == stack);
    QVERIFY(pythonStack(*trace, id("aten::mm")) == stack);
    QVERIFY(pythonStack(*trace, id("train.py(3): main")).empty());
}

void RelativesTest::childrenAreThoseThatNameTheirParent() {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const auto trace = test::traceFromText(test::joined(test::randomTraceLines(seed)));
        for (uint32_t t = 0; t < trace->tracks.size(); ++t) {
            const TrackTable &table = *trace->tracks[t].table;
            for (uint32_t row = 0; row < table.size(); ++row) {
                size_t expected = 0;
                for (uint32_t other = 0; other < table.size(); ++other)
                    expected += table.parent[other] == row;
                const auto children = childrenOf(*trace, {t, row}, 1'000'000);
                QCOMPARE(children.size(), expected);
                for (const IntervalId child : children) QCOMPARE(table.parent[child.row], row);
            }
        }
    }
}

QTEST_APPLESS_MAIN(RelativesTest)
#include "relatives_test.moc"
