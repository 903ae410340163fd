// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/buffer_pool.h"
#include "core/capture/control.h"
#include "core/capture/convert.h"
#include "core/capture/steps.h"
#include "core/capture/thread_log.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace longpole::capture {

/// The recording of this process. Threads of the application come in through NVTX and through
/// CUPTI's callbacks, and only leave something for the writer, the one thread that converts and
/// writes.
class Session {
public:
    /// The one of this process, or null: none, or over, or this is the child of a process that
    /// records.
    static Session *current() { return s_current.load(std::memory_order_acquire); }
    /// Starts it where it is not yet; null where nothing is to be recorded.
    enum class Door { Device, Ranges }; ///< what the process does that brings us in
    static Session *start(Door door);

    void startCupti(); ///< as soon as the driver is there
    bool recording() const { return m_recording.load(std::memory_order_relaxed); }

    const Options &options() const { return m_options; }
    StepProtocol &steps() { return m_steps; }
    ThreadLogs &logs() { return m_logs; }
    Contexts &contexts() { return m_contexts; }
    BufferPool &pool() { return m_pool; }
    void say(std::string sentence); ///< to the file and, a few times, to standard error
    void filled(uint8_t *buffer, size_t size);
    void wake();

private:
    explicit Session(Options options);
    void run();
    void drain();
    void writeMessages();
    void lookAtClock();
    void setRecording(bool on);
    void enableKinds(bool on);
    void chooseCalls(bool on);
    void check(CUptiResult result, const std::string &what, const std::string &lost);
    bool subscribe();
    void writeProcess();
    void writeRest();
    void writeThreadNames();
    void askDropped();
    void finish(EndReason reason);
    void openControl();
    void report();

    static void atExit();
    static void inChild();
    static std::atomic<Session *> s_current;

    const Options m_options;
    CuptiApi m_cupti;
    bool m_cuptiWorks = false, m_hasClock = false;
    ChunkFile m_file;
    Converter m_converter{m_file, m_cupti};
    Contexts m_contexts;
    StepProtocol m_steps{m_options, m_contexts};
    ThreadLogs m_logs{m_options.memory / 8};
    BufferPool m_pool;
    ControlPage *m_control = nullptr;

    std::mutex m_mutex; ///< what follows
    std::condition_variable m_wake, m_over;
    std::vector<std::string> m_messages;
    std::set<std::string> m_said;
    bool m_pending = false, m_exit = false, m_finished = false, m_describe = true;

    std::atomic<bool> m_recording{false}, m_cuptiReady{false};
    const uint64_t m_began;
    uint64_t m_lastWrite = 0, m_cuptiDropped = 0;
    uint64_t m_reported[3] = {}; ///< records, dropped, bytes: what the control page has of them
    bool m_full = false, m_ended = false; ///< the disk, and the recording
};

} // namespace longpole::capture
