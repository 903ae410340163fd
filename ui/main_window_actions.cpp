// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/commands.h"
#include "ui/describe.h"
#include "ui/docks.h"
#include "ui/examples.h"
#include "ui/icons.h"
#include "ui/key_help.h"
#include "ui/pages/error_page.h"
#include "ui/panels/search_panel.h"
#include "ui/panels/what_if_panel.h"
#include "ui/recent_files.h"
#include "ui/style.h"
#include "ui/timeline/timeline_view.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QUndoStack>

#include <functional>

namespace longpole {

namespace {

/// Of the table that the list of keys is made from. Those of a view alone are its own.
QList<QKeySequence> shortcutsOf(const QString &id) {
    const Command *command = commandOf(id);
    return command && command->where == Command::Where::Window ? keysOf(*command)
                                                               : QList<QKeySequence>();
}

QString undoWords(const QString &verb, const QString &what) {
    return what.isEmpty() ? verb : QStringLiteral("%1: %2").arg(verb, what);
}

QAction *addChoice(QMenu *menu, QActionGroup *group, const QString &text, bool checked,
                   std::function<void()> run) {
    QAction *action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(checked);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, group, std::move(run));
    return action;
}

} // namespace

struct MainWindow::ActionSpec {
    const char *id, *menu, *text, *icon; ///< no id: a separator
    Needs needs = Needs::Nothing;
    std::function<void()> run;
};

