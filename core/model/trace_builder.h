// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/grow_array.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/interval_row.h"
#include "core/model/pair_marks.h"
#include "core/model/preview_builder.h"
#include "core/model/trace.h"

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace longpole {

/// Collects the events of one file, on one thread, and turns them into a Trace. The only mutable
/// trace there is. Times are given on the file's own clock; finish() moves them to its zero.
class TraceBuilder {
public:
    explicit TraceBuilder(SourceFile file);

    SourceFile file;
    Diagnostics diagnostics;
    EventCounts
        events; ///< `read` and all but intervals and set-aside B/E are counted by the importer
    std::vector<SyncRecord> syncs;  ///< times on the file's clock
    std::optional<Excerpt> excerpt; ///< as read; finish() looks whether it fits

    StringPool &strings() { return *m_strings; }

    uint32_t process(std::string_view pid); ///< finds or makes
    Process &processAt(uint32_t index) { return m_processes[index]; }
    const Process &processAt(uint32_t index) const { return m_processes[index]; }
    size_t processCount() const { return m_processes.size(); }

    // Tracks: found or made by their key.
    uint32_t threadTrack(uint32_t process, std::string_view tid);
    uint32_t streamTrack(uint32_t process, int64_t device, int64_t stream);
    uint32_t annotationTrack(uint32_t process, std::string_view key, std::string_view name,
                             std::optional<int64_t> device = {},
                             std::optional<int64_t> stream = {});
    void orderStream(uint32_t track, StreamOrder order) { m_tracks[track].track.order = order; }
    uint32_t counterTrack(uint32_t process, std::string_view name);
    void nameThread(uint32_t process, std::string_view tid, std::string_view name);
    void sortThread(uint32_t process, std::string_view tid, int64_t sortIndex);

    /// What was taken for threads of a process are streams of a device, by their numbers, …
    void makeStreams(uint32_t process, int64_t device, Kind (*kindOf)(std::string_view name));
    void makeAnnotations(uint32_t process); ///< … or only describe time that is elsewhere

    void addInterval(uint32_t track, const IntervalRow &row) {
        m_tracks[track].rows.push_back(row);
    }
    uint32_t addSide(uint32_t track, const SideRow &side);
    /// B and E in file order; they are paired by finish(), which also counts them. Those of a group
    /// other than 0 are asynchronous: groups pair apart from each other, and may overlap.
    void addBegin(uint32_t track, const IntervalRow &row, uint32_t group = 0);
    void addEnd(uint32_t track, TimeNs time, StringId name, uint64_t offset, uint32_t group = 0);
    void addInstant(uint32_t track, TimeNs time, StringId name, uint64_t offset, char scope);
    void addCounter(uint32_t track, std::string_view series, TimeNs time, double value);
    void addFlow(uint32_t track, TimeNs time, char phase, StringId category, StringId id,
                 bool bindEnclosing, uint64_t offset);

    /// Whoever shows the trace while it is read; null: nobody. Must outlive finish().
    void showIn(PreviewBuilder *preview) { m_preview = preview; }
    /// To be called now and then while events are added, about every millisecond.
    void look() {
        if (m_preview) m_preview->look(*this);
    }
    struct TrackSoFar {
        const Track &track; ///< without name, if it is a thread, and without table
        std::span<const IntervalRow> rows;
        std::span<const Mark> marks;
    };
    size_t trackCount() const { return m_tracks.size(); }
    TrackSoFar trackSoFar(size_t index) const {
        const Building &b = m_tracks[index];
        return {b.track, b.rows, b.marks};
    }
    std::string nameOf(const Track &track) const; ///< for people

    /// Sorts, nests and links. The builder is empty afterwards. Fails only when stopped.
    Result<Trace> finish(Progress &progress, unsigned threads);

private:
    struct Building {
        Track track;
        GrowArray<IntervalRow> rows;
        GrowArray<Mark> marks;
        GrowArray<SideRow> sides;
        bool hasPoints = false; ///< an instant or a counter value
        bool async = false;     ///< overlaps are nothing to notice
    };
    struct RawInstant {
        uint32_t track;
        TimeNs time;
        StringId name;
        uint64_t offset;
        char scope;
    };
    struct ThreadFacts {
        std::string name;
        std::optional<int64_t> sortIndex;
    };

    uint32_t findOrMake(std::string key, Track made);
    const ThreadFacts *factsOf(const Track &track) const; ///< null: the file tells nothing
    static std::string factsKey(uint32_t process, std::string_view tid);
    TimeNs lastTime(const Progress &progress) const;
    TimeNs findZero(const Progress &progress) const;
    void noticeZeroTimes(TimeNs last, const Progress &progress);
    std::vector<uint32_t> displayOrder();
    void placePoints(Trace &trace, const std::vector<uint32_t> &newIndex, TimeNs zero,
                     const Progress &progress);
    Trace build(Progress &progress, unsigned threads); ///< throws Stopped

    PreviewBuilder *m_preview = nullptr;
    std::shared_ptr<StringPool> m_strings = std::make_shared<StringPool>();
    std::vector<Process> m_processes;
    std::unordered_map<std::string, uint32_t> m_processByPid;
    std::deque<Building> m_tracks;
    std::unordered_map<std::string, uint32_t> m_trackByKey;
    std::unordered_map<std::string, ThreadFacts> m_threadFacts;
    std::vector<RawInstant> m_instants;
    std::vector<CounterSeries> m_counters;
    std::unordered_map<std::string, uint32_t> m_counterByKey;
    std::vector<FlowPoint> m_flows;
};

} // namespace longpole
