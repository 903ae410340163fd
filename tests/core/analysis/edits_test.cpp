// SPDX-License-Identifier: Apache-2.0
//
// What holds for edits of a graph whatever the program: on simulated loops of every kind.
#include "core/analysis/edits.h"

#include "core/analysis/predicted_trace.h"
#include "tests/support/files.h"
#include "tests/support/loop_pairs.h"
#include "tests/support/text_trace.h"

#include <QTest>

#include <algorithm>

using namespace longpole;
using namespace longpole::test;

namespace {

GraphEdit parsed(const std::string &text) {
    return *parseGraphEdit(text);
}

/// A few programs that differ in what they wait for.
std::vector<LoopRegime> someRegimes() {
    std::vector<LoopRegime> some;
    for (LoopRegime &regime : loopRegimes())
        for (const char *name : {"GPU-bound, device sync", "event sync", "blocking copy, logging",
                                 "all-reduce, sync every 4", "queue full", "loader-bound, untraced",
                                 "launch-bound, item each step", "short kernels that overlap",
                                 "recorded while it runs", "GPU-bound, polling"})
            if (regime.name.find(name) != std::string::npos) some.push_back(std::move(regime));
    return some;
}

const char *const kEdits[] = {
    "remove:kind:kernel", "remove:name>:aten::item",    "remove:kind:comm", "remove:kind:cpu_op",
    "unsync:kind:sync",   "unsync:name:cudaEventQuery", "async:kind:d2h",   "async:kind:h2d=0.5",
    "graph:step=1us",     "graph:10ms..12ms=1us",       "launch=0.5",       "launch=0"};

struct Edited {
    LoopCase run;
    DependencyGraph graph;
    WindowTerms all; ///< of the whole capture
};
Edited editable(const LoopRegime &regime) {
    Edited edited{loopCase(regime, simulateLoop(regime.shape)), {}, {}};
    edited.graph = graphOf(edited.run);
    WindowRequest request;
    request.all = true;
    edited.all = windowTerms(*edited.run.trace, edited.run.steps, edited.graph,
                             *resolveWindow(*edited.run.trace, edited.run.steps, request));
    return edited;
}
Result<EditedGraph> apply(const Edited &to, const std::vector<GraphEdit> &edits) {
    return applyEdits(*to.run.trace, to.run.steps, to.run.phases, to.graph, edits);
}

} // namespace

class EditsTest : public QObject {
    Q_OBJECT
private slots:
    /// Numbers and measured times stay, edges run forwards, and no node is left without one.
    void keepTheGraphWhole() {
        size_t applied = 0, refused = 0;
        for (const LoopRegime &regime : someRegimes()) {
            const Edited before = editable(regime);
            for (const char *text : kEdits) {
                const auto edited = apply(before, {parsed(text)});
                if (!edited) {
                    QVERIFY(edited.error().kind == ErrorKind::Impossible);
                    ++refused;
                    continue;
                }
                for (const DependencyGraph *graph : {&edited->graph, &edited->other}) {
                    QVERIFY(graph->time == before.graph.time);
                    QVERIFY(graph->firstEdge == before.graph.firstEdge);
                    QVERIFY(graph->activity == before.graph.activity);
                    QVERIFY(graph->type == before.graph.type);
                    const auto times = replay(*graph, {});
                    for (uint32_t v = 1; v < graph->nodes(); ++v) {
                        for (uint32_t e = graph->firstEdge[v]; e < graph->firstEdge[v + 1]; ++e)
                            QVERIFY(graph->source[e] < v);
                        QVERIFY2(times[v] >= graph->time[0], text);
                    }
                }
                applied += edited->changed;
            }
        }
        QVERIFY(applied >= 40);
        QVERIFY(refused >= 4);
    }

    /// Less work and fewer waits never make the whole capture longer.
    void neverMakeItLonger() {
        for (const LoopRegime &regime : someRegimes()) {
            const Edited before = editable(regime);
            const TimeNs measured = windowLength(before.all, before.graph.time);
            for (const char *text : kEdits) {
                if (std::string_view(text).starts_with("async")) continue; // a call may cost more
                const auto edited = apply(before, {parsed(text)});
                if (!edited) continue;
                const TimeNs length = windowLength(before.all, replay(edited->graph, {}));
                QVERIFY2(length <= measured, (regime.name + ": " + text).c_str());
                if (!edited->changed) QCOMPARE(length, measured);
            }
        }
    }

