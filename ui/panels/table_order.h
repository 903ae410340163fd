// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

namespace longpole {

/// Rows of a table sorted by what is printed, numbers and lengths by their value, and those alone
/// of which a cell contains a text.
class TableOrder : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setText(const QString &text); ///< whatever the case; empty: all rows

protected:
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    QString m_text;
};

/// The value of a printed number: "1,234.5", "< 0.001", "12.3 ms" (in ns), "−4 %"; NaN for words.
double printedValue(const QString &cell);

} // namespace longpole
