// SPDX-License-Identifier: Apache-2.0
#include "core/import/capture_args.h"

#include "core/base/json_text.h"
#include "core/base/time.h"
#include "core/import/capture_names.h"
#include "core/import/capture_reader.h"

namespace longpole {

namespace {

using namespace capture;

class Args {
public:
    void number(const char *key, uint64_t value) { m_args.push_back({key, std::to_string(value)}); }
    void known(const char *key, uint64_t value) {
        if (value != 0) number(key, value);
    }
    void id(const char *key, uint32_t value) {
        if (value != kNoId) number(key, value);
    }
    void text(const char *key, std::string_view value) {
        std::string json;
        appendQuoted(json, value);
        m_args.push_back({key, json});
    }
    void three(const char *key, const int32_t *values) {
        m_args.push_back({key, "[" + std::to_string(values[0]) + "," + std::to_string(values[1]) +
                                   "," + std::to_string(values[2]) + "]"});
    }
    template <class T>
    void operation(const T &record) {
        id("device", record.device);
        id("context", record.context);
        id("stream", record.stream);
        number("correlation", record.correlation);
    }
    std::vector<JsonArg> take() { return std::move(m_args); }

private:
    std::vector<JsonArg> m_args;
};

void add(Args &args, const Kernel &record) {
    args.operation(record);
    args.three("grid", record.grid);
    args.three("block", record.block);
    args.number("registers per thread", record.registers);
    args.number("shared memory",
                uint64_t(uint32_t(record.staticShared)) + uint32_t(record.dynamicShared));
    args.known("graph id", record.graph);
    args.known("graph node id", record.node);
    if (record.queued) args.number("queued before begin (ns)", record.begin - record.queued);
    if (record.submitted)
        args.number("submitted before begin (ns)", record.begin - record.submitted);
}

void add(Args &args, const Copy &record) {
    args.operation(record);
    args.number("bytes", record.bytes);
    args.text("copy", copyName(record.direction, record.from, record.to));
    args.text("call",
              record.head.flags & Copy::kAsync ? "returns before it has ended" : "waits for it");
    if (record.head.flags & Copy::kPeer) {
        args.id("fromDevice", record.fromDevice);
        args.id("toDevice", record.toDevice);
    }
    args.known("graph id", record.graph);
    args.known("graph node id", record.node);
}

void add(Args &args, const Wait &record) {
    args.text("cuda_sync_kind", waitName(record.kind));
    args.id("context", record.context);
    args.id("stream", record.stream);
    args.id("event", record.event);
    args.known("recorded event", record.sync);
    args.number("correlation", record.correlation);
    args.known("result", uint32_t(record.result));
}

} // namespace

Result<std::vector<JsonArg>> captureArgs(std::shared_ptr<const InputFile> input, uint64_t offset) {
    if (input->changed())
        return Error{ErrorKind::Unreadable, "file_changed",
                     input->path() +
                         " has changed since it was opened. Arguments are read from it: open "
                         "it again."};
    TextReader reader(input);
    char data[256] = {};
    reader.seek(offset);
    const size_t got = reader.read(data, sizeof data);
    CaptureRecord record;
    record.data = data;
    std::memcpy(&record.head, data, sizeof record.head);
    if (got < sizeof record.head || record.head.size > got)
        return Error{ErrorKind::Unreadable, "event_not_found",
                     input->path() + " has no whole record at byte " +
                         formatCount(int64_t(offset)) + "; the file may have changed."};
    Args args;
    switch (record.head.type) {
    case Type::Kernel:
        add(args, record.as<Kernel>());
        break;
    case Type::Copy:
        add(args, record.as<Copy>());
        break;
    case Type::Wait:
        add(args, record.as<Wait>());
        break;
    case Type::Call: {
        const auto call = record.as<Call>();
        args.number("correlation", call.correlation);
        args.known("result", uint32_t(call.result));
        break;
    }
    case Type::Set: {
        const auto set = record.as<Set>();
        args.operation(set);
        args.number("bytes", set.bytes);
        args.number("value", set.value);
        args.known("graph id", set.graph);
        args.known("graph node id", set.node);
        break;
    }
    case Type::Graph: {
        const auto graph = record.as<Graph>();
        args.operation(graph);
        args.number("graph id", graph.graph);
        break;
    }
    case Type::EventRecord: {
        const auto event = record.as<EventRecord>();
        args.operation(event);
        args.number("event", event.event);
        args.known("recorded event", event.sync);
        break;
    }
    case Type::Range: {
        const auto range = record.as<Range>();
        if (range.head.flags & Range::kStep) args.number("step", range.step);
        if (range.head.flags & Range::kWarmup) args.text("part", "warm-up");
        break;
    }
    case Type::Overhead: {
        const auto overhead = record.as<Overhead>();
        args.id("thread", overhead.thread);
        args.known("correlation", overhead.correlation);
        break;
    }
    default:
        break;
    }
    return args.take();
}

} // namespace longpole
