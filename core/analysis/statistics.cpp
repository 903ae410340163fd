// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statistics.h"

#include "core/analysis/sweep.h"
#include "core/base/looking.h"

#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace longpole {

namespace {

/// Who gets an instant that several share (analysis order): the lowest class, then the first
/// source.
enum Class : uint8_t { Compute, Exposed, Copies, DataWait, SyncWait, HostWork, Logging, kClasses };

/// Names of tracks, with as much of their place as tells them from others of that name.
class TrackLabels {
public:
    explicit TrackLabels(const Trace &trace) : m_trace(trace) {
        for (const Track &track : trace.tracks) {
            ++m_byName[track.name];
            ++m_byFile[{trace.processes[track.process].file, track.name}];
        }
    }

    std::string of(uint32_t index) const {
        const Track &track = m_trace.tracks[index];
        if (m_byName.at(track.name) == 1) return track.name;
        const Process &process = m_trace.processes[track.process];
        const SourceFile &file = m_trace.files[process.file];
        std::string label = track.name;
        if (m_byFile.at({process.file, track.name}) > 1)
            label += track.device ? " of device " + std::to_string(*track.device)
                                  : " of process " + process.pid;
        if (m_trace.files.size() > 1)
            label += file.rank ? " of rank " + std::to_string(*file.rank) : " in " + file.name;
        return label;
    }

private:
    const Trace &m_trace;
    std::unordered_map<std::string_view, uint32_t> m_byName;
    std::map<std::pair<uint32_t, std::string_view>, uint32_t> m_byFile;
};

/// Numbers the groups of intervals in the order in which they are met.
class Groups {
public:
    Groups(const Trace &trace, const Phases &phases, GroupBy by, const Attribution *attribution)
        : m_trace(trace), m_phases(phases), m_by(by), m_attribution(attribution) {}

    void use(uint32_t track) {
        m_track = track;
        if (m_by != GroupBy::Name) return;
        const auto &pool = *m_trace.tracks[track].table->strings;
        m_names = &m_byPool[&pool];
        m_names->resize(pool.size(), kNone);
    }

    uint32_t of(uint32_t row) {
        if (m_attribution) return slot(m_attribution->of({m_track, row}));
        const TrackTable &table = *m_trace.tracks[m_track].table;
        switch (m_by) {
        case GroupBy::Phase:
            return slot(m_phases.byTrack[m_track][row]);
        case GroupBy::Track:
            return slot(m_track);
        case GroupBy::Kind:
            return slot(uint32_t(table.kind[row]));
        default:
            break;
        }
        uint32_t &known = (*m_names)[table.name[row].index];
        if (known == kNone) {
            const std::string_view name = (*table.strings)[table.name[row]];
            known = m_byName.try_emplace(name, uint32_t(rows.size())).first->second;
            if (known == rows.size()) add(std::string(name), kNone);
        }
        return known;
    }

    std::vector<StatRow> rows;

private:
    void add(std::string key, uint32_t index) {
        rows.emplace_back();
        rows.back().key = std::move(key);
        rows.back().index = index;
    }
    uint32_t slot(uint32_t index) {
        if (index >= m_slots.size()) m_slots.resize(index + 1, kNone);
        if (m_slots[index] == kNone) {
            m_slots[index] = uint32_t(rows.size());
            add(keyOf(index), index);
        }
        return m_slots[index];
    }
    std::string keyOf(uint32_t index) {
        if (m_attribution) return m_attribution->owners[index];
        if (m_by == GroupBy::Phase) return m_phases.rules.rules[index].id;
        if (m_by == GroupBy::Kind) return std::string(kindName(Kind(index)));
        if (!m_labels) m_labels.emplace(m_trace);
        return m_labels->of(index);
    }

    const Trace &m_trace;
    const Phases &m_phases;
    const GroupBy m_by;
    const Attribution *const m_attribution;
    uint32_t m_track = kNone;
    std::optional<TrackLabels> m_labels;
    std::vector<uint32_t> m_slots;
    std::vector<uint32_t> *m_names = nullptr;
    std::map<const StringPool *, std::vector<uint32_t>> m_byPool;
    std::unordered_map<std::string_view, uint32_t> m_byName;
};

using DeviceKey = std::pair<uint32_t, int64_t>; ///< file and device
DeviceKey deviceOf(const Trace &trace, const Track &track) {
    return {trace.processes[track.process].file, track.device.value_or(0)};
}

/// Time with communication on a device, and the part of it that other kernels hide.
struct Exposure {
    TimeNs since = 0, sum = 0, unionTime = 0, hidden = 0;
    uint32_t communicating = 0, computing = 0;

