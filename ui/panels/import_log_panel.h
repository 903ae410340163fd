// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QWidget>

class QLabel;

namespace longpole {

class ImportLogModel;
class Table;

/// How every event of the file was used: the sentence that balances, and a row for each oddity.
class ImportLogPanel : public QWidget {
    Q_OBJECT
public:
    ImportLogPanel(ViewState &state, Session &session, QWidget *parent = nullptr);

private:
    void refresh();
    void goTo(int row); ///< to the first place of a row's reason, where an interval is there

    ViewState &m_state;
    ImportLogModel *m_model;
    QLabel *m_balance, *m_note;
    Table *m_table;
};

} // namespace longpole
