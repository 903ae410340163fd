// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table.h"

#include "ui/style.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kNarrowFiller = 64, kWideFiller = 260; ///< px that the filling column asks for

} // namespace

Table::Table(const QString &objectName, const QString &accessibleName, QWidget *parent)
    : QTableView(parent) {
    setObjectName(objectName);
    setAccessibleName(accessibleName);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setFrameShape(NoFrame);
    setFont(tableFont()); // a style sheet would not hand down the font of a class
    horizontalHeader()->setFont(uiFont(11));
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(14);
    verticalHeader()->setDefaultSectionSize(std::max(18, fontMetrics().height() + 5));
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setResizeContentsPrecision(60);
    horizontalHeader()->setMinimumSectionSize(24);
    horizontalHeader()->setFixedHeight(std::max(20, fontMetrics().height() + 7));
}

void Table::setModel(QAbstractItemModel *model) {
    QTableView::setModel(model);
    connect(model, &QAbstractItemModel::modelReset, this, &Table::fitColumns);
    fitColumns();
}

void Table::fitColumns() {
    if (!model() || m_above) return;
    const int columns = model()->columnCount();
    for (int c = 0; c < columns; ++c) setColumnHidden(c, false);
    const auto needed = [this](int c) {
        return std::max(sizeHintForColumn(c), horizontalHeader()->sectionSizeHint(c)) + 6;
    };
    std::vector<int> widths(columns);
    int rest = viewport()->width();
    for (int c = 0; c < columns; ++c) {
        if (c == m_filler) continue;
        widths[c] = needed(c);
        rest -= widths[c];
    }
    const int wanted = std::clamp(needed(m_filler), kNarrowFiller, kWideFiller);
    for (int c : m_expendable) {
        if (rest >= wanted) break;
        setColumnHidden(c, true);
        rest += widths[c];
    }
    for (int c = 0; c < columns; ++c)
        if (c != m_filler) setColumnWidth(c, widths[c]);
    setColumnWidth(m_filler, std::max(rest, kNarrowFiller));
}

QSize Table::minimumSizeHint() const {
    return {60, horizontalHeader()->height() + verticalHeader()->defaultSectionSize()};
}

void Table::showBelow(Table &table) {
    m_above = &table;
    horizontalHeader()->hide();
    setSelectionMode(NoSelection);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(NoFrame);
    setFixedHeight(verticalHeader()->defaultSectionSize() + 1);
    const auto follow = [this](int column, int, int width) {
        setColumnHidden(column, m_above->isColumnHidden(column));
        if (!m_above->isColumnHidden(column)) setColumnWidth(column, width);
    };
    connect(table.horizontalHeader(), &QHeaderView::sectionResized, this, follow);
    connect(table.horizontalScrollBar(), &QScrollBar::valueChanged, horizontalScrollBar(),
            &QScrollBar::setValue);
    for (int c = 0; c < model()->columnCount(); ++c) follow(c, 0, table.columnWidth(c));
}

void Table::resizeEvent(QResizeEvent *event) {
    QTableView::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) fitColumns();
}

void Table::keyPressEvent(QKeyEvent *event) {
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (currentIndex().isValid()) emit activated(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

void Table::copySelection() const {
    if (!selectionModel()) return;
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    QStringList lines;
    for (const QModelIndex &row : rows) {
        QStringList cells;
        for (int c = 0; c < model()->columnCount(); ++c)
            if (!isColumnHidden(c)) cells << row.siblingAtColumn(c).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace longpole
