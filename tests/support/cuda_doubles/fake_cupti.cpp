// SPDX-License-Identifier: Apache-2.0
// A double of libcupti.so, built twice: with the records of CUDA 12.2 (FAKE_CUPTI_OLD) and of 13.0.
// It is told by the double of libcuda what happens and delivers it as records. By the environment:
// FAKE_CUPTI_FAIL=cuptiSubscribe=39,cuptiActivityEnable:38=7   functions (and kinds) that fail, and
// with what FAKE_CUPTI_OTHER=NAME      the subscriber that is there already, with
// FAKE_CUPTI_FAIL=cuptiSubscribe=39 FAKE_CUPTI_VERSION=17      what it says it is FAKE_CUPTI_DROP=5
// so many records are said to be lost FAKE_CUPTI_SHUFFLE=1       records are held back until a
// flush and come in any order FAKE_CUPTI_EXTRAS=1        one record of each kind that the device
// does not make
#include "tests/support/cuda_doubles/device.h"

#include <cupti.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

#ifdef FAKE_CUPTI_OLD
constexpr uint32_t kVersion = 20; // CUDA 12.2
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using WaitRecord = CUpti_ActivitySynchronization;
using EventRecord = CUpti_ActivityCudaEvent;
using OverheadRecord = CUpti_ActivityOverhead2;
using GraphRecord = CUpti_ActivityGraphTrace;
using ContextRecord = CUpti_ActivityContext;
using DeviceRecord = CUpti_ActivityDevice4;
using MarkerDataRecord = CUpti_ActivityMarkerData;
using MemoryRecord = CUpti_ActivityMemory3;
#else
constexpr uint32_t kVersion = CUPTI_API_VERSION;
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
using WaitRecord = CUpti_ActivitySynchronization2;
using EventRecord = CUpti_ActivityCudaEvent2;
using OverheadRecord = CUpti_ActivityOverhead3;
using GraphRecord = CUpti_ActivityGraphTrace2;
using ContextRecord = CUpti_ActivityContext3;
using DeviceRecord = CUpti_ActivityDevice5;
using MarkerDataRecord = CUpti_ActivityMarkerData2;
using MemoryRecord = CUpti_ActivityMemory4;
#endif

const std::array<const char *, 20> kDriverCalls = {"",
                                                   "cuLaunchKernel",
                                                   "cuMemcpyHtoDAsync_v2",
                                                   "cuMemcpyDtoHAsync_v2",
                                                   "cuMemcpyDtoH_v2",
                                                   "cuMemcpyPeerAsync",
                                                   "cuMemsetD8Async",
                                                   "cuStreamSynchronize",
                                                   "cuCtxSynchronize",
                                                   "cuEventRecord",
                                                   "cuStreamWaitEvent",
                                                   "cuEventSynchronize",
                                                   "cuGraphLaunch",
                                                   "cuStreamCreate",
                                                   "cuDeviceGet",
                                                   "cuCtxGetCurrent",
                                                   "cuEventCreate",
                                                   "cuInit",
                                                   "cuCtxCreate_v2",
                                                   "cuDriverGetVersion"};
const std::array<const char *, 15> kRuntimeCalls = {"",
                                                    "cudaLaunchKernel_v7000",
                                                    "cudaMemcpyAsync_v3020",
                                                    "cudaMemcpy_v3020",
                                                    "cudaMemcpyPeerAsync_v4000",
                                                    "cudaMemsetAsync_v3020",
                                                    "cudaStreamSynchronize_v3020",
                                                    "cudaDeviceSynchronize_v3020",
                                                    "cudaEventRecord_v3020",
                                                    "cudaStreamWaitEvent_v3020",
                                                    "cudaEventSynchronize_v3020",
                                                    "cudaGraphLaunch_v10000",
                                                    "cudaGetDevice_v3020",
                                                    "cudaGetLastError_v3020",
                                                    "cudaSetDevice_v3020"};

