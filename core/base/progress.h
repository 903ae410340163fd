// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace longpole {

/// How far a job is, and whether it should stop. Shared between the thread that works and the
/// one that watches; every member may be called from any thread.
class Progress {
public:
    void set(double fraction) { m_fraction.store(fraction, std::memory_order_relaxed); }
    double fraction() const { return m_fraction.load(std::memory_order_relaxed); } ///< 0…1
    void stop() { m_stop.store(true, std::memory_order_relaxed); }
    bool stopped() const { return m_stop.load(std::memory_order_relaxed); }

private:
    std::atomic<double> m_fraction{0};
    std::atomic<bool> m_stop{false};
};

} // namespace longpole
