// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace longpole {

class StatisticsModel;
class Table;

/// How the time of the window is spent: sum, union and elapsed above, a row per group below, the
/// total always in sight.
class StatisticsPanel : public QWidget {
    Q_OBJECT
public:
    StatisticsPanel(ViewState &state, Session &session, QWidget *parent = nullptr);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *makeBar();
    QWidget *makeTotals();
    void makeTable(QVBoxLayout *layout);
    void chooseGrouping();
    void refresh();
    void refreshNote();

    ViewState &m_state;
    Session &m_session;
    StatisticsModel *m_model;
    QComboBox *m_by;
    QLineEdit *m_filter;
    QLabel *m_sum, *m_union, *m_elapsed, *m_note;
    QWidget *m_totals; ///< the three of them with their names
    QToolButton *m_csv, *m_markdown;
    Table *m_table, *m_total;
    bool m_fellBack = false; ///< to kinds, because a trace named no phase; until one does
};

} // namespace longpole
