// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_program.h"

#include "tests/support/simulated_machine.h"

#include <algorithm>
#include <utility>

namespace longpole::test {

namespace {

constexpr uint32_t kMain = 4100, kEngine = 4177, kPinMemory = 4190, kWorker = 4200, kHelper = 4195;
constexpr uint32_t kConsumed = 1'000'000, kReady = 2'000'000, kBackward = 3'000'000,
                   kPinned = 5'000'000, kBackwardDone = 4'000'000, kHelp = 6'000'000;
constexpr uint32_t kLayersPerBucket = 3;
constexpr std::string_view kStepNames[] = {
    "ProfilerStep#0",  "ProfilerStep#1",  "ProfilerStep#2",  "ProfilerStep#3",  "ProfilerStep#4",
    "ProfilerStep#5",  "ProfilerStep#6",  "ProfilerStep#7",  "ProfilerStep#8",  "ProfilerStep#9",
    "ProfilerStep#10", "ProfilerStep#11", "ProfilerStep#12", "ProfilerStep#13", "ProfilerStep#14",
    "ProfilerStep#15", "ProfilerStep#16", "ProfilerStep#17", "ProfilerStep#18", "ProfilerStep#19"};

struct Operator {
    std::string_view forward, engine, backward, kernel;
    int thousandths; ///< of the longest kernel
};
constexpr std::string_view kGemm = "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64";
constexpr std::string_view kElementwise =
    "void at::native::vectorized_elementwise_kernel<4, float>";
constexpr std::string_view kNorm = "void at::native::vectorized_layer_norm_kernel<float, float>";
constexpr Operator kLayer[] = {
    {"aten::layer_norm", "autograd::engine::evaluate_function: NativeLayerNormBackward0",
     "NativeLayerNormBackward0", kNorm, 130},
    {"aten::linear", "autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", kGemm,
     1000},
    {"aten::gelu", "autograd::engine::evaluate_function: GeluBackward0", "GeluBackward0",
     kElementwise, 170},
    {"aten::linear", "autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", kGemm,
     750},
    {"aten::add", "autograd::engine::evaluate_function: AddBackward0", "AddBackward0", kElementwise,
     100},
};

/// Writes the program down thread by thread. Lengths are drawn in the order of the text, whatever
/// the scale, which is what makes a scaled run comparable.
class Writer {
public:
    Writer(const LoopShape &shape, const LoopScale &scale)
        : m_shape(shape), m_scale(scale), m_random(shape.seed), m_jitter(~shape.seed) {}

    std::vector<LoopThread> write() {
        m_threads.push_back({kMain, "python3 (main)", true, {}});
        m_threads.push_back({kEngine, "pt_autograd_0", true, {}});
        for (uint32_t w = 0; m_shape.fetch > 0 && w < m_shape.workers; ++w)
            m_threads.push_back({kWorker + w, "pt_data_worker", m_shape.workersTraced, {}});
        if (m_shape.pinMemory) m_threads.push_back({kPinMemory, "pt_pin_memory", true, {}});
        if (m_shape.helper > 0) m_threads.push_back({kHelper, "python3 (averages)", true, {}});
        for (uint32_t step = 0; step < m_shape.steps; ++step) oneStep(step);
        return std::move(m_threads);
    }

private:
    using Do = Instruction::Do;

    Instruction &add(Do what) {
        Instruction &added = m_threads[m_current].instructions.emplace_back();
        added.what = what;
        added.skip = m_skip;
        return added;
    }
    bool edited(LoopEdit edit) const { return m_scale.edit == edit; }
    /// Some kinds are a phase by themselves, wherever they are found.
    std::string_view phaseOf(std::string_view kind) const {
        return kind == "h2d" || kind == "d2h" ? "transfer"
               : kind == "comm"               ? "communication"
               : kind == "sync"               ? "synchronisation"
                                              : m_phase;
    }
    TimeNs scaled(std::string_view kind, std::string_view name, TimeNs length) const {
        return selected(kind, name) ? length * m_scale.num / m_scale.den : length;
    }
    bool selected(std::string_view kind, std::string_view name) const {
        const LoopWork work{kind, name, phaseOf(kind),
                            m_ranges.empty() ? "" : m_ranges.front().name};
        return m_scale.selects && m_scale.selects(work);
    }

