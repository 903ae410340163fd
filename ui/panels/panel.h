// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"
#include "ui/view_state.h"

#include <QWidget>

#include <span>

namespace longpole {

/// One panel: a line of the table in panel.cpp. Its widget's window title is the title of its tab
/// and may change, "Import log (2)".
struct Panel {
    const char *id; ///< stable: part of the saved layout
    Qt::DockWidgetArea area;
    bool joinsBefore; ///< shares the tabs of the panel in the line above
    QWidget *(*make)(ViewState &state, Session &session);
};

std::span<const Panel> panels();

} // namespace longpole
