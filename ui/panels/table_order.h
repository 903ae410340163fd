// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/job.h"

#include <QAbstractProxyModel>
#include <QTimer>

#include <cstdint>
#include <vector>

namespace longpole {

/// Of a cell: the number behind what is printed, a qlonglong (ns, a count) or a double; none where
/// nothing is known. Of a header: the name of that number in CSV, "sum_ns".
constexpr int kValueRole = Qt::UserRole + 1;

/// Rows of a table sorted by the number behind what is printed, else by what is printed, and those
/// alone of which a cell contains a text. Small tables follow at once; large ones are gone through
/// in slices between other events, and are sorted on a thread of their own, while they stay as
/// they are. Lives on the GUI thread.
class TableOrder : public QAbstractProxyModel {
    Q_OBJECT
public:
    static constexpr int kAtOnce = 4000; ///< rows
    explicit TableOrder(QObject *parent = nullptr);

    void setText(const QString &text); ///< whatever the case; empty: all rows
    const QString &text() const { return m_text; }
    /// The last row is a total: it stays last, whatever the order, and is never filtered out.
    void setLastStays() { m_lastStays = true; }
    bool working() const { return m_stage != Stage::Done; }
    int percent() const; ///< of the rows that are gone through

    void setSourceModel(QAbstractItemModel *model) override;
    QModelIndex mapToSource(const QModelIndex &index) const override;
    QModelIndex mapFromSource(const QModelIndex &index) const override;
    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &) const override { return {}; }
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

signals:
    void arranged(); ///< rows came into another order or were filtered, or more of them were seen

private:
    enum class Stage { Done, Keys, Sorting, Filter };
    /// What a row is sorted by: words come before numbers. Whole numbers of 64 bits are told apart
    /// by `whole` where `value` rounds them to the same.
    struct Key {
        double value = 0;
        int64_t whole = 0;
        QString word; ///< not null where there is no number
        bool operator<(const Key &other) const;
    };

    int sourceRows() const;
    int movable() const { return sourceRows() - (m_lastStays && sourceRows() > 0); }
    Key keyOf(int row) const;
    bool passes(int row) const;
    void arrange(Stage from);
    void go(int rows); ///< through this many of them
    void slice();
    void sortKeys();
    void ordered(std::vector<int> order);
    void show();
    static std::vector<int> orderOf(const std::vector<Key> &keys, Qt::SortOrder order);

    QString m_text;
    int m_column = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    bool m_lastStays = false;
    Stage m_stage = Stage::Done;
    int m_at = 0; ///< row of the source, or place in the order, that the stage has come to
    std::vector<Key> m_keys;
    std::vector<int> m_order;   ///< rows of the source as they are sorted; empty: as they come
    std::vector<char> m_passes; ///< by row of the source; empty: all
    std::vector<int> m_shown;   ///< rows of the source; unused while all are shown as they come
    std::vector<int> m_places;  ///< of rows of the source among the shown ones; -1: filtered out
    bool m_asTheyCome = true;
    bool m_resetting = false; ///< the views ask anew afterwards
    QTimer m_slices;
    Job<std::vector<int>> m_sortJob;
};

/// The value of a printed number: "1,234.5", "< 0.001", "12.3 ms" (in ns), "−4 %"; NaN for words.
double printedValue(const QString &cell);

} // namespace longpole
