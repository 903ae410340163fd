// SPDX-License-Identifier: Apache-2.0
// A training loop of known shape on a real device, through the driver alone: kernels that spin for a number of
// clock cycles (PTX by hand, so no nvcc is needed), copies from pinned or pageable memory, an event
// across streams, a graph, a wait. Prints nanoseconds a step between two waits for the device.
// loop STEPS [cycles N] [pageable] [sync] [back] [sleep MICROSECONDS] [graph]
#include <cuda.h>

#include "core/capture/longpole_steps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

namespace {

const char kPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry spin(.param .u64 cycles)
{
    .reg .u64 %rd<5>;
    .reg .pred %p1;
    ld.param.u64 %rd1, [cycles];
    mov.u64 %rd2, %clock64;
again:
    mov.u64 %rd3, %clock64;
    sub.u64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}
)";

void demand(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS) return;
    std::fprintf(stderr, "%s fails: %d\n", what, int(result));
    std::exit(77);
}

long number(int argc, char **argv, const char *word, long otherwise) {
    for (int i = 2; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], word) == 0) return std::strtol(argv[i + 1], nullptr, 10);
    return otherwise;
}
bool has(int argc, char **argv, const char *word) {
    for (int i = 2; i < argc; ++i)
        if (std::strcmp(argv[i], word) == 0) return true;
    return false;
}

unsigned long long now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<unsigned long long>(t.tv_sec) * 1000000000ull + static_cast<unsigned long long>(t.tv_nsec);
}

struct Loop {
    CUfunction spin{};
    CUstream work{}, copies{};
    CUevent copied{};
    CUdeviceptr memory{};
    void *host{};
    unsigned long long cycles = 2'000'000;
    size_t bytes = 16 << 20;

    void launch(unsigned long long n) {
        void *arguments[] = {&n};
        demand(cuLaunchKernel(spin, 1, 1, 1, 32, 1, 1, 0, work, arguments, nullptr), "cuLaunchKernel");
    }
    void kernels() {
        longpole_phase_begin("forward");
        for (int i = 0; i < 4; ++i) launch(cycles / 4);
        longpole_phase_end();
        longpole_phase_begin("backward");
        for (int i = 0; i < 4; ++i) launch(cycles / 4);
        longpole_phase_end();
    }
};

} // namespace

int main(int argc, char **argv) {
    const long steps = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 10;
    Loop loop;
    loop.cycles = static_cast<unsigned long long>(number(argc, argv, "cycles", 2'000'000));
    const long sleep = number(argc, argv, "sleep", 0);
    demand(cuInit(0), "cuInit");
    CUdevice device{};
    CUcontext context{};
    demand(cuDeviceGet(&device, 0), "cuDeviceGet");
#if CUDA_VERSION >= 13000
    demand(cuCtxCreate(&context, nullptr, 0, device), "cuCtxCreate");
#else
    demand(cuCtxCreate(&context, 0, device), "cuCtxCreate");
#endif
    CUmodule module{};
    demand(cuModuleLoadData(&module, kPtx), "cuModuleLoadData");
    demand(cuModuleGetFunction(&loop.spin, module, "spin"), "cuModuleGetFunction");
    demand(cuStreamCreate(&loop.work, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    demand(cuStreamCreate(&loop.copies, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    demand(cuEventCreate(&loop.copied, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    demand(cuMemAlloc(&loop.memory, loop.bytes), "cuMemAlloc");
    if (has(argc, argv, "pageable")) {
        loop.host = std::malloc(loop.bytes);
        std::memset(loop.host, 1, loop.bytes);
    } else {
        demand(cuMemAllocHost(&loop.host, loop.bytes), "cuMemAllocHost");
    }
    CUgraphExec graph{};
    if (has(argc, argv, "graph")) {
        CUgraph captured{};
        demand(cuStreamBeginCapture(loop.work, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
        for (int i = 0; i < 8; ++i) loop.launch(loop.cycles / 4);
        demand(cuStreamEndCapture(loop.work, &captured), "cuStreamEndCapture");
        demand(cuGraphInstantiate(&graph, captured, 0), "cuGraphInstantiate");
    }
    const long warmup = 5;
    unsigned long long begin = 0;
    for (long i = 0; i < steps + warmup; ++i) {
        if (i == warmup) {
            demand(cuCtxSynchronize(), "cuCtxSynchronize");
            begin = now();
        }
        longpole_step_begin(unsigned(i));
        longpole_phase_begin("data_wait");
        if (sleep > 0) usleep(useconds_t(sleep));
        longpole_phase_end();
        longpole_phase_begin("transfer");
        demand(cuMemcpyHtoDAsync(loop.memory, loop.host, loop.bytes, loop.copies), "cuMemcpyHtoDAsync");
        demand(cuEventRecord(loop.copied, loop.copies), "cuEventRecord");
        demand(cuStreamWaitEvent(loop.work, loop.copied, 0), "cuStreamWaitEvent");
        longpole_phase_end();
        if (graph)
            demand(cuGraphLaunch(graph, loop.work), "cuGraphLaunch");
        else
            loop.kernels();
        if (has(argc, argv, "sync")) demand(cuStreamSynchronize(loop.work), "cuStreamSynchronize");
        if (has(argc, argv, "back")) { // as loss.item() does
            char loss[64];
            demand(cuMemcpyDtoH(loss, loop.memory, sizeof loss), "cuMemcpyDtoH");
        }
        longpole_step_end();
    }
    demand(cuCtxSynchronize(), "cuCtxSynchronize");
    std::printf("%llu\n", (now() - begin) / static_cast<unsigned long long>(steps));
}
