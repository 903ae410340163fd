// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/input_file.h"
#include "core/base/progress.h"
#include "core/base/time.h"
#include "core/model/diagnostics.h"
#include "core/model/excerpt.h"
#include "core/model/measurement.h"
#include "core/model/track_table.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// Where the events came from. Arguments of events are read from here on demand.
struct SourceFile {
    std::string path;
    std::shared_ptr<const InputFile> input; ///< null for traces that were not read from a file
    std::string name;                       ///< file name without folders, for people
    std::string fingerprint;                ///< size + xxh3-64 of samples, see cli.md
    std::string format;                     ///< "Kineto JSON", "Chrome JSON" …
    std::string producer;                   ///< what the file says of its writer; empty if unknown
    std::string clock;                      ///< what the file says of its clock
    uint64_t bytes = 0;                     ///< on disk
    uint64_t textBytes = 0;                 ///< decompressed
    TimeNs origin = 0;                      ///< the file's zero on its own clock, ns
    std::optional<int64_t> rank;
    std::optional<int64_t> worldSize;
    std::vector<std::string> deviceNames; ///< by device number; empty where unknown
    std::shared_ptr<const Measurement> measurement; ///< null where the recorder says nothing of it
    /// Of a database: its tables. An event's place (`offset`) is then a row of one of them, else a
    /// byte.
    std::vector<std::string> tables;
};

/// The place of an event that is a row of a table: both in one number, ascending within a table.
constexpr int kRowBits = 48;
constexpr uint64_t placeOfRow(size_t table, uint64_t row) {
    return uint64_t(table) << kRowBits | row;
}
/// What is said of a database as a whole, and not of a row.
constexpr uint64_t kWholeFile = ~uint64_t(0);
/// "byte 1,234", "row 12 of NVTX_EVENTS" or "the file as a whole"
std::string placeText(const SourceFile &file, uint64_t offset);

struct Process {
    uint32_t file = 0;
    std::string pid;  ///< as the file writes it
    std::string name; ///< empty if unknown
    std::string labels;
    int64_t sortIndex = 0;
    /// Correlation ids, contexts and streams belong to this process alone, and its device work is
    /// on its own tracks (Nsight Systems). Else they are the file's: a device has a pid of its own.
    bool ownIds = false;
};

enum class TrackKind : uint8_t { Thread, Stream, Annotation, Counter };
std::string_view trackKindName(TrackKind kind);

/// How the work of a stream is ordered against the null stream of its context.
enum class StreamOrder : uint8_t { Unknown, Null, Blocking, NonBlocking };
std::string_view streamOrderName(StreamOrder order); ///< empty when unknown

/// One ordered row of the source. Times inside `table` count from its file's zero; `offset` brings
/// them to the trace's zero. Use begin() and end(), never the columns alone.
struct Track {
    TrackKind kind = TrackKind::Thread;
    std::string name;     ///< for people: "stream 7", the thread's name
    uint32_t process = 0; ///< index into Trace::processes
    std::string thread;   ///< the thread id as written; empty for streams
    std::optional<int64_t> device;
    std::optional<int64_t> stream;
    StreamOrder order = StreamOrder::Unknown;
    int64_t sortIndex = 0;
    TimeNs offset = 0;
    std::shared_ptr<const TrackTable> table;

    TimeNs begin(uint32_t row) const { return table->start[row] + offset; }
    TimeNs end(uint32_t row) const { return table->end(row) + offset; }
    std::string_view nameOf(uint32_t row) const { return (*table->strings)[table->name[row]]; }
    std::string_view categoryOf(uint32_t row) const {
        return (*table->strings)[table->category[row]];
    }
    /// A resource that works: threads and streams stretch windows, annotation rows and counters
    /// repeat or describe time that is already on one.
    bool isResource() const { return kind == TrackKind::Thread || kind == TrackKind::Stream; }
};

/// A device operation and the API call that enqueued it.
struct Launch {
    IntervalId op;
    IntervalId call;
};

/// What the profiler recorded of one wait: a cuda_sync row. Ids are -1 where the trace does not
/// tell.
struct SyncRecord {
    uint32_t process = 0; ///< of the row
    TimeNs begin = 0, end = 0;
    int64_t correlation = -1; ///< of the API call
    int64_t device = -1, stream = -1;
    int64_t waitOnStream = -1;
    int64_t waitOnCorrelation = -1; ///< of the call that recorded the event
    bool streamWait = false;        ///< a stream waits for an event; else the host waits
};

struct Instant {
    uint32_t track = 0;
    TimeNs time = 0;
    std::string_view name; ///< lives in the file's StringPool
    uint64_t offset = 0;
    char scope = 't'; ///< t thread, p process, g global
};

struct CounterSeries {
    uint32_t track = 0;
    std::string name;   ///< of the counter
    std::string series; ///< key inside args
    std::vector<TimeNs> time;
    std::vector<double> value;
};

/// One point of a flow as written (s start, t step, f end); pairs are made by the graph.
struct FlowPoint {
    uint32_t track = 0;
    TimeNs time = 0;
    uint32_t file = 0;
    StringId category, id; ///< in the file's StringPool
    uint64_t offset = 0;
    char phase = 's';
    bool bindEnclosing = false; ///< bp:"e"
};

/// One file or all files of a job; immutable once finished, shared by pointer between threads.
struct Trace {
    std::vector<SourceFile> files;
    std::vector<Process> processes;
    std::vector<Track> tracks;            ///< in display order: sort index, then name
    std::vector<Launch> launches;         ///< sorted by op
    std::vector<uint32_t> launchesByCall; ///< indices into launches, sorted by call
    std::vector<Instant> instants;        ///< sorted by time
    std::vector<CounterSeries> counters;
    std::vector<FlowPoint> flows; ///< display flows of PyTorch (ac2g, fwdbwd …) are not kept
    std::vector<std::shared_ptr<const StringPool>> strings; ///< by file; keeps names alive
    Diagnostics diagnostics;
    EventCounts events;
    std::vector<SyncRecord> syncs; ///< cuda_sync rows, by begin
    /// First begin to last end over thread and stream tracks (over all tracks with intervals, then
    /// over instants, when there is none); {0, 0} for an empty trace.
    TimeRange range;
    TimeNs origin = 0; ///< the trace's zero on the first file's clock
    /// Of a single file that holds one window of a longer capture; else null.
    std::shared_ptr<const Excerpt> excerpt;

    const Track &track(IntervalId id) const { return tracks[id.track]; }
    TimeNs begin(IntervalId id) const { return track(id).begin(id.row); }
    TimeNs end(IntervalId id) const { return track(id).end(id.row); }
    std::string_view name(IntervalId id) const { return track(id).nameOf(id.row); }
    Kind kind(IntervalId id) const { return track(id).table->kind[id.row]; }
    uint64_t intervalCount() const;
    bool hasResources() const; ///< some thread or stream track holds an interval

    /// The API call that enqueued `op`, or an invalid id.
    IntervalId callOf(IntervalId op) const;
    /// The device operations that `call` enqueued: a contiguous range of launchesByCall.
    std::vector<IntervalId> opsOf(IntervalId call) const;
};

/// Puts the files of one job side by side, on the clock of the first; tables are shared, not
/// copied. Throws Stopped.
std::shared_ptr<const Trace> joinTraces(std::vector<Trace> parts,
                                        const Progress &progress = Progress::never());

} // namespace longpole
