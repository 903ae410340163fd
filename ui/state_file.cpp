// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/state_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <QSaveFile>

#include <set>

namespace longpole {

using nlohmann::json;

namespace {

constexpr qint64 kMost = 64 << 20; ///< bytes; nobody writes that many notes

/// Their members have an id each.
constexpr const char *kLists[] = {"marks", "scenarios"};

/// A list of objects with an id as an object of them.
json byId(const json &state, const char *list) {
    json all = json::object();
    if (!state.is_object() || !state.contains(list) || !state[list].is_array()) return all;
    for (const json &item : state[list])
        if (item.is_object() && item.contains("id") && item["id"].is_string())
            all[item["id"].get<std::string>()] = item;
    return all;
}

/// Key by key; a key that is in none of them is left out.
json mergedObject(const json &base, const json &mine, const json &disk) {
    json result = json::object();
    std::set<std::string> keys;
    for (const json *part : {&mine, &disk})
        for (const auto &[key, value] : part->items()) keys.insert(key);
    const auto of = [](const json &part, const std::string &key) {
        return part.contains(key) ? part[key] : json();
    };
    for (const std::string &key : keys) {
        const json was = of(base, key), here = of(mine, key), there = of(disk, key);
        const json &now = here == was ? there : here;
        if (!now.is_null()) result[key] = now;
    }
    return result;
}

QString freeName(const QString &path) {
    QString name = path + QStringLiteral(".bad");
    for (int i = 2; QFileInfo::exists(name); ++i) name = path + QStringLiteral(".bad%1").arg(i);
    return name;
}

} // namespace

json mergedState(const json &base, const json &mine, const json &disk) {
    json result = mergedObject(base, mine, disk);
    for (const char *list : kLists) {
        const json items = mergedObject(byId(base, list), byId(mine, list), byId(disk, list));
        if (!result.contains(list) && items.empty()) continue;
        result[list] = json::array();
        for (const auto &[id, item] : items.items()) result[list].push_back(item);
    }
    return result;
}

StateFile::StateFile(QString beside, QString fallback)
    : m_beside(std::move(beside)), m_fallback(std::move(fallback)), m_path(m_beside) {}

json StateFile::load(const QString &path, QString &said) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        if (!file.exists()) return json::object();
        said = QObject::tr("%1 cannot be read, so marks and notes made earlier are not shown: %2.")
                   .arg(path, file.errorString());
        return json::object();
    }
    json state = json::object();
    bool good = file.size() <= kMost;
    if (good) {
        state = json::parse(file.readAll().toStdString(), nullptr, false);
        good =
            state.is_object() && state.contains("version") && state["version"].is_number_integer();
    }
    file.close();
    if (!good) {
        const QString kept = freeName(path);
        const bool moved = QFile::rename(path, kept);
        said = moved ? QObject::tr("%1 is damaged and was kept as %2; marks and notes begin anew.")
                           .arg(path, QFileInfo(kept).fileName())
                     : QObject::tr("%1 is damaged; marks and notes begin anew.").arg(path);
        return json::object();
    }
    m_readOnly = state["version"].get<int64_t>() > kVersion;
    if (m_readOnly)
        said = QObject::tr("%1 was written by a newer version of Longpole: it is read as far as "
                           "possible, and changes are not kept.")
                   .arg(path);
    return state;
}

json StateFile::read(QString &said) {
    said.clear();
    m_readOnly = false;
    m_path = !QFileInfo::exists(m_beside) && QFileInfo::exists(m_fallback) ? m_fallback : m_beside;
    m_base = load(m_path, said);
    return m_base;
}

bool StateFile::save(const QString &path, const json &state) const {
    if (path.isEmpty()) return false;
    QSaveFile file(path); // writes beside, syncs, renames
    if (!file.open(QIODevice::WriteOnly)) return false;
    const std::string text = state.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    file.write(text.data(), qint64(text.size()));
    return file.commit();
}

json StateFile::write(const json &mine, QString &said) {
    said.clear();
    if (m_readOnly || m_beside.isEmpty()) return mine;
    // Keys and fields that this version does not write are those of the base.
    json known = m_base;
    for (const auto &[key, value] : mine.items()) {
        if (value.is_object() && known.contains(key) && known[key].is_object())
            known[key].update(value);
        else
            known[key] = value;
    }
    for (const char *list : kLists) {
        const json before = byId(m_base, list);
        if (!known.contains(list)) continue;
        for (json &item : known[list]) {
            const std::string id = item.value("id", std::string());
            if (!before.contains(id)) continue;
            for (const auto &[key, value] : before[id].items())
                if (!item.contains(key)) item[key] = value;
        }
    }
    known["version"] = kVersion;
    const json disk = QFileInfo::exists(m_path) ? load(m_path, said) : m_base;
    if (m_readOnly) return mine;
    const json state = disk == m_base || disk.empty() ? known : mergedState(m_base, known, disk);
    if (save(m_path, state)) {
        m_base = state;
        return state;
    }
    if (m_path != m_fallback) {
        QDir().mkpath(QFileInfo(m_fallback).absolutePath());
        if (save(m_fallback, state)) {
            m_path = m_fallback;
            m_base = state;
            if (!std::exchange(m_toldFallback, true))
                said = QObject::tr("The folder of the trace cannot be written to: marks and notes "
                                   "are kept in %1.")
                           .arg(m_fallback);
            return state;
        }
    }
    said = QObject::tr("Marks and notes could not be kept, neither in %1 nor in %2. Is there space "
                       "left?")
               .arg(m_beside, m_fallback);
    return state;
}

} // namespace longpole
