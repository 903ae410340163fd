// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/track_filter.h"

#include "ui/icons.h"
#include "ui/track_choices.h"

#include <QKeyEvent>

namespace longpole {

TrackFilter::TrackFilter(ViewState &state, QWidget *parent) : QLineEdit(parent), m_state(state) {
    setObjectName(QStringLiteral("trackFilter"));
    setAccessibleName(tr("Filter tracks by name"));
    setPlaceholderText(tr("Filter tracks"));
    setToolTip(tr("Only tracks whose name contains this (Ctrl+Shift+F, or / in the timeline)"));
    setClearButtonEnabled(true);
    addAction(icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    setMinimumWidth(72);
    setMaximumWidth(150);
    connect(this, &QLineEdit::textChanged, &m_state.tracks(), &TrackChoices::setFilter);
    const auto follow = [this] {
        if (text() != m_state.tracks().filter()) setText(m_state.tracks().filter());
    };
    connect(&m_state, &ViewState::looksChanged, this, follow);
    connect(&m_state, &ViewState::loadedChanged, this, follow);
}

void TrackFilter::keyPressEvent(QKeyEvent *event) {
    switch (event->key()) {
    case Qt::Key_Escape:
        clear();
        [[fallthrough]];
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Down:
        emit left();
        return;
    default:
        QLineEdit::keyPressEvent(event);
    }
}

} // namespace longpole
