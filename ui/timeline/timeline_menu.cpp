// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include "ui/track_choices.h"

#include <QContextMenuEvent>
#include <QMenu>

namespace longpole {

void TimelineView::toggle(const Row &row) {
    if (!row.toggles) return;
    auto flip = [](QSet<QString> &set, const QString &key) {
        if (!set.remove(key)) set.insert(key);
    };
    const TrackGroup &group = m_data->groups()[row.group];
    if (row.type == Row::Type::Group)
        flip(m_choices.closedGroups, group.key);
    else if (row.type == Row::Type::MoreThreads)
        flip(m_choices.openHelpers, group.key);
    else if (!m_choices.openTracks.erase(row.track))
        m_choices.openTracks.insert(row.track);
    relayout();
}

void TimelineView::contextMenuEvent(QContextMenuEvent *event) {
    if (!m_data) return;
    QMenu menu(this);
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const int index =
        byKey ? rowOf(m_rows, m_data->trace(), m_state.selected()) : rowIndexAt(event->pos());
    const uint32_t track = index < 0 ? kNone : m_rows[size_t(index)].track;
    if (track != kNone) {
        const bool pinned = m_state.tracks().isPinned(track);
        const QString name = m_data->facts(track).label;
        menu.addAction((pinned ? tr("Let %1 go from the top") : tr("Keep %1 at the top")).arg(name),
                       this, [this, track, pinned] { m_state.tracks().setPinned(track, !pinned); });
        menu.addAction(tr("Hide %1").arg(name), this,
                       [this, track] { m_state.tracks().setHidden(track, true); });
    }
    QAction *all = menu.addAction(tr("Show all tracks"), this, &TimelineView::setAllTracksShown);
    all->setEnabled(m_state.tracks().anyHidden());
    QMenu *groups = menu.addMenu(tr("Groups and folded rows"));
    for (const Row &row : m_rows) {
        if (!row.toggles) continue;
        QString name =
            row.detail.isEmpty() ? row.label : row.label + QStringLiteral(" · ") + row.detail;
        if (row.track != kNone) {
            const TrackFacts &facts = m_data->facts(row.track);
            name = tr("deep rows of %1 %2").arg(facts.label, facts.detail).trimmed();
        }
        if (row.type != Row::Type::Group) name.prepend(QStringLiteral("    "));
        QAction *open = groups->addAction(name, this, [this, row] { toggle(row); });
        open->setCheckable(true);
        open->setChecked(row.open);
    }
    menu.addSeparator();
    menu.addAction(tr("Whole trace"), this, &TimelineView::showWholeTrace);
    menu.addAction(tr("Zoom to selection"), this, &TimelineView::zoomToSelection);
    menu.exec(event->globalPos());
}

} // namespace longpole
