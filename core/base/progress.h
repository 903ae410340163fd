// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace longpole {

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
    bool stopped() const { return m_stop.load(std::memory_order_relaxed); }

private:
    std::atomic<double> m_fraction{0};
    std::atomic<bool> m_stop{false};
    double m_from = 0, m_length = 1; ///< of the worker
};

} // namespace longpole
