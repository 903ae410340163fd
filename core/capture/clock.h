// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace longpole::capture {

inline uint64_t clockNs(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return uint64_t(t.tv_sec) * 1'000'000'000u + uint64_t(t.tv_nsec);
}
/// The clock of the file. CUPTI is asked to stamp its records with it too.
inline uint64_t nowNs() {
    return clockNs(CLOCK_MONOTONIC);
}

} // namespace longpole::capture
