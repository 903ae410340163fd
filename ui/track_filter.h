// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view_state.h"

#include <QLineEdit>

namespace longpole {

/// The field that filters the tracks by name. Escape empties it, Enter leaves it as it is.
class TrackFilter : public QLineEdit {
    Q_OBJECT
public:
    explicit TrackFilter(ViewState &state, QWidget *parent = nullptr);

signals:
    void left(); ///< the keyboard belongs to the timeline again

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    ViewState &m_state;
};

} // namespace longpole
