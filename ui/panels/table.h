// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

class QLineEdit;

namespace longpole {

class TableOrder;

/// The look that all tables share: rows of 18 px, every second one tinted, whole rows selected,
/// Ctrl+C copies them, the context menu copies what is chosen, or all, as CSV or Markdown. One
/// column, the first by default, takes the room that the others leave.
class Table : public QTableView {
    Q_OBJECT
public:
    Table(const QString &objectName, const QString &accessibleName, QWidget *parent = nullptr);

    void setModel(QAbstractItemModel *model) override;
    /// Before setModel(): a click on a header sorts, a third one gives the order of the model back,
    /// and / filters. Rows of the view are then others than those of the model.
    void setOrdered();
    int modelRow(const QModelIndex &index) const;          ///< of the model given; -1 for none
    QModelIndex viewIndex(int modelRow, int column) const; ///< invalid where it is filtered out
    void setFilter(const QString &text);
    /// Columns that are hidden one after the other when not all fit.
    void setExpendable(const QList<int> &columns) { m_expendable = columns; }
    void setFiller(int column) { m_filler = column; }
    /// Widths from the contents; call after the model's texts changed.
    void fitColumns();
    /// A header and a row: panels scroll rather than take the room of the timeline.
    QSize minimumSizeHint() const override;
    /// Becomes the one row below another table, in its columns.
    void showBelow(Table &table);
    /// The chosen rows, or all of them where fewer than two are chosen, up to a million.
    QString csv() const;
    QString markdown() const;

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void copySelection() const;
    QList<QStringList> rows() const; ///< the header first

    QList<int> m_expendable;
    int m_filler = 0;
    void openFilter();
    void closeFilter();
    void placeFilter();

    Table *m_above = nullptr;
    TableOrder *m_order = nullptr;
    QLineEdit *m_filter = nullptr; ///< over the lower edge, while it is open
};

} // namespace longpole
