// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QAbstractTableModel>
#include <QWidget>

class QLabel;

namespace longpole {

class Table;
struct TimeMark;

/// The marks of the open trace, a row each; the note can be written in place.
class NotesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { At, Length, Note, ColumnCount };
    NotesModel(ViewState &state, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    ViewState &m_state;
};

/// Marks and notes: Enter or a click goes to one, F2 writes, Delete takes it away.
class NotesPanel : public QWidget {
    Q_OBJECT
public:
    NotesPanel(ViewState &state, Session &session, QWidget *parent = nullptr);

    void edit(const QString &id); ///< opens the field for the text of a mark

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void refresh();
    void goTo(int row);

    ViewState &m_state;
    NotesModel *m_model;
    Table *m_table;
    QLabel *m_empty;
};

} // namespace longpole
