// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_simulator.h"

#include "tests/support/kineto_writer.h"
#include "tests/support/loop_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

namespace longpole::test {

namespace {

constexpr uint32_t kPid = 4100, kDevice = 0;
constexpr size_t kQueueDepth = 1024;
constexpr TimeNs kQueueReturn = 1'500; ///< from a free place in the queue to the call's return

/// The machine: always the thread that is furthest behind goes on by one instruction, so that calls
/// of different threads reach the streams in the order of time.
class LoopRun {
public:
    LoopRun(const LoopShape &shape, const LoopScale &scale, TimeNs recordedFrom = 0)
        : m_shape(shape), m_recordedFrom(recordedFrom), m_program(loopProgram(shape, scale)),
          m_writer([this](std::string_view text) { m_text += text; }) {}

    std::string run() {
        m_writer.raw("{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\",\n\"deviceProperties\": "
                     "[{\"id\": 0, \"name\": \"Simulated GPU\"}],\n\"traceEvents\": [");
        for (LoopThread &thread : m_program) {
            m_threads.push_back({&thread});
            if (thread.traced)
                m_writer.metadata("thread_name", kPid, &thread.tid,
                                  "\"name\": \"" + std::string(thread.name) + "\"");
        }
        while (Thread *next = furthestBehind()) step(*next);
        for (const Thread &thread : m_threads)
            if (thread.at < thread.program->instructions.size()) giveUp(*thread.program);
        m_writer.raw("\n]}\n");
        m_writer.flush();
        return std::move(m_text);
    }

    std::vector<LoopWait> waits; ///< of recorded threads

    TimeNs stepBegin(uint32_t step) const { return m_stepBegins[step]; }

private:
    struct Range {
        const Instruction *opened;
        TimeNs begin;
    };
    struct Thread {
        const LoopThread *program;
        TimeNs clock = 1'000'000;
        size_t at = 0;
        std::vector<Range> open = {};
    };
    struct Stream {
        std::vector<TimeNs> ends;        ///< of its operations in order
        std::vector<TimeNs> begins = {}; ///< where copies and kernels are in each other's way
        TimeNs lastBegin = 0;
        TimeNs notBefore = 0; ///< the waits that were enqueued since the last operation
    };
    struct Event {
        uint32_t stream;
        TimeNs reached;
        uint64_t correlation;
    };

    [[noreturn]] static void giveUp(const LoopThread &thread) {
        std::fprintf(stderr, "loop simulator: thread %u waits for ever\n", thread.tid);
        std::abort();
    }

    Thread *furthestBehind() {
        Thread *best = nullptr;
        for (Thread &thread : m_threads) {
            if (thread.at == thread.program->instructions.size()) continue;
            const Instruction &next = thread.program->instructions[thread.at];
            if (next.what == Instruction::Do::Await && !next.skip && !m_signals.count(next.token))
                continue;
            if (!best || thread.clock < best->clock) best = &thread;
        }
        return best;
    }

    void step(Thread &thread) {
        using enum Instruction::Do;
        const Instruction &now = thread.program->instructions[thread.at++];
        if (now.skip) return;
        switch (now.what) {
        case Open:
            thread.open.push_back({&now, thread.clock});
            break;
        case Close: {
            const Range range = thread.open.back();
            thread.open.pop_back();
            if (range.opened->name.starts_with("ProfilerStep")) m_stepBegins.push_back(range.begin);
            write(thread, range.opened->category, range.opened->name, range.begin,
                  range.opened->args);
            break;
        }
        case Spend:
            thread.clock += now.length;
            break;
        case Enqueue:
            enqueue(thread, now);
            break;
        case Signal:
            m_signals[now.token] = thread.clock;
            break;
        case Await:
            standsStill(thread, m_signals[now.token] + now.lag, false);
            break;
        default:
            stepDevice(thread, now);
        }
    }

