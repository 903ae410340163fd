// SPDX-License-Identifier: Apache-2.0
// E9: arrows that the program itself recorded (flow events). Each end is a node at its own time;
// the range it lies in is split there, and both parts scale with it (analysis.md §1.5).
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace longpole {

namespace {

/// A point in time on a track that an arrow needs as a node.
struct Place {
    uint32_t track = kNone;
    TimeNs time = 0;
    friend auto operator<=>(const Place &, const Place &) = default;
};

struct Arrow {
    Place from, to;
};

/// Rows of a stream ordered by begin; its line was made in that order.
size_t firstOpFrom(const GraphDraft &draft, Place place) {
    const auto &rows = draft.streams[place.track].rows;
    const Track &track = draft.trace.tracks[place.track];
    return size_t(std::lower_bound(rows.begin(), rows.end(), place.time,
                                   [&](uint32_t row, TimeNs t) { return track.begin(row) < t; }) -
                  rows.begin());
}

/// Where an arrow without bp:"e" ends: at the next range that begins.
Place nextBegin(const GraphDraft &draft, Place place) {
    const Track &track = draft.trace.tracks[place.track];
    if (track.kind == TrackKind::Stream) {
        const auto &rows = draft.streams[place.track].rows;
        const size_t i = firstOpFrom(draft, place);
        return i < rows.size() ? Place{place.track, track.begin(rows[i])} : place;
    }
    TimeNs next = std::numeric_limits<TimeNs>::max();
    for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) {
        uint32_t row = track.table->firstAfter(lane, place.time - track.offset);
        while (row < track.table->laneBegin[lane + 1] && track.begin(row) < place.time) ++row;
        if (row < track.table->laneBegin[lane + 1]) next = std::min(next, track.begin(row));
    }
    return next == std::numeric_limits<TimeNs>::max() ? place : Place{place.track, next};
}

std::vector<Arrow> arrowsOf(const GraphDraft &draft) {
    const Trace &trace = draft.trace;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<const FlowPoint *>> flows;
    size_t count = 0;
    for (const FlowPoint &point : trace.flows) {
        if (++count % 4096 == 0) draft.progress.look();
        flows[{point.file, point.category.index, point.id.index}].push_back(&point);
    }
    std::vector<Arrow> arrows;
    for (auto &[key, points] : flows) {
        if (++count % 4096 == 0) draft.progress.look();
        std::stable_sort(points.begin(), points.end(), [](const FlowPoint *a, const FlowPoint *b) {
            return std::pair(a->time, a->phase != 's') < std::pair(b->time, b->phase != 's');
        });
        const FlowPoint *from = nullptr;
        for (const FlowPoint *point : points) {
            if (from && point->phase != 's') {
                const Place to{point->track, point->time};
                arrows.push_back(
                    {{from->track, from->time}, point->bindEnclosing ? to : nextBegin(draft, to)});
            }
            from = point->phase == 'f' ? nullptr : point;
        }
    }
    return arrows;
}

/// Node of a device operation at a time: the one that begins there wins, then the one that ends
/// there; inside one, the operation is split.
class OpPlaces {
public:
    explicit OpPlaces(GraphDraft &draft) : m_draft(draft) {
        for (uint32_t e = 0; e < draft.edges.size(); ++e) {
            if (e % 4096 == 0) draft.progress.look();
            const auto &edge = draft.edges[e];
            if (edge.activity != kNone &&
                draft.trace.tracks[draft.tracks[edge.to]].kind == TrackKind::Stream)
                m_edgeByBegin[edge.from] = e;
        }
    }

    uint32_t node(Place place) {
        const Track &track = m_draft.trace.tracks[place.track];
        const auto &rows = m_draft.streams[place.track].rows;
        const size_t i = firstOpFrom(m_draft, place);
        if (i < rows.size() && track.begin(rows[i]) == place.time) return ops(place, rows[i]).begin;
        if (i == 0) return kNone;
        const uint32_t row = rows[i - 1];
        const TimeNs end = track.end(row);
        if (end <= place.time) return ops(place, row).end;
        const auto known = m_split.find(place);
        if (known != m_split.end()) return known->second;
        return m_split[place] = split(place, ops(place, row));
    }

private:
    const DependencyGraph::OpNodes &ops(Place place, uint32_t row) const {
        return m_draft.ops[place.track][row];
    }
    /// Splits of one operation come in ascending order, so the last part is the one to cut.
    uint32_t split(Place place, const DependencyGraph::OpNodes &op) {
        const uint32_t node = m_draft.addNode(place.time, place.track);
        uint32_t &last = m_edgeByBegin[op.begin];
        GraphDraft::Edge rest = m_draft.edges[last];
        m_draft.edges[last].to = node;
        m_draft.edges[last].weight = place.time - m_draft.times[rest.from];
        rest.from = node;
        rest.weight = m_draft.times[rest.to] - place.time;
        last = uint32_t(m_draft.edges.size());
        m_draft.edges.push_back(rest);
        return node;
    }

    GraphDraft &m_draft;
    std::map<uint32_t, uint32_t> m_edgeByBegin; ///< begin node of an operation → its last part
    std::map<Place, uint32_t> m_split;
};

/// A hole of a thread that an arrow ends was a wait for where the arrow comes from (§2.9).
void endOfWait(GraphDraft &draft, const Arrow &arrow, uint32_t node) {
    const HostLine &line = draft.hosts[arrow.to.track];
    const size_t at = draft.nodeIndexFrom(arrow.to.track, draft.times[node]);
    if (at == 0 || at >= line.nodes.size() || line.rows[at - 1] != kNone) return;
    const TimeNs begin = draft.times[line.nodes[at - 1]];
    if (arrow.from.time >= begin) draft.makeWait(arrow.to.track, begin, draft.times[node], 0);
}

} // namespace

void addFlows(GraphDraft &draft) {
    if (draft.trace.flows.empty()) return;
    const std::vector<Arrow> arrows = arrowsOf(draft);
    std::vector<Place> places;
    for (const Arrow &arrow : arrows) {
        places.push_back(arrow.from);
        places.push_back(arrow.to);
    }
    sortLooking(places, std::less<>(), draft.progress);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::map<Place, uint32_t> nodes;
    OpPlaces opPlaces(draft);
    for (size_t i = 0; i < places.size();) {
        const uint32_t track = places[i].track;
        size_t to = i;
        std::vector<TimeNs> times;
        for (; to < places.size() && places[to].track == track; ++to)
            times.push_back(places[to].time);
        if (draft.trace.tracks[track].kind == TrackKind::Stream)
            for (size_t k = i; k < to; ++k) {
                if (k % 4096 == 0) draft.progress.look();
                nodes[places[k]] = opPlaces.node(places[k]);
            }
        else if (!draft.hosts[track].empty()) {
            draft.cutThread(track, times);
            for (size_t k = i; k < to; ++k) {
                const uint32_t at = draft.nodeFrom(track, places[k].time);
                nodes[places[k]] = at != kNone ? at : draft.nodeUntil(track, places[k].time);
            }
        }
        i = to;
    }
    for (const Arrow &arrow : arrows) {
        const auto from = nodes.find(arrow.from), to = nodes.find(arrow.to);
        if (from == nodes.end() || to == nodes.end() || from->second == kNone ||
            to->second == kNone)
            continue;
        draft.addLag(from->second, to->second, 0, EdgeType::Handoff, Evidence::Recorded);
        if (!draft.hosts[arrow.to.track].empty()) endOfWait(draft, arrow, to->second);
    }
}

} // namespace longpole
