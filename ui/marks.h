// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

class QUndoStack;

namespace longpole {

/// A place in time that the user marked, with what was written to it.
struct TimeMark {
    QString id;      ///< stable: marks of two windows are told apart by it
    TimeRange range; ///< from the trace's zero; without length it is a point
    QString text;    ///< may be empty
    friend bool operator==(const TimeMark &, const TimeMark &) = default;
};

/// The marks and notes of the open trace, by begin. What the user does to them can be undone.
/// Lives on the GUI thread.
class Marks : public QObject {
    Q_OBJECT
public:
    explicit Marks(QUndoStack &undo, QObject *parent = nullptr) : QObject(parent), m_undo(undo) {}

    const std::vector<TimeMark> &all() const { return m_marks; }
    const TimeMark *find(const QString &id) const;

    QString add(TimeRange range, const QString &text = {}); ///< its id
    void setText(const QString &id, const QString &text);
    void remove(const QString &id);

    /// As they are read from a file: nothing that could be undone.
    void setAll(std::vector<TimeMark> marks);
    /// Puts, replaces or (none) takes away one, as a step of undo does.
    void put(const QString &id, const std::optional<TimeMark> &mark);

signals:
    void changed();

private:
    void push(const QString &what, const QString &id, std::optional<TimeMark> after);

    QUndoStack &m_undo;
    std::vector<TimeMark> m_marks;
};

} // namespace longpole
