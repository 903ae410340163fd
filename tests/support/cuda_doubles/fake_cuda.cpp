// SPDX-License-Identifier: Apache-2.0
// A double of libcuda.so.1: enough of the driver for small programs, on a pretended device whose
// streams take real time. A kernel runs for as many microseconds as its grid has blocks; a copy of
// n bytes for n nanoseconds / 16. FAKE_CUDA_RUNTIME=1 makes calls look like those of the runtime;
// FAKE_CUDA_STUB=999 makes cuInit fail with that; FAKE_CUDA_PAGEABLE=1
// makes copies from other memory than cuMemAllocHost's block; FAKE_CUDA_LOG names a file that gets
// one line per cuCtxSynchronize.
#include "tests/support/cuda_doubles/device.h"

#include <cuda.h>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Stream {
    uint32_t id;
    uint64_t freeAt = 0;
};
struct Context {
    uint32_t id, device;
    Stream null{7};
    std::vector<Stream *> streams;
};
struct Event {
    uint32_t id;
    uint64_t sync = 0, doneAt = 0;
};
struct Graph {
    uint32_t id;
    std::vector<unsigned> kernels; ///< blocks of each
};

const FakeSink *sink = nullptr;
std::mutex mutex; ///< of all below
std::vector<Context *> contexts;
std::atomic<uint32_t> nextCorrelation{1}, nextStream{13}, nextEvent{1}, nextGraph{1};
std::atomic<uint64_t> nextSync{1}, nextNode{100};
thread_local std::vector<Context *> current;
Graph *captured = nullptr; ///< what launches go into meanwhile
std::set<const void *> pinned;

