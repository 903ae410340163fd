// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/command_palette.h"
#include "ui/describe.h"
#include "ui/docks.h"
#include "ui/marks.h"
#include "ui/numbers.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/what_if_panel.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QStatusBar>

namespace longpole {

namespace {

QString plain(QString text) {
    return text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

} // namespace

/// A range keeps its length; else the place of the mouse, or what is in the middle.
QString MainWindow::addMark() {
    const TimeRange view = m_state.view();
    const TimeNs middle = view.begin + view.length() / 2;
    const TimeNs at = m_state.cursor().value_or(middle);
    return m_state.marks().add(m_state.range().value_or(TimeRange{at, at}));
}

void MainWindow::mark() {
    const TimeMark *mark = m_state.marks().find(addMark());
    statusBar()->showMessage(mark->range.length() > 0
                                 ? tr("Marked %1.").arg(durationText(mark->range.length()))
                                 : tr("Marked. Ctrl+M writes a note."),
                             4000);
}

void MainWindow::note() {
    const QString id = addMark();
    m_docks->raise(QStringLiteral("notes"));
    m_notes->edit(id);
}

/// Every command that can be given now, every panel, step and track.
void MainWindow::showPalette() {
    std::vector<PaletteEntry> entries;
    for (const auto &[action, needs] : m_needs) {
        if (!action->isEnabled() || action->menu() ||
            action->objectName() == QLatin1String("palette"))
            continue;
        if (qobject_cast<QDockWidget *>(action->parent())) continue; // panels come below
        entries.push_back({plain(action->text()),
                           action->shortcut().toString(QKeySequence::NativeText),
                           [action = action] { action->trigger(); }});
    }
    const auto loaded = m_state.loaded();
    if (!loaded) return showCommandPalette(this, std::move(entries));
    for (const auto &[id, title] : m_docks->panels())
        entries.push_back({title, tr("panel"), [this, id = id] {
                               m_docks->raise(id);
                               if (QWidget *panel = m_docks->panel(id)) panel->setFocus();
                           }});
    for (const Scenario &scenario : m_whatIf->scenarios().all())
        entries.push_back({tr("Scenario %1").arg(scenario.name), tr("what-if"),
                           [this, id = scenario.id] {
                               m_docks->raise(QStringLiteral("whatIf"));
                               m_whatIf->restoreScenario(id);
                           }});
    for (uint32_t i = 0; i < loaded->steps.steps.size(); ++i)
        entries.push_back({tr("Step %1").arg(stepNumber(loaded->steps, i)),
                           durationText(loaded->steps.steps[i].end - loaded->steps.steps[i].begin),
                           [this, i] { m_state.setStep(i); }});
    for (uint32_t t = 0; t < loaded->trace->tracks.size(); ++t)
        entries.push_back(
            {trackTitle(*loaded->trace, t), tr("track"), [this, t] { m_state.revealTrack(t); }});
    showCommandPalette(this, std::move(entries));
}

} // namespace longpole
