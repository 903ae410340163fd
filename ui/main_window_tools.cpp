// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "ui/describe.h"
#include "ui/docks.h"
#include "ui/look_at.h"
#include "ui/numbers.h"
#include "ui/panels/details_text.h"
#include "ui/panels/path_panel.h"
#include "ui/panels/rank_panel.h"
#include "ui/step_chooser.h"
#include "ui/timeline/overview_bar.h"
#include "ui/timeline/timeline_view.h"
#include "ui/track_filter.h"
#include "ui/verdict_banner.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

namespace longpole {

namespace {

constexpr int kRoomForWindow = 1280; ///< in the toolbar; the status line has it always
constexpr int kLabels = 186, kWideLabels = 260, kWideWindow = 2560; ///< px

QString kindWords(const Window &window) {
    const std::string_view kind = windowKindName(window.kind);
    return QString::fromUtf8(kind.data(), qsizetype(kind.size()));
}

} // namespace

void MainWindow::makeToolBars() {
    m_toolBar->setObjectName(QStringLiteral("toolBar"));
    m_toolBar->setIconSize({16, 16});
    m_actions[QStringLiteral("open")]->setIconText(tr("Open"));
    m_actions[QStringLiteral("export")]->setIconText(tr("Export…"));
    m_toolBar->addAction(m_actions[QStringLiteral("open")]);
    m_toolBar->addSeparator();
    m_stepChooser = new StepChooser(m_state);
    m_toolBar->addWidget(m_stepChooser);
    m_windowText = new QLabel;
    m_windowText->setObjectName(QStringLiteral("windowText"));
    m_windowText->setContentsMargins(6, 0, 6, 0);
    m_toolBar->addWidget(m_windowText);
    m_toolBar->addSeparator();
    m_toolBar->addAction(m_actions[QStringLiteral("path")]);
    m_toolBar->addAction(m_actions[QStringLiteral("predicted")]);
    m_colours = new QComboBox;
    m_colours->setObjectName(QStringLiteral("colourBy"));
    m_colours->setAccessibleName(tr("Colour by"));
    m_colours->setToolTip(tr("What the colours of the intervals stand for"));
    m_colours->addItem(tr("Colour by phase"), int(ColourBy::Phase));
    m_colours->addItem(tr("Colour by kind"), int(ColourBy::Kind));
    connect(m_colours, &QComboBox::activated, this,
            [this] { m_state.setColourBy(ColourBy(m_colours->currentData().toInt())); });
    m_toolBar->addWidget(m_colours);
    m_toolBar->addSeparator();
    for (const char *id : {"zoomIn", "zoomOut", "whole", "back", "forward"})
        m_toolBar->addAction(m_actions[QLatin1String(id)]);
    auto *room = new QWidget;
    room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_toolBar->addWidget(room);
    m_filter = new TrackFilter(m_state);
    m_toolBar->addWidget(m_filter);
    connect(m_timeline, &TimelineView::filterWanted, this, &MainWindow::filterTracks);
    connect(m_filter, &TrackFilter::left, m_timeline, [this] { m_timeline->setFocus(); });
    auto *save = new QToolButton;
    save->setProperty("framed", true);
    save->setDefaultAction(m_actions[QStringLiteral("export")]);
    m_toolBar->addWidget(save);
}

void MainWindow::setCompact(bool compact) {
    if (!m_stepChooser) return;
    // Icons alone where there is no room for words.
    const auto style = compact ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
    for (const char *id : {"open", "path", "predicted", "export"})
        for (QObject *object : m_actions[QLatin1String(id)]->associatedObjects())
            if (auto *button = qobject_cast<QToolButton *>(object))
                button->setToolButtonStyle(style);
    m_stepChooser->setCompact(compact);
    for (QAction *action : m_toolBar->actions()) // a toolbar shows widgets by their actions
        if (m_toolBar->widgetForAction(action) == m_windowText) action->setVisible(width() >= kRoomForWindow);
    m_verdict->setRoom(compact          ? VerdictBanner::Room::OneLine
                       : height() < 760 ? VerdictBanner::Room::Tight
                                        : VerdictBanner::Room::Full);
    m_overview->setFixedHeight(compact ? 28 : m_overview->sizeHint().height());
    const int wanted = QSettings().value(QStringLiteral("rowHeight"), 18).toInt();
    m_timeline->setLaneHeight(compact ? 14 : wanted);
    const int usual = width() >= kWideWindow ? kWideLabels : kLabels;
    if (m_timeline->labelWidth() == kLabels + kWideLabels - usual) // unless it was dragged
        m_timeline->setLabelWidth(usual);
}

void MainWindow::updateWindowText() {
    const auto loaded = m_state.loaded();
    if (!loaded || !m_windowText) return;
    const Window &window = m_state.window();
    QString text = windowName(window, loaded->steps);
    if (window.steps) text += QStringLiteral(", ") + kindWords(window);
    m_windowText->setText(
        tr("Window <b>%1</b> · %2").arg(text, durationText(window.range.length())));
    m_windowText->setToolTip(QString::fromStdString(window.policy));
    m_colours->setCurrentIndex(m_colours->findData(int(m_state.colourBy())));
}

void MainWindow::filterTracks() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

/// To where a number of the verdict is counted.
void MainWindow::follow(const VerdictLink &link) {
    using To = VerdictLink::To;
    if (link.to == To::Window) return m_state.frameWindow();
    lookAt(m_state, link.range, link.interval);
    if (link.to == To::Lever) {
        m_levers->showVerdictLever(link.index);
        m_docks->raise(QStringLiteral("levers"));
    } else if (link.to != To::Idle) {
        m_path->showOnly(link.to == To::Phase  ? PathBy::Phase
                         : link.to == To::Kind ? PathBy::Kind
                                               : PathBy::Trust,
                         link.index);
        m_docks->raise(QStringLiteral("path"));
    }
}

void MainWindow::copySelection() {
    const auto loaded = m_state.loaded();
    if (!loaded || !m_state.selected().valid()) return;
    QApplication::clipboard()->setText(detailsPlain(*loaded, m_state.selected(), nullptr));
    statusBar()->showMessage(tr("The selection is on the clipboard."), 4000);
}

void MainWindow::about() {
    QMessageBox::about(
        this, tr("About Longpole"),
        tr("<b>Longpole %1</b><p>Shows what a GPU training step spends its time on. Reads PyTorch "
           "(Kineto) and Chrome traces and SQLite exports of Nsight Systems. Works off-line; "
           "nothing leaves this machine.</p>"
           "<p>The window is free software under the GNU General Public License, version 3 or "
           "later; its core and the command line are under the Apache License 2.0.</p>")
            .arg(QLatin1String(LONGPOLE_VERSION)));
}

} // namespace longpole