std::mutex mutex; ///< of all below
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
CUpti_TimestampCallbackFunc timestampOf = nullptr;
CUpti_CallbackFunc callback = nullptr;
std::set<int> enabled;
std::set<uint32_t> driverCalls, noRuntimeCalls;
uint8_t *buffer = nullptr;
size_t bufferSize = 0, bufferUsed = 0;
uint64_t dropped = 0;
std::vector<std::vector<char>> held;
std::atomic<uint32_t> flushPeriod{0};

bool isSet(const char *name) {
    return std::getenv(name) != nullptr;
}

/// What FAKE_CUPTI_FAIL says of a function, or of it with a kind.
CUptiResult told(const std::string &function, int kind = -1) {
    const char *list = std::getenv("FAKE_CUPTI_FAIL");
    if (!list) return CUPTI_SUCCESS;
    std::string rest = list;
    while (!rest.empty()) {
        const size_t comma = std::min(rest.find(','), rest.size());
        const std::string one = rest.substr(0, comma);
        rest.erase(0, comma + 1);
        const size_t equals = one.find('=');
        if (equals == one.npos) continue;
        const std::string who = one.substr(0, equals);
        if (who == function || (kind >= 0 && who == function + ":" + std::to_string(kind)))
            return CUptiResult(std::atoi(one.c_str() + equals + 1));
    }
    return CUPTI_SUCCESS;
}

uint64_t now() {
    if (timestampOf) return timestampOf();
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}

size_t sizeOf(const CUpti_Activity *record) {
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return sizeof(CopyRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return sizeof(WaitRecord);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
        return sizeof(EventRecord);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
        return sizeof(GraphRecord);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return sizeof(OverheadRecord);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
        return sizeof(ContextRecord);
    case CUPTI_ACTIVITY_KIND_STREAM:
        return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_DEVICE:
        return sizeof(DeviceRecord);
    case CUPTI_ACTIVITY_KIND_MARKER:
        return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_MARKER_DATA:
        return sizeof(MarkerDataRecord);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        return sizeof(MemoryRecord);
    case CUPTI_ACTIVITY_KIND_NAME:
        return sizeof(CUpti_ActivityName);
    default:
        return 64; // kinds that nobody knows
    }
}

void handBack() {
    if (!buffer) return;
    uint8_t *full = buffer;
    buffer = nullptr;
    complete(nullptr, 0, full, bufferSize, bufferUsed);
}

void put(const void *record, size_t size) {
    size = (size + 7) / 8 * 8;
    if (buffer && bufferUsed + size > bufferSize) handBack();
    if (!buffer) {
        size_t most = 0;
        bufferUsed = 0;
        request(&buffer, &bufferSize, &most);
        if (!buffer) {
            ++dropped;
            return;
        }
    }
    std::memcpy(buffer + bufferUsed, record, size);
    bufferUsed += size;
}

template <class T>
void deliver(CUpti_ActivityKind kind, T &record, bool wanted = false) {
    const std::lock_guard lock(mutex);
    if (!request || !(wanted || enabled.contains(kind))) return;
    record.kind = kind;
    static const bool shuffle = isSet("FAKE_CUPTI_SHUFFLE");
    const size_t size = (sizeof record + 7) / 8 * 8;
    alignas(8) char padded[sizeof record + 8] = {};
    std::memcpy(padded, &record, sizeof record);
    if (shuffle)
        held.emplace_back(padded, padded + size);
    else
        put(padded, size);
}

void flush() {
    const std::lock_guard lock(mutex);
    if (!request) return;
    uint64_t state = 88172645463325252ull; // any order, but the same each time
    for (size_t i = held.size(); i > 1; --i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        std::swap(held[i - 1], held[state % i]);
    }
    for (const auto &record : held) put(record.data(), record.size());
    held.clear();
    handBack();
}

uint32_t idOf(bool runtime, const char *name) {
    const auto find = [&](const auto &names) {
        for (uint32_t i = 1; i < names.size(); ++i)
            if (std::strcmp(names[i], name) == 0) return i;
        return 0u;
    };
    return runtime ? find(kRuntimeCalls) : find(kDriverCalls);
}

