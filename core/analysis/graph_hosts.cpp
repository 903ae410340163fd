// SPDX-License-Identifier: Apache-2.0
// E1: the order of work on host threads. Each instant belongs to the innermost open range (R0);
// time that only a step marker covers, or nothing, is the thread running without an event.
#include "core/analysis/graph_draft.h"
#include "core/analysis/step_markers.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace longpole {

namespace {

struct Piece {
    TimeNs begin, end;
    uint32_t row; ///< kNone: no event
};

/// Cuts a thread from its first begin to its last end into pieces without holes.
GrowArray<Piece> flatten(const Track &track, StepMarkers &markers, const Progress &progress) {
    const TrackTable &table = *track.table;
    markers.use(table);
    std::vector<uint32_t> order;
    growTo(order, table.size(), progress);
    std::iota(order.begin(), order.end(), 0u); // a point cuts too
    sortLooking(
        order,
        [&](uint32_t a, uint32_t b) {
            return std::tuple(table.start[a], table.depth[a], a) <
                   std::tuple(table.start[b], table.depth[b], b);
        },
        progress);
    GrowArray<Piece> pieces;
    std::vector<uint32_t> open;
    TimeNs at = order.empty() ? 0 : track.begin(order.front());
    const auto cutTo = [&](TimeNs end) {
        while (at < end) {
            progress.look(pieces.size());
            while (!open.empty() && track.end(open.back()) <= at) open.pop_back();
            const TimeNs until = open.empty() ? end : std::min(end, track.end(open.back()));
            const bool owned = !open.empty() && !markers.has(open.back());
            pieces.push_back({at, until, owned ? open.back() : kNone});
            at = until;
        }
    };
    TimeNs last = at;
    for (const uint32_t row : order) {
        cutTo(track.begin(row));
        open.push_back(row);
        last = std::max(last, track.end(row));
    }
    cutTo(last);
    return pieces;
}

} // namespace

void GraphDraft::cutThread(uint32_t track, const std::vector<TimeNs> &at) {
    const HostLine old = std::move(hosts[track]);
    HostLine &line = hosts[track];
    line = {};
    line.nodes.reserve(old.nodes.size() + at.size());
    line.edges.reserve(old.edges.size() + at.size());
    line.rows.reserve(old.rows.size() + at.size());
    line.nodes.push_back(old.nodes.front());
    auto next = at.begin();
    for (size_t i = 0; i < old.edges.size(); ++i) {
        progress.look(i);
        const TimeNs end = times[old.nodes[i + 1]];
        uint32_t edge = old.edges[i];
        const uint32_t last = old.nodes[i + 1];
        for (; next != at.end() && *next < end; ++next) {
            const TimeNs begin = times[line.nodes.back()];
            if (*next <= begin) continue;
            const uint32_t node = addNode(*next, track);
            edges[edge].to = node;
            edges[edge].weight = *next - begin;
            Edge rest = edges[edge];
            rest.from = node;
            rest.to = last;
            rest.weight = end - *next;
            line.edges.push_back(edge);
            line.rows.push_back(old.rows[i]);
            line.nodes.push_back(node);
            edge = uint32_t(edges.size());
            edges.push_back(rest);
        }
        line.edges.push_back(edge);
        line.rows.push_back(old.rows[i]);
        line.nodes.push_back(last);
    }
}

void addHosts(GraphDraft &draft) {
    StepMarkers markers(draft.steps.markers);
    for (uint32_t t = 0; t < draft.trace.tracks.size(); ++t) {
        const Track &track = draft.trace.tracks[t];
        if (track.kind != TrackKind::Thread) continue;
        const GrowArray<Piece> pieces = flatten(track, markers, draft.progress);
        if (pieces.empty()) continue;
        HostLine &line = draft.hosts[t];
        line.nodes.reserve(pieces.size() + 1);
        line.edges.reserve(pieces.size());
        line.rows.reserve(pieces.size());
        line.nodes.push_back(draft.addNode(pieces[0].begin, t));
        for (const Piece &piece : pieces) {
            const uint32_t node = draft.addNode(piece.end, t);
            line.edges.push_back(
                draft.addActivity(line.nodes.back(), node, {t, piece.row}, EdgeType::Program));
            line.rows.push_back(piece.row);
            line.nodes.push_back(node);
        }
    }
}

} // namespace longpole
