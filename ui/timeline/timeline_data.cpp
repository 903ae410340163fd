// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_data.h"

#include "ui/theme.h"

#include <algorithm>

namespace longpole {

TimelineData::TimelineData(std::shared_ptr<const Loaded> loaded)
    : m_loaded(std::move(loaded)),
      m_facts(m_loaded->timeline ? m_loaded->timeline : timelineFacts(*m_loaded, Progress())),
      m_colours(m_facts->colours) {}

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
    if (by == m_colours.by) return;
    m_colours = laneColours(m_loaded->phases, by);
    m_others.assign(trace().tracks.size(), {});
    m_otherTransfers.assign(transfers().size(), {});
}

uint8_t TimelineData::slotOf(IntervalId id) const {
    return m_colours.by == ColourBy::Phase ? m_loaded->phases.of(id) : uint8_t(trace().kind(id));
}

uint8_t TimelineData::groupOf(IntervalId id) const {
    return m_colours.groups.groupOf[slotOf(id)];
}

std::vector<QColor> TimelineData::groupColours() const {
    const Theme &colours = theme();
    std::vector<QColor> result;
    for (uint8_t slot : m_colours.firstSlot) {
        if (m_colours.by == ColourBy::Kind) {
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
    if (m_colours.by == ColourBy::Phase)
        return QString::fromStdString(m_loaded->phases.rules.rules[slot].label);
    const std::string_view name = kindName(Kind(slot));
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

QString TimelineData::groupName(uint8_t group) const {
    if (m_colours.by == ColourBy::Phase) return slotName(m_colours.firstSlot[group]);
    QStringList names;
    for (int k = 0; k < kKindCount; ++k)
        if (m_colours.groups.groupOf[k] == group) names << slotName(uint8_t(k));
    return names.join(QStringLiteral(", "));
}

const LaneSummary &TimelineData::other(Others &all, uint32_t row, uint32_t lane, size_t lanes,
                                       const LaneSource &source) const {
    auto &ofRow = all[row];
    if (ofRow.empty()) ofRow.resize(lanes);
    if (!ofRow[lane]) ofRow[lane].emplace(source, m_colours.groups);
    return *ofRow[lane];
}

TimelineData::Lane TimelineData::trackLane(uint32_t track, uint32_t lane) {
    const LaneSource source = sourceOfTrack(*m_loaded, m_colours.by, track, lane);
    const auto &made = m_facts->trackSummaries[track];
    if (m_colours.by == m_facts->colours.by) return {source, &made[lane]};
    return {source, &other(m_others, track, lane, made.size(), source)};
}

TimelineData::Lane TimelineData::transferLane(uint32_t row, uint32_t lane) {
    const LaneSource source = sourceOfTransfers(transfers()[row], m_colours.by, lane);
    const auto &made = m_facts->transferSummaries[row];
    if (m_colours.by == m_facts->colours.by) return {source, &made[lane]};
    return {source, &other(m_otherTransfers, row, lane, made.size(), source)};
}

} // namespace longpole
