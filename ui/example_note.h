// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace longpole {

struct Example;

/// A strip that says what an example shows, what to try and what it teaches, until it is closed.
class ExampleNote : public QWidget {
    Q_OBJECT
public:
    explicit ExampleNote(QWidget *parent = nullptr);
    void showNote(const Example &example);

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void colour();

    QLabel *m_icon, *m_see, *m_attempt, *m_lesson;
};

} // namespace longpole
