// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/panels/path_model.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace longpole {

class Table;

/// The critical path as a table: sums that add up to the window, and every segment in order.
class PathPanel : public QWidget {
    Q_OBJECT
public:
    PathPanel(ViewState &state, Session &session, QWidget *parent = nullptr);
    QSize sizeHint() const override { return {352, 640}; }
    /// Lists the segments of one key and goes to the longest.
    void showOnly(PathBy by, uint32_t key);

private:
    void refresh();
    void refreshTotals();
    void listOnly(uint32_t key);
    void goTo(int row);
    void followSelection();
    PathBy by() const;

    ViewState &m_state;
    Session &m_session;
    PathTotals *m_totalsModel;
    PathModel *m_model;
    QComboBox *m_by;
    QLabel *m_message, *m_count;
    Table *m_totals, *m_table;
    QWidget *m_content;
    uint32_t m_only = PathKeys::kAll;
    bool m_going = false; ///< the row is what selects, not the other way round
};

} // namespace longpole
