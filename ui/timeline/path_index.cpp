// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/path_index.h"

#include <algorithm>
#include <unordered_set>

namespace longpole {

namespace {

bool isWork(const PathSegment &segment) {
    return segment.type == PathSegment::Type::Activity ||
           segment.type == PathSegment::Type::Untraced;
}

bool isStreamWithLanes(const Track &track) {
    return track.kind == TrackKind::Stream && track.table->lanes() > 1;
}

} // namespace

TimelineData::Lane PathIndex::lane(const std::vector<GatheredLane> &all, uint32_t index) {
    static const GatheredLane empty;
    return index < all.size() ? all[index].lane() : empty.lane();
}

PathIndex::PathIndex(std::shared_ptr<const WindowPath> path, const TimelineData &data, ColourBy by,
                     const SlotGroups &colours)
    : m_path(std::move(path)), m_colourBy(by), m_slots(colours), m_work(data.trace().tracks.size()),
      m_waits(data.trace().tracks.size()) {
    m_groups = GatheredLane::identity(std::min(colours.groups, SlotGroups::kMaxGroups - 2) + 2);
    for (const Track &track : data.trace().tracks) m_split.push_back(isStreamWithLanes(track));
    uint32_t last = kNone;
    for (size_t i = 0; i < segments().size(); ++i) {
        const PathSegment &segment = segments()[i];
        m_strip.add(segment.begin, segment.end, groupOf(segment, data));
        uint32_t track = segment.track;
        if (segment.type == PathSegment::Type::Activity) track = segment.interval.track;
        // a lag is drawn where it begins: the hand-over stands beside the begin it causes
        if (last != kNone && (segment.type == PathSegment::Type::Lag || track == kNone))
            track = last;
        if (track == kNone) continue;
        if (last != kNone && track != last) m_handOvers.push_back(handOver(i, last, track));
        last = track;
        add(segment, track, data);
    }
    m_strip.finish(m_groups);
    for (auto *all : {&m_work, &m_waits})
        for (GatheredLane &columns : *all) columns.finish(m_groups);
    for (auto &entry : m_lanes) entry.second.finish(m_groups);
    addTransfers(data);
}

void PathIndex::add(const PathSegment &segment, uint32_t track, const TimelineData &data) {
    if (segment.end == segment.begin) return;
    const uint8_t group = groupOf(segment, data);
    (isWork(segment) ? m_work : m_waits)[track].add(segment.begin, segment.end, group);
    if (segment.type != PathSegment::Type::Activity || segment.interval.row == kNone) return;
    if (!m_split[track]) return;
    const TrackTable &table = *data.trace().tracks[track].table;
    m_lanes[{track, table.laneOf(segment.interval.row)}].add(segment.begin, segment.end, group);
}

void PathIndex::addTransfers(const TimelineData &data) {
    std::unordered_set<uint64_t> onPath;
    const auto key = [](IntervalId id) { return uint64_t(id.track) << 32 | id.row; };
    for (const PathSegment &segment : segments())
        if (segment.type == PathSegment::Type::Activity && segment.interval.row != kNone &&
            isCopyKind(data.trace().kind(segment.interval)))
            onPath.insert(key(segment.interval));
    for (const TransferRow &row : data.transfers()) {
        auto &lanes = m_transfers.emplace_back(row.laneBegin.size() - 1);
        for (size_t lane = 0; lane < lanes.size(); ++lane) {
            for (uint32_t i = row.laneBegin[lane]; i < row.laneBegin[lane + 1]; ++i) {
                if (onPath.count(key(row.ids[i])) == 0) continue;
                lanes[lane].add(std::max(row.start[i], window().begin),
                                std::min(row.start[i] + row.duration[i], window().end),
                                groupOf(row.ids[i], data));
            }
            lanes[lane].finish(m_groups);
        }
    }
}

uint8_t PathIndex::groupOf(const PathSegment &segment, const TimelineData &data) const {
    if (segment.type == PathSegment::Type::Untraced) return untraced();
    if (segment.type == PathSegment::Type::Unexplained) return unexplained();
    if (m_colourBy == ColourBy::Kind && segment.interval.valid() && segment.interval.row != kNone)
        return groupOf(segment.interval, data);
    const uint8_t slot = m_colourBy == ColourBy::Kind ? uint8_t(Kind::Untraced) : segment.phase;
    return std::min(m_slots.groupOf[slot], uint8_t(untraced() - 1));
}

uint8_t PathIndex::groupOf(IntervalId id, const TimelineData &data) const {
    const uint8_t slot =
        m_colourBy == ColourBy::Kind ? uint8_t(data.trace().kind(id)) : data.loaded().phases.of(id);
    return std::min(m_slots.groupOf[slot], uint8_t(untraced() - 1));
}

HandOver PathIndex::handOver(size_t index, uint32_t from, uint32_t to) const {
    const PathSegment &segment = segments()[index];
    HandOver result{segment.begin, from, to, segment.edge, segment.evidence};
    if (segments()[index - 1].type == PathSegment::Type::Lag) {
        result.type = segments()[index - 1].edge;
        result.evidence = segments()[index - 1].evidence;
        return result;
    }
    if (segment.type == PathSegment::Type::Unexplained) return result;
    // An edge without length leaves no segment: ask the graph for it.
    const DependencyGraph &graph = *m_path->graph;
    const auto &nodes = graph.byTrack[to].nodes;
    auto it = std::upper_bound(nodes.begin(), nodes.end(), segment.begin,
                               [&](TimeNs t, uint32_t node) { return t < graph.time[node]; });
    while (it != nodes.begin() && graph.time[*--it] == segment.begin) {
        const uint32_t edge = tightEdge(graph, *it);
        if (edge == kNone || graph.track[graph.source[edge]] != from) continue;
        result.type = graph.type[edge];
        result.evidence = graph.evidence[edge];
        break;
    }
    return result;
}

TimelineData::Lane PathIndex::workOfLane(uint32_t track, uint32_t lane) const {
    if (track < m_split.size() && !m_split[track]) return work(track);
    const auto it = m_lanes.find({track, lane});
    return it == m_lanes.end() ? work(kNone) : it->second.lane();
}

TimelineData::Lane PathIndex::workOfTransfers(uint32_t row, uint32_t lane) const {
    return row < m_transfers.size() ? PathIndex::lane(m_transfers[row], lane) : work(kNone);
}

bool PathIndex::touches(uint32_t track) const {
    return track < m_work.size() && !(m_work[track].empty() && m_waits[track].empty());
}

uint32_t PathIndex::segmentAt(TimeNs time) const {
    const auto &all = segments();
    auto it = std::upper_bound(all.begin(), all.end(), time,
                               [](TimeNs t, const PathSegment &s) { return t < s.begin; });
    return it == all.begin() ? 0 : uint32_t(it - all.begin()) - 1;
}

QString edgeLabel(EdgeType type) {
    switch (type) {
    case EdgeType::Program:
        return QStringLiteral("program order");
    case EdgeType::Stream:
        return QStringLiteral("stream order");
    case EdgeType::Event:
        return QStringLiteral("event wait");
    case EdgeType::Handoff:
        return QStringLiteral("hand-off");
    case EdgeType::BackPressure:
        return QStringLiteral("full queue");
    default: {
        const std::string_view name = edgeTypeName(type);
        return QString::fromUtf8(name.data(), qsizetype(name.size()));
    }
    }
}

} // namespace longpole
