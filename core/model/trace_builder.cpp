// SPDX-License-Identifier: Apache-2.0
#include "core/model/trace_builder.h"

#include "core/base/looking.h"
#include "core/base/parallel.h"
#include "core/model/finish_track.h"
#include "core/model/link_launches.h"
#include "core/model/nesting.h"
#include "core/model/oddities.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <limits>
#include <numeric>

namespace longpole {

TraceBuilder::TraceBuilder(SourceFile source) : file(std::move(source)) {}

uint32_t TraceBuilder::process(std::string_view pid) {
    const auto [it, made] =
        m_processByPid.try_emplace(std::string(pid), uint32_t(m_processes.size()));
    if (made) m_processes.push_back({.file = 0, .pid = std::string(pid), .name = {}, .labels = {}});
    return it->second;
}

uint32_t TraceBuilder::findOrMake(std::string key, Track made) {
    const auto [it, isNew] = m_trackByKey.try_emplace(std::move(key), uint32_t(m_tracks.size()));
    if (isNew) {
        m_tracks.emplace_back();
        m_tracks.back().track = std::move(made);
    }
    return it->second;
}

uint32_t TraceBuilder::threadTrack(uint32_t process, std::string_view tid) {
    Track track;
    track.kind = TrackKind::Thread;
    track.process = process;
    track.thread = tid;
    return findOrMake("thread " + std::to_string(process) + ' ' + std::string(tid),
                      std::move(track));
}

uint32_t TraceBuilder::streamTrack(uint32_t process, int64_t device, int64_t stream) {
    Track track;
    track.kind = TrackKind::Stream;
    track.process = process;
    track.device = device;
    track.stream = stream;
    track.name = "stream " + std::to_string(stream);
    track.sortIndex = stream;
    return findOrMake("stream " + std::to_string(process) + ' ' + std::to_string(device) + ' ' +
                          std::to_string(stream),
                      std::move(track));
}

uint32_t TraceBuilder::annotationTrack(uint32_t process, std::string_view key,
                                       std::string_view name, std::optional<int64_t> device,
                                       std::optional<int64_t> stream) {
    Track track;
    track.kind = TrackKind::Annotation;
    track.process = process;
    track.name = name;
    track.device = device;
    track.stream = stream;
    track.sortIndex = stream.value_or(0);
    return findOrMake("annotation " + std::to_string(process) + ' ' + std::string(key),
                      std::move(track));
}

uint32_t TraceBuilder::counterTrack(uint32_t process, std::string_view name) {
    Track track;
    track.kind = TrackKind::Counter;
    track.process = process;
    track.name = name;
    return findOrMake("counter " + std::to_string(process) + ' ' + std::string(name),
                      std::move(track));
}

std::string TraceBuilder::factsKey(uint32_t process, std::string_view tid) {
    return std::to_string(process) + ' ' + std::string(tid);
}

void TraceBuilder::nameThread(uint32_t process, std::string_view tid, std::string_view name) {
    m_threadFacts[factsKey(process, tid)].name = name;
}

void TraceBuilder::sortThread(uint32_t process, std::string_view tid, int64_t sortIndex) {
    m_threadFacts[factsKey(process, tid)].sortIndex = sortIndex;
}

const TraceBuilder::ThreadFacts *TraceBuilder::factsOf(const Track &track) const {
    const auto known = m_threadFacts.find(factsKey(track.process, track.thread));
    return known == m_threadFacts.end() ? nullptr : &known->second;
}

std::string TraceBuilder::nameOf(const Track &track) const {
    if (track.kind != TrackKind::Thread) return track.name;
    const ThreadFacts *facts = factsOf(track);
    if (facts && !facts->name.empty()) return facts->name;
    return track.thread.empty() ? "thread without an id" : "thread " + track.thread;
}

void TraceBuilder::makeStreams(uint32_t process, int64_t device,
                               Kind (*kindOf)(std::string_view name)) {
    for (Building &b : m_tracks) {
        int64_t number = 0;
        const std::string &tid = b.track.thread;
        if (b.track.kind != TrackKind::Thread || b.track.process != process) continue;
        if (std::from_chars(tid.data(), tid.data() + tid.size(), number).ec != std::errc{})
            continue;
        b.track.kind = TrackKind::Stream;
        b.track.device = device;
        b.track.stream = b.track.sortIndex = number;
        b.track.name = "stream " + std::to_string(number);
        b.track.thread.clear();
        for (IntervalRow &row : b.rows) row.kind = kindOf((*m_strings)[row.name]);
    }
}

void TraceBuilder::makeAnnotations(uint32_t process) {
    for (Building &b : m_tracks) {
        if (b.track.kind != TrackKind::Thread || b.track.process != process) continue;
        b.track.name = nameOf(b.track);
        b.track.kind = TrackKind::Annotation;
        for (IntervalRow &row : b.rows) row.kind = Kind::Annotation;
    }
}

uint32_t TraceBuilder::addSide(uint32_t track, const SideRow &side) {
    auto &sides = m_tracks[track].sides;
    sides.push_back(side);
    return uint32_t(sides.size()) - 1;
}

void TraceBuilder::addBegin(uint32_t track, const IntervalRow &row, uint32_t group) {
    m_tracks[track].marks.push_back({row, false, group});
    m_tracks[track].async |= group != 0;
}

void TraceBuilder::addEnd(uint32_t track, TimeNs time, StringId name, uint64_t offset,
                          uint32_t group) {
    Mark mark;
    mark.row.begin = mark.row.end = time;
    mark.row.name = name;
    mark.row.offset = offset;
    mark.isEnd = true;
    mark.group = group;
    m_tracks[track].marks.push_back(mark);
}

void TraceBuilder::addInstant(uint32_t track, TimeNs time, StringId name, uint64_t offset,
                              char scope) {
    m_tracks[track].hasPoints = true;
    m_instants.push_back({track, time, name, offset, scope});
}

void TraceBuilder::addCounter(uint32_t track, std::string_view series, TimeNs time, double value) {
    m_tracks[track].hasPoints = true;
    const auto [it, made] = m_counterByKey.try_emplace(
        std::to_string(track) + ' ' + std::string(series), uint32_t(m_counters.size()));
    if (made)
        m_counters.push_back({track, m_tracks[track].track.name, std::string(series), {}, {}});
    m_counters[it->second].time.push_back(time);
    m_counters[it->second].value.push_back(value);
}

void TraceBuilder::addFlow(uint32_t track, TimeNs time, char phase, StringId category, StringId id,
                           bool bindEnclosing, uint64_t offset) {
    m_flows.push_back({track, time, 0, category, id, offset, phase, bindEnclosing});
}

TimeNs TraceBuilder::lastTime(const Progress &progress) const {
    TimeNs last = std::numeric_limits<TimeNs>::min();
    for (const Building &b : m_tracks) {
        progress.look();
        for (size_t i = 0; i < b.rows.size(); ++i) {
            progress.look(i);
            last = std::max(last, b.rows[i].end);
        }
        for (size_t i = 0; i < b.marks.size(); ++i) {
            progress.look(i);
            last = std::max(last, b.marks[i].row.end);
        }
    }
    return last;
}

/// The first begin on a thread or stream; without any, on any track; without any, the first point.
TimeNs TraceBuilder::findZero(const Progress &progress) const {
    constexpr TimeNs none = std::numeric_limits<TimeNs>::max();
    TimeNs resources = none, any = none;
    for (const Building &b : m_tracks) {
        for (size_t i = 0; i < b.rows.size(); ++i) {
            progress.look(i);
            const IntervalRow &row = b.rows[i];
            any = std::min(any, row.begin);
            if (b.track.isResource()) resources = std::min(resources, row.begin);
        }
    }
    if (resources != none) return resources;
    if (any != none) return any;
    for (const RawInstant &i : m_instants) any = std::min(any, i.time);
    for (const CounterSeries &c : m_counters)
        for (TimeNs t : c.time) any = std::min(any, t);
    return any == none ? 0 : any;
}

namespace {

/// Digits compare as numbers, so that "stream 7" stands before "stream 20".
bool naturalLess(std::string_view a, std::string_view b) {
    auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
        if (!isDigit(a[i]) || !isDigit(b[k])) {
            if (a[i] != b[k]) return a[i] < b[k];
            ++i, ++k;
            continue;
        }
        const size_t fromA = i, fromB = k;
        while (i < a.size() && isDigit(a[i])) ++i;
        while (k < b.size() && isDigit(b[k])) ++k;
        std::string_view na = a.substr(fromA, i - fromA), nb = b.substr(fromB, k - fromB);
        na.remove_prefix(std::min(na.find_first_not_of('0'), na.size()));
        nb.remove_prefix(std::min(nb.find_first_not_of('0'), nb.size()));
        if (na.size() != nb.size()) return na.size() < nb.size();
        if (na != nb) return na < nb;
    }
    return a.size() - i < b.size() - k;
}

} // namespace