    /// A thread goes on at that time, if it is not late already.
    void standsStill(Thread &thread, TimeNs until, bool device) {
        if (until <= thread.clock) return;
        if (thread.program->traced)
            waits.push_back({thread.program->tid, thread.clock, until, device});
        thread.clock = until;
    }

    /// Events and waits.
    void stepDevice(Thread &thread, const Instruction &now) {
        using enum Instruction::Do;
        switch (now.what) {
        case Record:
            m_events[now.token] = {now.stream, reached(now.stream), m_correlation + 1};
            call(thread, now, thread.clock + now.length);
            break;
        case StreamWait: {
            const Event &event = m_events.at(now.token);
            TimeNs &notBefore = m_streams[now.stream].notBefore;
            notBefore = std::max(notBefore, event.reached + now.lag);
            wait(thread, now, "Stream Wait Event", now.stream, thread.clock + now.length, &event);
            break;
        }
        case SyncStream:
            wait(thread, now, "Stream Sync", now.stream, back(thread, now, reached(now.stream)));
            break;
        case SyncDevice: {
            TimeNs last = 0;
            for (const auto &[stream, state] : m_streams) last = std::max(last, reached(stream));
            wait(thread, now, "Context Sync", -1, back(thread, now, last));
            break;
        }
        case SyncEvent: {
            const Event &event = m_events.at(now.token);
            wait(thread, now, "Event Sync", -1, back(thread, now, event.reached), &event);
            break;
        }
        case Poll: {
            const Event &event = m_events.at(now.token);
            for (bool there = false; !there;) {
                there = thread.clock >= event.reached;
                wait(thread, now, "Event Sync", -1, thread.clock + now.length, &event);
                if (!there) standsStill(thread, thread.clock + now.lag, true);
            }
            break;
        }
        default:
            break;
        }
    }

    /// When everything that the stream holds now is done.
    TimeNs reached(uint32_t stream) const {
        const auto found = m_streams.find(stream);
        if (found == m_streams.end() || found->second.ends.empty()) return 0;
        return std::max(found->second.ends.back(), found->second.notBefore);
    }
    static TimeNs back(const Thread &thread, const Instruction &now, TimeNs awaited) {
        return std::max(thread.clock + now.length, awaited + now.lag);
    }

    void enqueue(Thread &thread, const Instruction &now) {
        Stream &stream = m_streams[now.stream];
        TimeNs callEnd = thread.clock + now.length;
        if (stream.ends.size() >= kQueueDepth)
            callEnd =
                std::max(callEnd, stream.ends[stream.ends.size() - kQueueDepth] + kQueueReturn);
        TimeNs begin = (now.early || now.blocking ? thread.clock : callEnd) + now.lag;
        begin = std::max(begin, stream.notBefore);
        if (!stream.ends.empty())
            begin =
                std::max(begin, (now.overlaps ? stream.lastBegin : stream.ends.back()) + now.gap);
        TimeNs end = begin + now.opLength;
        if (m_shape.contention > 0) end += slowedDown(now.stream, begin, end);
        if (now.overlaps) end = std::max(end, stream.ends.back() + now.gap / 2);
        stream.lastBegin = begin;
        stream.ends.push_back(end);
        if (m_shape.contention > 0) stream.begins.push_back(begin);
        stream.notBefore = 0;
        if (now.blocking) callEnd = std::max(callEnd, end + kCopyReturn);
        const TimeNs called = thread.clock;
        const uint64_t id = call(thread, now, callEnd);
        m_writer.flow(true, id, kPid, thread.program->tid, rounded(called));
        writeRow(
            now.opCategory, now.opName, kDevice, now.stream, begin + m_shape.clockSkew,
            end + m_shape.clockSkew,
            "\"device\": 0, \"context\": 1, \"stream\": " + std::to_string(now.stream) +
                ", \"correlation\": " + std::to_string(id) +
                (now.opCategory == "gpu_memcpy" ? ", \"bytes\": 65536" : ", \"grid\": [64, 1, 1]"));
        m_writer.flow(false, id, kDevice, now.stream, rounded(begin));
    }

