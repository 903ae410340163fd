// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/track_choices.h"

#include "ui/describe.h"

#include <algorithm>

namespace longpole {

namespace {

bool holds(const std::vector<uint32_t> &tracks, uint32_t track) {
    return std::find(tracks.begin(), tracks.end(), track) != tracks.end();
}

} // namespace

void TrackChoices::reset(const Trace *trace) {
    const size_t count = trace ? trace->tracks.size() : 0;
    m_hidden.assign(count, false);
    m_matches.assign(count, true);
    m_pinned.clear();
    m_order.clear();
    m_filter.clear();
    m_titles.clear();
    for (uint32_t t = 0; t < count; ++t) m_titles.push_back(trackTitle(*trace, t));
    emit changed();
}

void TrackChoices::setHidden(uint32_t track, bool hidden) {
    if (track >= m_hidden.size() || m_hidden[track] == hidden) return;
    m_hidden[track] = hidden;
    emit changed();
}

size_t TrackChoices::shownCount() const {
    size_t shown = 0;
    for (uint32_t t = 0; t < m_hidden.size(); ++t) shown += this->shown(t);
    return shown;
}

void TrackChoices::showAll() {
    if (!anyHidden() && m_filter.isEmpty()) return;
    m_hidden.assign(m_hidden.size(), false);
    match({});
    emit changed();
}

bool TrackChoices::isPinned(uint32_t track) const {
    return holds(m_pinned, track);
}

void TrackChoices::setPinned(uint32_t track, bool pinned) {
    if (track >= m_hidden.size() || pinned == isPinned(track)) return;
    if (pinned)
        m_pinned.push_back(track);
    else
        std::erase(m_pinned, track);
    emit changed();
}

void TrackChoices::arrange(const std::vector<uint32_t> &tracks) {
    std::vector<uint32_t> order = m_order;
    std::erase_if(order, [&](uint32_t track) { return holds(tracks, track); });
    order.insert(order.end(), tracks.begin(), tracks.end());
    if (order == m_order) return;
    m_order = std::move(order);
    emit changed();
}

void TrackChoices::setFilter(const QString &text) {
    if (text == m_filter) return;
    match(text);
    emit changed();
}

void TrackChoices::match(const QString &text) {
    m_filter = text;
    for (size_t t = 0; t < m_titles.size(); ++t)
        m_matches[t] = m_titles[t].contains(text, Qt::CaseInsensitive);
}

bool TrackChoices::shown(uint32_t track) const {
    return track >= m_hidden.size() || (!m_hidden[track] && m_matches[track]);
}

void TrackChoices::reveal(uint32_t track) {
    if (track < m_matches.size() && !m_matches[track]) setFilter({});
    setHidden(track, false);
}

TrackChoices::Kept TrackChoices::kept() const {
    Kept kept{{}, m_pinned, m_order, m_filter};
    for (uint32_t t = 0; t < m_hidden.size(); ++t)
        if (m_hidden[t]) kept.hidden.push_back(t);
    return kept;
}

void TrackChoices::restore(const Kept &kept) {
    m_hidden.assign(m_hidden.size(), false);
    for (const uint32_t track : kept.hidden)
        if (track < m_hidden.size()) m_hidden[track] = true;
    m_pinned = kept.pinned;
    m_order = kept.order;
    match(kept.filter);
    emit changed();
}

} // namespace longpole
