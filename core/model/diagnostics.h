// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace longpole {

/// Every recoverable problem of an input. The table in diagnostics.cpp gives id, severity and the
/// sentence that a person reads; ids are stable.
enum class Reason : uint8_t {
    // set aside: the event is not shown
    AsyncEvent,
    ObjectEvent,
    SampleEvent,
    UnknownPhase,
    NotAnObject,
    BrokenEvent,
    BadTime,
    TimeOutOfRange,
    EndWithoutBegin,
    EmptyCounter,
    WrongType,
    RowNotShown,
    UnknownRecord,
    // repaired: shown, but changed
    NegativeDuration,
    BeginWithoutEnd,
    InvalidUtf8,
    ControlCharacter,
    BadEscape,
    TruncatedFile,
    // noticed: odd, left as recorded
    Overlap,
    SticksOut,
    Duplicate,
    OutsideCapture,
    EndNameMismatch,
    SubNanosecond,
    OpWithoutLaunch,
    LaunchWithoutOp,
    OpBeforeLaunch,
    DurationOverrun,
    ZeroTime,
    TrailingData,
    StrayData,
    OtherList,
    TableNotRead,
    LogBeside,
    ClocksNotAligned,
    ExcerptUnfit,
    RecordsLost,
    RecorderMessage,
    Count
};
inline constexpr size_t kReasonCount = size_t(Reason::Count);

enum class Severity : uint8_t { SetAside, Repaired, Noticed };

struct ReasonText {
    std::string_view id;
    Severity severity;
    std::string_view sentence;
};
const ReasonText &reasonText(Reason reason);

/// Counts and first places of every Reason, for one file or a whole job.
struct Diagnostics {
    struct Entry {
        uint64_t count = 0;
        uint64_t firstOffset = 0; ///< byte in the decompressed file, or placeOfRow()
        uint32_t file = 0;
    };
    std::array<Entry, kReasonCount> entries{};

    void add(Reason reason, uint64_t offset, uint64_t count = 1) {
        Entry &e = entries[size_t(reason)];
        if (e.count == 0 || offset < e.firstOffset) e.firstOffset = offset;
        e.count += count;
    }
    const Entry &operator[](Reason reason) const { return entries[size_t(reason)]; }
    /// The reasons of one severity that occurred, in table order.
    std::vector<Reason> occurred(Severity severity) const;
    /// Adds the counts of another file; its first place is kept where this one has none.
    void merge(const Diagnostics &other, uint32_t file);
};

/// How the events of the input were used. read = the sum of all others, always.
struct EventCounts {
    uint64_t read = 0, intervals = 0, paired = 0, counters = 0, flows = 0, instants = 0,
             metadata = 0, setAside = 0;
    void add(const EventCounts &o);
};

} // namespace longpole
