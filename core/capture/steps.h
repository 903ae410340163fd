// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/contexts.h"
#include "core/capture/options.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace longpole::capture {

/// The measuring protocol: counts the steps of the thread that marks them first, and before the
/// first measured one and after the last waits for the device and takes the time. Called by that
/// thread.
class StepProtocol {
public:
    StepProtocol(const Options &options, Contexts &contexts)
        : m_options(options), m_contexts(contexts) {}

    struct Begun {
        uint64_t time;
        uint32_t step;
        uint16_t flags; ///< as Range; 0: no step of the program, but of something inside one
    };
    Begun begin(uint32_t thread);
    void end(uint32_t thread, uint32_t step); ///< after the range has its own end

    bool done() const { return m_done; }
    uint32_t seen() const { return m_next; } ///< steps that have begun
    /// The stamps since the last call, for the file. By the writer.
    std::vector<Boundary> takeStamps();

private:
    uint64_t stamp(uint16_t flags, uint32_t thread, uint32_t step);

    const Options &m_options;
    Contexts &m_contexts;
    std::atomic<uint32_t> m_thread{0}; ///< that marks the steps
    std::atomic<uint32_t> m_next{0};
    std::atomic<bool> m_done{false};
    bool m_inside = false; ///< of m_thread alone
    std::mutex m_mutex;
    std::vector<Boundary> m_stamps;
};

} // namespace longpole::capture
