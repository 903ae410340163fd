// SPDX-License-Identifier: Apache-2.0
#include "tests/support/training_trace.h"

#include "tests/support/simulated_machine.h"

#include <algorithm>
#include <iterator>

namespace longpole::test {

namespace {

constexpr uint32_t kMain = 41207, kEngine = 41455, kPinMemory = 41391;
constexpr uint32_t kCopy = 20, kNccl = 24;
constexpr std::string_view kReduce =
    "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

struct Gemm {
    std::string_view op, kernel;
    TimeNs length;
};

/// The kernels of one layer, forwards; backwards each of them costs about twice as much.
constexpr Gemm kLayer[] = {
    {"aten::layer_norm",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>",
     92 * us},
    {"aten::linear",
     "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_qkv", 486 * us},
    {"aten::scaled_dot_product_attention",
     "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, cutlass::half_t>>", 655 * us},
    {"aten::linear",
     "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_proj", 171 * us},
    {"aten::add",
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>>",
     66 * us},
    {"aten::layer_norm",
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>",
     92 * us},
    {"aten::linear",
     "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_up", 748 * us},
    {"aten::gelu",
     "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>", 154 * us},
    {"aten::linear",
     "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_down", 731 * us},
    {"aten::add",
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>>",
     66 * us},
};
constexpr std::string_view kBackwardNames[] = {"NativeLayerNormBackward0",
                                               "AddmmBackward0",
                                               "ScaledDotProductFlashAttentionBackward0",
                                               "AddmmBackward0",
                                               "AddBackward0",
                                               "NativeLayerNormBackward0",
                                               "AddmmBackward0",
                                               "GeluBackward0",
                                               "AddmmBackward0",
                                               "AddBackward0"};

/// The training program, as the calls that it makes on the machine.
class Run : SimulatedMachine {
public:
    Run(const TrainingShape &shape, const std::function<void(std::string_view)> &out)
        : SimulatedMachine(shape.seed, out), m_shape(shape) {}

    void write() {
        preamble();
        setUp();
        for (uint32_t step = 0; step < m_shape.steps; ++step) oneStep(step);
        writer.raw(
            "\n],\n\"traceName\":\"training.json\",\n\"note\":\"Made by a program, not recorded: "
            "the times obey launches, streams, events and waits, the names are PyTorch's.\"\n}\n");
        writer.flush();
    }

private:
    void preamble();
    void setUp();
    void oneStep(uint32_t step);
    void loadBatch(uint32_t step);
    void copyBatch();
    void forward(uint32_t step);
    void backward();
    void reduceBucket(uint32_t bucket);
    void update();
    void log(uint32_t step);