void tellCall(const FakeActivity &a) {
    CUpti_ActivityAPI record{};
    record.cbid = idOf(a.runtime, a.name);
    record.start = a.begin;
    record.end = a.end;
    record.processId = uint32_t(getpid());
    record.threadId = a.thread;
    record.correlationId = a.correlation;
    bool driver = false;
    {
        const std::lock_guard lock(mutex);
        if (a.runtime && noRuntimeCalls.contains(record.cbid)) return;
        driver = !a.runtime && driverCalls.contains(record.cbid);
    }
    deliver(a.runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER, record, driver);
}

template <class T>
void place(T &record, const FakeActivity &a) {
    record.start = a.begin;
    record.end = a.end;
    record.correlationId = a.correlation;
    record.deviceId = a.device;
    record.contextId = a.context;
    record.streamId = a.stream;
}

void tellCopy(const FakeActivity &a) {
    if (a.kind == FakeActivity::PeerCopy) {
        CUpti_ActivityMemcpyPtoP4 record{};
        place(record, a);
        record.bytes = a.bytes;
        record.copyKind = uint8_t(a.direction);
        record.srcKind = uint8_t(a.from);
        record.dstKind = uint8_t(a.to);
        record.srcDeviceId = a.device;
        record.dstDeviceId = a.toDevice;
        record.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
        return deliver(CUPTI_ACTIVITY_KIND_MEMCPY2, record);
    }
    CopyRecord record{};
    place(record, a);
    record.bytes = a.bytes;
    record.copyKind = uint8_t(a.direction);
    record.srcKind = uint8_t(a.from);
    record.dstKind = uint8_t(a.to);
    record.flags = a.async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
    deliver(CUPTI_ACTIVITY_KIND_MEMCPY, record);
}

void tellWait(const FakeActivity &a) {
    WaitRecord record{};
    record.type = CUpti_ActivitySynchronizationType(a.waits);
    record.start = a.begin;
    record.end = a.end;
    record.correlationId = a.correlation;
    record.contextId = a.context;
    record.streamId = a.stream;
    record.cudaEventId = a.event;
#ifndef FAKE_CUPTI_OLD
    record.cudaEventSyncId = a.sync;
#endif
    deliver(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, record);
}

void tellEvent(const FakeActivity &a) {
    EventRecord record{};
    record.correlationId = a.correlation;
    record.contextId = a.context;
    record.streamId = a.stream;
    record.eventId = a.event;
#ifndef FAKE_CUPTI_OLD
    record.deviceId = a.device;
    record.cudaEventSyncId = a.sync;
    record.deviceTimestamp = a.begin;
#endif
    deliver(CUPTI_ACTIVITY_KIND_CUDA_EVENT, record);
}

/// One record of each kind that no call of the device makes.
void tellExtras() {
    const uint64_t t = now();
    CUpti_ActivityMarker2 marker{};
    marker.id = 1;
    marker.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    marker.objectId.pt.threadId = uint32_t(getpid());
    marker.name = "marked by CUPTI";
    marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
    marker.timestamp = t;
    deliver(CUPTI_ACTIVITY_KIND_MARKER, marker);
    marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
    marker.name = nullptr;
    marker.timestamp = t + 5000;
    deliver(CUPTI_ACTIVITY_KIND_MARKER, marker);
    marker.id = 2;
    marker.name = "a moment";
    marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS;
    deliver(CUPTI_ACTIVITY_KIND_MARKER, marker);
    MarkerDataRecord data{};
    data.id = 1;
    deliver(CUPTI_ACTIVITY_KIND_MARKER_DATA, data);
    CUpti_ActivityExternalCorrelation external{};
    external.externalId = 4711;
    external.correlationId = 1;
    deliver(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, external);
    for (const auto kind : {CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
                            CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL}) {
        OverheadRecord overhead{};
        overhead.overheadKind = kind;
        overhead.start = t;
        overhead.end = t + 2000;
        overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
        overhead.objectId.pt.threadId = uint32_t(getpid());
        deliver(CUPTI_ACTIVITY_KIND_OVERHEAD, overhead);
    }
    MemoryRecord memory{};
    memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    memory.timestamp = t;
    memory.bytes = 1 << 20;
    deliver(CUPTI_ACTIVITY_KIND_MEMORY2, memory);
    CUpti_ActivityName name{};
    name.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    name.objectId.pt.threadId = uint32_t(getpid());
    name.name = "named by CUPTI";
    deliver(CUPTI_ACTIVITY_KIND_NAME, name);
    struct {
        CUpti_ActivityKind kind;
        char rest[60];
    } nobodyKnows{};
    {
        const std::lock_guard lock(mutex);
        enabled.insert(CUPTI_ACTIVITY_KIND_PCIE);
    }
    deliver(CUPTI_ACTIVITY_KIND_PCIE, nobodyKnows);
}

