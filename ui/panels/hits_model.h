// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/search.h"
#include "ui/job.h"
#include "ui/numbers.h"
#include "ui/view_state.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace longpole {

/// What a search found, a row each: tracks by name first, then intervals, up to a million of them.
/// In the order of the walk, which a job makes; cells are made when they are looked at. Lives on
/// the GUI thread.
class HitsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Category, TrackName, Begin, Length, ColumnCount };
    static constexpr size_t kMost = 1'000'000; ///< a view keeps a header section for each row
    using QAbstractTableModel::QAbstractTableModel;

    void setHits(std::shared_ptr<const Loaded> loaded, std::shared_ptr<const SearchHits> hits);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    IntervalId intervalAt(int row) const; ///< invalid for the rows of tracks
    uint32_t trackAt(int row) const;
    /// The row of a hit; -1 where it is none or beyond the last row.
    int rowOf(IntervalId id) const;

private:
    QString cell(int row, int column) const;

    std::shared_ptr<const Loaded> m_loaded;
    std::shared_ptr<const SearchHits> m_hits;
    std::vector<IntervalId> m_order; ///< shown ones
    TimeUnit m_beginUnit = unitFor(0), m_lengthUnit = unitFor(0);
    Job<std::vector<IntervalId>> m_sortJob;
};

} // namespace longpole
