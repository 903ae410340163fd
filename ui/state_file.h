// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <nlohmann/json.hpp>

namespace longpole {

/// The file that keeps what a user adds to a trace: beside it, or, where that cannot be written, in
/// the user's own folder. Reads and writes as a whole; what others changed meanwhile and what this
/// version does not know both survive. GUI thread; the file is small.
class StateFile {
public:
    static constexpr int kVersion = 1;

    StateFile() = default;
    /// Full names of the two places.
    StateFile(QString beside, QString fallback);

    /// What is kept, an empty object where nothing is. `said` gets a sentence for the user, or is
    /// left empty.
    nlohmann::json read(QString &said);
    /// Keeps `mine`; what the file holds beside that stays, and what changed on disk since the last
    /// read or write is merged: members of "marks" and "scenarios" by their id, all else by its key. Returns what
    /// is kept now.
    nlohmann::json write(const nlohmann::json &mine, QString &said);

    const QString &path() const { return m_path; } ///< the one in use

private:
    bool save(const QString &path, const nlohmann::json &state) const;
    nlohmann::json load(const QString &path, QString &said);

    QString m_beside, m_fallback, m_path;
    nlohmann::json m_base = nlohmann::json::object(); ///< as last read or written
    bool m_readOnly = false;                          ///< a newer version wrote it
    bool m_toldFallback = false;
};

/// `mine` and `disk` both come from `base`: what one of them changed is changed, and where both
/// did, `mine` counts.
nlohmann::json mergedState(const nlohmann::json &base, const nlohmann::json &mine,
                           const nlohmann::json &disk);

} // namespace longpole
