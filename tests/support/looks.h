// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <mutex>

namespace longpole::test {

/// Watches how far apart the looks for a stop are that some work takes, in time that its thread was
/// given by the processor: what else the machine does does not count. Can stop at the n-th look.
class Looks {
public:
    explicit Looks(uint64_t stopAt = 0) : m_stopAt(stopAt) {
        m_progress.watchLooks([](void *looks) { static_cast<Looks *>(looks)->look(); }, this);
        s_last = {this, threadMs()};
    }
    Progress &progress() { return m_progress; }
    /// To be called when the work is done, on the thread that began it.
    void end() { note(); }
    uint64_t count() const { return m_count; }
    double longestMs() const { return m_longestMs; } ///< between two looks of one thread
    double longestAt() const { return m_longestAt; } ///< Progress::fraction() at its end
    double sinceStopMs() const { return processMs() - m_stoppedMs; }

    static double threadMs() { return clockMs(CLOCK_THREAD_CPUTIME_ID); }
    static double processMs() { return clockMs(CLOCK_PROCESS_CPUTIME_ID); }

private:
    struct Last {
        const Looks *of;
        double ms;
    };
    static double clockMs(clockid_t clock) {
        timespec now{};
        clock_gettime(clock, &now);
        return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
    }

    void look() {
        note();
        if (m_count.fetch_add(1) + 1 != m_stopAt) return;
        m_stoppedMs = processMs();
        m_progress.stop();
    }
    void note() {
        const double now = threadMs();
        if (s_last.of == this && now - s_last.ms > m_longestMs) {
            const std::lock_guard lock(m_lock);
            if (now - s_last.ms > m_longestMs) {
                m_longestMs = now - s_last.ms;
                m_longestAt = m_progress.fraction();
            }
        }
        s_last = {this, now};
    }

    static inline thread_local Last s_last;
    const uint64_t m_stopAt;
    Progress m_progress;
    std::atomic<uint64_t> m_count{0};
    std::mutex m_lock;
    std::atomic<double> m_longestMs{0};
    double m_longestAt = 0, m_stoppedMs = 0;
};

} // namespace longpole::test