    void change(TimeNs now, Kind kind, uint32_t by) {
        if (communicating > 0) unionTime += now - since;
        if (communicating > 0 && computing > 0) hidden += now - since;
        since = now;
        if (kind == Kind::Comm)
            communicating += by;
        else if (kind == Kind::Kernel || kind == Kind::GraphExec)
            computing += by;
    }
};

/// Listens to the sweep: unions, self times, the exclusive split and exposed communication.
class Tally {
public:
    Tally(const Trace &trace, const Phases &phases, GroupBy by, const Attribution *attribution,
          const std::vector<SegmentSource> &sources, TimeNs windowBegin)
        : groups(trace, phases, by, attribution), m_trace(trace), m_phases(phases),
          m_sources(sources), m_state(sources.size()), m_now(windowBegin),
          m_dataWait(phases.rules.find("data_wait")), m_sync(phases.rules.find("synchronisation")),
          m_logging(phases.rules.find("logging")) {
        for (const Track &track : trace.tracks)
            if (track.kind == TrackKind::Stream && track.table->size() > 0)
                exposures[deviceOf(trace, track)];
    }

    void begin(uint32_t source, const Segment &segment) {
        settle(segment.begin);
        const uint32_t t = m_sources[source].track;
        const Track &track = m_trace.tracks[t];
        groups.use(t);
        State &state = m_state[source];
        state = {groups.of(segment.row), classOf(t, segment.row)};
        m_open.resize(groups.rows.size());
        Open &open = m_open[state.group];
        if (open.count++ == 0) open.since = segment.begin;
        m_active[state.cls].insert(source);
        ++m_running;
        if (track.kind == TrackKind::Stream)
            exposures[deviceOf(m_trace, track)].change(segment.begin,
                                                       track.table->kind[segment.row], 1);
    }

    void end(uint32_t source, const Segment &segment) {
        settle(segment.end);
        const Track &track = m_trace.tracks[m_sources[source].track];
        const State &state = m_state[source];
        StatRow &row = groups.rows[state.group];
        row.self += segment.end - segment.begin;
        Open &open = m_open[state.group];
        if (--open.count == 0) row.unionTime += segment.end - open.since;
        m_active[state.cls].erase(source);
        --m_running;
        if (track.kind == TrackKind::Stream) {
            row.device += segment.end - segment.begin;
            const Kind kind = track.table->kind[segment.row];
            Exposure &exposure = exposures[deviceOf(m_trace, track)];
            exposure.change(segment.end, kind, uint32_t(-1));
            if (kind == Kind::Comm) exposure.sum += segment.end - segment.begin;
        }
    }

    Groups groups;
    TimeNs unionTime = 0;
    std::map<DeviceKey, Exposure> exposures;

private:
    struct State {
        uint32_t group = kNone;
        Class cls = HostWork;
    };
    struct Open {
        uint32_t count = 0;
        TimeNs since = 0;
    };

    /// Gives the time since the last event to the group that comes first.
    void settle(TimeNs now) {
        if (m_running > 0 && now > m_now) {
            unionTime += now - m_now;
            for (const auto &active : m_active) {
                if (active.empty()) continue;
                groups.rows[m_state[*active.begin()].group].exclusive += now - m_now;
                break;
            }
        }
        m_now = now;
    }

    Class classOf(uint32_t track, uint32_t row) const {
        const Kind kind = m_trace.tracks[track].table->kind[row];
        if (m_trace.tracks[track].kind == TrackKind::Stream) {
            if (kind == Kind::Comm) return Exposed;
            return kind == Kind::Memset || isCopyKind(kind) ? Copies : Compute;
        }
        const uint8_t phase = m_phases.byTrack[track][row];
        if (m_dataWait && phase == *m_dataWait) return DataWait;
        if (kind == Kind::Sync || (m_sync && phase == *m_sync)) return SyncWait;
        return m_logging && phase == *m_logging ? Logging : HostWork;
    }