std::vector<MainWindow::ActionSpec> MainWindow::actionSpecs() {
    const auto step = [this](int by) {
        if (const auto to = m_state.stepBeside(by)) m_state.setStep(to);
    };
    // clang-format off
    return {
        {"open", "File", "&Open…", "folder-open", Needs::Nothing, [this] { chooseFiles(); }},
        {"capture", "File", "C&apture…", "", Needs::Nothing, [this] { showCapture(); }},
        {"recent", "File", "Open &recent", "", Needs::Nothing, {}},
        {"examples", "File", "E&xamples", "", Needs::Nothing, {}},
        {"", "File", "", "", Needs::Nothing, {}},
        {"export", "File", "&Export picture…", "file-export", Needs::Trace, [this] { choosePicture(); }},
        {"copyPicture", "File", "Copy &picture", "photo", Needs::Trace, [this] { copyPicture(); }},
        {"", "File", "", "", Needs::Nothing, {}},
        {"cancel", "File", "Stop &reading", "", Needs::Reading, [this] { m_session.cancelOpening(); }},
        {"close", "File", "&Close the trace", "", Needs::Trace, [this] { m_session.close(); showTraceOrStart(); }},
        {"quit", "File", "&Quit", "", Needs::Nothing, [this] { close(); }},
        {"copy", "Edit", "&Copy the selection as text", "copy", Needs::Selection, [this] { copySelection(); }},
        {"parent", "Edit", "Select the &parent", "", Needs::Selection, [this] { if (m_state.trace()) m_state.reveal(parentOf(*m_state.trace(), m_state.selected())); }},
        {"follow", "Edit", "Select the &launch or the launched", "target-arrow", Needs::Selection, [this] { m_timeline->followLaunch(); }},
        {"undo", "Edit", "&Undo", "arrow-back-up", Needs::Undo, [this] { m_state.undoStack().undo(); }},
        {"redo", "Edit", "&Redo", "arrow-forward-up", Needs::Redo, [this] { m_state.undoStack().redo(); }},
        {"", "Edit", "", "", Needs::Nothing, {}},
        {"mark", "Edit", "&Mark", "flag", Needs::Trace, [this] { mark(); }},
        {"note", "Edit", "&Note…", "note", Needs::Trace, [this] { note(); }},
        {"saveScenario", "Edit", "Save the &what-if as a scenario…", "", Needs::Trace, [this] { m_docks->raise(QStringLiteral("whatIf")); m_whatIf->saveScenario(); }},
        {"search", "Edit", "&Search…", "search", Needs::Trace, [this] { m_docks->raise(QStringLiteral("search")); m_search->focusField(); }},
        {"filterTracks", "Edit", "&Filter tracks…", "filter", Needs::Trace, [this] { filterTracks(); }},
        {"showAllTracks", "Edit", "Sho&w all tracks", "", Needs::Trace, [this] { m_timeline->setAllTracksShown(); }},
        {"palette", "Edit", "C&ommands…", "", Needs::Nothing, [this] { showPalette(); }},
        {"", "Edit", "", "", Needs::Nothing, {}},
        {"pin", "Edit", "Keep its &track at the top", "pin", Needs::Selection, [this] { m_timeline->pinTrack(); }},
        {"hide", "Edit", "&Hide its track", "eye-off", Needs::Selection, [this] { m_timeline->hideTrack(); }},
        {"deselect", "Edit", "Select &nothing", "", Needs::Selection, [this] { m_state.select({}); }},
        {"clearRange", "Edit", "&Clear the range", "", Needs::Range, [this] { m_state.setRange({}); }},
        {"previousStep", "Go", "&Previous step", "chevron-left", Needs::Steps, [step] { step(-1); }},
        {"nextStep", "Go", "&Next step", "chevron-right", Needs::Steps, [step] { step(1); }},
        {"typicalStep", "Go", "&Typical window", "", Needs::Trace, [this] { m_state.setStep({}); }},
        {"", "Go", "", "", Needs::Nothing, {}},
        {"back", "Go", "&Back", "arrow-back-up", Needs::Back, [this] { m_state.back(); }},
        {"forward", "Go", "&Forward", "arrow-forward-up", Needs::Forward, [this] { m_state.forward(); }},
        {"nextOnPath", "Go", "Next on the pat&h", "", Needs::Trace, [this] { m_timeline->walkPath(1); }},
        {"previousOnPath", "Go", "Previo&us on the path", "", Needs::Trace, [this] { m_timeline->walkPath(-1); }},
        {"", "Go", "", "", Needs::Nothing, {}},
        {"zoomIn", "Go", "Zoom &in", "zoom-in", Needs::Trace, [this] { m_timeline->zoom(2); }},
        {"zoomOut", "Go", "Zoom &out", "zoom-out", Needs::Trace, [this] { m_timeline->zoom(0.5); }},
        {"zoomSelection", "Go", "Zoom to the &selection", "", Needs::Trace, [this] { m_timeline->zoomToSelection(); }},
        {"whole", "Go", "&Whole trace", "arrows-horizontal", Needs::Trace, [this] { m_timeline->showWholeTrace(); }},
        {"keys", "Help", "&Keys", "keyboard", Needs::Nothing, [this] { showKeyHelp(this); }},
        {"about", "Help", "&About Longpole", "", Needs::Nothing, [this] { about(); }},
    };
    // clang-format on
}

void MainWindow::makeActions() {
    QHash<QString, QMenu *> menus;
    for (const char *title : {"File", "Edit", "View", "Go", "Help"})
        menus[QLatin1String(title)] = menuBar()->addMenu(QLatin1Char('&') + tr(title));
    for (const ActionSpec &spec : actionSpecs()) {
        QMenu *menu = menus[QLatin1String(spec.menu)];
        if (!*spec.id) {
            menu->addSeparator();
            continue;
        }
        auto *action = new QAction(tr(spec.text), this);
        if (*spec.icon) action->setIcon(icon(QLatin1String(spec.icon)));
        action->setObjectName(QLatin1String(spec.id));
        const QList<QKeySequence> keys = shortcutsOf(action->objectName());
        action->setShortcuts(keys);
        QString tip = action->text().remove(QLatin1Char('&')).remove(QStringLiteral("…"));
        if (!keys.isEmpty())
            tip +=
                QStringLiteral(" (%1)").arg(keys.first().toString(QKeySequence::NativeText));
        action->setToolTip(tip);
        if (spec.run) connect(action, &QAction::triggered, this, spec.run);
        menu->addAction(action);
        m_actions[QLatin1String(spec.id)] = action;
        m_needs.emplaceBack(action, spec.needs);
    }
    m_needs.emplaceBack(menus[QStringLiteral("Go")]->menuAction(), Needs::Trace);
    // Tables and texts have a copy of their own.
    QAction *copy = m_actions[QStringLiteral("copy")];
    copy->setShortcutContext(Qt::WidgetShortcut);
    m_timeline->addAction(copy);
    connect(&m_state.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateActions);
    makeFileMenus();
    makeViewMenu(menus[QStringLiteral("View")]);
}

