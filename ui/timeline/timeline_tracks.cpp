// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_choices.h"

#include <QPainter>

namespace longpole {

void TimelineView::pinTrack() {
    const IntervalId id = m_state.selected();
    if (id.valid()) m_state.tracks().setPinned(id.track, !m_state.tracks().isPinned(id.track));
}

void TimelineView::hideTrack() {
    const IntervalId id = m_state.selected();
    if (id.valid()) m_state.tracks().setHidden(id.track, true);
}

void TimelineView::dragTrack(QPointF at) {
    setCursor(Qt::ClosedHandCursor);
    m_dropBefore = dropPlace(at);
    update();
}

/// The track at whose upper edge the dragged one would be put; kNone: behind the last of its group.
uint32_t TimelineView::dropPlace(QPointF at) const {
    const int index = rowIndexAt(at);
    uint32_t group = kNone;
    for (const Row &row : m_rows)
        if (row.track == m_draggedTrack) group = row.group;
    if (index < 0 || m_rows[size_t(index)].group != group) return kNone;
    const Row &row = m_rows[size_t(index)];
    if (row.type == Row::Type::Group) { // the first of them
        for (const Row &first : m_rows)
            if (first.group == group && first.track != kNone) return first.track;
    }
    if (row.track == kNone) return kNone;
    // The lower half of a track means the one below it.
    int top = yOf(size_t(index)), bottom = top;
    for (size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].track == row.track) {
            top = std::min(top, yOf(i));
            bottom = std::max(bottom, yOf(i) + m_rows[i].height);
        }
    if (at.y() - lanesRect().top() < (top + bottom) / 2.0) return row.track;
    bool behind = false;
    for (const Row &next : m_rows) {
        if (next.group != group || next.track == kNone) continue;
        if (behind && next.track != row.track) return next.track;
        behind |= next.track == row.track;
    }
    return kNone;
}

/// Where the dragged track would go.
void TimelineView::paintDrop(QPainter &painter) {
    if (m_drag != Drag::Track) return;
    int y = -1, end = 0;
    uint32_t group = kNone;
    for (const Row &row : m_rows)
        if (row.track == m_draggedTrack) group = row.group;
    for (size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].group != group || m_rows[i].track == kNone) continue;
        if (m_rows[i].track == m_dropBefore && y < 0) y = yOf(i);
        end = yOf(i) + m_rows[i].height;
    }
    if (y < 0) y = end;
    painter.setClipping(false);
    painter.fillRect(0, lanesRect().top() + y - 1, lanesRect().right(), 2, theme().accent);
}

} // namespace longpole
