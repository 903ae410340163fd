// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/step_chooser.h"

#include "ui/describe.h"
#include "ui/icons.h"
#include "ui/numbers.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QToolButton>

namespace longpole {

StepChooser::StepChooser(ViewState &state, QWidget *parent)
    : QWidget(parent), m_state(state), m_word(new QLabel(tr("Step"))), m_previous(new QToolButton),
      m_next(new QToolButton), m_steps(new QComboBox) {
    m_word->setForegroundRole(QPalette::PlaceholderText);
    m_previous->setIcon(icon(QStringLiteral("chevron-left")));
    m_previous->setObjectName(QStringLiteral("previousStep"));
    m_previous->setProperty("framed", true);
    m_previous->setAccessibleName(tr("Previous step"));
    m_previous->setToolTip(tr("Previous step (Ctrl+Page Up)"));
    m_next->setIcon(icon(QStringLiteral("chevron-right")));
    m_next->setObjectName(QStringLiteral("nextStep"));
    m_next->setProperty("framed", true);
    m_next->setAccessibleName(tr("Next step"));
    m_next->setToolTip(tr("Next step (Ctrl+Page Down)"));
    m_steps->setObjectName(QStringLiteral("stepChooser"));
    m_steps->setAccessibleName(tr("Step"));
    m_steps->setToolTip(tr("The step that the window's figures are about"));
    auto *list = new QListView;
    list->setUniformItemSizes(true); // traces have thousands of steps
    m_steps->setView(list);
    m_steps->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_steps->setMinimumContentsLength(12);
    m_steps->setPlaceholderText(tr("a range"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(2, 0, 2, 0);
    row->setSpacing(3);
    row->addWidget(m_word);
    row->addSpacing(3);
    row->addWidget(m_previous);
    row->addWidget(m_steps);
    row->addWidget(m_next);
    connect(m_previous, &QToolButton::clicked, this, [this] {
        if (const auto step = m_state.stepBeside(-1)) m_state.setStep(step);
    });
    connect(m_next, &QToolButton::clicked, this, [this] {
        if (const auto step = m_state.stepBeside(1)) m_state.setStep(step);
    });
    connect(m_steps, &QComboBox::activated, this, [this](int item) {
        m_state.setStep(item == 0 ? std::nullopt : std::optional<uint32_t>(uint32_t(item - 1)));
    });
    connect(&m_state, &ViewState::loadedChanged, this, &StepChooser::fill);
    connect(&m_state, &ViewState::windowChanged, this, &StepChooser::showStep);
    fill();
}

void StepChooser::setCompact(bool compact) {
    m_word->setVisible(!compact);
}

QString StepChooser::itemText(uint32_t index) const {
    const Steps &steps = m_state.loaded()->steps;
    const QString number = stepNumber(steps, index);
    const qsizetype count = qsizetype(steps.steps.size());
    if (number == QString::number(index))
        return QStringLiteral("%1 / %2").arg(number, countText(count));
    return QStringLiteral("%1 (%2 / %3)").arg(number, countText(index + 1), countText(count));
}

void StepChooser::fill() {
    m_steps->clear();
    const auto loaded = m_state.loaded();
    const bool any = loaded && !loaded->steps.steps.empty();
    if (any) {
        const Steps &steps = loaded->steps;
        m_steps->addItem(tr("typical"));
        for (uint32_t i = 0; i < steps.steps.size(); ++i) m_steps->addItem(itemText(i));
    } else {
        m_steps->addItem(tr("no steps"));
    }
    setEnabled(any);
    showStep();
}

void StepChooser::showStep() {
    const auto loaded = m_state.loaded();
    if (loaded && !loaded->steps.steps.empty()) {
        m_steps->setCurrentIndex(m_state.step() ? int(*m_state.step()) + 1 : 0);
        const auto &window = m_state.window();
        if (!m_state.step() && !m_state.range())
            m_steps->setItemText(0, windowName(window, loaded->steps) + tr(", typical"));
        if (m_state.range()) m_steps->setCurrentIndex(-1); // no step is what the figures are about
    }
    m_previous->setEnabled(m_state.stepBeside(-1).has_value());
    m_next->setEnabled(m_state.stepBeside(1).has_value());
}

} // namespace longpole