/// A lost ts is written as 0; beside times since an epoch it cannot be meant.
void TraceBuilder::noticeZeroTimes(TimeNs last, const Progress &progress) {
    constexpr TimeNs epoch = 100'000'000'000'000'000; // three years after 1970, in ns
    if (last < epoch) return;
    for (const Building &b : m_tracks)
        for (size_t i = 0; i < b.rows.size(); ++i) {
            progress.look(i);
            if (b.rows[i].begin == 0) diagnostics.add(Reason::ZeroTime, b.rows[i].offset);
        }
}

/// Names the tracks that hold something and returns their indices in display order.
std::vector<uint32_t> TraceBuilder::displayOrder() {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < m_tracks.size(); ++i) {
        Building &b = m_tracks[i];
        if (b.rows.empty() && !b.hasPoints) continue;
        order.push_back(i);
        if (b.track.kind != TrackKind::Thread) continue;
        b.track.name = nameOf(b.track);
        if (const ThreadFacts *facts = factsOf(b.track))
            b.track.sortIndex = facts->sortIndex.value_or(0);
    }
    std::stable_sort(order.begin(), order.end(), [this](uint32_t x, uint32_t y) {
        const Track &a = m_tracks[x].track, &b = m_tracks[y].track;
        const Process &p = m_processes[a.process], &q = m_processes[b.process];
        if (p.sortIndex != q.sortIndex) return p.sortIndex < q.sortIndex;
        if (a.process != b.process && p.name != q.name) return naturalLess(p.name, q.name);
        if (a.process != b.process) return naturalLess(p.pid, q.pid);
        if (a.sortIndex != b.sortIndex) return a.sortIndex < b.sortIndex;
        return naturalLess(a.name, b.name);
    });
    return order;
}