    const TrainingShape m_shape;
    TimeNs &m_main = clock(kMain), &m_engine = clock(kEngine), &m_pinMemory = clock(kPinMemory);
    uint64_t m_sequence = 0, m_reduction = 0;
};

void Run::preamble() {
    writer.raw(
        "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB "
        "HBM3\", "
        "\"totalGlobalMem\": 85174583296, \"computeMajor\": 9, \"computeMinor\": 0, \"warpSize\": "
        "32, "
        "\"numSms\": 132}],\n\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, "
        "\"world_size\": 4, "
        "\"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", "
        "\"backend_config\": \"cuda:nccl\", \"pg_size\": 4, \"ranks\": [0, 1, 2, 3]}], "
        "\"nccl_version\": \"2.21.5\"},\n\"displayTimeUnit\": \"ms\",\n"
        "\"baseTimeNanoseconds\": 1767225600000000000,\n\"traceEvents\": [");
    struct Thread {
        uint32_t pid, tid;
        std::string_view name;
    };
    writer.metadata("process_name", kPid, nullptr, "\"name\": \"python3.12\"");
    writer.metadata("process_labels", kPid, nullptr, "\"labels\": \"CPU\"");
    writer.metadata("process_sort_index", kPid, nullptr, "\"sort_index\": " + std::to_string(kPid));
    writer.metadata("process_name", kDevice, nullptr, "\"name\": \"python3.12\"");
    writer.metadata("process_labels", kDevice, nullptr, "\"labels\": \"GPU 0\"");
    writer.metadata("process_sort_index", kDevice, nullptr, "\"sort_index\": 5000000");
    for (const Thread &t :
         {Thread{kPid, kMain, "thread 41207 (python3.12)"},
          Thread{kPid, kPinMemory, "thread 41391 (pt_pin_memory)"},
          Thread{kPid, kEngine, "thread 41455 (pt_autograd_0)"},
          Thread{kDevice, kCompute, "stream 7 "}, Thread{kDevice, kCopy, "stream 20 "},
          Thread{kDevice, kNccl, "stream 24 "}}) {
        writer.metadata("thread_name", t.pid, &t.tid, "\"name\": \"" + std::string(t.name) + "\"");
        writer.metadata("thread_sort_index", t.pid, &t.tid,
                        "\"sort_index\": " + std::to_string(t.tid));
    }
}

void Run::setUp() {
    m_main = 3 * ms;
    range(kMain, "user_annotation", "build model", 38 * ms, "", [&] {
        for (uint32_t i = 0; i < 6 * m_shape.layers; ++i)
            op(kMain, "aten::empty", [&] { call(kMain, {"cudaMalloc", 210 * us}); });
    });
    range(kMain, "user_annotation", "nccl:broadcast", 900 * us, "", [&] {
        kernel(kMain, "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 6 * ms,
               kNccl);
    });
    m_main += 14 * ms;
}

void Run::oneStep(uint32_t step) {
    const TimeNs begin = m_main;
    m_main += 40 * us;
    loadBatch(step);
    range(kMain, "user_annotation", "Optimizer.zero_grad#AdamW.zero_grad", 120 * us, "", [] {});
    copyBatch();
    forward(step);
    backward();
    update();
    if (step % 5 == 4) log(step);
    m_main += random.about(60 * us, 200);
    writer.interval("user_annotation", "ProfilerStep#" + std::to_string(step), kPid, kMain, begin,
                    m_main,
                    "\"External id\": " + std::to_string(newExternalId()) +
                        ", \"Ev Idx\": " + std::to_string(step));
}

/// The loader is the slow part of this run: the main thread waits for the thread that pins memory.
void Run::loadBatch(uint32_t step) {
    const TimeNs wait = step == 0 ? 160 * ms : random.about(18 * ms, step % 7 == 6 ? 450 : 120);
    range(kMain, "user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
          90 * us, "", [&] {
              m_pinMemory = std::max(m_pinMemory, m_main + wait - 2400 * us);
              for (int tensor = 0; tensor < 2; ++tensor)
                  op(kPinMemory, "aten::pin_memory", [&] {
                      op(kPinMemory, "aten::_pin_memory",
                         [&] { m_pinMemory += random.about(1050 * us, 80); });
                  });
              m_main = std::max(m_main, m_pinMemory + random.about(45 * us, 200));
          });
}

void Run::copyBatch() {
    for (const uint64_t bytes : {uint64_t(100'663'296), uint64_t(262'144)}) {
        op(kMain, "aten::to", [&] {
            op(kMain, "aten::_to_copy", [&] {
                op(kMain, "aten::copy_", [&] {
                    const TimeNs length = std::max<TimeNs>(3 * us, TimeNs(bytes / 26)); // 26 GB/s
                    enqueue(kMain, {"cudaMemcpyAsync", 7 * us}, kCopy, "gpu_memcpy",
                            "Memcpy HtoD (Pinned -> Device)", length,
                            "\"bytes\": " + std::to_string(bytes) +
                                ", \"memory bandwidth (GB/s)\": 26.0");
                });
            });
        });
    }
    streamWaits(kMain, kCompute, kCopy);
}

void Run::forward(uint32_t step) {
    range(kMain, "user_annotation", "DistributedDataParallel.forward", 260 * us, "", [&] {
        if (step == 0) {
            range(kMain, "user_annotation", "Torch-Compiled Region: 0/0", 1 * ms, "", [&] {
                range(kMain, "user_annotation", "_compile.compile_inner (dynamo_timed)", 610 * ms,
                      "", [] {});
            });
        } else if (step == 1) {
            range(kMain, "user_annotation", "CachingAutotuner.benchmark_all_configs", 140 * ms, "",
                  [] {});
        }
        op(kMain, "aten::embedding",
           [&] { kernel(kMain, "void at::native::vectorized_gather_kernel<16, long>", 120 * us); });
        for (uint32_t layer = 0; layer < m_shape.layers; ++layer)
            for (const Gemm &g : kLayer) {
                ++m_sequence;
                range(kMain, "cpu_op", g.op, 58 * us,
                      ", \"Sequence number\": " + std::to_string(m_sequence) +
                          ", \"Fwd thread id\": 0",
                      [&] {
                          if (g.op != "aten::linear")
                              return void(kernel(kMain, g.kernel, g.length));
                          op(kMain, "aten::addmm", [&] { kernel(kMain, g.kernel, g.length); });
                      });
            }
    });
    op(kMain, "aten::cross_entropy_loss", [&] {
        op(kMain, "aten::log_softmax", [&] {
            kernel(
                kMain,
                "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::Half, float>",
                610 * us);
        });
        op(kMain, "aten::nll_loss_nd", [&] {
            kernel(kMain,
                   "void at::native::(anonymous "
                   "namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::Half>",
                   14 * us);
        });
    });
}

/// The main thread hands the graph to the engine's thread and waits for it.
void Run::backward() {
    range(kMain, "user_annotation", "backward", 120 * us, "", [&] {
        m_engine = m_main + random.about(85 * us, 150);
        uint64_t sequence = m_sequence;
        uint32_t bucket = 0;
        for (uint32_t layer = 0; layer < m_shape.layers; ++layer) {
            for (size_t i = std::size(kLayer); i-- > 0; --sequence) {
                const std::string name(kBackwardNames[i]);
                const std::string args =
                    ", \"Sequence number\": " + std::to_string(sequence) + ", \"Fwd thread id\": 1";
                range(kEngine, "cpu_op", "autograd::engine::evaluate_function: " + name, 41 * us,
                      args, [&] {
                          range(kEngine, "cpu_op", name, 36 * us, args, [&] {
                              kernel(kEngine, kLayer[i].kernel, kLayer[i].length);
                              if (kLayer[i].length > 150 * us)
                                  op(kEngine, "aten::mm", [&] {
                                      kernel(kEngine, kLayer[i].kernel, kLayer[i].length * 9 / 10);
                                  });
                          });
                      });
                if (i == 6 || i == 1)
                    range(kEngine, "cpu_op",
                          "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                          24 * us, "",
                          [&] { op(kEngine, "torch::autograd::AccumulateGrad", [] {}); });
            }
            if (layer % 2 == 1 || layer + 1 == m_shape.layers) reduceBucket(bucket++);
        }
        m_main = std::max(m_main, m_engine + random.about(70 * us, 150));
    });
    streamWaits(kMain, kCompute, kNccl);
}

/// All gradients of some layers, summed over the ranks beside the rest of the backward pass.
void Run::reduceBucket(uint32_t bucket) {
    streamWaits(kEngine, kNccl, kCompute);
    range(kEngine, "cpu_op", "c10d::allreduce_", 30 * us, "", [&] {
        range(kEngine, "cpu_op", "record_param_comms", 14 * us, "", [&] {
            range(kEngine, "user_annotation", "nccl:all_reduce", 9 * us, "", [&] {
                const uint64_t elements = 14'180'352;
                const TimeNs length = random.about((bucket == 0 ? 4'100 : 5'600) * us, 90);
                enqueue(
                    kEngine, {"cudaLaunchKernelExC", 6 * us}, kNccl, "kernel", kReduce, length,
                    "\"grid\": [24, 1, 1], \"block\": [512, 1, 1], \"Collective name\": "
                    "\"allreduce\", \"In msg nelems\": " +
                        std::to_string(elements) +
                        ", \"Out msg nelems\": " + std::to_string(elements) +
                        ", \"dtype\": \"Half\", \"Group size\": 4, \"Process Group Name\": \"0\", "
                        "\"Process Group Ranks\": \"[0, 1, 2, 3]\", \"Seq\": " +
                        std::to_string(++m_reduction));
            });
        });
    });
}

void Run::update() {
    op(kMain, "aten::_amp_foreach_non_finite_check_and_unscale_", [&] {
        kernel(kMain,
               "void at::native::(anonymous "
               "namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>, "
               "UnaryOpFunctor<c10::Half>>",
               190 * us);
    });
    op(kMain, "aten::item", [&] {
        op(kMain, "aten::_local_scalar_dense", [&] {
            enqueue(kMain, {"cudaMemcpyAsync", 8 * us}, kCompute, "gpu_memcpy",
                    "Memcpy DtoH (Device -> Pinned)", 1'900,
                    "\"bytes\": 4, \"memory bandwidth (GB/s)\": 0.002");
            syncStream(kMain, kCompute);
        });
    });
    range(kMain, "user_annotation", "Optimizer.step#AdamW.step", 420 * us, "", [&] {
        for (uint32_t group = 0; group < 3; ++group)
            op(kMain, "aten::_fused_adamw_", [&] {
                kernel(kMain,
                       "void at::native::(anonymous "
                       "namespace)::multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, "
                       "FusedAdamMathFunctor<float, 4>>",
                       840 * us);
            });
    });
}

void Run::log(uint32_t step) {
    range(kMain, "user_annotation", "logging", 500 * us, ", \"step\": " + std::to_string(step),
          [&] {
              op(kMain, "aten::item", [&] {
                  op(kMain, "aten::_local_scalar_dense", [&] {
                      enqueue(kMain, {"cudaMemcpyAsync", 8 * us}, kCompute, "gpu_memcpy",
                              "Memcpy DtoH (Device -> Pinned)", 1'900,
                              "\"bytes\": 4, \"memory bandwidth (GB/s)\": 0.002");
                      syncStream(kMain, kCompute);
                  });
              });
              m_main += random.about(2'600 * us, 200);
          });
}

} // namespace

void writeTrainingTrace(const TrainingShape &shape,
                        const std::function<void(std::string_view)> &out) {
    Run(shape, out).write();
}

TrainingShape shapeOfSize(uint64_t bytes) {
    const auto sizeOf = [](uint32_t steps) {
        uint64_t size = 0;
        writeTrainingTrace({steps, TrainingShape{}.layers, TrainingShape{}.seed},
                           [&](std::string_view text) { size += text.size(); });
        return size;
    };
    const uint64_t one = sizeOf(1), perStep = (sizeOf(11) - one) / 10;
    TrainingShape shape;
    shape.steps = uint32_t(1 + (bytes > one ? (bytes - one) / perStep : 0));
    return shape;
}

} // namespace longpole::test
