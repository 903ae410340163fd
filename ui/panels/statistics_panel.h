// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;

namespace longpole {

class StatisticsModel;
class Table;

/// How the time of the window is spent: sum, union and elapsed above, a row per group below.
class StatisticsPanel : public QWidget {
    Q_OBJECT
public:
    StatisticsPanel(ViewState &state, Session &session, QWidget *parent = nullptr);

private:
    void chooseGrouping();
    void refresh();
    void refreshNote();
    QWidget *makeBar();
    QWidget *makeTotals();
    void copy(const QString &text, const QString &what);

    ViewState &m_state;
    Session &m_session;
    StatisticsModel *m_model;
    QComboBox *m_by;
    QLineEdit *m_filter;
    QLabel *m_range, *m_sum, *m_union, *m_elapsed, *m_note;
    Table *m_table;
};

} // namespace longpole
