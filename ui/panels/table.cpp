// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/panels/table_order.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kNarrowFiller = 64, kWideFiller = 260; ///< px that the filling column asks for
constexpr int kLetters = 90;                         ///< that it takes at most

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

void Table::setOrdered() {
    m_order = new TableOrder(this);
    horizontalHeader()->setSortIndicatorClearable(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
}

int Table::modelRow(const QModelIndex &index) const {
    if (!index.isValid()) return -1;
    return m_order ? m_order->mapToSource(index).row() : index.row();
}

QModelIndex Table::viewIndex(int modelRow, int column) const {
    if (!m_order) return model()->index(modelRow, column);
    return m_order->mapFromSource(m_order->sourceModel()->index(modelRow, column));
}

void Table::setFilter(const QString &text) {
    if (m_order) m_order->setText(text);
}

void Table::openFilter() {
    if (!m_order) return;
    if (!m_filter) {
        m_filter = new QLineEdit(this);
        m_filter->setObjectName(QStringLiteral("tableFilter"));
        m_filter->setAccessibleName(tr("Filter rows"));
        m_filter->setPlaceholderText(tr("Filter"));
        m_filter->addAction(icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
        m_filter->installEventFilter(this);
        connect(m_filter, &QLineEdit::textChanged, this, &Table::setFilter);
    }
    placeFilter();
    m_filter->show();
    m_filter->setFocus();
    m_filter->selectAll();
}

void Table::closeFilter() {
    m_filter->clear();
    m_filter->hide();
    setFocus();
}

void Table::placeFilter() {
    const int wide = std::min(200, viewport()->width()), high = m_filter->sizeHint().height();
    const QRect area = viewport()->geometry();
    m_filter->setGeometry(area.right() - wide + 1, area.bottom() - high + 1, wide, high);
}

bool Table::eventFilter(QObject *object, QEvent *event) {
    if (object == m_filter && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Escape:
            closeFilter();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Down:
            setFocus();
            return true;
        default:
            return false;
        }
    }
    return QTableView::eventFilter(object, event);
}

void Table::setModel(QAbstractItemModel *model) {
    if (m_order) {
        m_order->setSourceModel(model);
        model = m_order;
    }
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
    // words end where the eye still finds their numbers
    const int most = std::max(kNarrowFiller, fontMetrics().averageCharWidth() * kLetters);
    setColumnWidth(m_filler, std::clamp(rest, kNarrowFiller, most));
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
    if (m_filter) placeFilter();
}

void Table::keyPressEvent(QKeyEvent *event) {
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
        return;
    }
    if (m_order && event->text() == QLatin1String("/")) return openFilter();
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

QList<QStringList> Table::rows() const {
    constexpr int kMost = 1'000'000;
    QList<QStringList> rows(1);
    QList<int> columns;
    for (int c = 0; c < model()->columnCount(); ++c)
        if (!isColumnHidden(c)) columns << c;
    for (const int c : columns) rows.first() << model()->headerData(c, Qt::Horizontal).toString();
    QModelIndexList chosen =
        selectionModel() ? selectionModel()->selectedRows() : QModelIndexList();
    std::sort(chosen.begin(), chosen.end());
    const int count = chosen.size() > 1 ? int(chosen.size()) : std::min(model()->rowCount(), kMost);
    for (int i = 0; i < count; ++i) {
        const QModelIndex row = chosen.size() > 1 ? chosen[i] : model()->index(i, 0);
        QStringList cells;
        for (const int c : columns) cells << row.siblingAtColumn(c).data().toString();
        rows << cells;
    }
    return rows;
}

QString Table::csv() const {
    QString text;
    for (const QStringList &row : rows()) {
        QStringList fields;
        for (const QString &cell : row) fields << csvField(cell);
        text += fields.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text;
}

QString Table::markdown() const {
    QString text;
    const QList<QStringList> all = rows();
    for (qsizetype i = 0; i < all.size(); ++i) {
        QStringList cells;
        for (QString cell : all[i])
            cells << cell.replace(QLatin1Char('|'), QLatin1String("\\|"))
                         .replace(QLatin1Char('\n'), QLatin1Char(' '));
        text += QStringLiteral("| %1 |\n").arg(cells.join(QStringLiteral(" | ")));
        if (i > 0) continue;
        for (int c = 0, column = 0; column < model()->columnCount(); ++column) {
            if (isColumnHidden(column)) continue;
            const int side =
                model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
            text += QLatin1String(side & Qt::AlignRight ? "| ---: " : "| --- ");
            if (++c == cells.size()) text += QStringLiteral("|\n");
        }
    }
    return text;
}

void Table::contextMenuEvent(QContextMenuEvent *event) {
    QMenu menu(this);
    const bool several = selectionModel() && selectionModel()->selectedRows().size() > 1;
    const auto copy = [](const QString &text) { QApplication::clipboard()->setText(text); };
    menu.addAction(tr("Copy the chosen rows"), this, [this] { copySelection(); })
        ->setEnabled(selectionModel() && selectionModel()->hasSelection());
    menu.addAction(several ? tr("Copy them as CSV") : tr("Copy all as CSV"), this,
                   [this, copy] { copy(csv()); });
    menu.addAction(several ? tr("Copy them as Markdown") : tr("Copy all as Markdown"), this,
                   [this, copy] { copy(markdown()); });
    if (m_order) {
        menu.addSeparator();
        menu.addAction(tr("Filter… (/)"), this, &Table::openFilter);
    }
    menu.exec(event->globalPos());
}

} // namespace longpole
