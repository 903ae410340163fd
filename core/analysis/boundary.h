// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// What the length of a host interval measures; the names are part of the command line's contract.
enum class Boundary : uint8_t {
    Unknown,
    Synchronised, ///< it waited for the device work that it had enqueued
    EnqueueOnly,  ///< it returned long before that work was done
    DeviceEvents, ///< measured on the device; no format that is read says so yet
};
std::string_view boundaryName(Boundary boundary);
/// What that means for the steps of a trace; empty where nothing is known.
std::string_view boundarySentence(Boundary boundary);

/// Device work that ends at most this long after a host interval of that length is as good as done
/// in it (analysis.md §7.5).
TimeNs enqueueTolerance(TimeNs length);

/// Answers for any host interval whether it measures the work it enqueued, or only the enqueueing.
/// Launches and waits count where they are made: on the interval's own thread. O(log n) a question.
class EnqueueTails {
public:
    /// Of all threads, or of one alone.
    explicit EnqueueTails(const Trace &trace, std::optional<uint32_t> thread = {},
                          const Progress &progress = Progress::never()); ///< throws Stopped

    /// How long the device work that was enqueued inside runs on after the end, where that is more
    /// than the tolerance and nothing inside waited after the last launch; else none.
    std::optional<TimeNs> tail(IntervalId host) const;

    /// The same for a stretch of one thread whose work ends at `deviceEnd` and whose last launch is
    /// at `lastLaunch`.
    Boundary boundary(uint32_t thread, TimeRange range, TimeNs lastLaunch, TimeNs deviceEnd) const;

private:
    struct Thread {
        std::vector<TimeNs> launches; ///< begins of the calls, ascending
        std::vector<TimeNs> latest;   ///< segment tree of the ends of what they enqueued
        std::vector<TimeRange> waits; ///< by begin
    };
    static TimeNs latestEnd(const Thread &thread, size_t from, size_t to);
    /// The latest end of a wait that begins at or after `from` and ends by `until`; none without
    /// one.
    static std::optional<TimeNs> lastWait(const Thread &thread, TimeNs from, TimeNs until);

    const Trace &m_trace;
    std::vector<Thread> m_threads; ///< by track
};

/// EnqueueTails::tail() for one interval, without an index: a pass over launches and its thread.
std::optional<TimeNs> enqueueTail(const Trace &trace, IntervalId host);

/// "Enqueue only: this call returns after 1.02 ms, its device work ends 19.0 ms later. It is no
/// measure of the work."
std::string enqueueOnlySentence(TimeNs length, TimeNs tail);

} // namespace longpole
