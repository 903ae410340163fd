// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_order.h"

#include <cmath>
#include <limits>

namespace longpole {

double printedValue(const QString &cell) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    QString text = cell;
    text.replace(QChar(0xA0), QLatin1Char(' ')).replace(QChar(0x2212), QLatin1Char('-'));
    text = text.remove(QLatin1Char(',')).trimmed();
    if (text.startsWith(QChar(0x221E))) return std::numeric_limits<double>::infinity();
    const bool less = text.startsWith(QLatin1Char('<'));
    if (less) text = text.mid(1).trimmed();
    qsizetype end = 0;
    while (end < text.size() && (text[end].isDigit() || text[end] == QLatin1Char('.') ||
                                 (end == 0 && QStringLiteral("+-").contains(text[0]))))
        ++end;
    bool good = false;
    double value = text.left(end).toDouble(&good);
    if (!good) return none;
    const QString unit = text.mid(end).trimmed();
    if (unit.size() > 3) return none; // "2 more threads" is no number
    for (const auto &[name, factor] : {std::pair{"ns", 1.0}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}})
        if (unit == QString::fromUtf8(name)) value *= factor;
    return less ? value / 2 : value;
}

void TableOrder::setText(const QString &text) {
    m_text = text;
    invalidateFilter();
}

bool TableOrder::lessThan(const QModelIndex &left, const QModelIndex &right) const {
    const QString a = left.data().toString(), b = right.data().toString();
    const double ofA = printedValue(a), ofB = printedValue(b);
    const bool wordsA = std::isnan(ofA), wordsB = std::isnan(ofB);
    if (!wordsA && !wordsB && ofA != ofB) return ofA < ofB;
    if (wordsA != wordsB) return wordsA; // "–" below all numbers
    return QString::compare(a, b, Qt::CaseInsensitive) < 0;
}

bool TableOrder::filterAcceptsRow(int row, const QModelIndex &parent) const {
    if (m_text.isEmpty()) return true;
    const QAbstractItemModel &model = *sourceModel();
    for (int column = 0; column < model.columnCount(parent); ++column)
        if (model.index(row, column, parent)
                .data()
                .toString()
                .contains(m_text, Qt::CaseInsensitive))
            return true;
    return false;
}

} // namespace longpole
