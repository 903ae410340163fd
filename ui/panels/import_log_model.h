// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/trace.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace longpole {

/// One row per problem that the import met, set aside before repaired before noticed.
class ImportLogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, CountColumn, FirstByte, Meaning, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setTrace(std::shared_ptr<const Trace> trace);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// The interval that the first place of a row's reason belongs to; invalid where it is none's.
    IntervalId firstInterval(int row) const { return m_intervals[size_t(row)]; }

private:
    void findIntervals();
    QString cell(Reason reason, int column) const;

    std::shared_ptr<const Trace> m_trace;
    std::vector<Reason> m_reasons;
    std::vector<IntervalId> m_intervals; ///< by row
};

/// "31,204 events read = 30,001 intervals + 2 paired + … + 7 set aside".
QString balanceText(const EventCounts &events);

} // namespace longpole