    void spend(TimeNs middle) {
        const TimeNs length = m_random.about(middle, 300);
        add(Do::Spend).length =
            m_ranges.empty() ? length : scaled(m_ranges.back().kind, m_ranges.back().name, length);
    }
    template <class Body>
    void range(std::string_view category, std::string_view name, TimeNs own, Body body) {
        const std::string_view kind = category == "cpu_op"            ? "cpu_op"
                                      : category == "python_function" ? "python"
                                                                      : "annotation";
        Instruction &open = add(Do::Open);
        open.category = category;
        open.name = name;
        open.args = "\"External id\": 1";
        m_ranges.push_back({kind, name});
        spend(own * 2 / 3);
        body();
        spend(own / 3);
        m_ranges.pop_back();
        add(Do::Close);
    }
    template <class Body>
    void op(std::string_view name, Body body) {
        range("cpu_op", name, m_shape.hostOp, body);
    }

    /// A call that is recorded under `name`, of `kind` and about that long.
    Instruction &call(Do what, std::string_view kind, std::string_view name, TimeNs middle) {
        const TimeNs length = scaled(kind, name, m_random.about(middle, 250));
        Instruction &added = add(what);
        added.category = "cuda_runtime";
        added.name = name;
        added.length = length;
        return added;
    }
    struct Operation {
        std::string_view kind, category, name;
        TimeNs middle;
    };
    Instruction &enqueue(uint32_t stream, std::string_view callKind, std::string_view callName,
                         const Operation &operation) {
        const TimeNs length =
            scaled(operation.kind, operation.name, m_random.about(operation.middle, 200));
        const TimeNs lag =
            m_random.about((m_shape.earlyLaunch ? 2 : 1) * m_shape.launchLag, m_shape.lagSpread);
        const TimeNs gap = m_random.about(1'100, 200);
        Instruction &added = call(Do::Enqueue, callKind, callName, m_shape.launchCall);
        if (m_scale.jitter > 0) added.length = m_jitter.about(added.length, m_scale.jitter);
        added.stream = stream;
        added.opCategory = operation.category;
        added.opName = operation.name;
        added.opLength = length;
        added.lag = lag;
        added.gap = gap;
        added.early = m_shape.earlyLaunch;
        return added;
    }
    void kernel(std::string_view name, TimeNs middle) {
        enqueue(kLoopCompute, "launch", "cudaLaunchKernel", {"kernel", "kernel", name, middle});
    }
    void copyBack(bool blocking) {
        const std::string_view name =
            blocking ? "Memcpy DtoH (Device -> Pageable)" : "Memcpy DtoH (Device -> Pinned)";
        Instruction &copy =
            enqueue(kLoopCompute, "runtime", "cudaMemcpyAsync", {"d2h", "gpu_memcpy", name, 1'900});
        copy.blocking = blocking && !edited(LoopEdit::AsyncCopies);
        if (copy.blocking) copy.lag += 2'500;
    }
    /// `waiter` goes on only after what `recorded` holds now.
    void streamWaits(uint32_t waiter, uint32_t recorded) {
        const bool hidden = m_shape.waits == LoopShape::Waits::Hidden;
        Instruction &record =
            call(Do::Record, "event_record", hidden ? "" : "cudaEventRecord", m_shape.eventCall);
        record.stream = recorded;
        record.token = ++m_event;
        const TimeNs lag = m_random.about(1'900, 150);
        Instruction &wait = call(Do::StreamWait, "event_wait", hidden ? "" : "cudaStreamWaitEvent",
                                 m_shape.eventCall * 4 / 5);
        wait.stream = waiter;
        wait.token = m_event;
        wait.lag = lag;
    }

    void oneStep(uint32_t step);
    void loadBatch(uint32_t step);
    void pinBatch(uint32_t step);
    void copyBatch();
    void stageBatch(Instruction &copy);
    void waitForAll();
    void captureStep(size_t main, size_t engine);
    void forward();
    void backward(uint32_t step);
    void engine(uint32_t step);
    void reduce();
    void update();
    void help(uint32_t step);
    void synchronise();

    struct OpenRange {
        std::string_view kind, name;
    };
    const LoopShape &m_shape;
    const LoopScale &m_scale;
    Random m_random;
    Random m_jitter;     ///< of its own, so that all else stays as it was drawn
    bool m_skip = false; ///< what is written now is not done
    std::vector<LoopThread> m_threads;
    uint32_t m_current = 0; ///< thread that is being written
    std::vector<OpenRange> m_ranges;
    std::string_view m_phase = "other";
    uint32_t m_event = 0;
};

void Writer::oneStep(uint32_t step) {
    const size_t main = m_threads[0].instructions.size(), engine = m_threads[1].instructions.size();
    Instruction &marker = add(Do::Open);
    marker.category = "user_annotation";
    marker.name = kStepNames[step];
    spend(15 * us);
    if (m_shape.fetch > 0) loadBatch(step);
    copyBatch();
    forward();
    backward(step);
    update();
    if (m_shape.helper > 0) help(step);
    if (step % m_shape.syncEvery == m_shape.syncEvery - 1) synchronise();
    m_phase = "logging";
    if (m_shape.logging > 0) range("user_annotation", "logging", m_shape.logging, [] {});
    m_phase = "other";
    spend(20 * us);
    add(Do::Close);
    if (edited(LoopEdit::StepGraphs) || edited(LoopEdit::StepGraphsAlone))
        captureStep(main, engine);
}

/// Launches all kernels of a step where the first one is; `main` and `engine` are where the step
/// begins on these threads.
void Writer::captureStep(size_t main, size_t engine) {
    const bool alone = edited(LoopEdit::StepGraphsAlone);
    std::vector<Instruction> graph, updates;
    const auto isKernel = [](const Instruction &i) {
        return i.what == Do::Enqueue && i.opCategory == "kernel";
    };
    const auto take = [&](std::vector<Instruction> &all, size_t from, size_t to) {
        bool handedOver = false;
        for (size_t i = from; i < to; ++i) {
            handedOver |= all[i].what == Do::Signal && all[i].token / 1'000'000 == 3;
            if (isKernel(all[i])) (handedOver ? updates : graph).push_back(all[i]);
            all[i].skip |=
                isKernel(all[i]) || (alone && all[i].what != Do::Open && all[i].what != Do::Close);
        }
    };
    std::vector<Instruction> &all = m_threads[0].instructions, &other = m_threads[1].instructions;
    const size_t first =
        size_t(std::find_if(all.begin() + long(main), all.end(), isKernel) - all.begin());
    const size_t last =
        size_t(std::find_if(all.rbegin(), all.rend(), isKernel).base() - all.begin());
    take(all, first, last);
    take(other, engine, other.size()); // the backward pass runs before the update
    graph.insert(graph.end(), updates.begin(), updates.end());
    for (Instruction &i : graph) i.length = 0;
    graph.front().length = kLoopGraphCost;
    all.insert(all.begin() + long(first), graph.begin(), graph.end());
}

void Writer::loadBatch(uint32_t step) {
    m_current = 2 + step % m_shape.workers;
    if (step < m_shape.workers) add(Do::Spend).length = (1 + step) * m_random.about(70 * us, 300);
    if (step >= m_shape.prefetch) {
        Instruction &asked = add(Do::Await);
        asked.token = kConsumed + step - m_shape.prefetch;
        asked.lag = m_random.about(25 * us, 300);
    }
    m_phase = "data_wait";
    const TimeNs length =
        scaled("fetch", "_MapDatasetFetcher.fetch", m_random.about(m_shape.fetch, 150));
    Instruction &fetch = add(Do::Open);
    fetch.category = "user_annotation";
    fetch.name = "_MapDatasetFetcher.fetch";
    add(Do::Spend).length = length;
    add(Do::Close);
    add(Do::Signal).token = kReady + step;

    if (m_shape.pinMemory) pinBatch(step);
    m_current = 0;
    range("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
          36 * us, [&] {
              Instruction &ready = add(Do::Await);
              ready.token = (m_shape.pinMemory ? kPinned : kReady) + step;
              ready.lag = m_random.about(7 * us, 300);
          });
    add(Do::Signal).token = kConsumed + step;
    m_phase = "other";
}

void Writer::pinBatch(uint32_t step) {
    m_current = uint32_t(m_threads.size() - 1 - (m_shape.helper > 0));
    Instruction &ready = add(Do::Await);
    ready.token = kReady + step;
    ready.lag = m_random.about(20 * us, 300);
    op("aten::pin_memory", [&] { op("aten::_pin_memory", [&] { spend(400 * us); }); });
    add(Do::Signal).token = kPinned + step;
}

void Writer::copyBatch() {
    m_phase = "forward"; // it enqueues device work before the backward pass
    const uint32_t stream = m_shape.copyStream ? kLoopCopy : kLoopCompute;
    op("aten::to", [&] {
        op("aten::_to_copy", [&] {
            op("aten::copy_", [&] {
                Instruction &copy = enqueue(stream, "runtime", "cudaMemcpyAsync",
                                            {"h2d", "gpu_memcpy",
                                             m_shape.pageable ? "Memcpy HtoD (Pageable -> Device)"
                                                              : "Memcpy HtoD (Pinned -> Device)",
                                             m_shape.h2d});
                if (m_shape.pageable) stageBatch(copy);
            });
        });
    });
    m_phase = "other";
    if (m_shape.copyStream) streamWaits(kLoopCompute, kLoopCopy);
}

/// The call puts the batch where the device can reach it, piece by piece, and PyTorch waits for the
/// last one.
void Writer::stageBatch(Instruction &copy) {
    const TimeNs staging = m_random.about(m_shape.h2d * 4 / 5, 100);
    if (!edited(LoopEdit::AsyncCopies)) {
        copy.length += staging;
        copy.early = true;
    }
    const uint32_t stream = copy.stream;
    const TimeNs lag = m_random.about(6 * us, 200);
    Instruction &waits = call(Do::SyncStream, "sync", "cudaStreamSynchronize", 3 * us);
    waits.stream = stream;
    waits.lag = lag;
    waits.skip = edited(LoopEdit::AsyncCopies);
}

/// The program waits for everything, as to measure how long something took.
void Writer::waitForAll() {
    const TimeNs lag = m_random.about(8 * us, 200);
    Instruction &waits = call(Do::SyncDevice, "sync", "cudaDeviceSynchronize", 3 * us);
    waits.lag = lag;
    waits.skip = edited(LoopEdit::NoWaits) && selected("sync", waits.name);
}

void Writer::forward() {
    m_phase = "forward";
    range("user_annotation", "## forward ##", 30 * us, [&] {
        for (uint32_t layer = 0; layer < m_shape.layers; ++layer) {
            for (const Operator &o : kLayer) {
                op(o.forward, [&] {
                    const TimeNs length = m_shape.gemm * o.thousandths / 1000;
                    if (o.kernel != kGemm) return kernel(o.kernel, length);
                    op("aten::addmm", [&] { kernel(o.kernel, length); });
                });
                spend(m_shape.hostOp / 3);
            }
            if (m_shape.waitsInside > 0 && layer % (m_shape.layers / m_shape.waitsInside) == 0)
                waitForAll();
        }
    });
    m_phase = "other";
}

/// The main thread hands the backward pass to the engine's thread and waits for it.
void Writer::backward(uint32_t step) {
    m_phase = "backward";
    const auto handOver = [&] {
        add(Do::Signal).token = kBackward + step;
        Instruction &done = add(Do::Await);
        done.token = kBackwardDone + step;
        done.lag = m_random.about(40 * us, 250);
    };
    if (m_shape.backward == LoopShape::Backward::Annotation)
        range("user_annotation", "backward", 9 * us, handOver);
    else if (m_shape.backward == LoopShape::Backward::Python)
        range("python_function", "torch/autograd/graph.py(823): _engine_run_backward", 9 * us,
              handOver);
    else
        handOver();
    m_current = 1;
    const auto outer = std::exchange(m_ranges, {});
    engine(step);
    m_ranges = outer;
    m_current = 0;
    m_phase = "other";
    if (m_shape.allReduce > 0) streamWaits(kLoopCompute, kLoopComm);
}

void Writer::engine(uint32_t step) {
    Instruction &start = add(Do::Await);
    start.token = kBackward + step;
    start.lag = m_random.about(55 * us, 250);
    for (uint32_t layer = 0; layer < m_shape.layers; ++layer) {
        for (size_t i = std::size(kLayer); i-- > 0;) {
            const Operator &o = kLayer[i];
            op(o.engine, [&] {
                op(o.backward, [&] {
                    kernel(o.kernel, m_shape.gemm * o.thousandths / 1000);
                    if (o.kernel == kGemm)
                        op("aten::mm", [&] { kernel(kGemm, m_shape.gemm * o.thousandths / 1100); });
                });
            });
        }
        if (m_shape.allReduce > 0 && layer % kLayersPerBucket == kLayersPerBucket - 1) reduce();
    }
    add(Do::Signal).token = kBackwardDone + step;
    if (m_shape.engineRunsOn)
        op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", [&] {
            for (int i = 0; i < 4; ++i) op("torch::autograd::AccumulateGrad", [] {});
        });
}

void Writer::reduce() {
    streamWaits(kLoopComm, kLoopCompute);
    m_phase = "communication";
    op("c10d::allreduce_", [&] {
        op("record_param_comms", [&] {
            enqueue(
                kLoopComm, "launch", "cudaLaunchKernelExC",
                {"comm", "kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", m_shape.allReduce});
        });
    });
    m_phase = "backward";
}

void Writer::update() {
    m_phase = "update";
    range("user_annotation", "Optimizer.step#AdamW.step", 60 * us, [&] {
        for (int group = 0; group < 4; ++group)
            op("aten::_fused_adamw_", [&] {
                kernel("void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>",
                       m_shape.gemm * 3 / 2);
            });
        for (uint32_t i = 0; i < m_shape.shortKernels; ++i) {
            Instruction &started =
                enqueue(kLoopCompute, "launch", "cudaLaunchKernelExC",
                        {"kernel", "kernel", "void at::native::foreach_copy<float>", 3'000});
            started.gap += 1'100;
            started.overlaps = i > 0;
        }
    });
    m_phase = "other";
}

/// Another thread keeps averages of the weights on a stream of its own; the synchronisation at the
/// end of the step waits for that stream too.
void Writer::help(uint32_t step) {
    add(Do::Signal).token = kHelp + step;
    m_current = uint32_t(m_threads.size() - 1);
    Instruction &woken = add(Do::Await);
    woken.token = kHelp + step;
    woken.lag = m_random.about(60 * us, 250);
    range("cpu_op", "aten::_foreach_lerp_", m_shape.helper, [&] {
        enqueue(kLoopHelper, "launch", "cudaLaunchKernel",
                {"kernel", "kernel", "void at::native::foreach_lerp<float>", 4 * m_shape.helper});
    });
    m_current = 0;
    op("aten::linalg_vector_norm", [&] { spend(2 * m_shape.helper); });
}

void Writer::synchronise() {
    const TimeNs lag = m_random.about(6 * us, 200);
    const auto sync = [&](Do what, std::string_view name) {
        Instruction &added = call(what, "sync", name, 3 * us);
        added.stream = kLoopCompute;
        added.token = m_event;
        added.lag = lag;
        added.skip |= edited(LoopEdit::NoWaits) && selected("sync", name);
    };
    m_skip = edited(LoopEdit::NoItem);
    const bool blocking = m_shape.sync == LoopShape::Sync::BlockingCopy;
    switch (m_shape.sync) {
    case LoopShape::Sync::None:
        break;
    case LoopShape::Sync::Item:
    case LoopShape::Sync::BlockingCopy:
        op("aten::item", [&] {
            op("aten::_local_scalar_dense", [&] {
                copyBack(blocking);
                sync(Do::SyncStream, "cudaStreamSynchronize");
            });
        });
        break;
    case LoopShape::Sync::Device:
        sync(Do::SyncDevice, "cudaDeviceSynchronize");
        break;
    case LoopShape::Sync::Event:
    case LoopShape::Sync::Poll: {
        Instruction &record = call(Do::Record, "event_record", "cudaEventRecord", 1'500);
        record.stream = kLoopCompute;
        record.token = ++m_event;
        if (m_shape.sync == LoopShape::Sync::Event)
            sync(Do::SyncEvent, "cudaEventSynchronize");
        else
            sync(Do::Poll, "cudaEventQuery");
        break;
    }
    }
    m_skip = false;
}

} // namespace

std::vector<LoopThread> loopProgram(const LoopShape &shape, const LoopScale &scale) {
    return Writer(shape, scale).write();
}

} // namespace longpole::test
