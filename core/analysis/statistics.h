// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/attribution.h"
#include "core/analysis/window.h"
#include "core/base/progress.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

enum class GroupBy { Name, Phase, Track, Kind, Op, Module, Class };

/// What a grouping attributes time to; nothing for one that looks at intervals alone.
std::optional<AttributeTo> attributeTo(GroupBy by);

/// Totals of one group inside the window, everything clipped to it. Only thread and stream tracks
/// count; step markers are transparent (R0).
struct StatRow {
    std::string key;
    uint32_t index =
        kNone; ///< track, rule or owner, by the grouping; kNone for names and the total
    uint64_t count = 0;
    TimeNs device = 0;    ///< part of the sum that is on devices
    TimeNs sum = 0;       ///< host: self times, device: durations, so that rows add up to the total
    TimeNs unionTime = 0; ///< time in which at least one of them ran (host: its self time)
    TimeNs exclusive =
        0;             ///< share of a partition of the window by a fixed order (analysis.md §5.2)
    TimeNs self = 0;   ///< time not covered by nested intervals
    TimeNs onPath = 0; ///< on the critical path, see Statistics::hasPath
    TimeNs mean = 0, p50 = 0, p95 = 0, max = 0; ///< of the (clipped, inclusive) durations
};

struct Communication {
    uint32_t file = 0; ///< ranks of a job may each call theirs device 0
    int64_t device = 0;
    TimeNs sum = 0, unionTime = 0, exposed = 0;
    std::optional<double> hiddenShare; ///< none without communication
    TimeNs exposedOnPath = 0;          ///< see Statistics::hasPath
};

struct Statistics {
    Window window;
    StatRow total;                                  ///< key "total"
    std::vector<StatRow> rows;                      ///< by falling sum
    std::vector<Communication> communication;       ///< one per device
    bool hasPath = false;                           ///< the shares of the path are filled in
    std::shared_ptr<const Attribution> attribution; ///< of groupings by owners, else null
};

/// Fails only when stopped. Time and memory are linear in the intervals of the window.
Result<Statistics> statistics(const Trace &trace, const Phases &phases, const Window &window,
                              GroupBy by, Progress &progress, unsigned threads = 1);

/// Busy time of one device over the whole trace, for `info`.
struct DeviceFacts {
    uint32_t file = 0;
    int64_t device = 0;
    uint64_t kernels = 0, copies = 0, memsets = 0;
    TimeNs kernelUnion = 0, busyUnion = 0;
    /// How much later the device's clock would have to be for (nearly) no operation to begin before
    /// its launch: minus the 1st percentile of those distances, where over 1 % are negative. Shown
    /// only; no time is ever moved.
    std::optional<TimeNs> skew;
};
std::vector<DeviceFacts> deviceFacts(const Trace &trace);

} // namespace longpole
