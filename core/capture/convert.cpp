// SPDX-License-Identifier: Apache-2.0
#include "core/capture/convert.h"

#include <cstring>

namespace longpole::capture {

namespace {

template <class T>
const T &as(const CUpti_Activity *record) {
    return *reinterpret_cast<const T *>(record);
}

} // namespace

void Converter::add(const CUpti_Activity *record) {
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return addCall(as<CUpti_ActivityAPI>(record), record->kind == CUPTI_ACTIVITY_KIND_DRIVER);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return addKernel(as<CUpti_ActivityKernel10>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return addCopy(as<CUpti_ActivityMemcpy6>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return addPeerCopy(as<CUpti_ActivityMemcpyPtoP4>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return addSet(as<CUpti_ActivityMemset4>(record));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return addWait(as<CUpti_ActivitySynchronization2>(record));
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
        return addEvent(as<CUpti_ActivityCudaEvent2>(record));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
        return addGraph(as<CUpti_ActivityGraphTrace2>(record));
    case CUPTI_ACTIVITY_KIND_MARKER:
        return addMarker(as<CUpti_ActivityMarker2>(record));
    case CUPTI_ACTIVITY_KIND_MARKER_DATA:
        return addMarkerData(as<CUpti_ActivityMarkerData2>(record));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return addOverhead(as<CUpti_ActivityOverhead3>(record));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        return addMemory(as<CUpti_ActivityMemory4>(record));
    case CUPTI_ACTIVITY_KIND_DEVICE:
        return addDevice(as<CUpti_ActivityDevice5>(record));
    case CUPTI_ACTIVITY_KIND_NAME:
        return addName(as<CUpti_ActivityName>(record));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto &from = as<CUpti_ActivityExternalCorrelation>(record);
        External &to = m_file.add<External>(Type::External);
        to.id = from.externalId;
        to.correlation = from.correlationId;
        to.kind = uint32_t(from.externalKind);
        return;
    }
    case CUPTI_ACTIVITY_KIND_CONTEXT: {
        const auto &from = as<CUpti_ActivityContext3>(record);
        Context &to = m_file.add<Context>(Type::Context);
        to.id = from.contextId;
        to.device = from.deviceId;
        to.nullStream = from.nullStreamId;
        return;
    }
    case CUPTI_ACTIVITY_KIND_STREAM: {
        const auto &from = as<CUpti_ActivityStream>(record);
        Stream &to = m_file.add<Stream>(Type::Stream);
        to.context = from.contextId;
        to.id = from.streamId;
        to.priority = from.priority;
        to.order = uint32_t(from.flag);
        return;
    }
    default:
        ++m_unknown[uint32_t(record->kind) < m_unknown.size() ? uint32_t(record->kind) : 0];
    }
}

uint32_t Converter::callName(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    auto &names = m_callNames[domain == CUPTI_CB_DOMAIN_DRIVER_API];
    if (id >= names.size()) names.resize(std::min<size_t>(id, 1 << 16) + 1);
    if (id >= names.size()) return 0;
    if (names[id]) return names[id] - 1;
    const char *name = nullptr;
    if (m_api.cuptiGetCallbackName) m_api.cuptiGetCallbackName(domain, id, &name);
    const std::string otherwise =
        std::string(domain == CUPTI_CB_DOMAIN_DRIVER_API ? "driver" : "runtime") + " call " +
        std::to_string(id);
    const uint32_t text = m_file.text(name ? name : otherwise);
    names[id] = text + 1;
    return text;
}

void Converter::addCall(const CUpti_ActivityAPI &from, bool driver) {
    const uint32_t name =
        callName(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, from.cbid);
    Call &to = m_file.add<Call>(Type::Call, driver ? Call::kDriver : 0);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.thread = from.threadId;
    to.correlation = from.correlationId;
    to.name = name;
    to.result = int32_t(from.returnValue);
}

void Converter::addKernel(const CUpti_ActivityKernel10 &from) {
    const uint32_t name = m_file.textAt(from.name);
    Kernel &to = m_file.add<Kernel>(Type::Kernel);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.queued = time(from.queued);
    to.submitted = time(from.submitted);
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.name = name;
    to.graph = from.graphId;
    to.node = from.graphNodeId;
    const int32_t grid[] = {from.gridX, from.gridY, from.gridZ};
    const int32_t block[] = {from.blockX, from.blockY, from.blockZ};
    std::memcpy(to.grid, grid, sizeof grid);
    std::memcpy(to.block, block, sizeof block);
    to.staticShared = from.staticSharedMemory;
    to.dynamicShared = from.dynamicSharedMemory;
    to.registers = from.registersPerThread;
    to.launch = from.launchType;
    to.channelType = uint8_t(from.channelType);
    to.channel = from.channelID;
}

void Converter::addCopy(const CUpti_ActivityMemcpy6 &from) {
    Copy &to = m_file.add<Copy>(Type::Copy,
                                from.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC ? Copy::kAsync : 0);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.bytes = from.bytes;
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.graph = from.graphId;
    to.fromDevice = to.toDevice = from.deviceId;
    to.direction = from.copyKind;
    to.from = from.srcKind;
    to.to = from.dstKind;
    to.channelType = uint8_t(from.channelType);
    to.node = from.graphNodeId;
}

void Converter::addPeerCopy(const CUpti_ActivityMemcpyPtoP4 &from) {
    const uint16_t async = from.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC ? Copy::kAsync : 0;
    Copy &to = m_file.add<Copy>(Type::Copy, uint16_t(async | Copy::kPeer));
    to.begin = time(from.start);
    to.end = time(from.end);
    to.bytes = from.bytes;
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.graph = from.graphId;
    to.fromDevice = from.srcDeviceId;
    to.toDevice = from.dstDeviceId;
    to.direction = from.copyKind;
    to.from = from.srcKind;
    to.to = from.dstKind;
    to.channelType = uint8_t(from.channelType);
    to.node = from.graphNodeId;
}

void Converter::addSet(const CUpti_ActivityMemset4 &from) {
    Set &to = m_file.add<Set>(Type::Set);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.bytes = from.bytes;
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.value = from.value;
    to.memory = from.memoryKind;
    to.node = from.graphNodeId;
    to.graph = from.graphId;
}

void Converter::addWait(const CUpti_ActivitySynchronization2 &from) {
    Wait &to = m_file.add<Wait>(Type::Wait);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.correlation = from.correlationId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.event = from.cudaEventId;
    to.kind = uint32_t(from.type);
    if (m_api.version < kCuptiWithSyncIds) return;
    to.sync = from.cudaEventSyncId;
    to.result = int32_t(from.returnValue);
}

void Converter::addEvent(const CUpti_ActivityCudaEvent2 &from) {
    EventRecord &to = m_file.add<EventRecord>(Type::EventRecord);
    to.correlation = from.correlationId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.event = from.eventId;
    to.device = kNoId;
    if (m_api.version < kCuptiWithSyncIds) return;
    to.device = from.deviceId;
    to.time = time(from.deviceTimestamp);
    to.sync = from.cudaEventSyncId;
}

void Converter::addGraph(const CUpti_ActivityGraphTrace2 &from) {
    Graph &to = m_file.add<Graph>(Type::Graph);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.graph = from.graphId;
}

void Converter::addMarker(const CUpti_ActivityMarker2 &from) {
    const uint32_t name = m_file.textAt(from.name), domain = m_file.textAt(from.domain);
    Marker &to = m_file.add<Marker>(Type::Marker);
    to.time = time(from.timestamp);
    to.id = from.id;
    to.thread = from.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? from.objectId.pt.threadId : kNoId;
    to.name = name;
    to.domain = domain;
    to.kind = uint32_t(from.flags) & 7;
}

void Converter::addMarkerData(const CUpti_ActivityMarkerData2 &from) {
    MarkerData &to = m_file.add<MarkerData>(Type::MarkerData);
    to.id = from.id;
    to.category = from.category;
    to.colour = from.color;
    to.payloadKind = uint32_t(from.payloadKind);
    to.payload = from.payload.metricValueUint64;
}

void Converter::addOverhead(const CUpti_ActivityOverhead3 &from) {
    Overhead &to = m_file.add<Overhead>(Type::Overhead);
    to.begin = time(from.start);
    to.end = time(from.end);
    to.thread = from.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? from.objectId.pt.threadId : kNoId;
    to.kind = uint32_t(from.overheadKind);
    constexpr uint32_t kWithCorrelation = 20; // CUDA 12.2
    if (m_api.version >= kWithCorrelation) to.correlation = from.correlationId;
}

void Converter::addMemory(const CUpti_ActivityMemory4 &from) {
    Memory &to = m_file.add<Memory>(Type::Memory);
    to.time = time(from.timestamp);
    to.address = from.address;
    to.bytes = from.bytes;
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.operation = uint32_t(from.memoryOperationType);
    to.memory = uint32_t(from.memoryKind);
}

void Converter::addDevice(const CUpti_ActivityDevice5 &from) {
    const uint32_t name = from.name ? m_file.text(from.name) : 0;
    Device &to = m_file.add<Device>(Type::Device);
    to.id = from.id;
    to.name = name;
    to.memory = from.globalMemorySize;
    to.major = from.computeCapabilityMajor;
    to.minor = from.computeCapabilityMinor;
    to.multiprocessors = from.numMultiprocessors;
}

void Converter::addName(const CUpti_ActivityName &from) {
    if (from.objectKind != CUPTI_ACTIVITY_OBJECT_THREAD) return;
    const uint32_t name = from.name ? m_file.text(from.name) : 0;
    Thread &to = m_file.add<Thread>(Type::Thread, Thread::kGiven);
    to.id = from.objectId.pt.threadId;
    to.name = name;
}

} // namespace longpole::capture
