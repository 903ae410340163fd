// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;
class QTableView;

namespace longpole {

class TableOrder;

/// The field over the lower edge of a table that filters its rows, and how many it leaves.
class TableFilter : public QFrame {
    Q_OBJECT
public:
    TableFilter(QTableView &table, TableOrder &order);
    QLineEdit &field() { return *m_field; }
    void place();

private:
    void count();

    QTableView &m_table;
    TableOrder &m_order;
    QLineEdit *m_field;
    QLabel *m_count;
};

/// "12 of 64 rows", "12 of 64 rows, reading 40 %"; empty while all are shown.
QString filterText(const TableOrder &order);

} // namespace longpole
