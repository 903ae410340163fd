// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view_state.h"

#include <QStatusBar>

class QLabel;
class QPushButton;

namespace longpole {

/// File, events, boundary and window on the left, the time under the mouse and the scale on the
/// right.
class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusLine(ViewState &state, QWidget *parent = nullptr);

signals:
    void importLogRequested();

private:
    void showTrace();
    void showWindow();
    void showCursor();
    void showTracks();

    ViewState &m_state;
    QLabel *m_file, *m_boundary, *m_window, *m_cursor;
    QPushButton *m_events, *m_tracks;
    QList<QWidget *> m_dividers;
};

} // namespace longpole
