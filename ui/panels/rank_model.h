// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/rank.h"
#include "ui/numbers.h"

#include <QAbstractTableModel>
#include <QString>

#include <vector>

namespace longpole {

/// "−14.3 ms at 2× (14.2 – 14.5 ms), −28.7 ms at most; beyond 2.3× it pays less."
QString gainSentence(const Lever &lever);

/// Levers with what the replay says each would bring, in the order they are given.
class RankModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Label, OnPath, At125, At2, Interval, AtInfinity, Knee, Trust, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setLevers(std::vector<Lever> levers, const QString &what);
    const Lever *lever(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString cell(const Lever &lever, int column) const;
    QVariant value(const Lever &lever, int column) const;

    std::vector<Lever> m_levers;
    QString m_what; ///< "phase"
    TimeUnit m_unit = unitFor(0);
};

} // namespace longpole
