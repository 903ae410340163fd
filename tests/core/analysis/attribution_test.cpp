// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/analysis/attribution.h"
#include "core/analysis/on_path_shares.h"
#include "core/analysis/rank.h"
#include "core/analysis/what_if.h"
#include "tests/support/text_trace.h"

#include <algorithm>
#include <map>
#include <random>

using namespace longpole;
using namespace longpole::test;

namespace {

constexpr GroupBy kByOwner[] = {GroupBy::Op, GroupBy::Module, GroupBy::Class};

/// A forward and a backward pass of one module, and a loss outside of any.
constexpr const char *kTraining = R"(
    main: ProfilerStep#1 0..1000
    main: train.py(7): step 0..900 python
    main: nn.Module: Net_0 10..200 python
    main: nn.Module: Linear_0 20..150 python
    main: <built-in method linear of type object at 0x7f> 25..140 python
    main: aten::linear 30..130 seq=5 fwd=0
    main: aten::addmm 40..120 seq=5 fwd=0
    main: cudaLaunchKernel 50..60 launch corr=1
    main: aten::mse_loss 300..350 seq=6 fwd=0
    main: cudaLaunchKernel 310..320 launch corr=2
    main: <built-in method run_backward at 0x8a> 400..800 python
    main: cudaMemsetAsync 910..920 runtime corr=6
    engine: autograd::engine::evaluate_function: MseLossBackward0 410..450 seq=6 fwd=1
    engine: cudaLaunchKernel 420..430 launch corr=3
    engine: autograd::engine::evaluate_function: AddmmBackward0 460..600 seq=5 fwd=1
    engine: AddmmBackward0 470..590 seq=5 fwd=1
    engine: aten::mm 480..580
    engine: cudaLaunchKernel 500..510 launch corr=4
    engine: torch::autograd::AccumulateGrad 610..640 seq=99 fwd=1
    engine: cudaLaunchKernel 620..630 launch corr=5
    gpu0/s7: ampere_sgemm_128x64_tn 70..100 corr=1
    gpu0/s7: mse_kernel 330..340 corr=2
    gpu0/s7: mse_backward_kernel 440..445 corr=3
    gpu0/s7: ampere_sgemm_128x64_nt 520..560 corr=4
    gpu0/s7: add_kernel 650..660 corr=5
    gpu0/s7: Memset 930..935 memset corr=6
    gpu0/s7: lost 940..950 corr=77
)";

struct Owned {
    std::shared_ptr<const Trace> trace;
    Attribution owners;
    std::string of(std::string_view name) const { return owners.ownerOf(find(*trace, name)); }
};

Owned owned(std::string_view text, AttributeTo to) {
    Owned result{traceFromText(text), {}};
    result.owners = attribute(*result.trace, to);
    return result;
}

std::string classOf(const std::string &name, const char *kind = "") {
    return owned("gpu0/s7: " + name + " 0..1 " + kind, AttributeTo::Class).of(name);
}

/// A trace, its path and its graph over the whole capture.
struct Analysed {
    explicit Analysed(std::string_view text) : trace(traceFromText(text)) {
        steps = findSteps(*trace);
        phased = phases(*trace, steps);
        WindowRequest all;
        all.all = true;
        window = *resolveWindow(*trace, steps, all);
        graph = *buildGraph(*trace, steps, phased, progress);
        path = criticalPath(*trace, steps, graph, window);
    }
    Statistics stats(GroupBy by) {
        Statistics result = *statistics(*trace, phased, window, by, progress);
        addOnPath(result, *trace, phased, path, by);
        return result;
    }
    std::shared_ptr<const Trace> trace;
    Progress progress;
    Steps steps;
    Phases phased;
    Window window;
    DependencyGraph graph;
    CriticalPath path;
};

