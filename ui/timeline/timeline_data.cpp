// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_data.h"

#include "ui/theme.h"

#include <algorithm>

namespace longpole {

TimelineData::TimelineData(std::shared_ptr<const Loaded> loaded)
    : m_loaded(std::move(loaded)), m_transfers(gatherTransfers(trace(), m_loaded->phases)),
      m_facts(trackFacts(trace())), m_groups(trackGroups(*m_loaded, m_facts, m_transfers)),
      m_instants(trace().tracks.size()),
      m_colourBy(m_loaded->phases.named ? ColourBy::Phase : ColourBy::Kind) {
    for (uint32_t i = 0; i < trace().instants.size(); ++i)
        m_instants[trace().instants[i].track].push_back(i);
    rebuildSlots();
}

std::shared_ptr<TimelineData> TimelineData::of(const std::shared_ptr<const Loaded> &loaded) {
    static std::weak_ptr<TimelineData> last; // views live on the GUI thread
    std::shared_ptr<TimelineData> data = last.lock();
    if (data && data->m_loaded == loaded) return data;
    data = std::make_shared<TimelineData>(loaded);
    last = data;
    return data;
}

uint32_t TimelineData::describedBy(uint32_t track) const {
    const auto &tracks = trace().tracks;
    const Track &note = tracks[track];
    if (note.kind != TrackKind::Annotation || !note.device || !note.stream) return kNone;
    const auto stream = std::find_if(tracks.begin(), tracks.end(), [&](const Track &t) {
        return t.kind == TrackKind::Stream && t.device == note.device && t.stream == note.stream &&
               trace().processes[t.process].file == trace().processes[note.process].file;
    });
    return stream == tracks.end() ? kNone : uint32_t(stream - tracks.begin());
}

void TimelineData::setColourBy(ColourBy by) {
    if (!m_loaded->phases.named) by = ColourBy::Kind;
    if (by == m_colourBy) return;
    m_colourBy = by;
    rebuildSlots();
}

void TimelineData::rebuildSlots() {
    const auto &rules = m_loaded->phases.rules.rules;
    m_slots = {};
    m_firstSlot.clear();
    if (m_colourBy == ColourBy::Phase) {
        m_slots.groups = std::min(uint32_t(rules.size()), SlotGroups::kMaxGroups);
        for (uint32_t i = 0; i < 256; ++i)
            m_slots.groupOf[i] = uint8_t(std::min(i, m_slots.groups - 1));
        for (uint32_t g = 0; g < m_slots.groups; ++g) m_firstSlot.push_back(uint8_t(g));
    } else { // kinds that share a colour share a group, in whatever theme
        const Theme &colours = themeById(QStringLiteral("light"));
        std::vector<QColor> seen;
        for (int k = 0; k < kKindCount; ++k) {
            const QColor colour = colours.kindColour(Kind(k));
            const auto it = std::find(seen.begin(), seen.end(), colour);
            m_slots.groupOf[k] = uint8_t(it - seen.begin());
            if (it != seen.end()) continue;
            seen.push_back(colour);
            m_firstSlot.push_back(uint8_t(k));
        }
        m_slots.groups = uint32_t(seen.size());
    }
    m_trackSummaries.assign(trace().tracks.size(), {});
    m_transferSummaries.assign(m_transfers.size(), {});
}

uint8_t TimelineData::slotOf(IntervalId id) const {
    return m_colourBy == ColourBy::Phase ? m_loaded->phases.of(id) : uint8_t(trace().kind(id));
}

uint8_t TimelineData::groupOf(IntervalId id) const {
    return m_slots.groupOf[slotOf(id)];
}

std::vector<QColor> TimelineData::groupColours() const {
    const Theme &colours = theme();
    std::vector<QColor> result;
    for (uint8_t slot : m_firstSlot) {
        if (m_colourBy == ColourBy::Kind) {
            result.push_back(colours.kindColour(Kind(slot)));
            continue;
        }
        const PhaseRule &rule = m_loaded->phases.rules.rules[slot];
        const QColor own(QString::fromStdString(rule.colour));
        result.push_back(own.isValid() ? own : colours.phaseColour(rule.id));
    }
    return result;
}

QString TimelineData::slotName(uint8_t slot) const {
    if (m_colourBy == ColourBy::Phase)
        return QString::fromStdString(m_loaded->phases.rules.rules[slot].label);
    const std::string_view name = kindName(Kind(slot));
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

QString TimelineData::groupName(uint8_t group) const {
    if (m_colourBy == ColourBy::Phase) return slotName(m_firstSlot[group]);
    QStringList names;
    for (int k = 0; k < kKindCount; ++k)
        if (m_slots.groupOf[k] == group) names << slotName(uint8_t(k));
    return names.join(QStringLiteral(", "));
}

const LaneSummary &TimelineData::summary(Summaries &all, uint32_t row, uint32_t lane,
                                         uint32_t lanes, const LaneSource &source) const {
    auto &ofRow = all[row];
    if (ofRow.empty()) ofRow.resize(lanes);
    if (!ofRow[lane]) ofRow[lane].emplace(source, m_slots);
    return *ofRow[lane];
}

TimelineData::Lane TimelineData::trackLane(uint32_t track, uint32_t lane) {
    const Track &t = trace().tracks[track];
    const TrackTable &table = *t.table;
    const uint32_t from = table.laneBegin[lane], to = table.laneBegin[lane + 1];
    static_assert(sizeof(Kind) == 1);
    const uint8_t *slotOf = m_colourBy == ColourBy::Phase
                                ? m_loaded->phases.byTrack[track].data()
                                : reinterpret_cast<const uint8_t *>(table.kind.data());
    const LaneSource source{table.start.data() + from, table.duration.data() + from, slotOf + from,
                            to - from, t.offset};
    return {source, &summary(m_trackSummaries, track, lane, table.lanes(), source)};
}

TimelineData::Lane TimelineData::transferLane(uint32_t row, uint32_t lane) {
    const TransferRow &r = m_transfers[row];
    const uint32_t from = r.laneBegin[lane], to = r.laneBegin[lane + 1];
    const auto &slotOf = m_colourBy == ColourBy::Phase ? r.phase : r.kind;
    const LaneSource source{r.start.data() + from, r.duration.data() + from, slotOf.data() + from,
                            to - from, 0};
    return {source,
            &summary(m_transferSummaries, row, lane, uint32_t(r.laneBegin.size()) - 1, source)};
}

} // namespace longpole
