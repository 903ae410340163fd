// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_filter.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kWidest = 300; ///< px

} // namespace

TableFilter::TableFilter(QTableView &table, TableOrder &order)
    : QFrame(&table), m_table(table), m_order(order), m_field(new QLineEdit), m_count(new QLabel) {
    setObjectName(QStringLiteral("tableFilterBar"));
    setAutoFillBackground(true);
    setFrameShape(NoFrame);
    m_field->setObjectName(QStringLiteral("tableFilter"));
    m_field->setAccessibleName(tr("Filter rows of %1").arg(table.accessibleName()));
    m_field->setPlaceholderText(tr("Filter (Esc: all rows)"));
    m_field->addAction(icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    m_count->setObjectName(QStringLiteral("tableFilterCount"));
    m_count->setFont(uiFont(11));
    m_count->setForegroundRole(QPalette::PlaceholderText);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 2, 2);
    row->setSpacing(6);
    row->addWidget(m_count);
    row->addWidget(m_field, 1);
    connect(m_field, &QLineEdit::textChanged, &order, &TableOrder::setText);
    connect(&order, &TableOrder::arranged, this, &TableFilter::count);
    count();
}

void TableFilter::place() {
    const QRect area = m_table.viewport()->geometry();
    const int wide = std::min(kWidest, area.width()), high = sizeHint().height();
    setGeometry(area.right() - wide + 1, area.bottom() - high + 1, wide, high);
}

void TableFilter::count() {
    const QString text = filterText(m_order);
    m_count->setText(text);
    m_count->setVisible(!text.isEmpty());
}

QString filterText(const TableOrder &order) {
    if (!order.sourceModel() || (order.text().isEmpty() && !order.working())) return {};
    if (order.working()) return QObject::tr("reading rows, %1\u00a0%").arg(order.percent());
    return QObject::tr("%1 of %2 rows")
        .arg(countText(order.rowCount()), countText(order.sourceModel()->rowCount()));
}

} // namespace longpole
