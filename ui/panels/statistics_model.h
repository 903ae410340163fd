// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/statistics.h"
#include "ui/numbers.h"

#include <QAbstractTableModel>

#include <array>
#include <memory>
#include <vector>

namespace longpole {

/// The rows of a Statistics as printed. Every column has one unit, which its
/// header names; what adds up is rounded so that it still does when printed.
class StatisticsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Key,
        Count,
        Sum,
        Union,
        Exclusive,
        OnPath,
        Self,
        Mean,
        P50,
        P95,
        Max,
        ColumnCount
    };
    using QAbstractTableModel::QAbstractTableModel;

    void setStatistics(std::shared_ptr<const Statistics> statistics, GroupBy by,
                       const PhaseRules &rules);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    QString totalCell(int column) const; ///< of all rows, whatever the filter
    QVariant totalValue(int column) const;

private:
    void print();
    QString cell(int row, int column) const;
    QString title(int column) const;
    QString label(const StatRow &row) const;
    QVariant value(const StatRow &row, int column) const;
    QVariant swatch(int row) const;

    std::shared_ptr<const Statistics> m_statistics;
    PhaseRules m_rules;
    GroupBy m_by = GroupBy::Phase;
    std::array<TimeUnit, ColumnCount> m_units;
    std::array<std::vector<int64_t>, ColumnCount> m_printed; ///< multiples of the unit, by row
};

/// The one row below a StatisticsModel: the total, in the same columns.
class StatisticsTotal : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit StatisticsTotal(const StatisticsModel &rows, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : 1; }
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    const StatisticsModel &m_rows;
};

} // namespace longpole
