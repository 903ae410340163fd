// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QWidget>

class QPushButton;
class QTextBrowser;

namespace longpole {

/// Everything that is known of the selected interval: its place, its exact length, what launched
/// it and what it launched, and every argument that the file gives.
class DetailsPanel : public QWidget {
    Q_OBJECT
public:
    DetailsPanel(ViewState &state, Session &session, QWidget *parent = nullptr);

protected:
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void selectionChanged();
    void render();
    void follow(const QUrl &link);
    const Arguments *arguments() const; ///< null until they are read

    ViewState &m_state;
    Session &m_session;
    Arguments m_arguments; ///< of the selection once they are read
    QTextBrowser *m_text;
    QPushButton *m_cause, *m_parent, *m_copy = nullptr;
};

} // namespace longpole
