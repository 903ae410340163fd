// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace longpole::capture {

/// A page of memory that `longpole-cli record` shares with every process it records, as a file
/// that both map. Counts go up to the recorder, the wish to record goes down.
struct ControlPage {
    static constexpr uint64_t kMagic = 0x3247504c5443ull;
    static constexpr uint32_t kPause = 0, kRecord = 1, kFinish = 2;
    uint64_t magic;
    std::atomic<uint32_t> wanted;              ///< of these; processes look 20 times a second
    std::atomic<uint32_t> processes, finished; ///< that record, and whose files are whole
    std::atomic<uint64_t> records, dropped, bytes, steps;
    std::atomic<uint32_t> messages;

    void toggle() {
        uint32_t is = wanted;
        while (is != kFinish && !wanted.compare_exchange_weak(is, is ^ kRecord)) {
        }
    }
    void finish() { wanted = kFinish; }
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// What the library is told through the environment.
inline constexpr char kEnvFile[] = "LONGPOLE_CAPTURE_FILE";       ///< the first process writes here
inline constexpr char kEnvControl[] = "LONGPOLE_CAPTURE_CONTROL"; ///< file of the ControlPage
inline constexpr char kEnvCupti[] = "LONGPOLE_CAPTURE_CUPTI";     ///< the libcupti to load
inline constexpr char kEnvSteps[] = "LONGPOLE_CAPTURE_STEPS";
inline constexpr char kEnvWarmup[] = "LONGPOLE_CAPTURE_WARMUP";
inline constexpr char kEnvBoundary[] = "LONGPOLE_CAPTURE_BOUNDARY"; ///< sync or none
inline constexpr char kEnvStepName[] = "LONGPOLE_CAPTURE_STEP_NAME";
inline constexpr char kEnvDelay[] = "LONGPOLE_CAPTURE_DELAY_MS";
inline constexpr char kEnvDuration[] = "LONGPOLE_CAPTURE_DURATION_MS";
inline constexpr char kEnvMemory[] = "LONGPOLE_CAPTURE_MEMORY_MB";
inline constexpr char kEnvGraphs[] = "LONGPOLE_CAPTURE_GRAPHS";           ///< node or whole
inline constexpr char kEnvAllocations[] = "LONGPOLE_CAPTURE_ALLOCATIONS"; ///< 1: record them

} // namespace longpole::capture