void tell(const FakeActivity &a) {
    switch (a.kind) {
    case FakeActivity::Call:
        return tellCall(a);
    case FakeActivity::Copy:
    case FakeActivity::PeerCopy:
        return tellCopy(a);
    case FakeActivity::Wait:
        return tellWait(a);
    case FakeActivity::Event:
        return tellEvent(a);
    case FakeActivity::Kernel: {
        KernelRecord record{};
        place(record, a);
        record.name = a.name;
        record.gridX = a.blocks;
        record.blockX = a.threads;
        record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
        record.graphId = a.graph;
        record.graphNodeId = a.node;
        return deliver(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, record);
    }
    case FakeActivity::Set: {
        CUpti_ActivityMemset4 record{};
        place(record, a);
        record.bytes = a.bytes;
        record.memoryKind = uint16_t(a.to);
        return deliver(CUPTI_ACTIVITY_KIND_MEMSET, record);
    }
    case FakeActivity::Graph: {
        GraphRecord record{};
        place(record, a);
        record.graphId = a.graph;
        return deliver(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, record);
    }
    case FakeActivity::Overhead: {
        OverheadRecord record{};
        record.start = a.begin;
        record.end = a.end;
        record.overheadKind = CUpti_ActivityOverheadKind(a.overhead);
        return deliver(CUPTI_ACTIVITY_KIND_OVERHEAD, record);
    }
    case FakeActivity::ContextMade: {
        ContextRecord record{};
        record.contextId = a.context;
        record.deviceId = a.device;
        record.nullStreamId = 7;
        deliver(CUPTI_ACTIVITY_KIND_CONTEXT, record);
        if (isSet("FAKE_CUPTI_EXTRAS")) tellExtras();
        return;
    }
    case FakeActivity::StreamMade: {
        CUpti_ActivityStream record{};
        record.contextId = a.context;
        record.streamId = a.stream;
        record.flag = CUpti_ActivityStreamFlag(a.order);
        return deliver(CUPTI_ACTIVITY_KIND_STREAM, record);
    }
    case FakeActivity::DeviceSeen: {
        DeviceRecord record{};
        record.id = a.device;
        record.name = "Pretended device";
        return deliver(CUPTI_ACTIVITY_KIND_DEVICE, record);
    }
    }
}

void contextCreated(void *context, bool created) {
    if (!callback) return;
    CUpti_ResourceData data{};
    data.context = static_cast<CUcontext>(context);
    callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE,
             created ? CUPTI_CBID_RESOURCE_CONTEXT_CREATED
                     : CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
             &data);
}

const FakeSink kSink = {tell, now, contextCreated};

__attribute__((constructor)) void connect() {
    void *cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const auto to =
        cuda ? reinterpret_cast<void (*)(const FakeSink *)>(dlsym(cuda, "fakeCudaConnect"))
             : nullptr;
    if (to) to(&kSink);
    if (const char *lost = std::getenv("FAKE_CUPTI_DROP")) dropped = uint64_t(std::atoll(lost));
}

} // namespace

