// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"
#include "ui/state_file.h"

#include <QObject>
#include <QTimer>

namespace longpole {

class WhatIfPanel;

/// Keeps what the user adds to the open trace in its state file: marks, notes, choices of tracks,
/// the what-if. Two seconds after a change and at the end; what another window wrote is taken in.
class StateKeeper : public QObject {
    Q_OBJECT
public:
    StateKeeper(ViewState &state, Session &session, WhatIfPanel &whatIf, QObject *parent = nullptr);

    void save(); ///< now, if anything changed
    QString path() const { return m_file.path(); }

signals:
    void said(const QString &sentence); ///< for the user

private:
    void load();
    void changed();
    nlohmann::json content() const;
    void apply(const nlohmann::json &state);

    ViewState &m_state;
    Session &m_session;
    WhatIfPanel &m_whatIf;
    std::shared_ptr<const Loaded> m_loaded; ///< whose file it is
    StateFile m_file;
    nlohmann::json m_content; ///< to be written; the trace may be gone by then
    QTimer m_delay;
    bool m_keepsWhatIf = true; ///< examples begin as they are meant to
    bool m_dirty = false, m_applying = false;
};

/// Where the state of a trace is kept: beside the first of its files, and in the user's folder.
std::pair<QString, QString> statePlaces(const QStringList &paths, const Trace &trace);

} // namespace longpole