std::string randomTraining(uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return int(random() % uint32_t(n)); };
    std::string text;
    int host = 0, device = 0;
    for (int i = 0; i < 40; ++i) {
        const std::string n = std::to_string(i);
        const int begin = host, length = 20 + below(60);
        const auto add = [&](const std::string &line) { text += line + "\n"; };
        const auto range = [](int from, int to) {
            return " " + std::to_string(from) + ".." + std::to_string(to);
        };
        const std::string thread = below(3) ? "main" : "engine";
        if (below(2))
            add(thread + ": nn.Module: M_" + n + range(begin, begin + length) + " python");
        if (below(2))
            add(thread + ": f.py(" + n + "): g" + range(begin, begin + length) + " python");
        if (below(3))
            add(thread + ": aten::op" + std::to_string(below(6)) + range(begin, begin + length) +
                " seq=" + std::to_string(below(9)) + " fwd=" + std::to_string(below(2)));
        add(thread + ": cudaLaunchKernel" + range(begin + 5, begin + 10) + " launch corr=" + n);
        device = std::max(device, begin + 12);
        const int work = 1 + below(50);
        if (below(9))
            add("gpu0/s7: k" + std::to_string(below(4)) + "_gemm" + range(device, device + work) +
                (below(8) ? " corr=" + n : std::string()));
        device += work;
        host = begin + length + below(20);
    }
    return text;
}

} // namespace

class AttributionTest : public QObject {
    Q_OBJECT
private slots:
    void operatorsOwnWhatTheyLaunch() {
        const Owned o = owned(kTraining, AttributeTo::Op);
        QCOMPARE(o.of("ampere_sgemm_128x64_tn"), "aten::addmm"); // the innermost one
        QCOMPARE(o.of("ampere_sgemm_128x64_nt"), "aten::mm");
        QCOMPARE(o.of("mse_kernel"), "aten::mse_loss");
        QCOMPARE(o.of("aten::linear"), "aten::linear");
        QCOMPARE(o.of("nn.Module: Linear_0"), "(no operator)");
        QCOMPARE(o.of("cudaMemsetAsync"), "(no operator)");
        QCOMPARE(o.of("Memset"), "(no operator)");
        QCOMPARE(o.of("lost"), "(launch not in the trace)");
    }

    void aMarkerOwnsNothing() {
        const Owned o = owned(kTraining, AttributeTo::Op); // older files mark steps as operators
        QCOMPARE(o.of("train.py(7): step"), "(no operator)");
    }

    void modulesOwnTheirBackwardWork() {
        const Owned o = owned(kTraining, AttributeTo::Module);
        QCOMPARE(o.of("ampere_sgemm_128x64_tn"), "nn.Module: Linear_0");
        QCOMPARE(o.of("ampere_sgemm_128x64_nt"), "nn.Module: Linear_0"); // by sequence number
        QCOMPARE(o.of("aten::mm"), "nn.Module: Linear_0");
        QCOMPARE(o.of("nn.Module: Net_0"), "nn.Module: Net_0");
        QCOMPARE(o.of("<built-in method linear of type object at 0x7f>"), "nn.Module: Linear_0");
    }

    void framesOwnWhatNoModuleDoes() {
        const Owned o = owned(kTraining, AttributeTo::Module);
        QCOMPARE(o.of("mse_kernel"), "train.py(7): step");
        QCOMPARE(o.of("mse_backward_kernel"), "train.py(7): step"); // as its forward operator
        QCOMPARE(o.of("<built-in method run_backward at 0x8a>"), "train.py(7): step");
        QCOMPARE(o.of("add_kernel"), "(no module or Python frame)"); // its forward is not there
        QCOMPARE(o.of("Memset"), "(no module or Python frame)");
        QCOMPARE(o.of("lost"), "(launch not in the trace)");
    }

