// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/statistics_model.h"

#include "ui/describe.h"
#include "ui/panels/table_order.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QFont>
#include <QPixmap>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

struct ColumnText {
    const char *title;
    const char *csv;
    TimeNs StatRow::*value;
    const char *tip;
};

constexpr ColumnText kColumns[StatisticsModel::ColumnCount] = {
    {"", "key", nullptr, ""},
    {"count", "count", nullptr, "Intervals that touch the window."},
    {"sum of durations", "sum_ns", &StatRow::sum,
     "All durations added. Work that runs side by side counts more than once, so this can exceed "
     "the step. Nested host ranges count their own time only."},
    {"union", "union_ns", &StatRow::unionTime,
     "Time in which at least one of them ran. Never exceeds the step."},
    {"exclusive", "exclusive_ns", &StatRow::exclusive,
     "Its share when every instant is given to one phase, in a fixed order. Shows what was "
     "visible, "
     "not what mattered."},
    {"on path", "on_path_ns", &StatRow::onPath,
     "Time of the critical path that it holds: making it faster saves at most this much before "
     "another path takes over. Lags, waits and host time without an event are in no row."},
    {"self", "self_ns", &StatRow::self, "Time that no nested interval covers."},
    {"mean", "mean_ns", &StatRow::mean, "Mean of the durations inside the window."},
    {"p50", "p50_ns", &StatRow::p50, "Half of the durations are not longer than this."},
    {"p95", "p95_ns", &StatRow::p95, "95 % of the durations are not longer than this."},
    {"max", "max_ns", &StatRow::max, "The longest duration."},
};

QString keyTitle(GroupBy by) {
    switch (by) {
    case GroupBy::Name:
        return QStringLiteral("name");
    case GroupBy::Phase:
        return QStringLiteral("phase");
    case GroupBy::Track:
        return QStringLiteral("track");
    case GroupBy::Kind:
        return QStringLiteral("kind");
    case GroupBy::Op:
        return QStringLiteral("operator");
    case GroupBy::Module:
        return QStringLiteral("module");
    case GroupBy::Class:
        break;
    }
    return QStringLiteral("class");
}

} // namespace

void StatisticsModel::setStatistics(std::shared_ptr<const Statistics> statistics, GroupBy by,
                                    const PhaseRules &rules) {
    beginResetModel();
    m_statistics = std::move(statistics);
    m_by = by;
    m_rules = rules;
    print();
    endResetModel();
}

void StatisticsModel::print() {
    for (auto &column : m_printed) column.clear();
    if (!m_statistics) return;
    TimeNs longest = m_statistics->total.max;
    TimeNs largest = std::max(m_statistics->total.sum, m_statistics->window.range.length());
    for (int c = Sum; c < ColumnCount; ++c) {
        m_units[c] = unitFor(c < Mean ? largest : longest);
        std::vector<TimeNs> values;
        for (const StatRow &row : m_statistics->rows) values.push_back(row.*kColumns[c].value);
        m_printed[c] = roundedColumn(values, m_statistics->total.*kColumns[c].value, m_units[c]);
    }
}

int StatisticsModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !m_statistics ? 0 : int(m_statistics->rows.size());
}

int StatisticsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString StatisticsModel::label(const StatRow &row) const {
    if (m_by == GroupBy::Phase)
        if (const auto phase = m_rules.find(row.key))
            return QString::fromStdString(m_rules.rules[*phase].label);
    if (row.key.empty()) return QStringLiteral("(no name)");
    return QString::fromStdString(row.key);
}

QString StatisticsModel::cell(int row, int column) const {
    const StatRow &stat = m_statistics->rows[size_t(row)];
    if (column == Key) return label(stat);
    if (column == Count) return countText(int64_t(stat.count));
    if (column == OnPath && !m_statistics->hasPath) return QStringLiteral("–");
    return printed(m_printed[size_t(column)][size_t(row)], stat.*kColumns[column].value,
                   m_units[size_t(column)]);
}

QVariant StatisticsModel::value(const StatRow &row, int column) const {
    if (column == Key || (column == OnPath && !m_statistics->hasPath)) return {};
    return column == Count ? qlonglong(row.count) : qlonglong(row.*kColumns[column].value);
}

QVariant StatisticsModel::totalValue(int column) const {
    return m_statistics ? value(m_statistics->total, column) : QVariant();
}

QString StatisticsModel::totalCell(int column) const {
    if (!m_statistics) return {};
    if (column == Key) return tr("all");
    if (column == Count) return countText(int64_t(m_statistics->total.count));
    if (column == OnPath && !m_statistics->hasPath) return QStringLiteral("–");
    return printed(m_statistics->total.*kColumns[column].value, m_units[size_t(column)]);
}

QVariant StatisticsModel::swatch(int row) const {
    QColor colour;
    const std::string &key = m_statistics->rows[size_t(row)].key;
    if (m_by == GroupBy::Phase) {
        if (const auto phase = m_rules.find(key)) colour = ruleColour(m_rules.rules[*phase]);
    } else if (m_by == GroupBy::Kind) {
        if (const auto kind = kindFromName(key)) colour = theme().kindColour(*kind);
    }
    if (!colour.isValid()) return {};
    QPixmap square(9, 9);
    square.fill(colour);
    return square;
}

QVariant StatisticsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return cell(index.row(), index.column());
    case kValueRole:
        return value(m_statistics->rows[size_t(index.row())], index.column());
    case Qt::ToolTipRole:
        return index.column() == Key ? QVariant(cell(index.row(), Key)) : QVariant();
    case Qt::TextAlignmentRole:
        return int((index.column() == Key ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        return index.column() == Key ? swatch(index.row()) : QVariant();
    default:
        return {};
    }
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    const ColumnText &column = kColumns[section];
    if (role == Qt::TextAlignmentRole)
        return int((section == Key ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) return QString::fromUtf8(column.tip);
    if (role == kValueRole && section != Key) return QLatin1String(column.csv);
    return role == Qt::DisplayRole ? QVariant(title(section)) : QVariant();
}

QString StatisticsModel::title(int column) const {
    if (column == Key) return keyTitle(m_by);
    const QString text = QString::fromLatin1(kColumns[column].title);
    if (column == Count || !m_statistics) return text;
    return QStringLiteral("%1, %2").arg(text, m_units[size_t(column)].name);
}

StatisticsTotal::StatisticsTotal(const StatisticsModel &rows, QObject *parent)
    : QAbstractTableModel(parent), m_rows(rows) {
    connect(&rows, &QAbstractItemModel::modelReset, this,
            [this] { emit dataChanged(index(0, 0), index(0, columnCount() - 1)); });
}

int StatisticsTotal::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(StatisticsModel::ColumnCount);
}

QVariant StatisticsTotal::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const bool key = index.column() == StatisticsModel::Key;
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole)
        return m_rows.totalCell(index.column());
    if (role == kValueRole) return m_rows.totalValue(index.column());
    if (role == Qt::TextAlignmentRole)
        return int((key ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::FontRole) {
        QFont font = tableFont();
        font.setBold(true);
        return font;
    }
    return {};
}

} // namespace longpole
