// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_order.h"

#include "ui/theme.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace longpole {

double printedValue(const QString &cell) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (cell.isEmpty() || cell.front().isLetter()) return none;
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

namespace {

constexpr int kSliceMs = 8, kRowsAtATime = 200;

} // namespace

bool TableOrder::Key::operator<(const Key &other) const {
    if (word.isNull() != other.word.isNull()) return !word.isNull(); // "–" below all numbers
    if (!word.isNull()) return word < other.word;
    if (value != other.value) return value < other.value;
    return whole < other.whole;
}

TableOrder::TableOrder(QObject *parent) : QAbstractProxyModel(parent) {
    connect(&m_slices, &QTimer::timeout, this, &TableOrder::slice);
}

void TableOrder::setSourceModel(QAbstractItemModel *model) {
    beginResetModel();
    QAbstractProxyModel::setSourceModel(model);
    m_asTheyCome = true;
    endResetModel();
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        m_slices.stop();
        m_sortJob.cancel();
        m_stage = Stage::Done;
        beginResetModel();
    });
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        m_asTheyCome = true;
        m_resetting = sourceRows() <= kAtOnce; // the views learn of it all at once
        if (m_resetting) arrange(Stage::Keys);
        m_resetting = false;
        endResetModel();
        if (sourceRows() > kAtOnce) arrange(Stage::Keys);
        emit arranged();
    });
    connect(model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex &from, const QModelIndex &to, const QList<int> &roles) {
                for (int row = from.row(); row <= to.row(); ++row) {
                    const QModelIndex first = mapFromSource(from.siblingAtRow(row));
                    if (first.isValid())
                        emit dataChanged(first, first.siblingAtColumn(to.column()), roles);
                }
            });
    connect(model, &QAbstractItemModel::headerDataChanged, this,
            &QAbstractItemModel::headerDataChanged);
}

int TableOrder::sourceRows() const {
    return sourceModel() ? sourceModel()->rowCount() : 0;
}

void TableOrder::setText(const QString &text) {
    if (text == m_text) return;
    m_text = text;
    arrange(working() && m_stage != Stage::Filter ? Stage::Keys : Stage::Filter);
}

void TableOrder::sort(int column, Qt::SortOrder order) {
    m_column = column;
    m_sortOrder = order;
    arrange(Stage::Keys);
    if (columnCount() > 0) emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int TableOrder::percent() const {
    return working() ? int(100.0 * m_at / std::max(1, movable())) : 100;
}

/// Sorts where it is to be sorted, and filters then.
void TableOrder::arrange(Stage from) {
    m_sortJob.cancel();
    m_keys.clear();
    m_at = 0;
    m_stage = from;
    if (m_stage == Stage::Keys) {
        m_order.clear();
        if (m_column < 0 || m_column >= columnCount()) m_stage = Stage::Filter;
    }
    if (m_stage == Stage::Filter) m_passes.clear();
    if (m_stage == Stage::Filter && m_text.isEmpty()) return show();
    if (sourceRows() > kAtOnce) {
        m_slices.start(0);
        emit arranged(); // that it has begun
    } else {
        while (working()) go(kAtOnce);
    }
}

void TableOrder::slice() {
    QElapsedTimer clock;
    clock.start();
    while ((m_stage == Stage::Keys || m_stage == Stage::Filter) && !clock.hasExpired(kSliceMs))
        go(kRowsAtATime);
    if (m_stage == Stage::Done || m_stage == Stage::Sorting) m_slices.stop();
    if (working()) emit arranged();
}

void TableOrder::go(int rows) {
    const int end = std::min(movable(), m_at + rows);
    if (m_stage == Stage::Keys) {
        for (; m_at < end; ++m_at) m_keys.push_back(keyOf(m_at));
        if (m_at == movable()) sortKeys();
        return;
    }
    if (m_passes.empty()) m_passes.resize(size_t(movable()));
    for (; m_at < end; ++m_at) m_passes[size_t(m_at)] = passes(m_at);
    if (m_at == movable()) show();
}

TableOrder::Key TableOrder::keyOf(int row) const {
    const QModelIndex index = sourceModel()->index(row, m_column);
    const QVariant value = index.data(kValueRole);
    Key key;
    if (value.isValid()) {
        key.value = value.toDouble();
        if (value.typeId() == QMetaType::LongLong) key.whole = value.toLongLong();
        return key;
    }
    const QString text = index.data().toString();
    key.value = printedValue(text);
    if (std::isnan(key.value)) {
        key.value = 0;
        key.word = text.isEmpty() ? QStringLiteral("") : text.toCaseFolded();
    }
    return key;
}

bool TableOrder::passes(int row) const {
    const QAbstractItemModel &model = *sourceModel();
    for (int column = 0; column < model.columnCount(); ++column)
        if (model.index(row, column).data().toString().contains(m_text, Qt::CaseInsensitive))
            return true;
    return false;
}

std::vector<int> TableOrder::orderOf(const std::vector<Key> &keys, Qt::SortOrder order) {
    std::vector<int> rows(keys.size());
    std::iota(rows.begin(), rows.end(), 0);
    const auto before = [&keys](int a, int b) { return keys[size_t(a)] < keys[size_t(b)]; };
    if (order == Qt::AscendingOrder)
        std::stable_sort(rows.begin(), rows.end(), before);
    else
        std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) { return before(b, a); });
    return rows;
}

