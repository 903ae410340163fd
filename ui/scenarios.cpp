// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenarios.h"

#include <QUndoStack>
#include <QUuid>

#include <algorithm>

namespace longpole {

namespace {

class ScenarioCommand : public QUndoCommand {
public:
    ScenarioCommand(Scenarios &scenarios, const QString &what, QString id,
                    std::optional<Scenario> before, std::optional<Scenario> after)
        : QUndoCommand(what), m_scenarios(scenarios), m_id(std::move(id)),
          m_before(std::move(before)), m_after(std::move(after)) {}
    void undo() override { m_scenarios.put(m_id, m_before); }
    void redo() override { m_scenarios.put(m_id, m_after); }

private:
    Scenarios &m_scenarios;
    const QString m_id;
    const std::optional<Scenario> m_before, m_after;
};

bool before(const Scenario &a, const Scenario &b) {
    const int order = QString::compare(a.name, b.name, Qt::CaseInsensitive);
    return order != 0 ? order < 0 : a.id < b.id;
}

template <class Which>
const Scenario *first(const std::vector<Scenario> &all, const Which &which) {
    const auto at = std::find_if(all.begin(), all.end(), which);
    return at == all.end() ? nullptr : &*at;
}

} // namespace

const Scenario *Scenarios::find(const QString &id) const {
    return first(m_all, [&](const Scenario &scenario) { return scenario.id == id; });
}

const Scenario *Scenarios::like(const WhatIfStand &stand) const {
    return first(m_all, [&](const Scenario &scenario) { return scenario.stand.sameChange(stand); });
}

void Scenarios::push(const QString &what, const QString &id, std::optional<Scenario> after) {
    const Scenario *now = find(id);
    const std::optional<Scenario> before = now ? std::optional(*now) : std::nullopt;
    if (before != after) m_undo.push(new ScenarioCommand(*this, what, id, before, after));
}

QString Scenarios::save(const QString &name, const WhatIfStand &stand) {
    const Scenario *same =
        first(m_all, [&](const Scenario &scenario) { return scenario.name == name; });
    const QString id = same ? same->id : QUuid::createUuid().toString(QUuid::WithoutBraces);
    push(tr("scenario %1").arg(name), id, Scenario{id, name, stand});
    return id;
}

void Scenarios::remove(const QString &id) {
    if (const Scenario *scenario = find(id))
        push(tr("removal of scenario %1").arg(scenario->name), id, std::nullopt);
}

void Scenarios::setAll(std::vector<Scenario> scenarios) {
    std::sort(scenarios.begin(), scenarios.end(), before);
    if (scenarios == m_all) return;
    m_all = std::move(scenarios);
    emit changed();
}

void Scenarios::put(const QString &id, const std::optional<Scenario> &scenario) {
    std::erase_if(m_all, [&](const Scenario &other) { return other.id == id; });
    if (scenario)
        m_all.insert(std::upper_bound(m_all.begin(), m_all.end(), *scenario, before), *scenario);
    emit changed();
}

} // namespace longpole
