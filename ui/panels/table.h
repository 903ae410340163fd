// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace longpole {

/// The look that all tables share: rows of 18 px, every second one tinted, whole rows selected,
/// Ctrl+C copies them. One column, the first by default, takes the room that the others leave.
class Table : public QTableView {
    Q_OBJECT
public:
    Table(const QString &objectName, const QString &accessibleName, QWidget *parent = nullptr);

    void setModel(QAbstractItemModel *model) override;
    /// Columns that are hidden one after the other when not all fit.
    void setExpendable(const QList<int> &columns) { m_expendable = columns; }
    void setFiller(int column) { m_filler = column; }
    /// Widths from the contents; call after the model's texts changed.
    void fitColumns();
    /// A header and a row: panels scroll rather than take the room of the timeline.
    QSize minimumSizeHint() const override;
    /// Becomes the one row below another table, in its columns.
    void showBelow(Table &table);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void copySelection() const;

    QList<int> m_expendable;
    int m_filler = 0;
    Table *m_above = nullptr;
};

} // namespace longpole
