// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/steps_panel.h"

#include "ui/describe.h"
#include "ui/numbers.h"
#include "ui/panels/steps_model.h"
#include "ui/panels/table.h"
#include "ui/theme.h"

#include <QGridLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace longpole {

StepsPanel::StepsPanel(ViewState &state, Session &, QWidget *parent)
    : QWidget(parent), m_state(state), m_model(new StepsModel(this)) {
    setWindowTitle(tr("Steps"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_empty = new QLabel(tr("No steps found: no ProfilerStep, no range that comes back evenly and "
                            "no period of kernels. The whole trace is analysed; choose a range to "
                            "narrow it."));
    m_empty->setObjectName(QStringLiteral("noSteps"));
    m_empty->setWordWrap(true);
    m_empty->setMargin(12);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_table = new Table(QStringLiteral("stepsTable"), tr("Steps"));
    m_table->setFiller(StepsModel::Reason);
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_empty, 0, Qt::AlignTop);
    layout->addWidget(m_table, 1);

    connect(&m_state, &ViewState::loadedChanged, this, &StepsPanel::refresh);
    connect(&m_state, &ViewState::windowChanged, this, &StepsPanel::showWindow);
    const auto go = [this](const QModelIndex &index) {
        m_state.setStep(uint32_t(m_table->modelRow(index)));
    };
    connect(m_table, &Table::clicked, this, go);
    connect(m_table, &Table::activated, this, go);
    refresh();
}

void StepsPanel::refresh() {
    const auto loaded = m_state.loaded();
    m_model->setLoaded(loaded);
    makeSummary();
    const bool any = loaded && !loaded->steps.steps.empty();
    m_empty->setVisible(loaded && !any);
    m_table->setVisible(any);
    m_box->setVisible(any);
    if (any) refreshSummary(loaded->steps);
    showWindow();
}

/// Scrolls where there is no room for all of it.
void StepsPanel::makeSummary() {
    delete m_box;
    m_box = new QScrollArea;
    m_box->setFrameShape(QFrame::NoFrame);
    m_box->setWidgetResizable(true);
    m_box->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_box->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    m_box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto *content = new QWidget;
    content->setBackgroundRole(QPalette::Base);
    m_box->setWidget(content);
    m_summary = new QGridLayout(content);
    m_summary->setContentsMargins(12, 8, 12, 8);
    m_summary->setHorizontalSpacing(12);
    m_summary->setVerticalSpacing(3);
    m_summary->setColumnStretch(1, 1);
    m_summary->setColumnMinimumWidth(1, 90);
    static_cast<QVBoxLayout *>(layout())->insertWidget(0, m_box);
}

void StepsPanel::addFigure(const QString &key, const QString &value, bool strong) {
    const int row = m_summary->rowCount();
    auto *name = new QLabel(key);
    name->setFont(uiFont(11));
    name->setForegroundRole(QPalette::PlaceholderText);
    name->setWordWrap(true);
    auto *figure = new QLabel(value);
    figure->setFont(uiFont(11, strong ? QFont::Bold : QFont::Normal));
    figure->setAlignment(Qt::AlignRight | Qt::AlignTop);
    figure->setWordWrap(true);
    figure->setTextInteractionFlags(Qt::TextSelectableByMouse);
    figure->setAccessibleName(key);
    m_summary->addWidget(name, row, 0, Qt::AlignTop);
    m_summary->addWidget(figure, row, 1);
}

void StepsPanel::refreshSummary(const Steps &steps) {
    const Trace &trace = *m_state.trace();
    QString found = QString::fromStdString(steps.foundBy);
    if (steps.thread != kNone)
        found += tr(" on %1").arg(QString::fromStdString(trace.tracks[steps.thread].name));
    addFigure(tr("found by"), found);
    if (!steps.steady) {
        addFigure(tr("steady window"),
                  tr("none: %1").arg(QString::fromStdString(steps.steadyReason)));
        return;
    }
    const SteadyWindow &steady = *steps.steady;
    const QString first = stepNumber(steps, steady.first), last = stepNumber(steps, steady.last);
    addFigure(tr("steady window"),
              first == last ? tr("step %1").arg(first) : tr("steps %1 – %2").arg(first, last));
    addFigure(tr("n"), countText(steady.n));
    addFigure(tr("median"), durationText(steady.median), true);
    addFigure(tr("95\u00a0% interval of the median"),
              steady.ci95 ? rangeText(steady.ci95->first, steady.ci95->second)
                          : tr("– (needs 8 steps)"));
    if (steady.n > 1) { // one step spreads nowhere
        addFigure(tr("IQR"), durationText(steady.iqr));
        addFigure(tr("p5 – p95"), rangeText(steady.p5, steady.p95));
        addFigure(tr("min – max"), rangeText(steady.min, steady.max));
    }
    if (steps.startup) addFigure(tr("start-up"), durationText(*steps.startup));
    if (!steps.steadyReason.empty()) {
        auto *why = new QLabel(QString::fromStdString(steps.steadyReason));
        why->setFont(uiFont(11));
        why->setForegroundRole(QPalette::PlaceholderText);
        why->setWordWrap(true);
        m_summary->addWidget(why, m_summary->rowCount(), 0, 1, 2);
    }
    if (steps.pipelined) addFigure(tr("pipelined"), tr("device work runs on into the next step"));
}

void StepsPanel::showWindow() {
    const auto &steps = m_state.window().steps;
    if (!steps || int(steps->first) >= m_model->rowCount()) {
        m_table->clearSelection();
        return;
    }
    m_table->setCurrentIndex(m_table->viewIndex(int(steps->first), 0));
}

} // namespace longpole