    /// What an operation takes longer for those of other streams that run beside it.
    TimeNs slowedDown(uint32_t stream, TimeNs begin, TimeNs end) const {
        TimeNs beside = 0;
        for (const auto &[other, state] : m_streams) {
            if (other == stream) continue;
            for (size_t i = state.ends.size(); i-- > 0 && state.ends[i] > begin;)
                beside += std::max<TimeNs>(0, std::min(end, state.ends[i]) -
                                                  std::max(begin, state.begins[i]));
        }
        return beside * m_shape.contention / 1'000;
    }

    /// Writes the API call that the thread makes until `end`; returns its correlation id.
    uint64_t call(Thread &thread, const Instruction &now, TimeNs end) {
        const TimeNs begin = thread.clock;
        standsStill(thread, end - now.length, true);
        thread.clock = end;
        const uint64_t id = ++m_correlation;
        if (!now.name.empty())
            write(thread, now.category, now.name, begin,
                  "\"External id\": 1, \"cbid\": 211, \"correlation\": " + std::to_string(id));
        return id;
    }

    void wait(Thread &thread, const Instruction &now, std::string_view row, int64_t stream,
              TimeNs end, const Event *event = nullptr) {
        const TimeNs begin = thread.clock;
        const uint64_t id = call(thread, now, end);
        if (m_shape.waits != LoopShape::Waits::Rows) return;
        std::string args = "\"cuda_sync_kind\": \"" + std::string(row) +
                           "\", \"stream\": " + std::to_string(stream) +
                           ", \"correlation\": " + std::to_string(id) +
                           ", \"device\": 0, \"context\": 1";
        if (event)
            args +=
                ", \"wait_on_stream\": " + std::to_string(event->stream) +
                ", \"wait_on_cuda_event_record_corr_id\": " + std::to_string(event->correlation) +
                ", \"wait_on_cuda_event_id\": " + std::to_string(now.token);
        const uint32_t tid = row == "Stream Wait Event" ? uint32_t(stream)
                             : stream >= 0              ? uint32_t(stream + 1'000'000)
                                                        : 1;
        writeRow("cuda_sync", row, kDevice, tid, begin, end, args);
    }

    void write(const Thread &thread, std::string_view category, std::string_view name, TimeNs begin,
               const std::string &args) {
        if (thread.program->traced)
            writeRow(category, name, kPid, thread.program->tid, begin, thread.clock, args);
    }
    void writeRow(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid,
                  TimeNs begin, TimeNs end, const std::string &args) {
        // device work that runs when the profiler starts is recorded whole
        if ((pid == kPid ? begin : end - 1) >= m_recordedFrom)
            m_writer.interval(category, name, pid, tid, rounded(begin), rounded(end), args);
    }
    TimeNs rounded(TimeNs time) const {
        return m_shape.wholeMicroseconds ? time / 1'000 * 1'000 : time;
    }

    static constexpr TimeNs kCopyReturn = 9'000;

    const LoopShape m_shape;
    const TimeNs m_recordedFrom;
    std::vector<TimeNs> m_stepBegins;
    std::vector<LoopThread> m_program;
    std::string m_text;
    KinetoWriter m_writer;
    std::vector<Thread> m_threads;
    std::map<uint32_t, Stream> m_streams;
    std::map<uint32_t, Event> m_events;
    std::map<uint32_t, TimeNs> m_signals;
    uint64_t m_correlation = 100;
};

} // namespace

std::string simulateLoop(const LoopShape &shape, const LoopScale &scale,
                         std::vector<LoopWait> *waits) {
    LoopRun run(shape, scale);
    std::string text = run.run();
    if (waits) *waits = std::move(run.waits);
    if (shape.recordedFrom == 0) return text;
    return LoopRun(shape, scale, run.stepBegin(shape.recordedFrom)).run();
}

} // namespace longpole::test