void MainWindow::makeFileMenus() {
    m_recentMenu = new QMenu(this);
    m_actions[QStringLiteral("recent")]->setMenu(m_recentMenu);
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    auto *exampleMenu = new QMenu(this);
    m_actions[QStringLiteral("examples")]->setMenu(exampleMenu);
    for (const Example &example : examples()) {
        QAction *action = exampleMenu->addAction(example.title);
        action->setToolTip(example.caption);
        action->setObjectName(QStringLiteral("example_") + example.file);
        connect(action, &QAction::triggered, this, [this, &example] { openExample(example); });
    }
    exampleMenu->setToolTipsVisible(true);
}

void MainWindow::makeViewMenu(QMenu *menu) {
    QAction *path = menu->addAction(icon(QStringLiteral("route")), tr("Critical &path"));
    path->setObjectName(QStringLiteral("path"));
    path->setIconText(tr("Path"));
    path->setToolTip(tr("Draw the critical path and dim the rest (P)"));
    path->setShortcuts(shortcutsOf(path->objectName()));
    path->setCheckable(true);
    path->setChecked(m_state.pathShown());
    connect(path, &QAction::toggled, &m_state, &ViewState::setPathShown);
    connect(&m_state, &ViewState::looksChanged, path,
            [this, path] { path->setChecked(m_state.pathShown()); });
    connect(&m_session, &Session::pathChanged, m_timeline,
            [this] { m_timeline->setPath(m_session.path()); });
    connect(&m_session, &Session::idleChanged, m_timeline,
            [this] { m_timeline->setIdle(m_session.idle()); });
    m_actions[QStringLiteral("path")] = path;
    QAction *predicted = menu->addAction(icon(QStringLiteral("ghost")), tr("P&redicted view"));
    predicted->setObjectName(QStringLiteral("predicted"));
    predicted->setIconText(tr("Predicted"));
    predicted->setToolTip(tr("Draw the trace as the sliders of the what-if make it, with what was "
                             "measured below (Shift+P)"));
    predicted->setShortcuts(shortcutsOf(predicted->objectName()));
    predicted->setCheckable(true);
    predicted->setChecked(m_state.predictedShown());
    connect(predicted, &QAction::toggled, this, [this](bool on) {
        if (on) m_docks->raise(QStringLiteral("whatIf"));
        m_state.setPredictedShown(on);
    });
    connect(&m_state, &ViewState::looksChanged, predicted,
            [this, predicted] { predicted->setChecked(m_state.predictedShown()); });
    connect(&m_session, &Session::predictionChanged, m_timeline,
            [this] { m_timeline->setPrediction(m_session.prediction()); });
    m_actions[QStringLiteral("predicted")] = predicted;
    m_needs.emplaceBack(predicted, Needs::Trace);
    m_needs.emplaceBack(path, Needs::Trace);
    menu->addSeparator();
    auto *themes = menu->addMenu(tr("&Theme"));
    auto *themeGroup = new QActionGroup(this);
    const std::pair<const char *, QString> choices[] = {{"system", tr("As the &desktop")},
                                                        {"light", tr("&Light")},
                                                        {"dark", tr("&Dark")},
                                                        {"cvd", tr("For &colour blindness")}};
    for (const auto &[id, text] : choices) {
        const QString choice = QLatin1String(id);
        addChoice(themes, themeGroup, text, themeChoice() == choice,
                  [choice] { chooseTheme(choice); });
    }
    auto *colours = menu->addMenu(tr("&Colour by"));
    colours->setObjectName(QStringLiteral("colourMenu"));
    auto *colourGroup = new QActionGroup(this);
    for (const auto &[by, text] :
         {std::pair{ColourBy::Phase, tr("&Phase")}, std::pair{ColourBy::Kind, tr("&Kind")}}) {
        QAction *action = addChoice(colours, colourGroup, text, by == m_state.colourBy(),
                                    [this, by = by] { m_state.setColourBy(by); });
        connect(&m_state, &ViewState::looksChanged, action,
                [this, action, by = by] { action->setChecked(m_state.colourBy() == by); });
    }
    auto *heights = menu->addMenu(tr("&Row height"));
    auto *heightGroup = new QActionGroup(this);
    const int stored = QSettings().value(QStringLiteral("rowHeight"), 18).toInt();
    for (const auto &[pixels, text] :
         {std::pair{14, tr("&Compact")}, std::pair{18, tr("&Normal")}, std::pair{24, tr("&Tall")}})
        addChoice(heights, heightGroup, text, stored == pixels, [this, pixels = pixels] {
            QSettings().setValue(QStringLiteral("rowHeight"), pixels);
            setCompact(width() <= 1024 || height() <= 640);
        });
    menu->addSeparator();
    for (QAction *action : m_docks->toggleActions()) {
        menu->addAction(action);
        m_needs.emplaceBack(action, Needs::Trace);
    }
    QAction *reset = menu->addAction(tr("R&eset the layout"));
    connect(reset, &QAction::triggered, m_docks, &Docks::resetLayout);
    m_needs.emplaceBack(reset, Needs::Trace);
    menu->addSeparator();
    QAction *full = menu->addAction(tr("&Full screen"));
    full->setObjectName(QStringLiteral("fullScreen"));
    full->setShortcuts(shortcutsOf(full->objectName()));
    full->setCheckable(true);
    m_needs.emplaceBack(full, Needs::Nothing);
    connect(full, &QAction::triggered, this,
            [this](bool on) { on ? showFullScreen() : showNormal(); });
}