    void launchesAreWorkThatIsScaled() {
        for (const LoopRegime &regime : someRegimes()) {
            const Edited before = editable(regime);
            const auto edited = apply(before, {parsed("launch=0.5")});
            std::vector<std::string> unmatched;
            const auto scaling = resolveScaling(*before.run.trace, before.run.phases, before.graph,
                                                {{"kind:launch", {1, 2}}}, unmatched);
            QVERIFY(replay(edited->graph, {}) == replay(before.graph, *scaling));
            const auto same = apply(before, {parsed("launch=1")});
            QVERIFY(!same->changed);
        }
    }

    void theirOrderDoesNotMatter() {
        for (const LoopRegime &regime : someRegimes()) {
            const Edited before = editable(regime);
            const std::vector<GraphEdit> one{parsed("launch=0.5"), parsed("remove:kind:comm"),
                                             parsed("unsync:name:cudaDeviceSynchronize")};
            const std::vector<GraphEdit> other{one[2], one[0], one[1]};
            const auto a = apply(before, one), b = apply(before, other);
            QVERIFY(a && b);
            QVERIFY(a->graph.weight == b->graph.weight && a->graph.delta == b->graph.delta);
            QCOMPARE(a->assumptions.size(), b->assumptions.size());
        }
    }

    /// What a spin of queries hands to the host is not taken away from it.
    void spinsForValuesStay() {
        const auto spin = [](const char *copy) {
            return std::string("main: cudaMemcpyAsync 0..4 runtime corr=1\n"
                               "main: cudaEventQuery 10..12 runtime\n"
                               "main: cudaEventQuery 30..32 runtime\n"
                               "main: cudaEventQuery 62..64 runtime\nmain: work 64..90\n"
                               "gpu0/s7: ") +
                   copy + " corr=1\n";
        };
        const auto unsync = [&](const std::string &text) {
            LoopCase run;
            run.trace = traceFromText(text);
            run.phases = phases(*run.trace, run.steps);
            const DependencyGraph graph = graphOf(run);
            return applyEdits(*run.trace, run.steps, run.phases, graph,
                              {parsed("unsync:name:cudaEventQuery")});
        };
        const auto value = unsync(spin("Memcpy DtoH (Device -> Pinned) 5..60 d2h"));
        QVERIFY(!value);
        QVERIFY(value.error().message.find("cudaEventQuery") != std::string::npos);
        QVERIFY(value.error().message.find("which the program reads next") != std::string::npos);
        const auto batch = unsync(spin("Memcpy HtoD (Pinned -> Device) 5..60 h2d"));
        QVERIFY(batch && batch->changed);
        QCOMPARE(batch->assumptions.size(), size_t(1));
    }

    /// The trace as a loop without its waits makes it is the one that is simulated.
    void predictsEveryOperation_data() {
        QTest::addColumn<int>("sync");
        QTest::addColumn<std::string>("edit");
        QTest::newRow("calls") << int(LoopShape::Sync::Device)
                               << std::string("unsync:name:cudaDeviceSynchronize");
        QTest::newRow("spins of queries")
            << int(LoopShape::Sync::Poll) << std::string("unsync:name:cudaEventQuery");
    }
    void predictsEveryOperation() {
        QFETCH(int, sync);
        QFETCH(std::string, edit);
        LoopRegime regime{"no waits", {}};
        regime.shape.sync = LoopShape::Sync(sync);
        regime.shape.steps = 6;
        regime.shape.seed = 77;
        const Edited before = editable(regime);
        const auto edited = apply(before, {parsed(edit)});
        QVERIFY(edited->changed);
        QCOMPARE(edited->assumptions.size(), size_t(1));
        const auto times = replay(edited->graph, {});
        const auto predicted = predictedTrace(*before.run.trace, edited->graph, times, 0);
        const auto truth = *openText(
            simulateLoop(regime.shape, {[](const LoopWork &w) { return w.kind == "sync"; }, 1, 1,
                                        LoopEdit::NoWaits}),
            1);
        QCOMPARE(predicted->launches.size(), truth->launches.size());
        TimeNs worst = 0;
        for (size_t i = 0; i < truth->launches.size(); ++i)
            worst = std::max(worst, std::abs(predicted->begin(predicted->launches[i].op) -
                                             truth->begin(truth->launches[i].op)));
        QVERIFY2(worst < 20'000, std::to_string(worst).c_str());
        QVERIFY(predicted->range.end < before.run.trace->range.end - 500'000);
    }
};

QTEST_APPLESS_MAIN(EditsTest)
#include "edits_test.moc"
