// SPDX-License-Identifier: Apache-2.0
// A program to record: small training steps on the pretended device, with ranges of NVTX.
// victim [steps N] [threads N] [every] [fork] [quick-exit] [die] [status N] [flood N] …
#include "tests/support/cuda_doubles/device.h"

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" CUresult fakeGraph(CUgraphExec *graph, const unsigned *blocks, unsigned count);

namespace {

struct Resources {
    CUcontext context{};
    CUstream work{}, side{};
    CUevent ready{}, done{};
    CUgraphExec graph{};
};

CUfunction kernel(const char *name) {
    return reinterpret_cast<CUfunction>(const_cast<char *>(name));
}

void launch(const char *name, unsigned microseconds, CUstream stream) {
    cuLaunchKernel(kernel(name), microseconds, 1, 1, 128, 1, 1, 0, stream, nullptr, nullptr);
}

Resources prepare() {
    Resources r;
    cuInit(0);
    cuCtxCreate_v4(&r.context, nullptr, 0, 0);
    cuStreamCreate(&r.work, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&r.side, CU_STREAM_NON_BLOCKING);
    cuEventCreate(&r.ready, 0);
    cuEventCreate(&r.done, 0);
    const unsigned nodes[] = {20, 30, 10};
    fakeGraph(&r.graph, nodes, 3);
    return r;
}

/// Enqueues about 700 µs of device work and waits only where it says so.
void step(const Resources &r, bool every) {
    static char host[1 << 16];
    nvtxRangePushA("data");
    cuMemcpyHtoDAsync_v2(0, host, sizeof host, r.side);
    cuEventRecord(r.ready, r.side);
    nvtxRangePop();
    nvtxRangePushA("forward");
    cuStreamWaitEvent(r.work, r.ready, 0);
    launch("gemm", 300, r.work);
    launch("relu", 50, r.work);
    nvtxRangePop();
    nvtxRangePushA("backward");
    cuMemsetD8Async(0, 0, 4096, r.work);
    cuGraphLaunch(r.graph, r.work);
    launch("gemm_backward", 200, r.work);
    cuEventRecord(r.done, r.work);
    nvtxRangePop();
    if (every) {
        cuEventSynchronize(r.done);
        cuMemcpyDtoH_v2(host, 0, 64);
    }
}

long after(int argc, char **argv, const char *word, long otherwise) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], word) == 0)
            return i + 1 < argc ? std::strtol(argv[i + 1], nullptr, 10) : 0;
    return otherwise;
}
bool has(int argc, char **argv, const char *word) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], word) == 0) return true;
    return false;
}

} // namespace

int main(int argc, char **argv) {
    const long steps = after(argc, argv, "steps", 5), threads = after(argc, argv, "threads", 0);
    const long flood = after(argc, argv, "flood", 0);
    const bool every = has(argc, argv, "every");
    if (const long ms = after(argc, argv, "sleep", 0)) usleep(useconds_t(ms * 1000));
    if (has(argc, argv, "fork-first")) { // as a launcher does: both go on as the same program
        nvtxRangePushA("before the fork");
        nvtxRangePop();
        if (const pid_t child = fork()) {
            int status = 0;
            waitpid(child, &status, 0);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 71;
        }
    }
    const Resources r = prepare();
    if (has(argc, argv, "say")) { // that it is about to begin
        std::puts("ready");
        std::fflush(stdout);
    }
    if (has(argc, argv, "everything")) { // once each of what a step does not do
        cuMemcpyDtoHAsync_v2(nullptr, 0, 4096, r.work);
        cuMemcpyPeerAsync(0, r.context, 0, r.context, 4096, r.work);
        cuStreamSynchronize(r.work);
        cuCtxSynchronize();
        nvtxMarkA("a mark");
        const nvtxRangeId_t across = nvtxRangeStartA("across");
        nvtxRangeEnd(across);
        const auto domain = nvtxDomainCreateA("library");
        nvtxEventAttributes_t event{};
        event.version = NVTX_VERSION;
        event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
        nvtxDomainRangePushEx(domain, &event);
        nvtxDomainRangePop(domain);
        nvtxRangePushW(L"breit \u00e4");
        nvtxRangePop();
        nvtxNameOsThreadA(uint32_t(getpid()), "main of the victim");
    }
    if (has(argc, argv, "fork")) {
        const pid_t child = fork();
        if (child == 0) { // as a worker of a data loader does: no device, then a normal exit
            nvtxRangePushA("in the child");
            nvtxRangePop();
            std::exit(3);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) return 70;
    }
    for (long i = 0; i < after(argc, argv, "names", 0); ++i) { // a new one each time
        nvtxRangePushA(("name " + std::to_string(i)).c_str());
        nvtxRangePop();
        if (i % 64 == 0) usleep(100); // ranges have little memory where little is allowed
    }
    std::vector<std::thread> crowd;
    for (long t = 0; t < threads; ++t)
        crowd.emplace_back([&] {
            CUstream own{};
            cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
            for (long i = 0; i < 500; ++i) {
                nvtxRangePushA("crowd");
                launch("small", 1, own);
                nvtxRangePop();
            }
            cuStreamSynchronize(own);
        });
    for (long i = 0; i < steps; ++i) {
        nvtxRangePushA(("step " + std::to_string(i)).c_str());
        step(r, every);
        nvtxRangePop();
        if (const long ms = after(argc, argv, "pause", 0)) usleep(useconds_t(ms * 1000));
    }
    for (std::thread &thread : crowd) thread.join();
    for (long i = 0; i < flood; ++i) launch("flood", 0, r.work);
    if (has(argc, argv, "open")) nvtxRangePushA("never closed");
    if (has(argc, argv, "die")) kill(getpid(), SIGKILL);
    if (has(argc, argv, "quick-exit")) _exit(0);
    std::printf("victim done\n");
    return int(after(argc, argv, "status", 0));
}
