// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/replayed_graph.h"

#include "core/base/looking.h"

namespace longpole {

DependencyGraph replayedGraph(const DependencyGraph &graph, const Scaling &scaling,
                              const std::vector<TimeNs> &times, TimeNs shift,
                              const Progress &progress) {
    DependencyGraph result = graph;
    progress.look();
    result.weight = scaledWeights(graph, scaling, progress);
    for (uint32_t v = 0; v < result.nodes(); ++v) {
        progress.look(v);
        result.time[v] = times[v] + shift;
    }
    for (size_t e = 0; e < result.source.size(); ++e) {
        progress.look(e);
        if (result.activity[e] == kNone) continue;
        Activity &activity = result.activities[result.activity[e]];
        activity.begin = result.time[result.source[e]];
        activity.length = std::max<TimeNs>(0, result.weight[e]);
    }
    // what lies beside the path inside a wait may end up behind its end
    for (DependencyGraph::TrackNodes &track : result.byTrack)
        stableSortLooking(
            track.nodes, [&](uint32_t a, uint32_t b) { return result.time[a] < result.time[b]; },
            progress);
    return result;
}

} // namespace longpole
