// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/state_keeper.h"

#include "ui/examples.h"
#include "ui/kept_choices.h"
#include "ui/marks.h"
#include "ui/panels/what_if_panel.h"
#include "ui/track_choices.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QStandardPaths>

namespace longpole {

using nlohmann::json;

namespace {

constexpr int kDelayMs = 2000;

json fingerprintsOf(const Trace &trace) {
    json all = json::array();
    for (const SourceFile &file : trace.files) all.push_back(file.fingerprint);
    return all;
}

WhatIfStand standOf(const json &kept) {
    WhatIfStand stand;
    if (!kept.is_object()) return stand;
    if (kept.contains("speed_milli") && kept["speed_milli"].is_object())
        for (const auto &[id, milli] : kept["speed_milli"].items())
            if (milli.is_number_integer() && milli.get<int64_t>() >= 0 &&
                milli.get<int64_t>() <= Speed::kMost)
                stand.speeds[id] = Speed{milli.get<int>()};
    if (kept.contains("active") && kept["active"].is_string())
        stand.active = kept["active"].get<std::string>();
    if (kept.contains("edits") && kept["edits"].is_array())
        for (const json &edit : kept["edits"])
            if (edit.is_string()) stand.edits.push_back(edit.get<std::string>());
    return stand;
}

json jsonOf(const WhatIfStand &stand) {
    json speeds = json::object();
    for (const auto &[id, speed] : stand.speeds) speeds[id] = speed.milli;
    return {{"speed_milli", speeds}, {"edits", stand.edits}};
}

std::optional<Scenario> scenarioOf(const json &item) {
    const auto text = [&](const char *key) {
        return item.is_object() && item.contains(key) && item[key].is_string()
                   ? QString::fromStdString(item[key].get<std::string>())
                   : QString();
    };
    const Scenario scenario{text("id"), text("name"), standOf(item)};
    if (scenario.id.isEmpty() || scenario.name.isEmpty()) return std::nullopt;
    return scenario;
}

} // namespace

std::pair<QString, QString> statePlaces(const QStringList &paths, const Trace &trace) {
    if (paths.isEmpty()) return {};
    QByteArray prints;
    for (const SourceFile &file : trace.files)
        prints += QByteArray::fromStdString(file.fingerprint) + '\n';
    const QString print = QString::fromLatin1(
        QCryptographicHash::hash(prints, QCryptographicHash::Sha256).toHex().left(24));
    QString beside = QFileInfo(paths.first()).absoluteFilePath();
    if (paths.size() > 1) beside += QStringLiteral(".job-%1").arg(print.left(8));
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return {beside + QStringLiteral(".longpole.json"),
            QStringLiteral("%1/longpole/%2.json").arg(folder, print)};
}

StateKeeper::StateKeeper(ViewState &state, Session &session, WhatIfPanel &whatIf, QObject *parent)
    : QObject(parent), m_state(state), m_session(session), m_whatIf(whatIf) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &StateKeeper::save);
    connect(&m_state, &ViewState::loadedChanged, this, &StateKeeper::load);
    connect(&m_state.marks(), &Marks::changed, this, &StateKeeper::changed);
    connect(&m_state, &ViewState::looksChanged, this, &StateKeeper::changed);
    connect(&m_whatIf, &WhatIfPanel::standChanged, this, &StateKeeper::changed);
    connect(&m_whatIf.scenarios(), &Scenarios::changed, this, &StateKeeper::changed);
}

void StateKeeper::load() {
    save(); // of the trace before
    m_loaded = m_state.loaded();
    m_file = {};
    m_content = json();
    if (!m_state.trace() || m_session.paths().isEmpty()) return;
    const auto [beside, fallback] = statePlaces(m_session.paths(), *m_state.trace());
    m_file = StateFile(beside, fallback);
    m_keepsWhatIf = QFileInfo(m_session.paths().first()).canonicalPath() !=
                    QFileInfo(examplesFolder()).canonicalFilePath();
    QString sentence;
    const json kept = m_file.read(sentence);
    if (!kept.empty()) {
        apply(kept);
        const bool same = !kept.contains("fingerprints") ||
                          kept["fingerprints"] == fingerprintsOf(*m_state.trace());
        if (!same && sentence.isEmpty())
            sentence = tr("Marks and notes in %1 were made for another content of the trace: their "
                          "times may not fit.")
                           .arg(QFileInfo(m_file.path()).fileName());
    }
    m_content = content();
    if (!sentence.isEmpty()) emit said(sentence);
}

void StateKeeper::apply(const json &state) {
    m_applying = true;
    const Trace &trace = *m_loaded->trace;
    auto [marks, kept] = keptOf(state, trace);
    m_state.marks().setAll(std::move(marks));
    if (!(kept == m_state.tracks().kept())) m_state.tracks().restore(kept);
    const WhatIfStand stand = standOf(state.contains("what_if") ? state["what_if"] : json());
    if (m_keepsWhatIf && !stand.sameChange(m_whatIf.stand())) m_whatIf.restore(stand);
    std::vector<Scenario> scenarios;
    if (state.contains("scenarios") && state["scenarios"].is_array())
        for (const json &item : state["scenarios"])
            if (auto scenario = scenarioOf(item)) scenarios.push_back(std::move(*scenario));
    if (m_keepsWhatIf) m_whatIf.scenarios().setAll(std::move(scenarios));
    m_applying = false;
}

json StateKeeper::content() const {
    const Trace &trace = *m_loaded->trace;
    json state = {{"version", StateFile::kVersion}, {"fingerprints", fingerprintsOf(trace)}};
    putKept({m_state.marks().all(), m_state.tracks().kept()}, trace, state);
    if (!m_keepsWhatIf) return state;
    state["what_if"] = jsonOf(m_whatIf.stand());
    state["scenarios"] = json::array();
    for (const Scenario &scenario : m_whatIf.scenarios().all()) {
        json item = jsonOf(scenario.stand);
        item["id"] = scenario.id.toStdString();
        item["name"] = scenario.name.toStdString();
        state["scenarios"].push_back(std::move(item));
    }
    return state;
}

void StateKeeper::changed() {
    // While another trace takes the place of this one, nothing of it is ours.
    if (m_applying || !m_loaded || m_state.loaded() != m_loaded || m_file.path().isEmpty()) return;
    json now = content();
    if (now == m_content) return;
    m_content = std::move(now);
    m_dirty = true;
    m_delay.start();
}

void StateKeeper::save() {
    if (!std::exchange(m_dirty, false)) return;
    m_delay.stop();
    QString sentence;
    const json kept = m_file.write(m_content, sentence);
    if (m_state.loaded() == m_loaded && m_loaded && kept != m_content) {
        apply(kept);
        m_content = content();
    }
    if (!sentence.isEmpty()) emit said(sentence);
}

} // namespace longpole
