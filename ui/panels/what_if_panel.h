// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenarios.h"
#include "ui/session.h"
#include "ui/what_if_runner.h"

#include <QHash>
#include <QTimer>
#include <QWidget>

#include <map>

class QLabel;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace longpole {

class EditRows;
class FidelityBadge;
class LeverRow;
class ScenarioRow;
class SpeedupPlot;
class WhatIfReadout;

/// What the window would last if some of its work were faster: a slider for
/// each phase, the numbers and the curve that follow it, and how far they can
/// be trusted. Works on what Session's graph and the window of ViewState give;
/// while it is hidden nothing is computed.
class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    WhatIfPanel(ViewState &state, Session &session, QWidget *parent = nullptr);
    QSize sizeHint() const override { return {352, 640}; }
    /// Moves the slider of a phase or kind as a person would; once there is one, when it is none
    /// yet.
    void setSpeed(const QString &id, Speed speed);
    void focusSlider(const QString &id, Speed speed);
    const WhatIfStand &stand() const { return m_stand; }
    /// As it was kept with the trace.
    void restore(const WhatIfStand &stand);
    Scenarios &scenarios() { return m_scenarios; }
    void saveScenario();                     ///< asks for its name
    void restoreScenario(const QString &id); ///< as a change that can be undone

signals:
    void rankWanted();
    void standChanged(); ///< a change has ended, or one was taken back

protected:
    void showEvent(QShowEvent *event) override;

private:
    friend class WhatIfCommand;
    QWidget *makeHead();
    QWidget *makeRankRow();
    void reset();
    void start();
    void setBasis(std::shared_ptr<const WhatIfBasis> basis);
    void showPending();
    void makeRows();
    void showMessage(const QString &text);
    void choose(const std::string &id);
    void change(const std::string &id, Speed speed);
    void takeFocus();
    void remember();
    void setStand(const WhatIfStand &stand); ///< as a step of undo does
    void setEdits(std::vector<std::string> edits);
    void showStand();
    void ask();
    void predict();
    void showAnswer(const WhatIfAnswer &answer);
    void showCurve(const LengthCurve &curve);
    WhatIfQuestion question() const;

    ViewState &m_state;
    Session &m_session;
    Scenarios m_scenarios;
    QLabel *m_message, *m_edits = nullptr, *m_note;
    QScrollArea *m_scroll;
    QToolButton *m_undo = nullptr, *m_redo = nullptr, *m_reset = nullptr;
    QVBoxLayout *m_rowBox;
    EditRows *m_editRows;
    ScenarioRow *m_scenarioRow;
    FidelityBadge *m_badge;
    WhatIfReadout *m_readout;
    SpeedupPlot *m_plot;
    std::map<std::string, LeverRow *> m_rows;

    std::shared_ptr<const WhatIfBasis> m_basis;
    std::shared_ptr<const LengthCurve> m_curve; ///< the one that is drawn
    WhatIfStand m_stand;
    WhatIfStand m_remembered; ///< as it was when a change had ended
    std::string m_focus;      ///< slider that gets the focus once it is there
    bool m_stale = true;      ///< the basis is not of this window
    bool m_pending = false;   ///< nor is anything that is shown
    QTimer m_delay;           ///< gathers the windows of one drag
    Job<std::shared_ptr<const WhatIfBasis>> m_basisJob;
    WhatIfRunner m_runner;
};

} // namespace longpole
