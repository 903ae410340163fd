// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// Why a device had nothing to do; the names are part of the command line's contract.
enum class IdleCause : uint8_t {
    StreamDependency,
    CollectiveWait,
    TransferWait,
    LaunchLatency,
    DataWait,
    SyncWait,
    TransferBlocking,
    Allocator,
    Compile,
    Profiler,
    HandoffWait,
    HostBound,
    KernelGap,
    WindowEdge,
    Unexplained,
};
inline constexpr size_t kIdleCauseCount = size_t(IdleCause::Unexplained) + 1;
std::string_view idleCauseName(IdleCause cause);
/// For people: "host-bound", "launch latency".
std::string_view idleCauseLabel(IdleCause cause);

/// A stretch in which no operation ran on any stream of the device, and what held up the next one.
struct IdleInterval {
    TimeNs begin = 0, end = 0;
    IdleCause cause = IdleCause::Unexplained;
    Evidence evidence = Evidence::Recorded; ///< the weakest edge on the way to this piece
    IntervalId next;     ///< the operation that ended the idle time; invalid when none follows
    IntervalId subject;  ///< what the host was in, or the operation that was waited for;
                         ///< row kNone: the thread ran without an event
    bool mostly = false; ///< the host was in the subject for the longest part, not all the time
};

struct IdleSums {
    TimeNs busy = 0, idle = 0; ///< add up to the window
    std::array<TimeNs, kIdleCauseCount> byCause{};
};

struct DeviceIdle : IdleSums {
    uint32_t file = 0; ///< ranks of a job may each call theirs device 0
    int64_t device = 0;
    std::vector<IdleInterval> intervals; ///< tile the idle time, by begin
    IdleSums kernels; ///< the same where only kernels count as busy: copies are waited for, too
};

/// The longest gaps between two queued operations that need no other reason, by file and device.
using KernelGaps = std::map<std::pair<uint32_t, int64_t>, TimeNs>;

/// The idle books of every device: from the operation that ends each idle stretch backwards over
/// the edges that decided it (analysis.md §6, C1–C6). `gaps`, where the times are not the measured
/// ones: kernelGaps() of those. Fails when stopped, or with kind Impossible when the trace has no
/// device.
Result<std::vector<DeviceIdle>> idleBooks(const Trace &trace, const Phases &phases,
                                          const DependencyGraph &graph, const Window &window,
                                          Progress &progress, const KernelGaps *gaps = nullptr);

KernelGaps kernelGaps(const Trace &trace, const DependencyGraph &graph,
                      const Progress &progress = Progress::never());

/// One sentence: what was idle for how long, what says so, and how it is known.
std::string idleSentence(const Trace &trace, const IdleInterval &interval);

} // namespace longpole
