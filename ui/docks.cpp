// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks.h"

#include "ui/commands.h"
#include "ui/dock_title.h"
#include "ui/panels/panel.h"
#include "ui/panels/table.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QShortcut>
#include <QTabBar>
#include <QTimer>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kLayoutVersion = 4;
constexpr int kTimelineHeight = 380; ///< that the bottom docks leave by default
constexpr int kBars = 198;           ///< menu, verdict, toolbar, overview, status
constexpr int kWideEnough = 1340;    ///< for a right dock beside the timeline

/// The table with the focus, else the longest one.
void filterTableOf(const QWidget &panel) {
    Table *best = nullptr;
    for (Table *table : panel.findChildren<Table *>())
        if (table->isVisible() && table->focusPolicy() != Qt::NoFocus &&
            (!best || table->hasFocus() ||
             (!best->hasFocus() && table->model()->rowCount() > best->model()->rowCount())))
            best = table;
    if (best) best->openFilter();
}

} // namespace

Docks::Docks(QMainWindow &window, ViewState &state, Session &session)
    : QObject(&window), m_window(window) {
    window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window.setDocumentMode(true);
    window.setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks |
                          QMainWindow::GroupedDragging);
    for (const Panel &panel : longpole::panels()) {
        QWidget *widget = panel.make(state, session);
        auto *dock = new QDockWidget(widget->windowTitle(), &window);
        dock->setObjectName(QString::fromLatin1(panel.id));
        dock->setWidget(widget);
        auto *title = new DockTitle(*dock);
        dock->setTitleBarWidget(title);
        connect(widget, &QWidget::windowTitleChanged, dock, &QWidget::setWindowTitle);
        const auto later = [this] { QTimer::singleShot(0, this, &Docks::updateTitles); };
        connect(dock, &QDockWidget::visibilityChanged, this, later);
        connect(dock, &QDockWidget::topLevelChanged, this, later);
        connect(dock, &QDockWidget::dockLocationChanged, this, later);
        for (const QKeySequence &keys : keysOf(*commandOf(QStringLiteral("filterTable"))))
            connect(new QShortcut(keys, widget, nullptr, nullptr, Qt::WidgetWithChildrenShortcut),
                    &QShortcut::activated, this, [widget] { filterTableOf(*widget); });
        window.addDockWidget(panel.area, dock);
        if (panel.joinsBefore && !m_docks.isEmpty())
            window.tabifyDockWidget(m_docks.last().dock, dock);
        dock->hide();
        m_docks << Entry{dock, title, panel.area, panel.joinsBefore};
    }
}

void Docks::setShown(bool shown) {
    if (shown == m_shown) return;
    if (!shown) m_layout = m_window.saveState(kLayoutVersion);
    m_shown = shown;
    if (!shown) {
        for (const Entry &entry : m_docks) entry.dock->hide();
    } else if (m_layout.isEmpty() || !m_window.restoreState(m_layout, kLayoutVersion)) {
        resetLayout();
    }
    updateTitles();
}

QByteArray Docks::layout() const {
    return m_shown ? m_window.saveState(kLayoutVersion) : m_layout;
}

void Docks::resetLayout() {
    // The bars come and go with the docks, so the whole window is what the room is measured by.
    const QSize size = m_window.window()->size();
    const bool small = size.width() <= 1024 || size.height() <= 640;
    QDockWidget *before = nullptr;
    QList<QDockWidget *> bottom, right;
    for (const Entry &entry : m_docks) {
        const bool isRight = entry.area == Qt::RightDockWidgetArea;
        entry.dock->setFloating(false);
        m_window.addDockWidget(entry.area, entry.dock, isRight ? Qt::Vertical : Qt::Horizontal);
        if (entry.joinsBefore && before)
            m_window.tabifyDockWidget(before, entry.dock);
        else
            (isRight ? right : bottom) << entry.dock;
        before = entry.dock;
        // A narrow window keeps its width for the timeline; the toolbar's chooser stays.
        entry.dock->setVisible(!small && (!isRight || size.width() >= kWideEnough));
    }
    for (QDockWidget *dock : bottom + right) dock->raise();
    const int height = small ? size.height() * 3 / 10 // opened one by one, and still half at most
                             : std::clamp(size.height() - kBars - kTimelineHeight, 140, 252);
    m_window.resizeDocks(bottom, QList<int>(bottom.size(), height), Qt::Vertical);
    const int rightWidth = size.width() >= 2560 ? 480 : size.width() >= 1500 ? 352 : 300;
    const int width = size.width() - (size.width() >= kWideEnough ? rightWidth : 0);
    const int details = std::min(404, width * 3 / 10);
    if (bottom.size() == 2)
        m_window.resizeDocks(bottom, {details, width - details}, Qt::Horizontal);
    m_window.resizeDocks(right, QList<int>(right.size(), rightWidth), Qt::Horizontal);
}

QList<QAction *> Docks::toggleActions() const {
    QList<QAction *> actions;
    for (const Entry &entry : m_docks) actions << entry.dock->toggleViewAction();
    return actions;
}

void Docks::raise(const QString &id) {
    for (const Entry &entry : m_docks) {
        if (entry.dock->objectName() != id) continue;
        entry.dock->show();
        entry.dock->raise();
    }
}

QWidget *Docks::panel(const QString &id) const {
    for (const Entry &entry : m_docks)
        if (entry.dock->objectName() == id) return entry.dock->widget();
    return nullptr;
}

QList<std::pair<QString, QString>> Docks::panels() const {
    QList<std::pair<QString, QString>> all;
    for (const Entry &entry : m_docks)
        all.emplaceBack(entry.dock->objectName(), entry.dock->windowTitle());
    return all;
}

void Docks::updateTitles() {
    for (QTabBar *tabs : m_window.findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly))
        tabs->setDrawBase(false);
    for (const Entry &entry : m_docks) {
        bool tabbed = false;
        if (!entry.dock->isFloating())
            for (QDockWidget *other : m_window.tabifiedDockWidgets(entry.dock))
                tabbed |= other->toggleViewAction()->isChecked();
        entry.title->setTabbed(tabbed);
    }
}

} // namespace longpole
