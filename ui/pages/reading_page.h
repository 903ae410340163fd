// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QStringList>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace longpole {

class PreviewView;

/// How far the reading of a trace is, how long it still takes, and what is read so far.
class ReadingPage : public QWidget {
    Q_OBJECT
public:
    explicit ReadingPage(QWidget *parent = nullptr);
    void start(const QStringList &paths);
    void setFraction(double fraction);
    PreviewView &preview() { return *m_preview; }

signals:
    void cancelRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    QElapsedTimer m_clock;
    qint64 m_bytes = 0;
    QLabel *m_title, *m_figures;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
    PreviewView *m_preview;
};

} // namespace longpole
