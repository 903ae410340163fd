// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QScrollArea;

namespace longpole {

class StepsModel;
class Table;

/// The steps of the trace: how they were found, how long a steady one takes, and a row for each.
class StepsPanel : public QWidget {
    Q_OBJECT
public:
    StepsPanel(ViewState &state, Session &session, QWidget *parent = nullptr);

private:
    void refresh();
    void makeSummary();
    void refreshSummary(const Steps &steps);
    void addFigure(const QString &key, const QString &value, bool strong = false);
    void showWindow();

    ViewState &m_state;
    StepsModel *m_model;
    QScrollArea *m_box = nullptr;     ///< made anew for each trace
    QGridLayout *m_summary = nullptr; ///< its layout
    QLabel *m_empty;
    Table *m_table;
};

} // namespace longpole
