// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QStringList>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace longpole {

/// How far the reading of a trace is, at which rate, and how long it still takes.
class ReadingPage : public QWidget {
    Q_OBJECT
public:
    explicit ReadingPage(QWidget *parent = nullptr);
    void start(const QStringList &paths);
    void setFraction(double fraction);

signals:
    void cancelRequested();

private:
    QElapsedTimer m_clock;
    qint64 m_bytes = 0;
    QLabel *m_title, *m_figures;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
};

} // namespace longpole
