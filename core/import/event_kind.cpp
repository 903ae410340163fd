// SPDX-License-Identifier: Apache-2.0
#include "core/import/event_kind.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace longpole {

namespace {

using Names = std::initializer_list<std::string_view>;

bool startsWithAny(std::string_view text, Names prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view p) { return text.starts_with(p); });
}

bool containsAny(std::string_view text, Names parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view p) { return text.find(p) != text.npos; });
}

Kind runtimeKind(std::string_view name) {
    if (startsWithAny(name, {"cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchCooperativeKernel",
                             "cuLaunchCooperativeKernel", "hipLaunchKernel", "hipExtLaunchKernel",
                             "hipExtModuleLaunchKernel", "hipModuleLaunchKernel",
                             "hipLaunchCooperativeKernel", "hipHccModuleLaunchKernel",
                             "urEnqueueKernelLaunch", "zeCommandListAppendLaunch"}))
        return Kind::Launch;
    if (startsWithAny(name, {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"}))
        return Kind::GraphLaunch;
    if (containsAny(name, {"Synchronize"})) return Kind::Sync;
    if (containsAny(name, {"StreamWaitEvent"})) return Kind::EventWait;
    if (containsAny(name, {"EventRecord"})) return Kind::EventRecord;
    return Kind::Runtime;
}

/// "Memcpy HtoD (Pageable -> Device)" and its relatives; the direction is only in the name.
Kind copyKind(std::string_view name) {
    if (containsAny(name, {"HtoD", "HostToDevice", "H2D"})) return Kind::H2D;
    if (containsAny(name, {"DtoH", "DeviceToHost", "D2H"})) return Kind::D2H;
    if (containsAny(name, {"PtoP", "PeerToPeer"})) return Kind::P2P;
    if (containsAny(name, {"HtoH", "HostToHost"})) return Kind::H2H;
    return Kind::D2D;
}

Kind kernelKind(std::string_view name) {
    const bool comm =
        startsWithAny(name, {"nccl", "rccl", "msccl"}) ||
        containsAny(name, {"ncclKernel", "ncclDevKernel", "ncclDev_", "deep_ep::", "nvshmem"});
    return comm ? Kind::Comm : Kind::Kernel;
}

struct Category {
    std::string_view name;
    EventKind kind;
    Kind (*byName)(std::string_view) = nullptr;
};

using enum Place;
constexpr std::array kCategories = {
    Category{"cpu_op", {Kind::CpuOp, Thread}},
    Category{"kernel", {Kind::Kernel, Stream}, kernelKind},
    Category{"cuda_runtime", {Kind::Runtime, Thread}, runtimeKind},
    Category{"cuda_driver", {Kind::Runtime, Thread}, runtimeKind},
    Category{"python_function", {Kind::Python, Thread}},
    Category{"user_annotation", {Kind::Annotation, Thread}},
    Category{"gpu_memcpy", {Kind::D2D, Stream}, copyKind},
    Category{"gpu_memset", {Kind::Memset, Stream}},
    Category{"gpu_user_annotation", {Kind::Annotation, GpuAnnotation}},
    Category{"cuda_graph", {Kind::GraphExec, Stream}},
    Category{"cuda_profiler_range", {Kind::Annotation, GpuAnnotation}},
    Category{"cuda_event", {Kind::EventRecord, DeviceRecords}},
    Category{"overhead", {Kind::Overhead, Annotation}},
    Category{"Trace", {Kind::Annotation, Annotation}},
    Category{"nvtx", {Kind::Annotation, Thread}},
    // calls of the other devices that PyTorch's profiler knows
    Category{"xpu_runtime", {Kind::Runtime, Thread}, runtimeKind},
    Category{"xpu_driver", {Kind::Runtime, Thread}, runtimeKind},
    Category{"mtia_runtime", {Kind::Runtime, Thread}, runtimeKind},
    Category{"glow_runtime", {Kind::Runtime, Thread}, runtimeKind},
    Category{"privateuse1_runtime", {Kind::Runtime, Thread}, runtimeKind},
    Category{"privateuse1_driver", {Kind::Runtime, Thread}, runtimeKind},
    // as tools write that make them from exports of Nsight Systems
    Category{"cuda", {Kind::Kernel, Stream}, kernelKind},
    Category{"cuda_api", {Kind::Runtime, Thread}, runtimeKind},
    Category{"nvtx-kernel", {Kind::Annotation, GpuAnnotation}},
    // as PyTorch wrote them until 2021
    Category{"Operator", {Kind::CpuOp, Thread}},
    Category{"Kernel", {Kind::Kernel, Stream}, kernelKind},
    Category{"Runtime", {Kind::Runtime, Thread}, runtimeKind},
    Category{"Memcpy", {Kind::D2D, Stream}, copyKind},
    Category{"Memset", {Kind::Memset, Stream}},
};

} // namespace

EventKind eventKind(std::string_view category, std::string_view name) {
    if (category == "cuda_sync")
        return {name == "Stream Wait Event" ? Kind::EventWait : Kind::Sync, DeviceRecords};
    for (const Category &c : kCategories)
        if (c.name == category) return {c.byName ? c.byName(name) : c.kind.kind, c.kind.place};
    return {};
}

Kind ascendKind(std::string_view name) {
    if (startsWithAny(name, {"hcom_", "NOTIFY", "Notify", "REDUCE_ASYNC", "RDMA"})) return Kind::Comm;
    if (containsAny(name, {"emcopy", "emcpy", "MEMCPY", "SDMA", "PCIE_DMA"}))
        return copyKind(name);
    if (startsWithAny(name, {"Memset", "memset"})) return Kind::Memset;
    if (startsWithAny(name, {"EVENT_WAIT", "Event Wait"})) return Kind::EventWait;
    if (startsWithAny(name, {"EVENT_RECORD", "Event Record"})) return Kind::EventRecord;
    return kernelKind(name);
}

bool isDisplayFlow(std::string_view category) {
    constexpr std::array<std::string_view, 6> display = {
        "ac2g", "async_cpu_to_gpu", "async_gpu", "async", "fwdbwd", "critical_path"};
    return std::find(display.begin(), display.end(), category) != display.end();
}

} // namespace longpole
