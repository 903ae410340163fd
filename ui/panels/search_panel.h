// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace longpole {

class HitsModel;
class Table;

/// The field that everything is searched with, and what it found. Enter and Shift+Enter walk from
/// hit to hit; arguments, which lie in the file, are searched on demand.
class SearchPanel : public QWidget {
    Q_OBJECT
public:
    SearchPanel(ViewState &state, Session &session, QWidget *parent = nullptr);

    void focusField(); ///< with its text chosen, to be written over

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    QWidget *makeBar();
    void find();
    void walk(int by);
    void refresh();
    void showStatus();
    void fillCategories();
    void goTo(int row);

    ViewState &m_state;
    Search &m_search;
    HitsModel *m_model;
    QTimer m_typing; ///< gathers letters
    QLineEdit *m_field = nullptr;
    QComboBox *m_category = nullptr;
    QToolButton *m_previous = nullptr, *m_next = nullptr;
    QPushButton *m_arguments = nullptr;
    QLabel *m_status = nullptr;
    Table *m_table;
    double m_fraction = 0; ///< of the arguments that are read
    bool m_walkWhenFound = false;
};

} // namespace longpole
