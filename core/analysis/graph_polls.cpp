// SPDX-License-Identifier: Apache-2.0
// Threads that ask again and again whether device work has ended: three queries in a row are a
// wait.
#include "core/analysis/graph_draft.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr size_t kSpin = 3;

/// The query calls of a thread by begin, cut into runs with nothing else of the API between them.
std::vector<std::vector<uint32_t>> spinsOf(const Track &track, const Progress &progress) {
    const TrackTable &table = *track.table;
    std::vector<uint32_t> calls;
    for (uint32_t row = 0; row < table.size(); ++row) {
        progress.look(row);
        const Kind kind = table.kind[row];
        if (kind == Kind::Runtime || kind == Kind::Launch || kind == Kind::Sync ||
            kind == Kind::EventRecord || kind == Kind::EventWait)
            calls.push_back(row);
    }
    sortLooking(
        calls, [&](uint32_t a, uint32_t b) { return table.start[a] < table.start[b]; }, progress);
    std::vector<std::vector<uint32_t>> spins(1);
    size_t count = 0;
    for (const uint32_t row : calls) {
        progress.look(count++);
        const bool query = track.nameOf(row).find("Query") != std::string_view::npos;
        if (query)
            spins.back().push_back(row);
        else if (!spins.back().empty())
            spins.emplace_back();
    }
    std::erase_if(spins, [](const auto &spin) { return spin.size() < kSpin; });
    return spins;
}

/// End node of the last operation enqueued before the spin that ended between two of its queries.
uint32_t awaited(const GraphDraft &draft, uint32_t owner, EnqueueKey spinBegin, TimeNs after,
                 TimeNs until) {
    uint32_t best = kNone;
    TimeNs bestEnd = after;
    for (uint32_t s = 0; s < draft.streams.size(); ++s) {
        const size_t count = draft.enqueuedBefore(s, spinBegin);
        if (count == 0 || draft.ownerOfTrack(s) != owner) continue;
        const uint32_t row = draft.streams[s].rows[count - 1];
        const TimeNs end = draft.trace.tracks[s].end(row);
        if (end <= bestEnd || end > until) continue;
        best = draft.ops[s][row].end;
        bestEnd = end;
    }
    return best;
}

} // namespace

void addPolls(GraphDraft &draft) {
    for (uint32_t t = 0; t < draft.trace.tracks.size(); ++t) {
        const Track &track = draft.trace.tracks[t];
        if (track.kind != TrackKind::Thread || draft.hosts[t].empty()) continue;
        for (const std::vector<uint32_t> &spin : spinsOf(track, draft.progress)) {
            // a run may hold several waits one behind the other
            size_t first = 0;
            for (size_t i = 1; i < spin.size(); ++i) {
                const TimeNs begin = track.begin(spin[first]), resumes = track.begin(spin[i]);
                const uint32_t op =
                    awaited(draft, draft.ownerOfTrack(t), draft.keyOf({t, spin[first]}),
                            track.begin(spin[i - 1]), resumes);
                if (op == kNone) continue;
                if (i - first + 1 >= kSpin) {
                    draft.makeWait(t, begin, resumes, 0);
                    draft.addLag(op, draft.nodeFrom(t, resumes), 0, EdgeType::Sync,
                                 Evidence::Inferred);
                }
                first = i;
            }
        }
    }
}

} // namespace longpole
