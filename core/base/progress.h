// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace longpole {

/// Thrown by Progress::look() deep inside some work, and caught where that work begins.
struct Stopped {};

/// How far a job is, and whether it should stop. Shared between the thread that works and the
/// one that watches; every member may be called from any thread.
class Progress {
public:
    /// 0…1 of the part that the work is at.
    void set(double fraction) {
        m_fraction.store(m_from + fraction * m_length, std::memory_order_relaxed);
    }
    /// What follows is the stretch [from, from + length) of the whole. While one thread works.
    void part(double from, double length) {
        m_from = from;
        m_length = length;
        set(0);
    }
    double fraction() const { return m_fraction.load(std::memory_order_relaxed); } ///< of the whole
    static constexpr size_t kLook = 1 << 16; ///< of so many small things a loop looks once
    void stop() { m_stop.store(true, std::memory_order_relaxed); }
    bool stopped() const {
        if (m_watch) m_watch(m_watcher);
        return m_stop.load(std::memory_order_relaxed);
    }
    /// Throws Stopped when stopped.
    void look() const {
        if (stopped()) throw Stopped{};
    }
    /// The same once in kLook times: for loops over small things, of which this is the i-th.
    void look(size_t i) const {
        if (i % kLook == 0) look();
    }
    /// A progress that nobody stops.
    static const Progress &never() {
        static const Progress progress;
        return progress;
    }

    /// Calls `watch` at each look for a stop, on the thread that looks. To be set before the work
    /// begins; a test measures with it how far apart looks are, and stops at the n-th.
    void watchLooks(void (*watch)(void *), void *watcher) {
        m_watch = watch;
        m_watcher = watcher;
    }

private:
    std::atomic<double> m_fraction{0};
    std::atomic<bool> m_stop{false};
    double m_from = 0, m_length = 1; ///< of the worker
    void (*m_watch)(void *) = nullptr;
    void *m_watcher = nullptr;
};

} // namespace longpole
