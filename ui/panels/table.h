// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <functional>
#include <vector>

class QLineEdit;

namespace longpole {

class TableFilter;
class TableOrder;

/// The look and the hands that all tables share: rows of 18 px, every second one tinted, whole
/// rows selected. A click on a header sorts, a third one gives the order of the model back; / leads
/// to the field that filters; keys and the context menu copy rows, as text, CSV or Markdown. One
/// column, the first by default, takes the room that the others leave.
class Table : public QTableView {
    Q_OBJECT
public:
    Table(const QString &objectName, const QString &accessibleName, QWidget *parent = nullptr);

    /// Rows of the view are others than those of the model once they are sorted or filtered.
    void setModel(QAbstractItemModel *model) override;
    TableOrder &order() { return *m_order; }
    int modelRow(const QModelIndex &index) const;          ///< of the model given; -1 for none
    QModelIndex viewIndex(int modelRow, int column) const; ///< invalid where it is filtered out
    /// The panel's own field in the place of one over the lower edge.
    void setFilterField(QLineEdit *field);
    void openFilter(); ///< and puts the cursor there
    /// Columns that are hidden one after the other when not all fit.
    void setExpendable(const QList<int> &columns) { m_expendable = columns; }
    void setFiller(int column) { m_filler = column; }
    /// Widths from the contents; call after the model's texts changed.
    void fitColumns();
    /// A header and a row: panels scroll rather than take the room of the timeline.
    QSize minimumSizeHint() const override;
    /// Becomes the one row below another table, in its columns.
    void showBelow(Table &table);

    /// The chosen rows, or all of them where fewer than two are chosen, then with the row below;
    /// every column, whether there is room for it or not.
    QString csv() const;      ///< numbers as they are (kValueRole), the rest as printed
    QString markdown() const; ///< as printed
    QString text() const;     ///< the chosen rows with tabs, as spreadsheets do
    void copyCsv();
    void copyMarkdown();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void copy(const QString &text, const QString &what);
    QList<std::pair<int, int>> chosen() const; ///< first and last rows, ascending
    qsizetype chosenCount() const;
    void eachRow(const std::function<void(const QModelIndex &)> &take) const;
    void closeFilter();

    QList<int> m_expendable;
    int m_filler = 0;
    Table *m_above = nullptr, *m_below = nullptr;
    TableOrder *m_order;
    QLineEdit *m_field = nullptr;
    TableFilter *m_filter = nullptr; ///< over the lower edge, while it is open
};

/// "a \| b": as a cell of a Markdown table that shows this text.
QString markdownCell(QString text);

} // namespace longpole
