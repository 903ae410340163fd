// SPDX-License-Identifier: Apache-2.0
// What the session asks of CUPTI: which records, on which clock, and who else is there.
#include "core/capture/clock.h"
#include "core/capture/session.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace longpole::capture {

namespace {

struct Kind {
    CUpti_ActivityKind kind;
    const char *name;
    const char *lost; ///< without it
};

constexpr std::array kKinds = {
    Kind{CUPTI_ACTIVITY_KIND_DEVICE, "devices", "the names of devices"},
    Kind{CUPTI_ACTIVITY_KIND_CONTEXT, "contexts", "which device a context belongs to"},
    Kind{CUPTI_ACTIVITY_KIND_STREAM, "streams",
         "how streams are ordered against the default stream"},
    Kind{CUPTI_ACTIVITY_KIND_NAME, "names", "names that the program gives to threads"},
    Kind{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels", "all kernels"},
    Kind{CUPTI_ACTIVITY_KIND_MEMCPY, "copies", "all copies"},
    Kind{CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices", "copies between devices"},
    Kind{CUPTI_ACTIVITY_KIND_MEMSET, "memsets", "all memsets"},
    Kind{CUPTI_ACTIVITY_KIND_RUNTIME, "calls of the runtime", "launches and waits of the host"},
    Kind{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "waits", "what a wait waits for"},
    Kind{CUPTI_ACTIVITY_KIND_CUDA_EVENT, "CUDA events", "which event a wait waits for"},
    Kind{CUPTI_ACTIVITY_KIND_OVERHEAD, "overheads", "what recording itself costs"},
    Kind{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "external ids", "ids of other recorders"},
};

bool beginsWithAny(std::string_view name, std::initializer_list<std::string_view> begins) {
    for (const std::string_view begin : begins)
        if (name.substr(0, begin.size()) == begin) return true;
    return false;
}

/// Calls of the runtime that are frequent, short and lead to nothing.
bool isNoise(std::string_view name) {
    return beginsWithAny(name, {"cudaGetDevice_", "cudaGetDeviceCount", "cudaSetDevice_",
                                "cudaGetLastError", "cudaPeekAtLastError", "cudaEventCreate",
                                "cudaEventDestroy", "cudaDeviceGetAttribute",
                                "cudaDeviceGetStreamPriorityRange", "cudaStreamIsCapturing",
                                "cudaStreamGetCaptureInfo", "cudaThreadExchangeStreamCaptureMode",
                                "cudaFuncGetAttributes", "cudaFuncSetAttribute", "cudaOccupancy",
                                "cudaPointerGetAttributes", "cudaGetDeviceProperties"});
}

/// Calls of the driver that programs make themselves and that enqueue, wait or take long.
bool isWanted(std::string_view name) {
    return beginsWithAny(name, {"cuLaunch", "cuGraphLaunch", "cuGraphInstantiate", "cuMemcpy",
                                "cuMemset", "cuMemAlloc", "cuMemFree", "cuMemHostAlloc",
                                "cuStreamSynchronize", "cuStreamWaitEvent", "cuStreamQuery",
                                "cuEventRecord", "cuEventSynchronize", "cuEventQuery",
                                "cuCtxSynchronize", "cuModuleLoad", "cuLibraryLoad"});
}

uint64_t timestamp() {
    return nowNs();
}

void requested(uint8_t **buffer, size_t *size, size_t *maxRecords) {
    Session *session = Session::current();
    *maxRecords = 0; // as many as fit
    *buffer = session ? session->pool().take() : nullptr;
    *size = *buffer ? BufferPool::kBufferBytes : 0;
}

void completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
    if (Session *session = Session::current(); session && buffer) session->filled(buffer, valid);
}

void called(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
    Session *session = Session::current();
    if (!session || domain != CUPTI_CB_DOMAIN_RESOURCE) return;
    const auto *resource = static_cast<const CUpti_ResourceData *>(data);
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) session->contexts().created(resource->context);
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        session->contexts().destroyed(resource->context);
}

} // namespace

void Session::check(CUptiResult result, const std::string &what, const std::string &lost) {
    if (result == CUPTI_SUCCESS) return;
    std::string sentence = "CUPTI does not " + what + ": " + m_cupti.errorText(result) + ".";
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
        sentence += " Profiling is restricted to administrators: load the module nvidia with "
                    "NVreg_RestrictProfilingToAdminUsers=0, or run as root.";
    if (!lost.empty()) sentence += " The recording lacks " + lost + ".";
    say(sentence);
}

bool Session::subscribe() {
    CUpti_SubscriberHandle subscriber{};
    CUptiResult result;
    char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 1] = {};
    if (m_cupti.cuptiSubscribe_v2) {
        CUpti_SubscriberParams params{};
        params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
        params.subscriberName = "Longpole";
        params.oldSubscriberName = other;
        params.oldSubscriberSize = sizeof other - 1;
        result = m_cupti.cuptiSubscribe_v2(&subscriber, called, nullptr, &params);
    } else {
        result = m_cupti.cuptiSubscribe(&subscriber, called, nullptr);
    }
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        say("Another profiler has this process already" +
            (other[0] ? " (" + std::string(other) + ")" : std::string()) +
            ", and CUPTI serves one. Run without it: Nsight, cuda-gdb, torch.profiler. Nothing of "
            "the "
            "device is recorded.");
        return false;
    }
    check(result, "let us subscribe", "the contexts to wait for at the boundary");
    if (result != CUPTI_SUCCESS) return true;
    for (const auto id :
         {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING})
        check(m_cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, uint32_t(id)),
              "tell of contexts", "the contexts to wait for at the boundary");
    return true;
}

