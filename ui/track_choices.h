// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

struct Trace;

/// Which tracks of the open trace are shown, and where: hidden ones, those kept at the top, the
/// order the user gave them, and a filter by name. Lives on the GUI thread; kept per trace.
class TrackChoices : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Of another trace: everything is shown as it comes. Null: none.
    void reset(const Trace *trace);

    bool hidden(uint32_t track) const { return track < m_hidden.size() && m_hidden[track]; }
    void setHidden(uint32_t track, bool hidden);
    bool anyHidden() const { return shownCount() < count(); }
    size_t count() const { return m_hidden.size(); }
    size_t shownCount() const;
    void showAll(); ///< also ends the filter

    /// In the order of being pinned.
    const std::vector<uint32_t> &pinned() const { return m_pinned; }
    bool isPinned(uint32_t track) const;
    void setPinned(uint32_t track, bool pinned);

    /// Tracks that were moved, in the order they are to be shown in within their group.
    const std::vector<uint32_t> &order() const { return m_order; }
    /// The tracks of one group as the user arranged them.
    void arrange(const std::vector<uint32_t> &tracks);

    /// Only tracks whose title contains this, whatever the case; empty: all.
    const QString &filter() const { return m_filter; }
    void setFilter(const QString &text);
    /// Neither hidden nor filtered out.
    bool shown(uint32_t track) const;
    /// Whatever keeps a track from being seen is taken back.
    void reveal(uint32_t track);

    struct Kept {
        std::vector<uint32_t> hidden, pinned, order;
        QString filter;
        friend bool operator==(const Kept &, const Kept &) = default;
    };
    Kept kept() const; ///< what the state file holds
    void restore(const Kept &kept);

signals:
    void changed();

private:
    void match(const QString &text);

    std::vector<bool> m_hidden, m_matches;
    std::vector<QString> m_titles;
    std::vector<uint32_t> m_pinned, m_order;
    QString m_filter;
};

} // namespace longpole
