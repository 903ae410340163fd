// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/what_if_panel.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/panels/edit_rows.h"
#include "ui/panels/fidelity_badge.h"
#include "ui/panels/lever_row.h"
#include "ui/panels/scenario_row.h"
#include "ui/panels/speed_slider.h"
#include "ui/panels/what_if_curves.h"
#include "ui/panels/what_if_readout.h"
#include "ui/panels/what_if_text.h"
#include "ui/plots/speedup_plot.h"
#include "ui/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

QLabel *sentence(const QString &name, int pixels = 11) {
    auto *label = new QLabel;
    label->setObjectName(name);
    label->setFont(uiFont(pixels));
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

QToolButton *headButton(const QString &name, const QString &iconName, const QString &tip) {
    auto *button = new QToolButton;
    button->setObjectName(name);
    button->setIcon(icon(iconName));
    button->setIconSize({16, 16});
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

/// One change of sliders or edits.
class WhatIfCommand : public QUndoCommand {
public:
    WhatIfCommand(WhatIfPanel &panel, WhatIfStand before, WhatIfStand after)
        : QUndoCommand(WhatIfPanel::tr("what-if")), m_panel(panel), m_before(std::move(before)),
          m_after(std::move(after)) {}
    void undo() override { m_panel.setStand(m_before); }
    void redo() override {
        if (!std::exchange(m_done, true)) return; // the hand has done it already
        m_panel.setStand(m_after);
    }

private:
    WhatIfPanel &m_panel;
    const WhatIfStand m_before, m_after;
    bool m_done = false;
};

WhatIfPanel::WhatIfPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_session(session), m_scenarios(state.undoStack()),
      m_message(sentence(QStringLiteral("whatIfMessage"), 12)),
      m_note(sentence(QStringLiteral("whatIfNote"), 10)), m_scroll(new QScrollArea),
      m_rowBox(new QVBoxLayout), m_editRows(new EditRows),
      m_scenarioRow(new ScenarioRow(m_scenarios)), m_badge(new FidelityBadge),
      m_readout(new WhatIfReadout), m_plot(new SpeedupPlot) {
    setWindowTitle(tr("What-if"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_message->setMargin(12);
    m_note->setContentsMargins(10, 2, 10, 4);
    m_rowBox->setSpacing(0);
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(m_scenarioRow);
    column->addWidget(new LeverHeader);
    column->addLayout(m_rowBox);
    column->addWidget(m_note);
    column->addWidget(m_editRows);
    column->addWidget(makeRankRow());
    column->addWidget(m_readout);
    column->addWidget(m_plot, 1);
    column->addWidget(m_badge);
    m_plot->setMaximumHeight(2 * m_plot->sizeHint().height());
    column->addStretch(0);
    m_scroll->setWidget(content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_message, 0, Qt::AlignTop);
    layout->addWidget(m_scroll, 1);

    m_delay.setSingleShot(true);
    m_delay.setInterval(30);
    connect(&m_delay, &QTimer::timeout, this, &WhatIfPanel::start);
    connect(&m_state, &ViewState::loadedChanged, this, &WhatIfPanel::reset);
    connect(&m_state, &ViewState::windowChanged, this, [this] {
        m_stale = true;
        showPending();
        m_delay.start();
    });
    connect(m_scenarioRow, &ScenarioRow::chosen, this, &WhatIfPanel::restoreScenario);
    connect(&m_session, &Session::graphChanged, this, [this] {
        m_stale = true;
        showPending();
        start();
    });
    connect(m_editRows, &EditRows::added, this, [this](const QString &edit) {
        auto edits = m_stand.edits;
        edits.push_back(edit.toStdString());
        setEdits(std::move(edits));
    });
    connect(m_editRows, &EditRows::removed, this, [this](int index) {
        auto edits = m_stand.edits;
        edits.erase(edits.begin() + index);
        setEdits(std::move(edits));
    });
    connect(&m_state, &ViewState::selectedChanged, this, [this] {
        const Trace *trace = m_state.trace();
        const IntervalId id = m_state.selected();
        m_editRows->setSuggestion(trace && id.valid() ? std::string(trace->name(id))
                                                      : std::string());
    });
    connect(&m_runner, &WhatIfRunner::answered, this, &WhatIfPanel::showAnswer);
    connect(&m_state, &ViewState::looksChanged, this, &WhatIfPanel::predict);
    reset();
}

QWidget *WhatIfPanel::makeHead() {
    auto *head = new QWidget;
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(10, 4, 6, 2);
    row->setSpacing(2);
    m_edits = new QLabel;
    m_edits->setObjectName(QStringLiteral("whatIfEdits"));
    m_edits->setFont(uiFont(12, QFont::Bold));
    m_edits->setMinimumWidth(40);
    m_undo = headButton(QStringLiteral("whatIfUndo"), QStringLiteral("arrow-back-up"),
                        tr("Undo the last change (Ctrl+Z)"));
    m_redo = headButton(QStringLiteral("whatIfRedo"), QStringLiteral("arrow-forward-up"),
                        tr("Redo it (Ctrl+Shift+Z)"));
    m_reset = headButton(QStringLiteral("whatIfReset"), QStringLiteral("refresh"),
                         tr("Reset: all sliders to 1×"));
    row->addWidget(m_edits, 1);
    for (QToolButton *button : {m_undo, m_redo, m_reset}) row->addWidget(button);
    QUndoStack &stack = m_state.undoStack();
    connect(m_undo, &QToolButton::clicked, &stack, &QUndoStack::undo);
    connect(m_redo, &QToolButton::clicked, &stack, &QUndoStack::redo);
    connect(&stack, &QUndoStack::canUndoChanged, m_undo, &QWidget::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, m_redo, &QWidget::setEnabled);
    m_undo->setEnabled(false);
    m_redo->setEnabled(false);
    connect(m_reset, &QToolButton::clicked, this, [this] {
        const WhatIfStand before = m_stand;
        setStand({{}, before.active, {}});
        m_state.undoStack().push(new WhatIfCommand(*this, before, m_stand));
    });
    return head;
}

QWidget *WhatIfPanel::makeRankRow() {
    auto *part = new QWidget;
    auto *row = new QHBoxLayout(part);
    row->setContentsMargins(10, 2, 10, 6);
    auto *rank = new QPushButton(tr("Rank the levers"));
    rank->setObjectName(QStringLiteral("rankLevers"));
    rank->setToolTip(tr("A table of what each phase, kind or name would bring"));
    connect(rank, &QPushButton::clicked, this, &WhatIfPanel::rankWanted);
    row->addWidget(rank);
    row->addStretch(1);
    return part;
}

/// Another trace: nothing of the last one stays.
void WhatIfPanel::reset() {
    m_stand = m_remembered = {};
    m_scenarios.setAll({});
    m_stale = true;
    setBasis(nullptr);
    start();
}

void WhatIfPanel::start() {
    if (!m_session.graph()) {
        m_basisJob.cancel();
        setBasis(nullptr);
        showMessage(
            m_session.graphProblem().empty()
                ? tr("Working out what each call and each kernel waited for. The "
                     "sliders "
                     "appear when that is done.")
                : tr("No replay: %1").arg(QString::fromStdString(m_session.graphProblem())));
        return;
    }
    if (!m_stale || !isVisible()) return; // showEvent comes back to it
    m_stale = false;
    m_basisJob.start(
        [loaded = m_state.loaded(), graph = m_session.graph(), window = m_state.window(),
         edits = m_stand.edits](Progress &progress) {
            return makeWhatIfBasis(loaded, graph, window, edits, progress);
        },
        [this](Result<std::shared_ptr<const WhatIfBasis>> result) {
            if (result) setBasis(std::move(*result)); // fails only when it was stopped
        });
}

void WhatIfPanel::setBasis(std::shared_ptr<const WhatIfBasis> basis) {
    m_runner.forget();
    m_basis = std::move(basis);
    m_pending = false;
    m_curve.reset();
    m_plot->clearCurves();
    makeRows();
    if (!m_basis) return;
    if (m_basis->levers.empty())
        return showMessage(tr("No work in this window. Choose a step or a range that holds some."));
    showMessage({});
    const auto &levers = m_basis->levers;
    if (!m_rows.count(m_stand.active))
        m_stand.active =
            std::max_element(levers.begin(), levers.end(),
                             [](const SliderWork &a, const SliderWork &b) {
                                 return std::pair(a.onPath, a.work) < std::pair(b.onPath, b.work);
                             })
                ->id;
    QStringList notes;
    if (m_basis->byKind) notes << tr("No phases are named in this trace: sliders are by kind.");
    if (m_basis->synchronises)
        notes << tr("Synchronisation has no slider: it is a wait, and ends with "
                    "what it waits for.");
    m_note->setText(notes.join(QLatin1Char(' ')));
    m_note->setVisible(!notes.isEmpty());
    m_badge->show(m_basis);
    m_editRows->show(m_basis->edits);
    showStand();
    takeFocus();
    ask();
}

/// What is shown is of another window: nothing of it stays to be read.
void WhatIfPanel::showPending() {
    if (!m_basis) return;
    m_pending = true;
    m_runner.forget();
    m_curve.reset();
    m_plot->clearCurves();
    m_readout->showPending();
    m_badge->show(nullptr);
    for (const auto &[id, row] : m_rows) row->showPending();
}

void WhatIfPanel::makeRows() {
    for (const auto &[id, row] : m_rows) {
        row->hide();
        row->deleteLater();
    }
    m_rows.clear();
    if (!m_basis) return;
    for (size_t i = 0; i < m_basis->levers.size(); ++i) {
        auto *row = new LeverRow(m_basis, i);
        const std::string id = m_basis->levers[i].id;
        connect(row, &LeverRow::speedChanged, this, [this, id](Speed speed) { change(id, speed); });
        connect(row, &LeverRow::settled, this, &WhatIfPanel::remember);
        connect(row, &LeverRow::chosen, this, [this, id] { choose(id); });
        m_rowBox->addWidget(row);
        m_rows[id] = row;
    }
}

void WhatIfPanel::showMessage(const QString &text) {
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_scroll->setVisible(text.isEmpty());
}

void WhatIfPanel::choose(const std::string &id) {
    if (m_stand.active == id) return;
    m_stand.active = id;
    showStand();
    ask();
}

void WhatIfPanel::change(const std::string &id, Speed speed) {
    m_stand.active = id;
    if (speed.isOne())
        m_stand.speeds.erase(id);
    else
        m_stand.speeds[id] = speed;
    showStand();
    ask();
}

void WhatIfPanel::setSpeed(const QString &id, Speed speed) {
    change(id.toStdString(), speed);
    remember();
}

void WhatIfPanel::focusSlider(const QString &id, Speed speed) {
    setSpeed(id, speed);
    m_focus = id.toStdString();
    takeFocus();
}

void WhatIfPanel::takeFocus() {
    const auto row = m_rows.find(m_focus);
    if (row == m_rows.end()) return;
    m_focus.clear();
    row->second->slider().setFocus();
}

void WhatIfPanel::remember() {
    if (m_remembered.sameChange(m_stand)) return;
    const WhatIfStand before = std::exchange(m_remembered, m_stand);
    m_state.undoStack().push(new WhatIfCommand(*this, before, m_stand));
    emit standChanged();
}

void WhatIfPanel::setStand(const WhatIfStand &stand) {
    const bool sameEdits = stand.edits == m_stand.edits;
    m_stand = m_remembered = stand;
    showStand();
    if (sameEdits) {
        ask();
    } else {
        m_stale = true;
        showPending();
        start();
    }
    emit standChanged();
}

void WhatIfPanel::saveScenario() {
    m_scenarioRow->askName();
}

void WhatIfPanel::restoreScenario(const QString &id) {
    const Scenario *scenario = m_scenarios.find(id);
    if (!scenario || scenario->stand.sameChange(m_stand)) return;
    const WhatIfStand before = m_stand;
    WhatIfStand after = scenario->stand;
    if (after.active.empty()) after.active = before.active;
    setStand(after);
    m_state.undoStack().push(new WhatIfCommand(*this, before, after));
}

void WhatIfPanel::restore(const WhatIfStand &stand) {
    setStand(stand);
}

void WhatIfPanel::setEdits(std::vector<std::string> edits) {
    m_stand.edits = std::move(edits);
    remember();
    m_stale = true;
    showPending();
    start();
}

/// Brings the widgets to where the sliders stand.
void WhatIfPanel::showStand() {
    for (const auto &[id, row] : m_rows) {
        const auto speed = m_stand.speeds.find(id);
        row->setSpeed(speed == m_stand.speeds.end() ? Speed{} : speed->second);
        row->setActive(id == m_stand.active);
    }
    m_reset->setEnabled(!m_stand.changesNothing());
    if (!m_basis) return;
    const QString edits = editsText(question());
    m_scenarioRow->showStand(m_stand, edits);
    m_edits->setText(edits.isEmpty() ? tr("No change yet: drag a slider")
                                     : m_edits->fontMetrics().elidedText(
                                           edits, Qt::ElideRight, std::max(120, width() - 110)));
    m_edits->setToolTip(edits);
}

WhatIfQuestion WhatIfPanel::question() const {
    WhatIfQuestion question;
    question.basis = m_basis;
    for (const SliderWork &lever : m_basis->levers) {
        const auto speed = m_stand.speeds.find(lever.id);
        if (lever.id == m_stand.active) question.active = question.speeds.size();
        question.speeds.push_back(speed == m_stand.speeds.end() ? Speed{} : speed->second);
    }
    return question;
}

void WhatIfPanel::ask() {
    if (m_basis && !m_basis->levers.empty() && !m_pending) m_runner.ask(question());
}

/// The trace as the sliders make it, for those who look at it.
void WhatIfPanel::predict() {
    if (!m_state.predictedShown() || !m_basis || m_basis->levers.empty()) return;
    const WhatIfQuestion now = question();
    m_session.predict(m_basis->scaling(now.speeds, now.active), editsText(now), m_basis->edited);
}

void WhatIfPanel::showAnswer(const WhatIfAnswer &answer) {
    if (answer.question.basis != m_basis) return;
    m_readout->showAnswer(answer);
    if (answer.rest) predict();
    if (answer.curve && answer.curve != m_curve) {
        m_curve = answer.curve;
        showCurve(*m_curve);
    } else if (m_curve && !m_curve->fits(answer.question)) {
        m_curve.reset(); // of another slider: the point would lie beside it
        m_plot->clearCurves();
    }
    if (!m_curve) return;
    const double measured = double(m_basis->measured());
    m_plot->setNow(answer.question.speeds[answer.question.active],
                   answer.ns > 0 ? measured / double(answer.ns)
                                 : std::numeric_limits<double>::infinity());
}

void WhatIfPanel::showCurve(const LengthCurve &curve) {
    m_plot->setCurves(speedupCurves(*m_basis, curve));
}

void WhatIfPanel::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    start();
}

} // namespace longpole
