// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/tally.h"

#include "core/base/parallel.h"

namespace longpole {

namespace {

DeviceKey deviceOf(const Trace &trace, const Track &track) {
    return {trace.processes[track.process].file, track.device.value_or(0)};
}

} // namespace

Tally::Tally(const Keys &keys, const std::vector<SweepLane> &lanes)
    : m_keys(keys), m_sources(lanes.empty() ? 0 : lanes.back().source + 1),
      m_dataWait(keys.phases.rules.find("data_wait")),
      m_sync(keys.phases.rules.find("synchronisation")),
      m_logging(keys.phases.rules.find("logging")) {
    m_active.assign(size_t(Turn::Logging) + 1, LeastOf(uint32_t(m_sources.size())));
    for (const SweepLane &lane : lanes) {
        const Track &track = keys.trace.tracks[lane.track];
        Exposure *exposure = nullptr;
        if (track.kind == TrackKind::Stream)
            exposure = &exposures[deviceOf(keys.trace, track)]; // which stays where it is
        const StringPool *pool = keys.by == GroupBy::Name ? &*track.table->strings : nullptr;
        std::vector<uint32_t> &groupOf = m_groupOf[pool];
        if (groupOf.empty()) groupOf.resize(keys.count(*track.table), kNone);
        m_lanes.push_back({lane.track, lane.source, exposure, pool, groupOf.data()});
    }
}

Tally::Note Tally::meet(uint32_t l, uint32_t row, bool first) {
    const Lane &lane = m_lanes[l];
    const uint32_t key = m_keys.of(lane.track, row);
    uint32_t &group = lane.groupOf[key];
    if (group == kNone) {
        group = uint32_t(groups.size());
        groups.push_back({lane.pool, key});
        lengths.emplace_back();
    }
    const Track &track = m_keys.trace.tracks[lane.track];
    if (first) lengths[group].add(m_window.clipped({track.begin(row), track.end(row)}).length());
    const Kind kind = track.table->kind[row];
    return {group, turnOf(lane, row, kind), kind};
}

void Tally::begin(uint32_t l, uint32_t row, Note note, TimeNs now) {
    const Lane &lane = m_lanes[l];
    if (lane.exposure) {
        lane.exposure->change(now, note.kind, 1);
        enter(lane.source, note, now);
        return;
    }
    const Track &track = m_keys.trace.tracks[lane.track];
    std::vector<Open> &open = m_sources[lane.source].open;
    const Open range{track.begin(row), track.end(row), track.table->depth[row], row, note};
    auto at = open.end();
    while (at != open.begin() && range.comesBefore(*std::prev(at))) --at;
    const bool deepest = at == open.end();
    open.insert(at, range);
    if (!deepest) return;
    if (open.size() > 1) leave(lane.source, now);
    enter(lane.source, note, now);
}

void Tally::end(uint32_t l, uint32_t row, Note note, TimeNs now) {
    const Lane &lane = m_lanes[l];
    if (lane.exposure) {
        const TimeNs length = leave(lane.source, now);
        groups[note.group].device += length;
        lane.exposure->change(now, note.kind, uint32_t(-1));
        if (note.kind == Kind::Comm) lane.exposure->sum += length;
        return;
    }
    std::vector<Open> &open = m_sources[lane.source].open;
    if (open.empty() || open.back().row != row) return; // gone, or until later ones are
    leave(lane.source, now);
    while (!open.empty() && open.back().end <= now) open.pop_back();
    if (!open.empty()) enter(lane.source, open.back().note, now);
}

void Tally::count(Sweep<Tally> &sweep, TimeRange window, TimeRange range) {
    m_window = window;
    sweep.run(range, range.begin == window.begin);
    for (uint32_t l = 0; l < m_lanes.size(); ++l) {
        const Source &source = m_sources[m_lanes[l].source];
        if (!source.atWork) continue;
        if (m_lanes[l].exposure)
            end(l, kNone, source.note, range.end);
        else
            leave(m_lanes[l].source, range.end);
    }
}

void Tally::enter(uint32_t s, Note note, TimeNs now) {
    Source &source = m_sources[s];
    source.note = note;
    source.since = now;
    source.atWork = true;
    Group &group = groups[note.group];
    if (group.open++ == 0) group.since = now;
    m_active[size_t(note.turn)].insert(s);
    m_present |= 1u << unsigned(note.turn);
    if (m_owner != kNone &&
        std::pair(m_sources[m_owner].note.turn, m_owner) < std::pair(note.turn, s))
        return;
    credit(now);
    m_owner = s;
}

TimeNs Tally::leave(uint32_t s, TimeNs now) {
    Source &source = m_sources[s];
    source.atWork = false;
    Group &group = groups[source.note.group];
    const TimeNs length = now - source.since;
    group.self += length;
    if (--group.open == 0) group.unionTime += now - group.since;
    LeastOf &active = m_active[size_t(source.note.turn)];
    active.erase(s);
    if (active.empty()) m_present &= ~(1u << unsigned(source.note.turn));
    if (s == m_owner) {
        credit(now);
        m_owner = m_present ? m_active[size_t(std::countr_zero(m_present))].least() : kNone;
    }
    return length;
}

void Tally::credit(TimeNs now) {
    if (m_owner != kNone) {
        groups[m_sources[m_owner].note.group].exclusive += now - m_ownerSince;
        unionTime += now - m_ownerSince;
    }
    m_ownerSince = now;
}

Turn Tally::turnOf(const Lane &lane, uint32_t row, Kind kind) const {
    if (lane.exposure) {
        if (kind == Kind::Comm) return Turn::Exposed;
        return kind == Kind::Memset || isCopyKind(kind) ? Turn::Copies : Turn::Compute;
    }
    const uint8_t phase = m_keys.phases.byTrack[lane.track][row];
    if (m_dataWait && phase == *m_dataWait) return Turn::DataWait;
    if (kind == Kind::Sync || (m_sync && phase == *m_sync)) return Turn::SyncWait;
    return m_logging && phase == *m_logging ? Turn::Logging : Turn::HostWork;
}
/// One tally for each thread, over ranges of the window with about as much work each.
std::vector<std::unique_ptr<Tally>> tallies(const Keys &keys, TimeRange window,
                                            const Progress &progress, unsigned threads) {
    constexpr uint64_t kWorth = 200'000; ///< intervals for a thread
    const std::vector<SweepLane> lanes = sweepLanes(keys.trace);
    const std::vector<TimeRange> ranges =
        evenRanges(keys.trace, lanes, window,
                   size_t(std::clamp<uint64_t>(keys.trace.intervalCount() / kWorth, 1, threads)));
    std::vector<std::unique_ptr<Tally>> parts(ranges.size());
    parallelFor(ranges.size(), threads, [&](size_t i) {
        try {
            parts[i] = std::make_unique<Tally>(keys, lanes);
            Sweep sweep(keys.trace, lanes, keys.phases.stepMarkers, *parts[i], progress);
            parts[i]->count(sweep, window, ranges[i]);
        } catch (const Stopped &) {
            parts[i] = nullptr;
        }
    });
    for (const auto &part : parts)
        if (!part) throw Stopped{};
    return parts;
}

} // namespace longpole
