// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/numbers.h"
#include "ui/view_state.h"

#include <QAbstractTableModel>

#include <memory>

namespace longpole {

/// One row per step, in order of time.
class StepsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Length, Period, Reason, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setLoaded(std::shared_ptr<const Loaded> loaded);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString cell(const Step &step, int column) const;

    std::shared_ptr<const Loaded> m_loaded;
    TimeUnit m_unit = unitFor(0);
};

} // namespace longpole
