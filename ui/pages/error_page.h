// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QScrollArea>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace longpole {

/// Why a file was not opened: what happened, where, the bytes of that place, and the ways out.
class ErrorPage : public QScrollArea {
    Q_OBJECT
public:
    explicit ErrorPage(QWidget *parent = nullptr);
    /// `open`: the name of the trace that stays on screen behind this page, or empty.
    void explain(const OpenFailure &failure, const QString &open);
    QString plainText() const;

signals:
    void chooseRequested();
    void retryRequested(const QStringList &paths);
    void backRequested();

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeStrip();
    QLayout *makeWaysOut();
    QLayout *makeFacts();
    void tint();

    OpenFailure m_failure;
    QLabel *m_icon, *m_stripTitle, *m_stripSide, *m_title, *m_message, *m_facts, *m_backText;
    QPlainTextEdit *m_bytes;
    QPushButton *m_choose, *m_back;
};

/// "104,729,124  {"ph": "X", …" for a page of a file around `offset`; empty where it has no text
/// to show: it cannot be read, or its bytes are compressed.
QString bytesAround(const QString &path, qint64 offset);

} // namespace longpole
