// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

#include <span>

class QKeyEvent;

namespace longpole {

/// What a person can do with a key or the mouse: a line of the one table that menus take their
/// shortcuts from, the timeline its keys, and the list of keys (?) and the palette their words. So
/// help cannot say anything else than what is done.
struct Command {
    /// Whose the keys are: of the whole window, or of a view while it has the focus. `Mouse`: words
    /// alone.
    enum class Where { Window, Timeline, Details, Search, Table, Mouse };
    const char *id;      ///< of the menu's action, or of what the view does; empty for the mouse
    const char *section; ///< of the list of keys; null: not in it
    const char *keys;    ///< "Alt+Left|Backspace", or the words of a gesture
    const char *what;    ///< "back to the view before"
    Where where;
};

std::span<const Command> commands();
/// Null where no line has this id.
const Command *commandOf(const QString &id);
QList<QKeySequence> keysOf(const Command &command); ///< none for the mouse
/// As people read them: "Alt + ←, Backspace".
QString keyText(const Command &command);

/// The line that a key means to the timeline; null for none. W A S D go by where they lie on the
/// keyboard, signs by what is printed, whatever else is needed to reach them.
const Command *timelineCommand(const QKeyEvent &event);

/// W, A, S or D for the keys that lie there on a US keyboard; 0 for others. `scanCode` is 0 where
/// the platform tells none: then `key`, what is printed on it, decides.
int positionKey(const QString &platform, quint32 scanCode, int key);

} // namespace longpole
