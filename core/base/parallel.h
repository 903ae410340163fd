// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace longpole {

/// Calls work(i) once for each i in [0, count) on up to `threads` threads, the caller among them,
/// and returns when all are done. `work` must not throw and must not touch shared data without a lock.
template <class Work>
void parallelFor(size_t count, unsigned threads, Work &&work) {
    std::atomic<size_t> next{0};
    auto loop = [&] {
        for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
    };
    std::vector<std::jthread> helpers;
    for (size_t k = 1; k < threads && k < count; ++k) helpers.emplace_back(loop);
    loop();
}

/// Threads a computation may use: all cores on the command line, one less under a window.
inline unsigned workerCount() {
    const unsigned cores = std::thread::hardware_concurrency();
    return cores ? cores : 1;
}

} // namespace longpole