void TraceBuilder::placePoints(Trace &trace, const std::vector<uint32_t> &newIndex, TimeNs zero,
                               const Progress &progress) {
    trace.instants.reserve(m_instants.size());
    for (const RawInstant &i : m_instants) {
        progress.look(trace.instants.size());
        trace.instants.push_back(
            {newIndex[i.track], i.time - zero, (*m_strings)[i.name], i.offset, i.scope});
    }
    stableSortLooking(
        trace.instants, [](const Instant &a, const Instant &b) { return a.time < b.time; },
        progress);
    for (CounterSeries &c : m_counters) {
        progress.look();
        c.track = newIndex[c.track];
        sortCounter(c, progress);
        for (TimeNs &t : c.time) t -= zero;
    }
    trace.counters = std::move(m_counters);
    for (FlowPoint &f : m_flows) {
        // A flow may point at a thread that holds nothing else; it stays counted, but binds
        // nowhere.
        f.track = newIndex[f.track];
        f.time -= zero;
    }
    std::erase_if(m_flows, [](const FlowPoint &f) { return f.track == kNone; });
    trace.flows = std::move(m_flows);
}

namespace {
constexpr double kSorting = 0.7; ///< share of finish() that goes by tracks

/// Gives back what a stop leaves behind on all threads at once: a gigabyte takes a tenth of a
/// second.
template <class Free>
class FreeTogether {
public:
    FreeTogether(size_t count, unsigned threads, Free free)
        : m_count(count), m_threads(threads), m_free(std::move(free)) {}
    ~FreeTogether() {
        if (!m_kept) parallelFor(m_count, m_threads, m_free);
    }
    void keep() { m_kept = true; }

private:
    const size_t m_count;
    const unsigned m_threads;
    const Free m_free;
    bool m_kept = false;
};
} // namespace

