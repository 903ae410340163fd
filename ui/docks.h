// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>

class QAction;
class QDockWidget;
class QMainWindow;

namespace longpole {

class DockTitle;
class Session;
class ViewState;

/// The panels of the table in ui/panels as docks of the main window: where they stand by default,
/// and their layout while no trace is open and they are all hidden.
class Docks : public QObject {
    Q_OBJECT
public:
    Docks(QMainWindow &window, ViewState &state, Session &session);

    /// Shows them as they were left, or hides them all.
    void setShown(bool shown);
    void resetLayout();
    /// For the settings; what setShown(true) will restore.
    QByteArray layout() const;
    void setLayout(const QByteArray &layout) { m_layout = layout; }

    QList<QAction *> toggleActions() const;
    void raise(const QString &id); ///< opens it and brings it before the others of its tabs
    QWidget *panel(const QString &id) const;
    QList<std::pair<QString, QString>> panels() const; ///< ids and titles

private:
    void updateTitles();

    struct Entry {
        QDockWidget *dock;
        DockTitle *title;
        Qt::DockWidgetArea area;
        bool joinsBefore;
    };
    QMainWindow &m_window;
    QList<Entry> m_docks;
    QByteArray m_layout;
    bool m_shown = false;
};

} // namespace longpole
