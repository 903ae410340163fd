// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scenario_row.h"

#include "ui/icons.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStackedLayout>
#include <QToolButton>

namespace longpole {

namespace {

QToolButton *button(const QString &name, const QString &iconName, const QString &tip) {
    auto *made = new QToolButton;
    made->setObjectName(name);
    made->setIcon(icon(iconName));
    made->setIconSize({16, 16});
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

} // namespace

ScenarioRow::ScenarioRow(Scenarios &scenarios, QWidget *parent)
    : QWidget(parent), m_scenarios(scenarios), m_list(new QComboBox), m_name(new QLineEdit),
      m_places(new QStackedLayout),
      m_save(button(QStringLiteral("scenarioSave"), QStringLiteral("plus"),
                    tr("Save as a scenario with a name (Ctrl+S)"))),
      m_remove(button(QStringLiteral("scenarioRemove"), QStringLiteral("x"),
                      tr("Remove this scenario"))) {
    m_list->setObjectName(QStringLiteral("scenarioList"));
    m_list->setAccessibleName(tr("Scenario"));
    m_list->setToolTip(tr("What-ifs of this trace that were given a name"));
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(8);
    m_name->setObjectName(QStringLiteral("scenarioName"));
    m_name->setAccessibleName(tr("Name of the scenario"));
    m_name->setPlaceholderText(tr("Name of the scenario"));
    m_name->setMinimumWidth(60);
    m_name->installEventFilter(this);
    m_places->addWidget(m_list);
    m_places->addWidget(m_name);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 6, 2);
    row->setSpacing(2);
    row->addLayout(m_places, 1);
    row->addWidget(m_save);
    row->addWidget(m_remove);
    connect(m_list, &QComboBox::activated, this, [this](int index) {
        const QString id = m_list->itemData(index).toString();
        if (id.isEmpty()) return fill(); // the words for what has no name
        emit chosen(id);
    });
    connect(m_save, &QToolButton::clicked, this, [this] {
        if (m_places->currentWidget() == m_name)
            save();
        else
            askName();
    });
    connect(m_remove, &QToolButton::clicked, this,
            [this] { m_scenarios.remove(m_list->currentData().toString()); });
    connect(&m_scenarios, &Scenarios::changed, this, &ScenarioRow::fill);
    fill();
}

void ScenarioRow::showStand(const WhatIfStand &stand, const QString &suggestion) {
    m_suggestion = suggestion;
    m_stand = stand;
    fill();
}

void ScenarioRow::fill() {
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    const Scenario *now = m_scenarios.like(m_stand);
    if (!now)
        m_list->addItem(m_stand.changesNothing()
                            ? m_scenarios.all().empty()
                                  ? tr("No scenario yet")
                                  : tr("Scenarios: %1").arg(m_scenarios.all().size())
                            : tr("Not saved"),
                        QString());
    for (const Scenario &scenario : m_scenarios.all()) m_list->addItem(scenario.name, scenario.id);
    if (now) m_list->setCurrentIndex(m_list->findData(now->id));
    m_save->setEnabled(!m_stand.changesNothing());
    m_remove->setEnabled(now);
}

void ScenarioRow::askName() {
    if (m_stand.changesNothing()) return;
    const Scenario *now = m_scenarios.like(m_stand);
    m_name->setText(now ? now->name : m_suggestion);
    m_places->setCurrentWidget(m_name);
    m_name->setFocus(Qt::ShortcutFocusReason);
    m_name->selectAll();
}

void ScenarioRow::save() {
    const QString name = m_name->text().trimmed();
    if (name.isEmpty()) return m_name->setFocus();
    m_scenarios.save(name, m_stand);
    leave();
}

void ScenarioRow::leave() {
    m_places->setCurrentWidget(m_list);
    m_list->setFocus();
}

bool ScenarioRow::eventFilter(QObject *object, QEvent *event) {
    if (object != m_name || event->type() != QEvent::KeyPress) return false;
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Escape:
        leave();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        save();
        return true;
    default:
        return false;
    }
}

} // namespace longpole