    const Trace &m_trace;
    const Phases &m_phases;
    const std::vector<SegmentSource> &m_sources;
    std::vector<State> m_state; ///< by source
    std::vector<Open> m_open;   ///< by group
    std::array<std::set<uint32_t>, kClasses> m_active;
    uint32_t m_running = 0;
    TimeNs m_now;
    const std::optional<uint8_t> m_dataWait, m_sync, m_logging;
};

/// Clipped inclusive durations of one group each, for its mean and quantiles.
struct Durations {
    std::vector<GrowArray<TimeNs>> byGroup;
    GrowArray<TimeNs> all;
};

void collect(const Trace &trace, TimeRange window, StepMarkers markers, Groups &groups,
             Durations &durations, const Progress &progress) {
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (!track.isResource() || track.table->size() == 0) continue;
        groups.use(t);
        markers.use(*track.table);
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            progress.look(row);
            if (!window.touches(track.begin(row), track.end(row))) continue;
            if (track.kind == TrackKind::Thread && markers.has(row)) continue;
            const uint32_t group = groups.of(row);
            if (group >= durations.byGroup.size()) durations.byGroup.resize(group + 1);
            const TimeRange part = window.clipped({track.begin(row), track.end(row)});
            durations.byGroup[group].push_back(part.length());
        }
    }
}

void describe(StatRow &row, GrowArray<TimeNs> &durations, const Progress &progress) {
    row.count = durations.size();
    if (durations.empty()) return;
    sortLooking(durations, std::less<>(), progress);
    double sum = 0;
    for (size_t i = 0; i < durations.size(); ++i) {
        progress.look(i);
        sum += double(durations[i]);
    }
    row.mean = TimeNs(sum / double(durations.size()));
    row.p50 = quantile(durations, 0.5);
    row.p95 = quantile(durations, 0.95);
    row.max = durations.back();
}

StatRow totalOf(Statistics &result, const Tally &tally, Durations &durations,
                const Progress &progress) {
    StatRow total;
    total.key = "total";
    total.unionTime = tally.unionTime;
    for (const StatRow &row : result.rows) {
        total.sum += row.sum;
        total.device += row.device;
        total.self += row.self;
        total.exclusive += row.exclusive;
    }
    for (const auto &group : durations.byGroup)
        for (const TimeNs d : group) {
            progress.look(durations.all.size());
            durations.all.push_back(d);
        }
    describe(total, durations.all, progress);
    return total;
}

std::vector<Communication> communicationOf(const Tally &tally) {
    std::vector<Communication> result;
    for (const auto &[key, exposure] : tally.exposures) {
        Communication c{key.first,
                        key.second,
                        exposure.sum,
                        exposure.unionTime,
                        exposure.unionTime - exposure.hidden,
                        std::nullopt};
        if (exposure.unionTime > 0)
            c.hiddenShare = double(exposure.hidden) / double(exposure.unionTime);
        result.push_back(c);
    }
    return result;
}

} // namespace

std::optional<AttributeTo> attributeTo(GroupBy by) {
    switch (by) {
    case GroupBy::Op:
        return AttributeTo::Op;
    case GroupBy::Module:
        return AttributeTo::Module;
    case GroupBy::Class:
        return AttributeTo::Class;
    default:
        return std::nullopt;
    }
}

namespace {

Statistics count(const Trace &trace, const Phases &phases, const Window &window, GroupBy by,
                 const Progress &progress) {
    Statistics result;
    result.window = window;
    if (const auto to = attributeTo(by))
        result.attribution = std::make_shared<const Attribution>(attribute(trace, *to, progress));
    std::vector<SegmentSource> sources =
        segmentSources(trace, window.range, phases.stepMarkers, progress);
    Tally tally(trace, phases, by, result.attribution.get(), sources, window.range.begin);
    Durations durations;
    collect(trace, window.range, StepMarkers(phases.stepMarkers), tally.groups, durations,
            progress);
    sweep(sources, tally, progress);
    result.rows = std::move(tally.groups.rows);
    durations.byGroup.resize(result.rows.size());
    for (size_t i = 0; i < result.rows.size(); ++i) {
        result.rows[i].sum = result.rows[i].self;
        describe(result.rows[i], durations.byGroup[i], progress);
    }
    result.total = totalOf(result, tally, durations, progress);
    result.communication = communicationOf(tally);
    std::sort(result.rows.begin(), result.rows.end(), [](const StatRow &a, const StatRow &b) {
        return std::tie(b.sum, a.key, a.index) < std::tie(a.sum, b.key, b.index);
    });
    return result;
}

} // namespace

Result<Statistics> statistics(const Trace &trace, const Phases &phases, const Window &window,
                              GroupBy by, Progress &progress) {
    try {
        return count(trace, phases, window, by, progress);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
