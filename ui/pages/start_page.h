// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <QStringList>

class QBoxLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace longpole {

class RecentTable;
struct Example;

/// What one sees before a trace is open: the ways to open one, and the first keys.
class StartPage : public QScrollArea {
    Q_OBJECT
public:
    explicit StartPage(QWidget *parent = nullptr);
    void refreshRecent();

signals:
    void chooseRequested();
    void captureRequested();
    void openRequested(const QStringList &paths);
    void exampleRequested(const longpole::Example &example);

private:
    QWidget *makeRecent();
    QWidget *makeExamples();
    QWidget *makeHints();
    QWidget *makeCaptureLink();

    RecentTable *m_recent;
    QLabel *m_noRecent, *m_recentKeys;
    QPushButton *m_clear;
};

} // namespace longpole
