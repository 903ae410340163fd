// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table.h"

#include "ui/commands.h"
#include "ui/numbers.h"
#include "ui/panels/table_filter.h"
#include "ui/panels/table_order.h"
#include "ui/style.h"
#include "ui/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kNarrowFiller = 64, kWideFiller = 260; ///< px that the filling column asks for
constexpr int kLetters = 90;                         ///< that it takes at most

} // namespace

Table::Table(const QString &objectName, const QString &accessibleName, QWidget *parent)
    : QTableView(parent), m_order(new TableOrder(this)) {
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
    horizontalHeader()->setSortIndicatorClearable(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
}

void Table::setModel(QAbstractItemModel *model) {
    m_order->setSourceModel(model);
    if (this->model()) return;
    QTableView::setModel(m_order);
    setSortingEnabled(true);
    connect(m_order, &QAbstractItemModel::modelReset, this, &Table::fitColumns);
    fitColumns();
}

int Table::modelRow(const QModelIndex &index) const {
    return m_order->mapToSource(index).row();
}

QModelIndex Table::viewIndex(int modelRow, int column) const {
    return m_order->mapFromSource(m_order->sourceModel()->index(modelRow, column));
}

void Table::setFilterField(QLineEdit *field) {
    m_field = field;
    field->installEventFilter(this);
    connect(field, &QLineEdit::textChanged, m_order, &TableOrder::setText);
}

void Table::openFilter() {
    if (!m_field) {
        m_filter = new TableFilter(*this, *m_order);
        m_field = &m_filter->field();
        m_field->installEventFilter(this);
    }
    if (m_filter) {
        m_filter->place();
        m_filter->show();
    }
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void Table::closeFilter() {
    m_field->clear();
    if (m_filter) m_filter->hide();
    setFocus();
}

bool Table::eventFilter(QObject *object, QEvent *event) {
    if (object == m_field && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Escape:
            closeFilter();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Down:
            setFocus();
            if (!currentIndex().isValid()) selectRow(0);
            return true;
        default:
            return false;
        }
    }
    return QTableView::eventFilter(object, event);
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
    table.m_below = this;
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
    if (m_filter) m_filter->place();
}

void Table::keyPressEvent(QKeyEvent *event) {
    if (event->matches(QKeySequence::Copy)) {
        if (chosenCount() > 0) copy(text(), tr("text"));
        return;
    }
    const auto means = [event](const char *id) {
        return keysOf(*commandOf(QLatin1String(id)))
            .contains(QKeySequence(event->keyCombination()));
    };
    if (means("copyCsv")) return copyCsv();
    if (means("copyMarkdown")) return copyMarkdown();
    if (event->text() == QLatin1String("/")) return openFilter();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (currentIndex().isValid()) emit activated(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

/// Whole rows are selected, so that the ranges say it all; asking row by row takes seconds where
/// there are many.
QList<std::pair<int, int>> Table::chosen() const {
    QList<std::pair<int, int>> ranges;
    if (!selectionModel()) return ranges;
    for (const QItemSelectionRange &range : selectionModel()->selection())
        if (range.isValid()) ranges.emplaceBack(range.top(), range.bottom());
    std::sort(ranges.begin(), ranges.end());
    return ranges;
}

qsizetype Table::chosenCount() const {
    qsizetype count = 0;
    for (const auto &[first, last] : chosen()) count += last - first + 1;
    return count;
}

void Table::eachRow(const std::function<void(const QModelIndex &)> &take) const {
    auto ranges = chosen();
    if (chosenCount() < 2) ranges = {{0, model()->rowCount() - 1}};
    for (const auto &[first, last] : ranges)
        for (int row = first; row <= last; ++row) take(model()->index(row, 0));
}

QString Table::text() const {
    QString text;
    for (const auto &[first, last] : chosen()) {
        for (int row = first; row <= last; ++row) {
            for (int c = 0; c < model()->columnCount(); ++c) {
                if (c > 0) text += QLatin1Char('\t');
                QString cell = model()->index(row, c).data().toString();
                static const QRegularExpression odd(QStringLiteral("[\t\n\r\"]"));
                if (cell.contains(odd))
                    cell = QLatin1Char('"') +
                           cell.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
                text += cell;
            }
            text += QLatin1Char('\n');
        }
    }
    text.chop(1);
    return text;
}

QString Table::csv() const {
    QString text;
    const QAbstractItemModel &source = *m_order->sourceModel();
    QList<bool> exact;
    for (int c = 0; c < source.columnCount(); ++c) {
        const QVariant name = source.headerData(c, Qt::Horizontal, kValueRole);
        exact << name.isValid();
        if (c > 0) text += QLatin1Char(',');
        text += csvField(name.isValid() ? name.toString()
                                        : source.headerData(c, Qt::Horizontal).toString());
    }
    text += QLatin1Char('\n');
    const auto add = [&](const QModelIndex &row) {
        for (int c = 0; c < exact.size(); ++c) {
            if (c > 0) text += QLatin1Char(',');
            const QModelIndex cell = row.siblingAtColumn(c);
            text +=
                csvField(cell.data(exact[c] ? int(kValueRole) : int(Qt::DisplayRole)).toString());
        }
        text += QLatin1Char('\n');
    };
    eachRow(add);
    if (m_below && chosenCount() < 2) add(m_below->model()->index(0, 0));
    return text;
}

QString Table::markdown() const {
    const QAbstractItemModel &source = *m_order->sourceModel();
    QString text = QStringLiteral("|"), rule = QStringLiteral("|");
    for (int c = 0; c < source.columnCount(); ++c) {
        text += QStringLiteral(" %1 |").arg(
            markdownCell(source.headerData(c, Qt::Horizontal).toString()));
        const int side = source.headerData(c, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
        rule += QLatin1String(side & Qt::AlignRight ? " ---: |" : " --- |");
    }
    text += QLatin1Char('\n') + rule + QLatin1Char('\n');
    const auto add = [&text](const QModelIndex &row, const QString &weight = {}) {
        text += QLatin1Char('|');
        for (int c = 0; c < row.model()->columnCount(); ++c)
            text += QLatin1Char(' ') + weight +
                    markdownCell(row.siblingAtColumn(c).data().toString()) + weight +
                    QLatin1String(" |");
        text += QLatin1Char('\n');
    };
    eachRow([&add](const QModelIndex &row) { add(row); });
    if (m_below && chosenCount() < 2) add(m_below->model()->index(0, 0), QStringLiteral("**"));
    return text;
}

QString markdownCell(QString text) {
    // Signs that Markdown would take for its own; _ inside of words is none.
    static const QRegularExpression signs(
        QStringLiteral(R"(([\\`*<|\[~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])))"));
    text.replace(QRegularExpression(QStringLiteral("\\s*[\n\r]+\\s*")), QStringLiteral(" "));
    return text.replace(signs, QStringLiteral("\\\\1"));
}

void Table::copy(const QString &text, const QString &what) {
    QApplication::clipboard()->setText(text);
    QToolTip::showText(mapToGlobal(QPoint(8, 0)), tr("Copied as %1").arg(what), this);
}

void Table::copyCsv() {
    copy(csv(), tr("CSV"));
}

void Table::copyMarkdown() {
    copy(markdown(), tr("Markdown"));
}

void Table::contextMenuEvent(QContextMenuEvent *event) {
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("tableMenu"));
    const qsizetype chosen = chosenCount();
    menu.addAction(tr("Copy the chosen rows"), this, [this] { copy(text(), tr("text")); })
        ->setEnabled(chosen > 0);
    const auto add = [&](const char *id, const QString &text, auto run) {
        QAction *action = menu.addAction(text, this, run);
        action->setObjectName(QLatin1String(id));
        action->setShortcuts(keysOf(*commandOf(action->objectName())));
    };
    add("copyCsv", chosen > 1 ? tr("Copy them as CSV") : tr("Copy all as CSV"), &Table::copyCsv);
    add("copyMarkdown", chosen > 1 ? tr("Copy them as Markdown") : tr("Copy all as Markdown"),
        &Table::copyMarkdown);
    menu.addSeparator();
    add("filterTable", tr("Filter…"), &Table::openFilter);
    menu.exec(event->globalPos());
}

} // namespace longpole
