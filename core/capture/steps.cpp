// SPDX-License-Identifier: Apache-2.0
#include "core/capture/steps.h"

#include "core/capture/clock.h"

#include <utility>

namespace longpole::capture {

StepProtocol::Begun StepProtocol::begin(uint32_t thread) {
    uint32_t nobody = 0;
    m_thread.compare_exchange_strong(nobody, thread);
    if (m_thread != thread || m_inside) return {nowNs(), 0, 0};
    m_inside = true;
    const uint32_t step = m_next++;
    uint64_t time = 0;
    if (m_options.steps > 0 && step == m_options.warmup) time = stamp(0, thread, step);
    const bool warmup = step < m_options.warmup;
    return {time ? time : nowNs(), step, uint16_t(Range::kStep | (warmup ? Range::kWarmup : 0))};
}

void StepProtocol::end(uint32_t thread, uint32_t step) {
    m_inside = false;
    if (m_options.steps == 0 || m_done || step + 1 != m_options.warmup + m_options.steps) return;
    stamp(Boundary::kEnd, thread, step);
    m_done = true;
}

uint64_t StepProtocol::stamp(uint16_t flags, uint32_t thread, uint32_t step) {
    Boundary stamp{};
    stamp.head = {Type::Boundary, flags, sizeof stamp};
    stamp.thread = thread;
    stamp.step = step;
    stamp.before = nowNs();
    if (m_options.boundary == BoundaryKind::Synchronise) {
        const Contexts::Waited waited = m_contexts.synchroniseAll();
        stamp.contexts = waited.contexts;
        stamp.failed = waited.failed;
    }
    stamp.after = nowNs();
    const std::lock_guard lock(m_mutex);
    m_stamps.push_back(stamp);
    return stamp.after;
}

std::vector<Boundary> StepProtocol::takeStamps() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_stamps, {});
}

} // namespace longpole::capture
