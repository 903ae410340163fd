// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_facts.h"

#include "core/analysis/queue_depth.h"
#include "core/base/parallel.h"
#include "ui/theme.h"

#include <algorithm>
#include <utility>

namespace longpole {

LaneColours laneColours(const Phases &phases, ColourBy by) {
    LaneColours result;
    result.by = phases.named ? by : ColourBy::Kind;
    SlotGroups &groups = result.groups;
    if (result.by == ColourBy::Phase) {
        groups.groups = std::min(uint32_t(phases.rules.rules.size()), SlotGroups::kMaxGroups);
        for (uint32_t i = 0; i < 256; ++i)
            groups.groupOf[i] = uint8_t(std::min(i, groups.groups - 1));
        for (uint32_t g = 0; g < groups.groups; ++g) result.firstSlot.push_back(uint8_t(g));
        return result;
    }
    // kinds that share a colour share a group, in whatever theme
    const Theme &colours = themeById(QStringLiteral("light"));
    std::vector<QColor> seen;
    for (int k = 0; k < kKindCount; ++k) {
        const QColor colour = colours.kindColour(Kind(k));
        const auto it = std::find(seen.begin(), seen.end(), colour);
        groups.groupOf[k] = uint8_t(it - seen.begin());
        if (it != seen.end()) continue;
        seen.push_back(colour);
        result.firstSlot.push_back(uint8_t(k));
    }
    groups.groups = uint32_t(seen.size());
    return result;
}

LaneSource sourceOfTrack(const Loaded &loaded, ColourBy by, uint32_t track, uint32_t lane) {
    const Track &t = loaded.trace->tracks[track];
    const TrackTable &table = *t.table;
    const uint32_t from = table.laneBegin[lane], to = table.laneBegin[lane + 1];
    static_assert(sizeof(Kind) == 1);
    const uint8_t *slotOf = by == ColourBy::Phase
                                ? loaded.phases.byTrack[track].data()
                                : reinterpret_cast<const uint8_t *>(table.kind.data());
    return {table.start.data() + from, table.duration.data() + from, slotOf + from, to - from,
            t.offset};
}

LaneSource sourceOfTransfers(const TransferRow &row, ColourBy by, uint32_t lane) {
    const uint32_t from = row.laneBegin[lane], to = row.laneBegin[lane + 1];
    const auto &slotOf = by == ColourBy::Phase ? row.phase : row.kind;
    return {row.start.data() + from, row.duration.data() + from, slotOf.data() + from, to - from,
            0};
}

std::shared_ptr<const TimelineFacts> timelineFacts(const Loaded &loaded, const Progress &progress) {
    auto facts = std::make_shared<TimelineFacts>();
    const Trace &trace = *loaded.trace;
    facts->transfers = gatherTransfers(trace, loaded.phases);
    facts->tracks = trackFacts(trace);
    if (!progress.stopped()) facts->queueDepths = queueDepths(trace);
    facts->groups = trackGroups(loaded, facts->tracks, facts->transfers, facts->queueDepths);
    facts->instants.resize(trace.tracks.size());
    for (uint32_t i = 0; i < trace.instants.size(); ++i)
        facts->instants[trace.instants[i].track].push_back(i);
    for (const auto *all : {&trace.counters, &std::as_const(facts->queueDepths)})
        for (const CounterSeries &series : *all) facts->counters.emplace_back(series);

    facts->colours = laneColours(loaded.phases, ColourBy::Phase);
    const auto &[by, groups, firstSlot] = facts->colours;
    facts->trackSummaries.resize(trace.tracks.size());
    parallelFor(trace.tracks.size(), workerCount(), [&, by = by, &groups = groups](size_t t) {
        for (uint32_t l = 0; l < trace.tracks[t].table->lanes() && !progress.stopped(); ++l)
            facts->trackSummaries[t].emplace_back(sourceOfTrack(loaded, by, uint32_t(t), l), groups);
    });
    for (const TransferRow &row : facts->transfers) {
        auto &lanes = facts->transferSummaries.emplace_back();
        for (uint32_t l = 0; l + 1 < row.laneBegin.size(); ++l)
            lanes.emplace_back(sourceOfTransfers(row, by, l), groups);
    }
    return facts;
}

size_t TimelineFacts::summaryBytes() const {
    size_t sum = 0;
    for (const auto *all : {&trackSummaries, &transferSummaries})
        for (const auto &lanes : *all)
            for (const LaneSummary &lane : lanes) sum += lane.bytes();
    return sum;
}

} // namespace longpole
