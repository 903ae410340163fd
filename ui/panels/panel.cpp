// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/panel.h"

#include "ui/panels/details_panel.h"
#include "ui/panels/import_log_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/path_panel.h"
#include "ui/panels/rank_panel.h"
#include "ui/panels/search_panel.h"
#include "ui/panels/statistics_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/panels/what_if_panel.h"

namespace longpole {

namespace {

template <class T>
QWidget *make(ViewState &state, Session &session) {
    return new T(state, session);
}

constexpr Panel kPanels[] = {
    {"details", Qt::BottomDockWidgetArea, false, make<DetailsPanel>},
    {"statistics", Qt::BottomDockWidgetArea, false, make<StatisticsPanel>},
    {"search", Qt::BottomDockWidgetArea, true, make<SearchPanel>},
    {"importLog", Qt::BottomDockWidgetArea, true, make<ImportLogPanel>},
    {"notes", Qt::BottomDockWidgetArea, true, make<NotesPanel>},
    {"whatIf", Qt::RightDockWidgetArea, false, make<WhatIfPanel>},
    {"steps", Qt::RightDockWidgetArea, true, make<StepsPanel>},
    {"path", Qt::RightDockWidgetArea, true, make<PathPanel>},
    {"levers", Qt::RightDockWidgetArea, true, make<RankPanel>},
};

} // namespace

std::span<const Panel> panels() {
    return kPanels;
}

} // namespace longpole
