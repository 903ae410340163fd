// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QTableView>

namespace longpole {

/// The recent files with what the disk says of them now.
class RecentModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Folder, Size, Changed, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void refresh();
    QStringList paths(int row) const { return m_entries[row].paths; }
    bool exists(int row) const { return m_entries[row].exists; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Entry {
        QStringList paths;
        bool exists = false;
        QString cells[ColumnCount];
    };
    QList<Entry> m_entries;
};

/// Enter or a click opens, Delete forgets.
class RecentTable : public QTableView {
    Q_OBJECT
public:
    explicit RecentTable(QWidget *parent = nullptr);
    void refresh();

signals:
    void openRequested(const QStringList &paths);
    void changed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void openRow(const QModelIndex &index);
    RecentModel *m_model;
};

} // namespace longpole
