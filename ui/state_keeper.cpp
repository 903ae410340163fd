// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/state_keeper.h"

#include "ui/examples.h"
#include "ui/marks.h"
#include "ui/panels/what_if_panel.h"
#include "ui/track_choices.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QStandardPaths>

#include <map>

namespace longpole {

using nlohmann::json;

namespace {

constexpr int kDelayMs = 2000;

/// What a track is called from one opening to the next, when its number may be another.
std::string keyOf(const Trace &trace, uint32_t index) {
    const Track &track = trace.tracks[index];
    const Process &process = trace.processes[track.process];
    const auto number = [](const std::optional<int64_t> &value) {
        return value ? std::to_string(*value) : std::string("-");
    };
    return std::to_string(process.file) + "/" + process.pid + "/" +
           std::string(trackKindName(track.kind)) + "/" + track.thread + "/" +
           number(track.device) + "/" + number(track.stream) + "/" + track.name;
}

json keysOf(const Trace &trace, const std::vector<uint32_t> &tracks) {
    json keys = json::array();
    for (const uint32_t track : tracks) keys.push_back(keyOf(trace, track));
    return keys;
}

std::vector<uint32_t> tracksOf(const std::map<std::string, uint32_t> &byKey, const json &tracks,
                               const char *list) {
    std::vector<uint32_t> found;
    if (!tracks.is_object() || !tracks.contains(list) || !tracks[list].is_array()) return found;
    for (const json &key : tracks[list]) {
        const auto at = key.is_string() ? byKey.find(key.get<std::string>()) : byKey.end();
        if (at != byKey.end()) found.push_back(at->second);
    }
    return found;
}

json fingerprintsOf(const Trace &trace) {
    json all = json::array();
    for (const SourceFile &file : trace.files) all.push_back(file.fingerprint);
    return all;
}

std::optional<Mark> markOf(const json &item) {
    const auto whole = [&](const char *key) {
        return item.contains(key) && item[key].is_number_integer();
    };
    if (!item.is_object() || !whole("begin_ns") || !whole("end_ns")) return std::nullopt;
    if (!item.contains("id") || !item["id"].is_string()) return std::nullopt;
    const TimeRange range{item["begin_ns"].get<TimeNs>(), item["end_ns"].get<TimeNs>()};
    if (range.end < range.begin) return std::nullopt;
    const bool text = item.contains("text") && item["text"].is_string();
    return Mark{QString::fromStdString(item["id"].get<std::string>()), range,
                text ? QString::fromStdString(item["text"].get<std::string>()) : QString()};
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
    std::vector<Mark> marks;
    if (state.contains("marks") && state["marks"].is_array())
        for (const json &item : state["marks"])
            if (const auto mark = markOf(item)) marks.push_back(*mark);
    m_state.marks().setAll(std::move(marks));
    std::map<std::string, uint32_t> byKey;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) byKey.emplace(keyOf(trace, t), t);
    const json tracks = state.contains("tracks") ? state["tracks"] : json();
    const bool filtered =
        tracks.is_object() && tracks.contains("filter") && tracks["filter"].is_string();
    const TrackChoices::Kept kept{
        tracksOf(byKey, tracks, "hidden"), tracksOf(byKey, tracks, "pinned"),
        tracksOf(byKey, tracks, "order"),
        filtered ? QString::fromStdString(tracks["filter"].get<std::string>()) : QString()};
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
    state["marks"] = json::array();
    for (const Mark &mark : m_state.marks().all())
        state["marks"].push_back({{"id", mark.id.toStdString()},
                                  {"begin_ns", mark.range.begin},
                                  {"end_ns", mark.range.end},
                                  {"text", mark.text.toStdString()}});
    const TrackChoices::Kept kept = m_state.tracks().kept();
    state["tracks"] = {{"hidden", keysOf(trace, kept.hidden)},
                       {"pinned", keysOf(trace, kept.pinned)},
                       {"order", keysOf(trace, kept.order)},
                       {"filter", kept.filter.toStdString()}};
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