Result<Trace> TraceBuilder::finish(Progress &progress, unsigned threads) {
    try {
        return build(progress, threads);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Reading was cancelled."};
    }
}

Trace TraceBuilder::build(Progress &progress, unsigned threads) {
    if (m_preview) m_preview->look(*this, true);
    const TimeNs last = lastTime(progress);
    for (Building &b : m_tracks) {
        progress.look();
        if (b.marks.empty()) continue;
        const PairCounts counts =
            pairMarks(std::move(b.marks), last, b.rows, b.sides, diagnostics, progress);
        events.paired += counts.paired;
        events.setAside += counts.setAside;
    }

    Trace trace;
    noticeZeroTimes(last, progress);
    const TimeNs zero = excerpt ? excerpt->zero : findZero(progress);
    const std::vector<uint32_t> order = displayOrder();
    // a trace of a million tracks needs the room for their tables
    m_threadFacts = {};
    m_trackByKey = {};
    std::vector<uint32_t> newIndex(m_tracks.size(), kNone);
    for (uint32_t i = 0; i < order.size(); ++i) newIndex[order[i]] = i;

    std::atomic<size_t> rowsDone = 0;
    size_t rows = 1;
    for (const Building &b : m_tracks) rows += b.rows.size();
    std::vector<Diagnostics> found(order.size());
    std::vector<std::shared_ptr<const TrackTable>> tables(order.size());
    FreeTogether leftBehind(m_tracks.size(), threads, [&](size_t i) {
        m_tracks[i] = {};
        if (i < tables.size()) tables[i].reset();
        if (i < trace.tracks.size()) trace.tracks[i].table.reset();
    });
    parallelFor(order.size(), threads, [&](size_t i) {
        Building &b = m_tracks[order[i]];
        if (progress.stopped()) return;
        const size_t mine = b.rows.size();
        Diagnostics ignored;
        try {
            tables[i] = finishTrack(std::move(b.rows), std::move(b.sides), zero,
                                    b.track.kind == TrackKind::Thread ? kThreadRounding : 0,
                                    m_strings, b.async ? ignored : found[i], progress);
        } catch (const Stopped &) {
            return;
        }
        progress.set(kSorting * double(rowsDone += mine) / double(rows));
    });
    progress.look();

    for (size_t i = 0; i < order.size(); ++i) {
        diagnostics.merge(found[i], 0);
        events.intervals += tables[i]->size();
        Track track = std::move(m_tracks[order[i]].track);
        track.table = std::move(tables[i]);
        noticeOverruns(track, diagnostics, progress);
        trace.tracks.push_back(std::move(track));
    }
    trace.range = rangeOf(trace.tracks);
    placePoints(trace, newIndex, zero, progress);
    if (trace.range.empty() && !trace.instants.empty())
        trace.range = {trace.instants.front().time, trace.instants.back().time};
    trace.processes = std::move(m_processes);
    if (excerpt && !excerpt->column("own_ids").empty())
        for (Process &process : trace.processes) process.ownIds = true;
    noticeOutsideCapture(trace, diagnostics, progress);
    linkLaunches(trace, diagnostics, progress);
    progress.set(0.95);
    file.origin += zero;
    trace.origin = file.origin;
    trace.files.push_back(std::move(file));
    trace.strings.push_back(m_strings);
    trace.diagnostics = diagnostics;
    trace.events = events;
    for (SyncRecord &s : syncs) {
        s.begin -= zero;
        s.end -= zero;
    }
    stableSortLooking(
        syncs, [](const SyncRecord &a, const SyncRecord &b) { return a.begin < b.begin; },
        progress);
    trace.syncs = std::move(syncs);
    if (excerpt && fitExcerpt(*excerpt, trace))
        trace.excerpt = std::make_shared<const Excerpt>(std::move(*excerpt));
    else if (excerpt)
        trace.diagnostics.add(Reason::ExcerptUnfit, 0);
    leftBehind.keep();
    return trace;
}

} // namespace longpole