void TableOrder::sortKeys() {
    m_stage = Stage::Sorting;
    if (sourceRows() <= kAtOnce) return ordered(orderOf(std::exchange(m_keys, {}), m_sortOrder));
    auto keys = std::make_shared<const std::vector<Key>>(std::exchange(m_keys, {}));
    m_sortJob.start([keys, order = m_sortOrder](
                        Progress &) -> Result<std::vector<int>> { return orderOf(*keys, order); },
                    [this](Result<std::vector<int>> order) {
                        ordered(order ? std::move(*order) : std::vector<int>());
                    });
}

void TableOrder::ordered(std::vector<int> order) {
    m_order = std::move(order);
    if (m_text.isEmpty() || int(m_passes.size()) == movable()) return show();
    m_at = 0;
    m_stage = Stage::Filter;
    m_passes.clear();
    if (sourceRows() > kAtOnce) m_slices.start(0);
}

/// The rows as they are arranged now; who holds one of them keeps it.
void TableOrder::show() {
    m_slices.stop();
    m_stage = Stage::Done;
    if (!m_resetting) emit layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = m_resetting ? QModelIndexList() : persistentIndexList();
    QModelIndexList held;
    for (const QModelIndex &index : before) held << mapToSource(index);
    const int rows = movable();
    m_asTheyCome = m_order.empty() && m_passes.empty();
    m_shown.clear();
    m_places.clear();
    if (!m_asTheyCome) {
        m_places.assign(size_t(sourceRows()), -1);
        for (int at = 0; at < rows; ++at) {
            const int row = m_order.empty() ? at : m_order[size_t(at)];
            if (!m_passes.empty() && !m_passes[size_t(row)]) continue;
            m_places[size_t(row)] = int(m_shown.size());
            m_shown.push_back(row);
        }
        for (int row = rows; row < sourceRows(); ++row) {
            m_places[size_t(row)] = int(m_shown.size());
            m_shown.push_back(row);
        }
    }
    if (m_resetting) return;
    QModelIndexList after;
    for (const QModelIndex &index : held) after << mapFromSource(index);
    changePersistentIndexList(before, after);
    emit layoutChanged({}, VerticalSortHint);
    emit arranged();
}

QModelIndex TableOrder::mapToSource(const QModelIndex &index) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    return sourceModel()->index(m_asTheyCome ? index.row() : m_shown[size_t(index.row())],
                                index.column());
}

QModelIndex TableOrder::mapFromSource(const QModelIndex &index) const {
    if (!index.isValid()) return {};
    const size_t row = size_t(index.row());
    const int place = m_asTheyCome ? int(row) : row < m_places.size() ? m_places[row] : -1;
    return place < 0 ? QModelIndex() : createIndex(place, index.column());
}

QModelIndex TableOrder::index(int row, int column, const QModelIndex &parent) const {
    return hasIndex(row, column, parent) ? createIndex(row, column) : QModelIndex();
}

int TableOrder::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : m_asTheyCome ? sourceRows() : int(m_shown.size());
}

int TableOrder::columnCount(const QModelIndex &parent) const {
    return parent.isValid() || !sourceModel() ? 0 : sourceModel()->columnCount();
}

QVariant TableOrder::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || !sourceModel()) return {};
    const QVariant given = sourceModel()->headerData(section, orientation, role);
    if (section != m_column) return given;
    if (role == Qt::FontRole) return uiFont(11, QFont::Bold);
    if (role != Qt::DisplayRole) return given;
    return (m_sortOrder == Qt::DescendingOrder ? QStringLiteral("▾ ") : QStringLiteral("▴ ")) +
           given.toString();
}

} // namespace longpole
