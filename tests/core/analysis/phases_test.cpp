// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/phases.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

/// JSON with single quotes is easier to read here (and moc stumbles over raw strings).
std::string json(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

struct Phased {
    std::shared_ptr<const Trace> trace;
    Phases phases;
    std::string of(std::string_view name) const { return phases.ruleOf(find(*trace, name)).id; }
};

Phased phased(std::string_view text, const PhaseRules &rules = defaultPhaseRules()) {
    Phased result{traceFromText(text), {}};
    result.phases = longpole::phases(*result.trace, findSteps(*result.trace), rules);
    return result;
}

} // namespace

class PhasesTest : public QObject {
    Q_OBJECT
private slots:
    void shippedRulesKnowPyTorch_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("phase");
        for (const auto &[name, phase] : std::vector<std::pair<const char *, const char *>>{
                 {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "data_wait"},
                 {"DataLoader worker", "data_wait"},
                 {"## load_batch ##", "data_wait"},
                 {"## wait_for_batch ##", "data_wait"},
                 {"Optimizer.step#AdamW.step", "update"},
                 {"Optimizer.zero_grad#SGD.zero_grad", "update"},
                 {"## optimizer ##", "update"},
                 {"autograd::engine::evaluate_function: MulBackward0", "backward"},
                 {"CudnnConvolutionBackward", "backward"},
                 {"torch::autograd::AccumulateGrad", "backward"},
                 {"## backward ##", "backward"},
                 {"nccl:all_reduce", "communication"},
                 {"c10d::allreduce_", "communication"},
                 {"record_param_comms", "communication"},
                 {"nn.Module: ResNet_0", "forward"},
                 {"## forward ##", "forward"},
                 {"forward", "forward"},
                 {"DistributedDataParallel.forward annotation", "forward"},
                 {"forward_hooks annotation", "other"},
                 {"torch/nn/modules/linear.py(116): forward python", "forward"},
                 {"torch/_tensor.py(525): backward python", "backward"},
                 {"torch/optim/adamw.py(220): step python", "update"},
                 {"torch/utils/data/dataloader.py(708): __next__ python", "data_wait"},
                 {"aten::_pin_memory", "data_wait"},
                 {"logging", "logging"},
                 {"aten::add", "other"},
                 {"train_step", "other"}})
            QTest::newRow(name) << name << phase;
    }
    void shippedRulesKnowPyTorch() {
        QFETCH(QString, name);
        // a kind may stand behind the name
        const QString last = name.section(' ', -1);
        const bool hasKind = last == "annotation" || last == "python";
        const std::string text = (hasKind ? name.chopped(last.size() + 1) : name).toStdString();
        const std::string line = "main: " + text + " 0..10 " + (hasKind ? last.toStdString() : "");
        QTEST(QString::fromStdString(phased(line).of(text)), "phase");
    }

    void hostRangesInheritTheInnermostMatch() {
        const Phased p = phased(R"(
            main: ## forward ## 0..100
            main: block 10..90
            main: aten::mul 20..30
            main: cudaStreamSynchronize 40..50 sync
            main: inside 41..49
            main: outside 110..120
        )");
        QCOMPARE(p.of("aten::mul"), "forward");
        QCOMPARE(p.of("cudaStreamSynchronize"), "synchronisation"); // its own match wins
        QCOMPARE(p.of("inside"), "synchronisation");
        QCOMPARE(p.of("outside"), "other");
        QVERIFY(p.phases.named);
    }

    void deviceWorkHasThePhaseOfItsLaunch() {
        const Phased p = phased(R"(
            main: Optimizer.step#SGD.step 0..20
            main: cudaLaunchKernel 5..7 launch corr=1
            main: ## forward ## 30..90
            main: cudaMemcpyAsync 35..40 sync corr=2
            main: cudaMemcpyAsync 45..50 runtime corr=3
            gpu0/s7: adam 50..60 corr=1
            gpu0/s7: Memcpy DtoD 61..62 d2d corr=2
            gpu0/s7: Memcpy HtoD 63..64 h2d corr=3
            gpu0/s8: ncclKernel 65..66 comm corr=3
        )");
        QCOMPARE(p.of("adam"), "update");         // though it runs during forward
        QCOMPARE(p.of("Memcpy DtoD"), "forward"); // not the wait that launched it
        QCOMPARE(p.of("Memcpy HtoD"), "transfer");
        QCOMPARE(p.of("ncclKernel"), "communication");
    }

    void stepStructureNamesForwardAndBackward() {
        const Phased p = phased(R"(
            main: ProfilerStep#1 0..200
            main: aten::conv2d 10..30
            main: cudaLaunchKernel 15..17 launch corr=1
            main: aten::item 35..36
            main: aten::add 150..170
            main: cudaLaunchKernel 155..157 launch corr=3
            engine: autograd::engine::evaluate_function: ConvBackward0 60..90
            engine: aten::detach 95..99
            engine: cudaLaunchKernel 96..97 launch corr=2
            gpu0/s7: conv 40..50 corr=1
            gpu0/s7: lost_between 51..52
            gpu0/s7: loss 53..54 corr=1
            gpu0/s7: dgrad 100..110 corr=2
            gpu0/s7: late 160..165 corr=3
            gpu0/s7: lost_last 170..175
        )");
        QCOMPARE(p.of("conv"), "forward");
        QCOMPARE(p.of("aten::conv2d"), "forward");
        QCOMPARE(p.of("aten::item"), "other"); // launches nothing
        QCOMPARE(p.of("dgrad"), "backward");
        QCOMPARE(p.of("aten::detach"), "backward"); // all of the engine's thread
        QCOMPARE(p.of("late"), "other");
        QCOMPARE(p.of("lost_between"), "forward"); // both neighbours were launched there
        QCOMPARE(p.of("lost_last"), "other");
        QCOMPARE(p.of("ProfilerStep#1"), "other");
    }

    void rangesAroundAWaitAreWaits() {
        const Phased p = phased(R"(
            main: aten::item 0..100
            main: aten::_local_scalar_dense 5..95
            main: cudaStreamSynchronize 20..90 sync
            main: evaluate 200..400
            main: cudaDeviceSynchronize 210..220 sync
            main: ## forward ## 500..600
            main: block 500..550
            main: cudaEventSynchronize 505..550 sync
        )");
        QCOMPARE(p.of("aten::item"), "synchronisation");
        QCOMPARE(p.of("aten::_local_scalar_dense"), "synchronisation");
        QCOMPARE(p.of("evaluate"), "other"); // it waits for a small part only
        QCOMPARE(p.of("block"), "forward");  // inherits a phase
    }

    void aThreadOfOtherWorkIsNoEngine() {
        const Phased p = phased(R"(
            main: ## forward ## 0..10
            main: ## forward ## 20..30
            main: MulBackward0 40..50
            main: aten::add 60..70
        )");
        QCOMPARE(p.of("aten::add"), "other");
    }

    void namelessTracesSaySo() {
        QVERIFY(!phased("main: compute_things 0..9\ngpu0/s7: Memcpy 1..2 h2d\n").phases.named);
    }

    void ownRulesReplaceTheShippedOnes() {
        const auto rules = parsePhaseRules(
            json("{'version':1,'phases':["
                 "{'id':'encoder','label':'Encoder','colour':'#1a2b3c','match':[{'name':'enc.*'}]},"
                 "{'id':'fast','match':[{'name':'k.*','kind':'kernel'}]}]}"));
        QVERIFY(rules);
        QCOMPARE(rules->rules.back().id, "other");
        QCOMPARE(rules->rules[1].label, "fast");
        const Phased p = phased("main: encode 0..9\nmain: k1 20..21\ngpu0/s7: k2 1..2\n", *rules);
        QCOMPARE(p.of("encode"), "encoder");
        QCOMPARE(p.of("k1"), "other"); // the kind must hold as well
        QCOMPARE(p.of("k2"), "fast");
    }

    void backwardFollowsForwardWhereRulesDoNotNameIt() {
        const auto rules = parsePhaseRules(
            json("{'version':1,'phases':[{'id':'encoder','match':[{'name':'encoder'}]}]}"));
        const Phased p = phased(R"(
            main: encoder 0..100
            main: aten::mm 10..20 seq=5 fwd=0
            main: aten::add 200..210 seq=5 fwd=0
            main: aten::mul 30..40 seq=6 fwd=0
            engine: MulBackward0 300..350 seq=6 fwd=1
            engine: cudaLaunchKernel 310..320 launch corr=1
            engine: AddBackward0 400..450 seq=5 fwd=1
            gpu0/s7: gemm 500..510 corr=1
        )",
                                *rules);
        QCOMPARE(p.of("MulBackward0"), "encoder");
        QCOMPARE(p.of("gemm"), "encoder");
        QCOMPARE(p.of("AddBackward0"), "other"); // the latest operator of that number counts
    }

    void badRulesSayWhatIsWrong_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("not JSON") << "{"
                                  << "JSON";
        QTest::newRow("list") << "[]"
                              << "version";
        QTest::newRow("version") << "{'version':2,'phases':[]}"
                                 << "version";
        QTest::newRow("version is a text") << "{'version':'1','phases':[]}"
                                           << "JSON";
        QTest::newRow("phases") << "{'version':1,'phases':{}}"
                                << "phases";
        QTest::newRow("id") << "{'version':1,'phases':[{'label':'x'}]}"
                            << "id";
        QTest::newRow("twice") << "{'version':1,'phases':[{'id':'a'},{'id':'a'}]}"
                               << "twice";
        QTest::newRow("regex") << "{'version':1,'phases':[{'id':'a','match':[{'name':'('}]}]}"
                               << "\"a\"";
        QTest::newRow("kind") << "{'version':1,'phases':[{'id':'a','match':[{'kind':'kernels'}]}]}"
                              << "kernels";
        QTest::newRow("key") << "{'version':1,'phases':[{'id':'a','match':[{'nam':'x'}]}]}"
                             << "nam";
        QTest::newRow("empty match") << "{'version':1,'phases':[{'id':'a','match':[{}]}]}"
                                     << "everything";
        QTest::newRow("colour") << "{'version':1,'phases':[{'id':'a','colour':'red'}]}"
                                << "colour";
        QTest::newRow("other") << "{'version':1,'phases':[{'id':'other','match':[{'name':'x'}]}]}"
                               << "other";
    }
    void badRulesSayWhatIsWrong() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto rules = parsePhaseRules(json(text.toStdString()));
        QVERIFY(!rules);
        QCOMPARE(rules.error().kind, ErrorKind::Usage);
        QVERIFY2(QString::fromStdString(rules.error().message).contains(says),
                 rules.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(PhasesTest)
#include "phases_test.moc"