uint64_t now() {
    if (sink && sink->now) return sink->now();
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}
uint32_t thread() {
    thread_local const uint32_t id = uint32_t(syscall(SYS_gettid));
    return id;
}
bool asRuntime() {
    static const bool runtime = std::getenv("FAKE_CUDA_RUNTIME") != nullptr;
    return runtime;
}
void tell(const FakeActivity &activity) {
    if (sink) sink->tell(activity);
}
void waitUntil(uint64_t time) {
    while (now() < time) {
        const uint64_t left = time - now();
        if (left > 200'000 && left < 1'000'000'000u) usleep(useconds_t((left - 100'000) / 1000));
    }
}

/// One call of the application: told when it returns.
class Api {
public:
    Api(const char *driver, const char *runtime) : m_name(asRuntime() ? runtime : driver) {
        m_correlation = nextCorrelation++;
        m_begin = now();
    }
    ~Api() {
        FakeActivity call;
        call.kind = FakeActivity::Call;
        call.runtime = asRuntime();
        call.name = m_name;
        call.begin = m_begin;
        call.end = now();
        call.thread = thread();
        call.correlation = m_correlation;
        tell(call);
    }
    uint32_t correlation() const { return m_correlation; }
    uint64_t begin() const { return m_begin; }

private:
    const char *m_name;
    uint32_t m_correlation;
    uint64_t m_begin;
};

Context *here() {
    if (!current.empty()) return current.back();
    return contexts.empty() ? nullptr : contexts.front();
}
Stream &streamOf(CUstream stream) {
    return stream ? *reinterpret_cast<Stream *>(stream) : here()->null;
}

/// Puts an operation on a stream: it runs when what stands before it has ended.
void enqueue(const Api &api, CUstream on, uint64_t length, FakeActivity op) {
    const std::lock_guard lock(mutex);
    Stream &stream = streamOf(on);
    op.begin = std::max(stream.freeAt + 1000, api.begin() + 5000);
    op.end = stream.freeAt = op.begin + length;
    op.queued = api.begin();
    op.correlation = api.correlation();
    op.context = here()->id;
    op.device = here()->device;
    op.stream = stream.id;
    tell(op);
}

uint64_t contextFreeAt(Context *context) {
    const std::lock_guard lock(mutex);
    uint64_t at = context->null.freeAt;
    for (const Stream *stream : context->streams) at = std::max(at, stream->freeAt);
    return at;
}

void waited(const Api &api, uint32_t kind, uint32_t stream, const Event *event) {
    FakeActivity wait;
    wait.kind = FakeActivity::Wait;
    wait.begin = api.begin();
    wait.end = now();
    wait.thread = thread();
    wait.correlation = api.correlation();
    wait.context = here()->id;
    wait.device = here()->device;
    wait.stream = stream;
    wait.waits = kind;
    wait.event = event ? event->id : 0xFFFFFFFF;
    wait.sync = event ? event->sync : 0;
    tell(wait);
}

} // namespace

extern "C" {

void fakeCudaConnect(const FakeSink *to) {
    sink = to;
}

CUresult cuInit(unsigned) {
    static std::once_flag once;
    if (const char *error = std::getenv("FAKE_CUDA_STUB")) return CUresult(std::atoi(error));
    std::call_once(once, [] {
        const char *path = std::getenv("CUDA_INJECTION64_PATH");
        void *injection = path ? dlopen(path, RTLD_NOW) : nullptr;
        if (path && !injection) std::fprintf(stderr, "fake libcuda: %s\n", dlerror());
        if (!injection) return;
        const auto start = reinterpret_cast<int (*)()>(dlsym(injection, "InitializeInjection"));
        if (start) start();
    });
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) {
    const char *as = std::getenv("FAKE_CUDA_DRIVER");
    *version = as ? std::atoi(as) : 13000;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
    *count = 2;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice) {
    std::snprintf(name, size_t(length), "Pretended device");
    return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *, unsigned, CUdevice device) {
    auto *made = new Context;
    {
        const std::lock_guard lock(mutex);
        made->id = uint32_t(contexts.size()) + 1;
        made->device = uint32_t(device);
        contexts.push_back(made);
    }
    current.push_back(made);
    *context = reinterpret_cast<CUcontext>(made);
    FakeActivity told;
    told.kind = FakeActivity::DeviceSeen;
    told.device = made->device;
    tell(told);
    told.kind = FakeActivity::ContextMade;
    told.context = made->id;
    tell(told);
    told.kind = FakeActivity::StreamMade;
    told.stream = 7;
    told.order = 3;
    tell(told);
    if (sink) sink->contextCreated(made, true);
    return CUDA_SUCCESS;
}
CUresult cuCtxDestroy_v2(CUcontext context) {
    if (sink) sink->contextCreated(context, false);
    return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
    current.push_back(reinterpret_cast<Context *>(context));
    return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    *context = reinterpret_cast<CUcontext>(current.back());
    current.pop_back();
    return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
    if (const char *log = std::getenv("FAKE_CUDA_LOG"))
        if (std::FILE *file = std::fopen(log, "a")) {
            std::fprintf(file, "cuCtxSynchronize %u\n", here()->id);
            std::fclose(file);
        }
    if (std::getenv("FAKE_CUDA_SYNC_FAILS")) return CUDA_ERROR_UNKNOWN;
    const Api api("cuCtxSynchronize", "cudaDeviceSynchronize_v3020");
    waitUntil(contextFreeAt(here()) + 3000);
    waited(api, 4, 0xFFFFFFFF, nullptr);
    return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    auto *made = new Stream{nextStream++};
    const std::lock_guard lock(mutex);
    here()->streams.push_back(made);
    *stream = reinterpret_cast<CUstream>(made);
    FakeActivity told;
    told.kind = FakeActivity::StreamMade;
    told.context = here()->id;
    told.stream = made->id;
    told.order = flags & CU_STREAM_NON_BLOCKING ? 2 : 1;
    tell(told);
    return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
    const Api api("cuStreamSynchronize", "cudaStreamSynchronize_v3020");
    uint64_t until = 0;
    {
        const std::lock_guard lock(mutex);
        until = streamOf(stream).freeAt;
    }
    waitUntil(until + 3000);
    waited(api, 3, streamOf(stream).id, nullptr);
    return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *event, unsigned) {
    *event = reinterpret_cast<CUevent>(new Event{nextEvent++});
    return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent on, CUstream stream) {
    const Api api("cuEventRecord", "cudaEventRecord_v3020");
    auto *event = reinterpret_cast<Event *>(on);
    FakeActivity told;
    {
        const std::lock_guard lock(mutex);
        event->sync = nextSync++;
        event->doneAt = streamOf(stream).freeAt;
        told.begin = event->doneAt;
        told.stream = streamOf(stream).id;
    }
    told.kind = FakeActivity::Event;
    told.correlation = api.correlation();
    told.context = here()->id;
    told.device = here()->device;
    told.event = event->id;
    told.sync = event->sync;
    tell(told);
    return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent on, unsigned) {
    const Api api("cuStreamWaitEvent", "cudaStreamWaitEvent_v3020");
    auto *event = reinterpret_cast<Event *>(on);
    {
        const std::lock_guard lock(mutex);
        Stream &waits = streamOf(stream);
        waits.freeAt = std::max(waits.freeAt, event->doneAt);
    }
    waited(api, 2, streamOf(stream).id, event);
    return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent on) {
    const Api api("cuEventSynchronize", "cudaEventSynchronize_v3020");
    auto *event = reinterpret_cast<Event *>(on);
    waitUntil(event->doneAt + 3000);
    waited(api, 1, 0xFFFFFFFF, event);
    return CUDA_SUCCESS;
}
/// `f` is the kernel's name. It runs for as many microseconds as it has blocks; one named spin for
/// as many nanoseconds as its argument says.
CUresult cuLaunchKernel(CUfunction f, unsigned blocks, unsigned, unsigned, unsigned threads,
                        unsigned, unsigned, unsigned, CUstream stream, void **arguments, void **) {
    const char *name = reinterpret_cast<const char *>(f);
    uint64_t length = uint64_t(blocks) * 1000;
    if (std::strcmp(name, "spin") == 0 && arguments)
        std::memcpy(&length, arguments[0], sizeof length);
    if (captured) { // into a graph: nothing runs
        captured->kernels.push_back(unsigned(length / 1000));
        return CUDA_SUCCESS;
    }
    const Api api("cuLaunchKernel", "cudaLaunchKernel_v7000");
    FakeActivity kernel;
    kernel.kind = FakeActivity::Kernel;
    kernel.name = name;
    kernel.blocks = int32_t(blocks);
    kernel.threads = int32_t(threads);
    enqueue(api, stream, length, kernel);
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *module, const void *) {
    *module = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
    *function = reinterpret_cast<CUfunction>(const_cast<char *>(name));
    return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t) {
    *memory = 4096;
    return CUDA_SUCCESS;
}
CUresult cuMemAllocHost_v2(void **memory, size_t size) {
    const std::lock_guard lock(mutex);
    *memory = std::malloc(size);
    pinned.insert(*memory);
    return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
    captured = new Graph{nextGraph++, {}};
    return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
    *graph = reinterpret_cast<CUgraph>(std::exchange(captured, nullptr));
    return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long) {
    *exec = reinterpret_cast<CUgraphExec>(graph);
    return CUDA_SUCCESS;
}
static CUresult copy(const Api &api, uint32_t direction, uint32_t from, uint32_t to, size_t bytes,
                     CUstream stream, bool async) {
    FakeActivity told;
    told.kind = FakeActivity::Copy;
    told.direction = direction;
    told.from = from;
    told.to = to;
    told.bytes = bytes;
    told.async = async;
    enqueue(api, stream, bytes / 16 + 1000, told);
    if (!async) waitUntil(streamOf(stream).freeAt + 3000);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr, const void *from, size_t bytes, CUstream stream) {
    const Api api("cuMemcpyHtoDAsync_v2", "cudaMemcpyAsync_v3020");
    static const bool told = std::getenv("FAKE_CUDA_PAGEABLE") != nullptr;
    const bool isPinned = !told || pinned.contains(from);
    return copy(api, 1, isPinned ? 2 : 1, 3, bytes, stream, isPinned);
}
CUresult cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t bytes, CUstream stream) {
    const Api api("cuMemcpyDtoHAsync_v2", "cudaMemcpyAsync_v3020");
    return copy(api, 2, 3, 2, bytes, stream, true);
}
CUresult cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t bytes) {
    const Api api("cuMemcpyDtoH_v2", "cudaMemcpy_v3020");
    return copy(api, 2, 3, 1, bytes, nullptr, false);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t bytes,
                           CUstream stream) {
    const Api api("cuMemcpyPeerAsync", "cudaMemcpyPeerAsync_v4000");
    FakeActivity told;
    told.kind = FakeActivity::PeerCopy;
    told.direction = 10;
    told.from = told.to = 3;
    told.toDevice = 1;
    told.bytes = bytes;
    enqueue(api, stream, bytes / 16 + 1000, told);
    return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t bytes, CUstream stream) {
    const Api api("cuMemsetD8Async", "cudaMemsetAsync_v3020");
    FakeActivity told;
    told.kind = FakeActivity::Set;
    told.bytes = bytes;
    told.to = 3;
    enqueue(api, stream, bytes / 64 + 1000, told);
    return CUDA_SUCCESS;
}
CUresult fakeGraph(CUgraphExec *graph, const unsigned *blocks, unsigned count) {
    *graph = reinterpret_cast<CUgraphExec>(new Graph{nextGraph++, {blocks, blocks + count}});
    return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec on, CUstream stream) {
    const Api api("cuGraphLaunch", "cudaGraphLaunch_v10000");
    const auto *graph = reinterpret_cast<Graph *>(on);
    static const bool whole = std::getenv("FAKE_CUDA_GRAPHS_WHOLE") != nullptr;
    if (whole) {
        uint64_t length = 0;
        for (const unsigned blocks : graph->kernels) length += blocks * 1000 + 1000;
        FakeActivity run;
        run.kind = FakeActivity::Graph;
        run.graph = graph->id;
        enqueue(api, stream, length, run);
        return CUDA_SUCCESS;
    }
    for (size_t i = 0; i < graph->kernels.size(); ++i) {
        FakeActivity kernel;
        kernel.kind = FakeActivity::Kernel;
        kernel.name = "node";
        kernel.graph = graph->id;
        kernel.node = graph->id * 1000 + i;
        kernel.blocks = int32_t(graph->kernels[i]);
        enqueue(api, stream, graph->kernels[i] * 1000, kernel);
    }
    return CUDA_SUCCESS;
}
} // extern "C"