extern "C" {

CUptiResult cuptiGetVersion(uint32_t *version) {
    const char *as = std::getenv("FAKE_CUPTI_VERSION");
    const CUptiResult result = told("cuptiGetVersion");
    if (result == CUPTI_SUCCESS) *version = as ? uint32_t(std::atoi(as)) : kVersion;
    return result;
}
CUptiResult cuptiGetResultString(CUptiResult, const char **text) {
    const CUptiResult result = told("cuptiGetResultString");
    if (result == CUPTI_SUCCESS) *text = "CUPTI_ERROR_PRETENDED";
    return result;
}
CUptiResult cuptiGetTimestamp(uint64_t *time) {
    *time = now();
    return told("cuptiGetTimestamp");
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name) {
    const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
    if (id == 0 || id >= (driver ? kDriverCalls.size() : kRuntimeCalls.size()))
        return CUPTI_ERROR_INVALID_PARAMETER;
    *name = driver ? kDriverCalls[id] : kRuntimeCalls[id];
    return told("cuptiGetCallbackName");
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc to, void *) {
    const CUptiResult result = told("cuptiSubscribe");
    if (result == CUPTI_SUCCESS) callback = to;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(1);
    return result;
}
#ifndef FAKE_CUPTI_OLD
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc to, void *data,
                              CUpti_SubscriberParams *params) {
    const char *other = std::getenv("FAKE_CUPTI_OTHER");
    if (other && params && params->oldSubscriberName)
        std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", other);
    return cuptiSubscribe(subscriber, to, data);
}
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) {
    return told("cuptiActivityEnableCudaEventDeviceTimestamps");
}
#endif
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
    callback = nullptr;
    return told("cuptiUnsubscribe");
}
CUptiResult cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId) {
    return told("cuptiEnableCallback");
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) {
    return told("cuptiSetThreadIdType");
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
    const CUptiResult result = told("cuptiActivityRegisterTimestampCallback");
    if (result == CUPTI_SUCCESS) timestampOf = function;
    return result;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r,
                                           CUpti_BuffersCallbackCompleteFunc c) {
    const CUptiResult result = told("cuptiActivityRegisterCallbacks");
    if (result != CUPTI_SUCCESS) return result;
    const std::lock_guard lock(mutex);
    request = r;
    complete = c;
    return result;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    const CUptiResult result = told("cuptiActivityEnable", kind);
    const std::lock_guard lock(mutex);
    if (result == CUPTI_SUCCESS) enabled.insert(kind);
    return result;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    const std::lock_guard lock(mutex);
    enabled.erase(kind);
    return told("cuptiActivityDisable", kind);
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t on) {
    const std::lock_guard lock(mutex);
    if (on)
        noRuntimeCalls.erase(id);
    else
        noRuntimeCalls.insert(id);
    return told("cuptiActivityEnableRuntimeApi");
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t on) {
    const std::lock_guard lock(mutex);
    if (on)
        driverCalls.insert(id);
    else
        driverCalls.erase(id);
    return told("cuptiActivityEnableDriverApi");
}
CUptiResult cuptiActivityFlushPeriod(uint32_t milliseconds) {
    if (const char *other = std::getenv("FAKE_CUPTI_PERIOD"))
        milliseconds = uint32_t(std::atoi(other));
    if (flushPeriod.exchange(milliseconds) == 0 && milliseconds > 0)
        std::thread([] {
            for (;;) {
                usleep(flushPeriod * 1000);
                flush();
            }
        }).detach();
    return told("cuptiActivityFlushPeriod");
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
    flush();
    return told("cuptiActivityFlushAll");
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t *count) {
    const std::lock_guard lock(mutex);
    *count = dropped;
    dropped = 0;
    return told("cuptiActivityGetNumDroppedRecords");
}
CUptiResult cuptiActivityGetNextRecord(uint8_t *data, size_t size, CUpti_Activity **record) {
    size_t at = 0;
    if (*record) {
        at = size_t(reinterpret_cast<uint8_t *>(*record) - data) + (sizeOf(*record) + 7) / 8 * 8;
    }
    if (at >= size) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    // within a buffer, so that a part of it has been handed out
    if (at > size / 2 && told("cuptiActivityGetNextRecord:2") != CUPTI_SUCCESS)
        return told("cuptiActivityGetNextRecord:2");
    *record = reinterpret_cast<CUpti_Activity *>(data + at);
    return told("cuptiActivityGetNextRecord");
}
CUptiResult cuptiFinalize() {
    return CUPTI_SUCCESS;
}
/// For tests that are a tool of their own: something happened.
void fakeCuptiTell(const FakeActivity *activity) {
    tell(*activity);
}

} // extern "C"
