// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_stand.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

class QUndoStack;

namespace longpole {

/// A what-if that the user gave a name.
struct Scenario {
    QString id; ///< stable: those of two windows are told apart by it
    QString name;
    WhatIfStand stand;
    friend bool operator==(const Scenario &a, const Scenario &b) {
        return a.id == b.id && a.name == b.name && a.stand.sameChange(b.stand);
    }
};

/// The what-ifs of the open trace that were given a name, by name. Saving and removing one can be
/// undone. Lives on the GUI thread.
class Scenarios : public QObject {
    Q_OBJECT
public:
    explicit Scenarios(QUndoStack &undo, QObject *parent = nullptr)
        : QObject(parent), m_undo(undo) {}

    const std::vector<Scenario> &all() const { return m_all; }
    const Scenario *find(const QString &id) const;
    /// The one that changes the same; null for none.
    const Scenario *like(const WhatIfStand &stand) const;

    QString save(const QString &name, const WhatIfStand &stand); ///< replaces the one of this name
    void remove(const QString &id);

    /// As they are read from a file: nothing that could be undone.
    void setAll(std::vector<Scenario> scenarios);
    /// Puts, replaces or (none) takes away one, as a step of undo does.
    void put(const QString &id, const std::optional<Scenario> &scenario);

signals:
    void changed();

private:
    void push(const QString &what, const QString &id, std::optional<Scenario> after);

    QUndoStack &m_undo;
    std::vector<Scenario> m_all;
};

} // namespace longpole
