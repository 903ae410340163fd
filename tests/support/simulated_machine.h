// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/kineto_writer.h"

#include <algorithm>
#include <map>

namespace longpole::test {

inline constexpr TimeNs us = 1000, ms = 1000 * us;

/// Repeatable everywhere, unlike the distributions of the standard library.
class Random {
public:
    explicit Random(uint64_t seed) : m_state(seed) {}
    uint64_t next() {
        uint64_t z = (m_state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    TimeNs between(TimeNs low, TimeNs high) {
        return low + TimeNs(next() % uint64_t(high - low + 1));
    }
    /// `middle` give or take some thousandths of it.
    TimeNs about(TimeNs middle, int thousandths) {
        const TimeNs spread = middle / 1000 * thousandths;
        return between(middle - spread, middle + spread);
    }

private:
    uint64_t m_state;
};

/// A process with host threads that have clocks and a device with streams that are busy until some
/// time. Every call and every operation is written as the profiler would record it.
class SimulatedMachine {
public:
    static constexpr uint32_t kPid = 41207, kDevice = 0, kCompute = 7;

    SimulatedMachine(uint64_t seed, const std::function<void(std::string_view)> &out)
        : random(seed), writer(out) {}

    struct Api {
        std::string_view name;
        TimeNs length;
    };

    TimeNs &clock(uint32_t thread) { return m_clocks[thread]; }
    uint64_t newExternalId() { return ++m_externalId; }

    /// A range around whatever `body` does, with a little time of its own at both ends.
    template <class Body>
    void range(uint32_t thread, std::string_view category, std::string_view name, TimeNs own,
               std::string_view args, Body body) {
        const TimeNs begin = clock(thread);
        const uint64_t id = ++m_externalId;
        clock(thread) += random.about(own * 2 / 3, 150);
        body();
        clock(thread) += random.about(own / 3, 150);
        writer.interval(category, name, kPid, thread, begin, clock(thread),
                        "\"External id\": " + std::to_string(id) + std::string(args));
    }
    template <class Body>
    void op(uint32_t thread, std::string_view name, Body body) {
        range(thread, "cpu_op", name, 15 * us, ", \"Ev Idx\": " + std::to_string(m_externalId),
              body);
    }

    /// An API call; returns its correlation id.
    uint64_t call(uint32_t thread, Api api, TimeNs waitUntil = 0) {
        const TimeNs begin = clock(thread);
        clock(thread) = std::max(begin + random.about(api.length, 250), waitUntil);
        const uint64_t id = ++m_correlation;
        writer.interval("cuda_runtime", api.name, kPid, thread, begin, clock(thread),
                        "\"External id\": " + std::to_string(m_externalId) +
                            ", \"cbid\": 211, \"correlation\": " + std::to_string(id));
        m_callBegin = begin;
        return id;
    }

    /// Enqueues work with a call; it begins when the call, the stream and the stream's waits allow.
    TimeNs enqueue(uint32_t thread, Api api, uint32_t stream, std::string_view category,
                   std::string_view name, TimeNs length, const std::string &args) {
        const uint64_t id = call(thread, api);
        writer.flow(true, id, kPid, thread, m_callBegin);
        TimeNs &free = m_streamFree[stream];
        // two statements: the order in which arguments are evaluated differs between compilers
        const TimeNs launched = m_callBegin + random.about(6'200, 120);
        const TimeNs begin = std::max(launched, free + random.about(1'300, 200));
        free = begin + length;
        writer.interval(category, name, kDevice, stream, begin, free,
                        "\"device\": 0, \"context\": 1, \"stream\": " + std::to_string(stream) +
                            ", \"correlation\": " + std::to_string(id) + ", " + args);
        writer.flow(false, id, kDevice, stream, begin);
        return free;
    }
    TimeNs kernel(uint32_t thread, std::string_view name, TimeNs length,
                  uint32_t stream = kCompute) {
        const TimeNs exact = random.about(length, 30);
        return enqueue(thread, {"cudaLaunchKernel", 8'200}, stream, "kernel", name, exact,
                       "\"grid\": [" + std::to_string(exact / us % 997 + 1) +
                           ", 1, 1], \"block\": [256, 1, 1], \"registers per thread\": 64");
    }

    /// `waiter` goes on only after what `recorded` holds now: a recorded event and a wait for it.
    void streamWaits(uint32_t thread, uint32_t waiter, uint32_t recorded) {
        const uint64_t record = call(thread, {"cudaEventRecord", 1'600});
        const uint64_t wait = call(thread, {"cudaStreamWaitEvent", 1'300});
        m_streamFree[waiter] = std::max(m_streamFree[waiter], m_streamFree[recorded]);
        syncRow("Stream Wait Event", waiter, wait, m_callBegin, clock(thread),
                ", \"wait_on_stream\": " + std::to_string(recorded) +
                    ", \"wait_on_cuda_event_record_corr_id\": " + std::to_string(record) +
                    ", \"wait_on_cuda_event_id\": " + std::to_string(record % 64));
    }
    void syncStream(uint32_t thread, uint32_t stream) {
        const uint64_t id = call(thread, {"cudaStreamSynchronize", 3 * us},
                                 m_streamFree[stream] + random.about(5'800, 200));
        syncRow("Stream Sync", stream, id, m_callBegin, clock(thread), "");
    }
    Random random;
    KinetoWriter writer;

private:
    void syncRow(std::string_view name, uint32_t stream, uint64_t id, TimeNs begin, TimeNs end,
                 const std::string &args) {
        writer.interval("cuda_sync", name, kDevice, stream, begin, end,
                        "\"cuda_sync_kind\": \"" + std::string(name) + "\", \"stream\": " +
                            std::to_string(stream) + ", \"correlation\": " + std::to_string(id) +
                            ", \"device\": 0, \"context\": 1" + args);
    }

    std::map<uint32_t, TimeNs> m_clocks, m_streamFree;
    TimeNs m_callBegin = 0;
    uint64_t m_externalId = 0, m_correlation = 1000;
};

} // namespace longpole::test