void Session::startCupti() {
    static std::mutex once;
    const std::lock_guard lock(once);
    if (m_cuptiReady || m_cuptiWorks) return;
    m_cuptiWorks = true; // tried
    const std::string wrong = m_cupti.load(m_options.cupti, m_contexts.driverVersion());
    // What is registered last is called first: CUPTI must still be whole when the recording ends.
    std::atexit(atExit);
    if (!wrong.empty()) return say(wrong + " Nothing of the device is recorded.");
    if (!subscribe()) return;
    m_hasClock = m_cupti.cuptiActivityRegisterTimestampCallback &&
                 m_cupti.cuptiActivityRegisterTimestampCallback(timestamp) == CUPTI_SUCCESS;
    if (!m_hasClock)
        say("CUPTI stamps records with the clock of the day. If that is set while recording, times "
            "of the "
            "device move against those of ranges.");
    if (m_cupti.cuptiSetThreadIdType)
        check(m_cupti.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM),
              "name threads as the system does", "the threads of calls");
    const CUptiResult callbacks = m_cupti.cuptiActivityRegisterCallbacks(requested, completed);
    check(callbacks, "hand out records", "all of the device");
    if (callbacks != CUPTI_SUCCESS) return;
    if (m_cupti.cuptiActivityFlushPeriod)
        check(m_cupti.cuptiActivityFlushPeriod(500), "flush now and then",
              "what came last, if the process is killed");
    m_cuptiReady = true;
    if (recording()) enableKinds(true);
    const std::lock_guard pending(m_mutex);
    m_describe = true;
}

void Session::enableKinds(bool on) {
    const auto set = [&](const Kind &kind) {
        const CUptiResult result =
            on ? m_cupti.cuptiActivityEnable(kind.kind) : m_cupti.cuptiActivityDisable(kind.kind);
        if (on) check(result, std::string("record ") + kind.name, kind.lost);
    };
    if (on && m_cupti.cuptiActivityEnableCudaEventDeviceTimestamps)
        check(m_cupti.cuptiActivityEnableCudaEventDeviceTimestamps(1),
              "stamp CUDA events on the device", "");
    for (const Kind &kind : kKinds) set(kind);
    if (!m_options.graphNodes) set({CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "graphs", "all graphs"});
    if (m_options.allocations)
        set({CUPTI_ACTIVITY_KIND_MEMORY2, "memory", "what is taken and given back"});
    // Ranges come through our own NVTX; where the program is told of another one, through CUPTI's.
    const char *nvtx = std::getenv("NVTX_INJECTION64_PATH");
    if (nvtx && std::strstr(nvtx, "libcupti")) {
        set({CUPTI_ACTIVITY_KIND_MARKER, "ranges", "all ranges"});
        set({CUPTI_ACTIVITY_KIND_MARKER_DATA, "payloads of ranges", "payloads of ranges"});
    }
    chooseCalls(on);
}

/// By the names that the loaded library has for its functions, so that new ones are sorted as well.
void Session::chooseCalls(bool on) {
    if (!m_cupti.cuptiGetCallbackName) return;
    constexpr uint32_t kMostCalls = 4096;
    bool anyName = false;
    CUptiResult unnamed = CUPTI_SUCCESS, refused = CUPTI_SUCCESS;
    const auto nameOf = [&](CUpti_CallbackDomain domain, uint32_t id) {
        const char *name = nullptr;
        const CUptiResult result = m_cupti.cuptiGetCallbackName(domain, id, &name);
        if (result != CUPTI_SUCCESS || !name) {
            unnamed = result; // as it is for every number that no call has
            return std::string_view();
        }
        anyName = true;
        return std::string_view(name);
    };
    for (uint32_t id = 1; id < kMostCalls; ++id) {
        if (m_cupti.cuptiActivityEnableRuntimeApi &&
            isNoise(nameOf(CUPTI_CB_DOMAIN_RUNTIME_API, id)))
            m_cupti.cuptiActivityEnableRuntimeApi(id, 0);
        if (!m_cupti.cuptiActivityEnableDriverApi ||
            !isWanted(nameOf(CUPTI_CB_DOMAIN_DRIVER_API, id)))
            continue;
        const CUptiResult result = m_cupti.cuptiActivityEnableDriverApi(id, on);
        if (result != CUPTI_SUCCESS) refused = result;
    }
    if (!on) return;
    const char *bypass = "launches that bypass the runtime";
    if (!m_cupti.cuptiActivityEnableDriverApi) // all of them, or none
        refused = m_cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER);
    else if (!anyName)
        check(unnamed, "name calls", bypass);
    check(refused, "record calls of the driver", bypass);
}

} // namespace longpole::capture