    void theInnerOneWins() {
        // a module that runs a backward pass is farther away than the module of the operator
        const Owned o = owned(R"(
            main: nn.Module: Inner_0 10..20 python
            main: aten::mm 12..18 seq=1 fwd=0
            main: nn.Module: Trainer_0 30..90 python
            main: MmBackward0 40..80 seq=1 fwd=1
            main: nn.Module: Hook_0 50..70 python
            main: aten::add 55..60
            main: aten::sub 81..85
        )",
                              AttributeTo::Module);
        QCOMPARE(o.of("MmBackward0"), "nn.Module: Inner_0");
        QCOMPARE(o.of("aten::add"), "nn.Module: Hook_0");
        QCOMPARE(o.of("aten::sub"), "nn.Module: Trainer_0");
    }

    void classesOfKernels_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("cls");
        for (const auto &[name, cls] : std::vector<std::pair<const char *, const char *>>{
                 {"ampere_sgemm_128x64_tn", "gemm"},
                 {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "gemm"},
                 {"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n", "gemm"},
                 {"Cijk_Alik_Bljk_SB_Bias_AS_SAV", "gemm"},
                 {"void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>(P)", "gemm"},
                 {"void implicit_convolve_sgemm<float, float, 128>(int)", "gemm"},
                 {"void gemv2T_kernel_val<int, int, double>(P)", "gemm"},
                 {"void flash::flash_fwd_kernel<Traits<cutlass::bfloat16_t> >(P)", "attention"},
                 {"fmhaSm100aKernel_QkvE4m3OBfloat16H64", "attention"},
                 {"kernel_unified_attention_3d", "attention"},
                 {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(P)", "norm"},
                 {"void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(P)", "norm"},
                 {"void cuApplyLayerNorm<c10::Half>(P)", "norm"},
                 {"MIOpenBatchNormFwdTrainSpatial", "norm"},
                 {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(P)",
                  "reduction"},
                 {"void cunn_SoftMaxForward<4, float>(float*)", "reduction"},
                 {"triton_red_fused_sum_1", "reduction"},
                 {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(P)",
                  "elementwise"},
                 {"triton_poi_fused_add_0", "elementwise"},
                 {"void at::native::elementwise_kernel<128, 2, direct_copy_kernel_cuda(P)>(P)",
                  "copy"},
                 {"void cudnn::ops::nchwToNhwcKernel<float>(P)", "copy"},
                 {"void multimem_all_reduce_kernel<c10::BFloat16, 16>(P)", "communication"},
                 {"void fbgemm_gpu::permute_2D_data_kernel<false>(P)", "copy"},
                 {"void fbgemm_gpu::something_kernel(P)", "other"}, // no matrix product
                 {"triton__0d1d2d", "other"},                       // tells nothing
             })
            QTest::newRow(name) << name << cls;
    }

    void classesOfKernels() {
        QFETCH(QString, name);
        QFETCH(QString, cls);
        QCOMPARE(classOf(name.toStdString()), cls.toStdString());
    }

    void kindsDecideBeforeNames() {
        QCOMPARE(classOf("my_ring", "comm"), "communication");
        QCOMPARE(classOf("Memcpy HtoD (Pageable -> Device)", "h2d"), "copy");
        QCOMPARE(classOf("Memset (Device)", "memset"), "copy");
        QCOMPARE(owned("main: aten::gemm 0..1", AttributeTo::Class).of("aten::gemm"), "(host)");
    }

    void badClassesSayWhatIsWrong() {
        const auto twice =
            parseKernelClasses("{\"version\":1,\"classes\":[{\"id\":\"a\"},{\"id\":\"a\"}]}");
        QVERIFY(!twice && twice.error().message.find("class \"a\"") != std::string::npos);
        const auto phasesInstead = parseKernelClasses("{\"version\":1,\"phases\":[]}");
        QVERIFY(!phasesInstead &&
                phasesInstead.error().message.find("\"classes\"") != std::string::npos);
    }

    /// Whoever owns it, no time is lost or counted twice: every grouping has the same total, and
    /// a row holds exactly what its intervals hold.
    void rowsAddUp() {
        for (uint32_t seed = 0; seed < 40; ++seed) {
            Analysed a(randomTraining(seed));
            const Statistics names = a.stats(GroupBy::Name);
            for (const GroupBy by : kByOwner) {
                const Statistics result = a.stats(by);
                TimeNs sum = 0, device = 0, onPath = 0;
                uint64_t count = 0;
                for (const StatRow &row : result.rows) {
                    sum += row.sum;
                    device += row.device;
                    onPath += row.onPath;
                    count += row.count;
                    QVERIFY(row.device <= row.sum && row.onPath <= row.unionTime);
                }
                QCOMPARE(sum, names.total.sum);
                QCOMPARE(result.total.sum, names.total.sum);
                QCOMPARE(device, result.total.device);
                QCOMPARE(count, names.total.count);
                QCOMPARE(onPath, names.total.onPath);
                QCOMPARE(result.total.exclusive, names.total.exclusive);
            }
        }
    }

    /// Device time of a row, counted from the launches alone.
    void deviceTimeFollowsLaunches() {
        for (uint32_t seed = 0; seed < 40; ++seed) {
            Analysed a(randomTraining(seed));
            std::map<std::string, TimeNs> expected;
            for (uint32_t t = 0; t < a.trace->tracks.size(); ++t) {
                const Track &track = a.trace->tracks[t];
                if (track.kind != TrackKind::Stream) continue;
                for (uint32_t row = 0; row < track.table->size(); ++row) {
                    const IntervalId call = a.trace->callOf({t, row});
                    std::string owner = "(launch not in the trace)";
                    if (call.valid()) {
                        owner = "(no operator)";
                        const TrackTable &table = *a.trace->track(call).table;
                        for (uint32_t r = call.row; r != kNone; r = table.parent[r])
                            if (table.kind[r] == Kind::CpuOp) {
                                owner = a.trace->name({call.track, r});
                                break;
                            }
                    }
                    expected[owner] += track.end(row) - track.begin(row);
                }
            }
            for (const StatRow &row : a.stats(GroupBy::Op).rows)
                QCOMPARE(row.device, expected[row.key]);
        }
    }

    /// What rank prints, whatif takes, and both gain the same.
    void leversAreSelectors_data() {
        QTest::addColumn<int>("by");
        QTest::newRow("op") << int(RankBy::Op);
        QTest::newRow("module") << int(RankBy::Module);
        QTest::newRow("class") << int(RankBy::Class);
    }

    void leversAreSelectors() {
        QFETCH(int, by);
        size_t tried = 0;
        for (uint32_t seed = 0; seed < 8; ++seed) {
            Analysed a(randomTraining(seed));
            const auto levers =
                rankLevers(*a.trace, a.steps, a.phased, a.graph, a.path, RankBy(by), a.progress);
            QVERIFY(levers);
            for (const Lever &lever : *levers) {
                const auto result = whatIf(*a.trace, a.steps, a.phased, a.graph, a.window,
                                           {{lever.selector, {1, 2}}}, {}, a.progress);
                QVERIFY2(result, lever.selector.c_str());
                QCOMPARE(result->measured - result->replay.ns, lever.gain2);
                QVERIFY(result->warnings.empty());
                ++tried;
            }
        }
        QVERIFY(tried > 8);
    }

    void selectorsCanBeJoined() {
        Analysed a(kTraining);
        std::vector<std::string> unmatched;
        const auto select = [&](const std::string &selector) {
            const auto scaling =
                resolveScaling(*a.trace, a.phased, a.graph, {{selector, {2, 1}}}, unmatched);
            return scaling ? std::count(scaling->selected.begin(), scaling->selected.end(), true)
                           : -1;
        };
        QCOMPARE(select("class:gemm"), 2);
        QCOMPARE(select("class:gemm & op:aten::mm"), 1);
        QCOMPARE(select("class:gemm & module:nn\\.Module: Linear_0"), 2);
        QCOMPARE(select("kind:kernel & op:aten::.*"), 3);
        QVERIFY(unmatched.empty());
        QCOMPARE(select("class:nothing"), 0);
        QCOMPARE(unmatched.size(), size_t(1));
        QCOMPARE(select("op:("), -1);
    }
};

QTEST_APPLESS_MAIN(AttributionTest)
#include "attribution_test.moc"
