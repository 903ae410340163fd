// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_trace.h"

#include "tests/support/simulated_machine.h"

#include <cstdlib>

namespace longpole::test {

namespace {

constexpr int kStreams = 4;
constexpr const char *kStreamNames[kStreams] = {"gpu0/s7", "gpu0/s13", "gpu0/s20", "gpu1/s24"};
constexpr const char *kThreads[] = {"main", "engine"};

class RandomProgram {
public:
    explicit RandomProgram(uint64_t seed) : m_random(seed) {
        // every second one is of whole microseconds, as old files are
        m_unit = seed % 2 ? us : 12;
        m_clock[1] = some(0, 40);
    }

    std::vector<std::string> run() {
        if (one(2)) m_lines.push_back("gpu0/s7 is null");
        if (one(2)) m_lines.push_back("gpu0/s13 is blocking");
        m_blocking = m_lines.size() == 2;
        if (one(3)) m_lines.push_back("gpu0/s20 is nonblocking");
        const TimeNs actions = m_random.between(6, 40);
        for (TimeNs i = 0; i < actions; ++i) act(int(m_random.between(0, 1)));
        if (!m_operations) launch(0);
        return std::move(m_lines);
    }

private:
    bool one(TimeNs in) { return m_random.between(1, in) == 1; }
    /// So many microseconds, in units of the file.
    TimeNs some(TimeNs low, TimeNs high) {
        return m_random.between(low * us, high * us) / m_unit * m_unit;
    }

    void line(const std::string &track, const std::string &name, TimeNs begin, TimeNs end,
              const std::string &more = "") {
        m_lines.push_back(track + ": " + name + " " + std::to_string(begin) + "ns.." +
                          std::to_string(end) + "ns" + more);
    }
    int call(int thread, const std::string &name, const std::string &kind, TimeNs length) {
        TimeNs &at = m_clock[thread];
        line(kThreads[thread], name, at, at + length,
             " " + kind + " corr=" + std::to_string(++m_correlation));
        at += length;
        return m_correlation;
    }

    /// An operation that begins no earlier than its stream, its events and the default stream
    /// allow.
    void op(int stream, int correlation, TimeNs enqueued, const char *kind) {
        TimeNs begin = std::max(enqueued + some(1, 6), m_free[stream]);
        if (m_blocking && stream < 2) begin = std::max({begin, m_free[0], m_free[1]});
        begin = std::max(begin, m_waits[stream]) + some(0, 2);
        m_waits[stream] = 0;
        if (one(8)) begin += some(0, 120);
        m_free[stream] = begin + some(0, 90);
        ++m_operations;
        constexpr const char *names[] = {"gemm", "add", "softmax"};
        line(kStreamNames[stream], names[m_random.between(0, 2)], begin, m_free[stream],
             " " + std::string(kind) + " corr=" + std::to_string(correlation));
    }

    void launch(int thread) {
        const TimeNs begin = m_clock[thread];
        const int correlation =
            call(thread, "cudaLaunchKernel", "launch", some(1, one(9) ? 80 : 7));
        constexpr const char *kinds[] = {"kernel", "kernel", "comm", "memset"};
        op(int(m_random.between(0, kStreams - 1)), correlation, one(3) ? begin : m_clock[thread],
           kinds[m_random.between(0, 3)]);
    }

    void graph(int thread) {
        const int correlation = call(thread, "cudaGraphLaunch", "graph_launch", some(2, 20));
        const TimeNs operations = m_random.between(1, 6);
        for (TimeNs i = 0; i < operations; ++i)
            op(int(m_random.between(0, 2)), correlation, m_clock[thread], "kernel");
    }

    void event(int thread) {
        const int from = int(m_random.between(0, kStreams - 1)),
                  to = int(m_random.between(0, kStreams - 1));
        const int recorded = call(thread, "cudaEventRecord", "event_record", some(0, 2));
        const TimeNs held = m_free[from];
        const TimeNs begin = m_clock[thread];
        const int waits = call(thread, "cudaStreamWaitEvent", "event_wait", some(0, 2));
        m_waits[to] = std::max(m_waits[to], held);
        if (!one(2)) return;
        const auto stream = [](int s) { return std::string(kStreamNames[s]).substr(6); };
        m_lines.push_back("wait: " + std::to_string(begin) + "ns.." +
                          std::to_string(m_clock[thread]) + "ns corr=" + std::to_string(waits) +
                          " device=" + (to == 3 ? "1" : "0") + " stream=" + stream(to) +
                          " on=" + stream(from) + " record=" + std::to_string(recorded));
    }

