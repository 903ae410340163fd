// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QTimer>
#include <QWidget>

#include <array>

class QVBoxLayout;

namespace longpole {

class TrustBar;
class VerdictRow;

/// The verdict on the window: what it takes and what for, how busy the device was, the best levers,
/// how far to trust it. Every number leads to where it is counted. Its height does not depend on
/// what it says, so that nothing below it jumps.
class VerdictBanner : public QWidget {
    Q_OBJECT
public:
    VerdictBanner(ViewState &state, Session &session, QWidget *parent = nullptr);
    enum class Room { Full, Tight, OneLine };
    void setRoom(Room room); ///< OneLine keeps the rest in its tooltip

signals:
    void followed(const longpole::VerdictLink &link);

protected:
    void paintEvent(QPaintEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void refresh();
    void showVerdict(const Verdict &verdict);
    void showSentence(const QString &text);
    void setLive(bool live);
    std::array<VerdictRow *, 5> rowsOf() const;

    Session &m_session;
    VerdictRow *m_headline, *m_device, *m_levers;
    TrustBar *m_trust;
    QVBoxLayout *m_rows;
    QTimer m_analysing; ///< quick answers are not announced
    QString m_text;     ///< the verdict as the command line prints it
    Room m_room = Room::Full;
};

} // namespace longpole
