// SPDX-License-Identifier: Apache-2.0
#include "core/model/diagnostics.h"

namespace longpole {

namespace {
using enum Severity;
constexpr std::array<ReasonText, kReasonCount> kReasons = {{
    {"async_event", SetAside,
     "An asynchronous event (b, n, e, S, T, p, F) has no id, so it belongs to nothing."},
    {"object_event", SetAside,
     "Object life-cycle events (N, O, D) and their snapshots are not shown."},
    {"sample_event", SetAside, "Samples (P) and stack frames are not shown."},
    {"unknown_phase", SetAside, "The event has no ph, or one that the format does not define."},
    {"not_an_object", SetAside, "An element of traceEvents is not an object."},
    {"broken_event", SetAside, "The event is not valid JSON and could not be repaired."},
    {"bad_time", SetAside, "ts or dur is missing or is not a number."},
    {"time_out_of_range", SetAside, "ts or dur does not fit into 64 bits of nanoseconds."},
    {"end_without_begin", SetAside,
     "An end (E, e, F) has no begin before it on its thread or of its id."},
    {"empty_counter", SetAside, "A counter event carries no number."},
    {"wrong_type", SetAside,
     "A column that is needed holds nothing, or a text where a number belongs."},
    {"row_not_shown", SetAside,
     "Scheduling and ranges taken over from other tools are counted, not shown."},
    {"unknown_record", SetAside, "A record of a kind that this version does not know, or not whole."},
    {"negative_duration", Repaired,
     "The duration is below zero; the event is shown with length 0."},
    {"begin_without_end", Repaired,
     "A begin (B, b, S) has no end; it is drawn to the end of the trace."},
    {"invalid_utf8", Repaired, "Bytes that are not UTF-8 are shown as U+FFFD."},
    {"control_character", Repaired, "Unescaped control characters in a text are shown as spaces."},
    {"bad_escape", Repaired, "Invalid escapes in a text are shown as they are written."},
    {"truncated_file", Repaired,
     "The file is cut short or damaged; all whole events before that place are shown."},
    {"overlap", Noticed,
     "Intervals of one track overlap without nesting; each has a lane of its own."},
    {"sticks_out", Noticed,
     "A range ends up to 1 µs after the one around it, as rounded times do; it stays inside that "
     "one."},
    {"duplicate", Noticed,
     "The same interval again on its track: equal name, times and correlation."},
    {"outside_capture", Noticed,
     "An interval reaches out of the time that the profiler says it recorded."},
    {"end_name_mismatch", Noticed, "An end (E) names another range than the innermost open one."},
    {"sub_nanosecond", Noticed, "Times finer than a nanosecond are rounded to the nearest one."},
    {"op_without_launch", Noticed, "The call that launched a device operation is not in the file."},
    {"launch_without_op", Noticed, "The device work that a call launched is not in the file."},
    {"op_before_launch", Noticed,
     "A device operation begins before the call that launched it: the clocks of host and device "
     "differ."},
    {"duration_overrun", Noticed,
     "A device operation lasts beyond the begin of the next one on its stream."},
    {"zero_time", Noticed,
     "ts is 0 in a file that counts from an epoch; the event stands far before all others."},
    {"trailing_data", Noticed,
     "More data follow the end of the JSON document or of the gzip stream; they are not read."},
    {"stray_data", Noticed, "Text between two events is not JSON; it is skipped."},
    {"other_list", Noticed, "A list of events other than traceEvents is not read."},
    {"table_not_read", Noticed,
     "A table with rows of another kind (samples, call chains …) is not read."},
    {"log_beside", Noticed,
     "A log of changes lies beside the database (-wal, -journal) and is not read, so the newest "
     "rows "
     "may be missing. Fold it in with: sqlite3 FILE .tables."},
    {"clocks_not_aligned", Noticed,
     "Each file of the job keeps its own clock: ranks are not aligned, so what one rank does can "
     "seem earlier or later than what another one does."},
    {"excerpt_unfit", Noticed,
     "The file holds a window of a longer capture, but what was kept of its dependencies does not "
     "belong to these events: they are worked out from the window alone."},
    {"records_lost", Noticed,
     "The recorder could not keep up, or the disk was full: so many records are missing."},
    {"recorder_message", Noticed,
     "The recorder says what it could not do; its sentences are instants of the track \"messages of "
     "the recorder\"."},
}};
} // namespace

const ReasonText &reasonText(Reason reason) {
    return kReasons[size_t(reason)];
}

std::vector<Reason> Diagnostics::occurred(Severity severity) const {
    std::vector<Reason> found;
    for (size_t i = 0; i < kReasonCount; ++i)
        if (entries[i].count && kReasons[i].severity == severity) found.push_back(Reason(i));
    return found;
}

void Diagnostics::merge(const Diagnostics &other, uint32_t file) {
    for (size_t i = 0; i < kReasonCount; ++i) {
        const Entry &from = other.entries[i];
        if (!from.count) continue;
        if (!entries[i].count) entries[i] = {0, from.firstOffset, file};
        entries[i].count += from.count;
    }
}

void EventCounts::add(const EventCounts &o) {
    read += o.read;
    intervals += o.intervals;
    paired += o.paired;
    counters += o.counters;
    flows += o.flows;
    instants += o.instants;
    metadata += o.metadata;
    setAside += o.setAside;
}

} // namespace longpole