    void wait(int thread) {
        const TimeNs begin = m_clock[thread];
        TimeNs until = m_free[0];
        std::string name = "cudaStreamSynchronize";
        const bool device = one(2);
        if (device) {
            name = "cudaDeviceSynchronize";
            for (const TimeNs free : m_free) until = std::max(until, free);
        }
        const TimeNs end = std::max(begin + some(1, 3), until + some(1, 9));
        const int correlation = call(thread, name, "sync", end - begin);
        if (one(2))
            m_lines.push_back("sync: " + std::to_string(begin) + "ns.." + std::to_string(end) +
                              "ns corr=" + std::to_string(correlation) +
                              (device ? "" : " stream=7"));
    }

    void spin(int thread) {
        call(thread, "cudaEventRecord", "event_record", some(0, 2));
        const TimeNs until = m_free[0];
        for (int i = 0; i < 6 && (i < 3 || m_clock[thread] < until); ++i) {
            call(thread, "cudaEventQuery", "runtime", some(1, 2));
            m_clock[thread] += some(0, 30);
        }
    }

    void copy(int thread) {
        const TimeNs begin = m_clock[thread];
        const bool blocks = one(2);
        const TimeNs opBegin = std::max(begin + some(1, 5), m_free[0]);
        m_free[0] = opBegin + some(1, 40);
        const TimeNs end = blocks ? m_free[0] + some(1, 9) : begin + some(1, 5);
        const int correlation = call(thread, "cudaMemcpyAsync", "runtime", end - begin);
        line(kStreamNames[0], "Memcpy DtoH (Device -> Pageable)", opBegin, m_free[0],
             " d2h corr=" + std::to_string(correlation));
    }

    void act(int thread) {
        TimeNs &at = m_clock[thread];
        switch (m_random.between(0, 13)) {
        case 0:
            return event(thread);
        case 1:
            return wait(thread);
        case 2:
            return spin(thread);
        case 3:
            return copy(thread);
        case 4:
            return graph(thread);
        case 5:
            call(thread, one(2) ? "cudaFree" : "cudaMalloc", "runtime",
                 std::max(some(1, 4), one(2) ? m_free[1] + some(1, 5) - at : 0));
            return;
        case 6: { // with a launch inside
            const TimeNs begin = at;
            at += some(1, 4);
            launch(thread);
            at += some(1, 4);
            constexpr const char *names[] = {"aten::mm", "Optimizer.step#A",
                                             "autograd::engine::evaluate_function: MmBackward0"};
            line(kThreads[thread], names[m_random.between(0, 2)], begin, at, " cpu_op");
            return;
        }
        case 7: {
            const TimeNs begin = at;
            at += some(1, one(2) ? 400 : 10);
            line(kThreads[thread], "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 begin, at, " cpu_op");
            if (one(2))
                line("worker", "collate", m_worker, std::max(m_worker, at - some(0, 30)),
                     " cpu_op");
            m_worker = std::max(m_worker, at + some(0, 90));
            return;
        }
        case 8:
            at += some(0, 150); // without an event
            return;
        case 9:
            line(kThreads[thread], one(2) ? "loss.backward" : "logging", at, at + some(0, 120),
                 " annotation");
            at += 120 * us;
            return;
        default:
            return launch(thread);
        }
    }

    Random m_random;
    TimeNs m_unit = us;
    bool m_blocking = false;
    TimeNs m_clock[2] = {}, m_free[kStreams] = {}, m_waits[kStreams] = {}, m_worker = 0;
    int m_correlation = 0, m_operations = 0;
    std::vector<std::string> m_lines;
};

} // namespace

std::vector<std::string> randomTraceLines(uint64_t seed) {
    return RandomProgram(seed).run();
}

uint64_t randomTraces() {
    const char *given = std::getenv("LONGPOLE_TRACES");
    return given ? std::strtoull(given, nullptr, 10) : 600;
}

std::string joined(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) text += line + "\n";
    return text;
}

} // namespace longpole::test