void MainWindow::updateActions() {
    const bool trace = m_state.trace() && m_pages->currentWidget() != m_error;
    for (const auto &[action, needs] : m_needs) {
        bool on = trace;
        switch (needs) {
        case Needs::Nothing:
            on = true;
            break;
        case Needs::Trace:
            break;
        case Needs::Steps:
            on = trace &&
                 m_state.stepBeside(action->objectName() == QLatin1String("nextStep") ? 1 : -1);
            break;
        case Needs::Selection:
            on = trace && m_state.selected().valid();
            break;
        case Needs::Range:
            on = trace && m_state.range().has_value();
            break;
        case Needs::Back:
            on = trace && m_state.canGoBack();
            break;
        case Needs::Forward:
            on = trace && m_state.canGoForward();
            break;
        case Needs::Undo:
            on = trace && m_state.undoStack().canUndo();
            action->setText(undoWords(tr("&Undo"), m_state.undoStack().undoText()));
            break;
        case Needs::Redo:
            on = trace && m_state.undoStack().canRedo();
            action->setText(undoWords(tr("&Redo"), m_state.undoStack().redoText()));
            break;
        case Needs::Reading:
            on = m_session.opening();
            break;
        }
        action->setEnabled(on);
    }
}

void MainWindow::fillRecentMenu() {
    m_recentMenu->clear();
    for (const QStringList &paths : recentFiles()) {
        QString text = QFileInfo(paths.first()).fileName();
        if (paths.size() > 1) text = tr("%1 and %2 more").arg(text).arg(paths.size() - 1);
        QAction *action =
            m_recentMenu->addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setToolTip(paths.join(QLatin1Char('\n')));
        action->setEnabled(QFileInfo::exists(paths.first()));
        connect(action, &QAction::triggered, this, [this, paths] { openPaths(paths); });
    }
    if (m_recentMenu->isEmpty()) {
        m_recentMenu->addAction(tr("Nothing yet"))->setEnabled(false);
        return;
    }
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(tr("Clear the list"), this, [] { clearRecent(); });
}

} // namespace longpole
