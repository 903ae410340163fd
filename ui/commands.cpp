// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands.h"

#include <QGuiApplication>
#include <QKeyEvent>

#include <algorithm>
#include <iterator>

namespace longpole {

namespace {

using Where = Command::Where;

// clang-format off
constexpr Command kCommands[] = {
    {"panLeft", "Move", "A|Left", "pan to the left (A W S D by place, on any layout)", Where::Timeline},
    {"panRight", "Move", "D|Right", "pan to the right", Where::Timeline},
    {"closer", "Move", "W|+", "zoom in at the mouse", Where::Timeline},
    {"farther", "Move", "S|-", "zoom out", Where::Timeline},
    {"rowsUp", "Move", "Up", "scroll up", Where::Timeline},
    {"rowsDown", "Move", "Down", "scroll down", Where::Timeline},
    {"pageUp", "Move", "PgUp", "scroll up a page", Where::Timeline},
    {"pageDown", "Move", "PgDown", "scroll down a page", Where::Timeline},
    {"", "Move", "Wheel", "scroll the rows", Where::Mouse},
    {"", "Move", "Ctrl + wheel, pinch", "zoom at the mouse", Where::Mouse},
    {"", "Move", "Shift + wheel", "pan", Where::Mouse},
    {"", "Move", "Drag, middle drag, Space + drag", "pan", Where::Mouse},
    {"zoomSelection", "Move", "F", "fit the selection, or the window without one", Where::Window},
    {"whole", "Move", "0", "whole trace", Where::Window},
    {"zoomIn", nullptr, "Ctrl++|Ctrl+=", "zoom in", Where::Window},
    {"zoomOut", nullptr, "Ctrl+-", "zoom out", Where::Window},
    {"back", "Move", "Alt+Left|Backspace", "back to the view before", Where::Window},
    {"forward", "Move", "Alt+Right", "forward again", Where::Window},

    {"", "Choose", "Click, double click", "select an interval, and fit it", Where::Mouse},
    {"", "Choose", "Drag in the ruler, Shift + drag", "choose a range that snaps to edges: the statistics follow", Where::Mouse},
    {"nextInLane", "Choose", ".", "next in the same lane", Where::Timeline},
    {"previousInLane", "Choose", ",", "previous in the same lane", Where::Timeline},
    {"nextSameName", "Choose", "]", "next of the same name", Where::Timeline},
    {"previousSameName", "Choose", "[", "previous of the same name", Where::Timeline},
    {"nextOnPath", "Choose", "N", "next on the critical path", Where::Window},
    {"previousOnPath", "Choose", "Shift+N", "previous on the critical path", Where::Window},
    {"follow", "Choose", "G", "from a kernel to its launch and back", Where::Window},
    {"parent", "Choose", "Up", "in the details: what is around it", Where::Details},
    {"child", "Choose", "Down", "in the details: the first inside it", Where::Details},
    {"previousStep", "Choose", "Ctrl+PgUp", "previous step", Where::Window},
    {"nextStep", "Choose", "Ctrl+PgDown", "next step", Where::Window},
    {"typicalStep", "Choose", "Ctrl+Home", "the typical window", Where::Window},
    {"letGo", "Choose", "Esc", "let go: reading, range, selection", Where::Timeline},

    {"search", "Find", "Ctrl+F", "search names, categories, tracks; or /expression/", Where::Window},
    {"nextHit", "Find", "Return", "in the field: next hit", Where::Search},
    {"previousHit", "Find", "Shift+Return", "in the field: previous hit", Where::Search},
    {"filterTable", "Find", "/", "in a panel: only rows of its table that contain a text", Where::Table},
    {"filterTracks", "Find", "Ctrl+Shift+F", "show only tracks whose name contains a text; Esc shows all", Where::Window},
    {"filterTracksHere", "Find", "/", "the same, in the timeline", Where::Timeline},
    {"palette", "Find", "Ctrl+Shift+P", "any command, panel, step or track by its name", Where::Window},

    {"mark", "Mark", "M", "mark the place of the mouse, or the range with its length", Where::Window},
    {"note", "Mark", "Ctrl+M", "the same, and write a note to it", Where::Window},
    {"undo", "Mark", "Ctrl+Z", "undo: marks, notes, what-ifs, windows", Where::Window},
    {"redo", "Mark", "Ctrl+Shift+Z", "redo", Where::Window},
    {"saveScenario", "Mark", "Ctrl+S", "save the what-if as a scenario with a name", Where::Window},
    {"path", "Mark", "P", "critical path on, off", Where::Window},
    {"predicted", "Mark", "Shift+P", "the trace as the what-if makes it, or as measured", Where::Window},
    {"pin", "Mark", "Shift+T", "keep the selected track at the top, or let it go", Where::Window},
    {"hide", "Mark", "Shift+H", "hide the selected track", Where::Window},
    {"", "Mark", "Drag the name of a track", "move it within its group", Where::Mouse},

    {"open", "File", "Ctrl+O", "open", Where::Window},
    {"capture", "File", "Ctrl+R", "run a program and record it", Where::Window},
    {"export", "File", "Ctrl+E", "export a picture", Where::Window},
    {"copyPicture", "File", "Ctrl+Shift+C", "copy the picture", Where::Window},
    {"copy", "File", "Ctrl+C", "copy the selection, or the chosen rows of a table", Where::Window},
    {"copyCsv", "File", "Ctrl+Alt+C", "in a table: copy the rows as CSV, with exact numbers", Where::Table},
    {"copyMarkdown", "File", "Ctrl+Alt+M", "in a table: copy the rows for Markdown", Where::Table},
    {"close", "File", "Ctrl+W", "close the trace", Where::Window},
    {"quit", "File", "Ctrl+Q", "quit", Where::Window},
    {"fullScreen", "File", "F11", "full screen", Where::Window},
    {"keys", "File", "?|F1", "this list", Where::Window},
};
// clang-format on

/// Signs need Shift or AltGr on some keyboards: only what is printed counts for them.
bool isSign(int key) {
    return key > Qt::Key_Space && key < 0x80 && !(key >= Qt::Key_A && key <= Qt::Key_Z);
}

bool meant(const QKeySequence &keys, const QKeyEvent &event, int key) {
    const QKeyCombination wanted = keys[0];
    if (wanted.key() != key) return false;
    Qt::KeyboardModifiers held =
        event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    if (isSign(key)) held &= ~Qt::ShiftModifier;
    return wanted.keyboardModifiers() == held;
}

} // namespace

std::span<const Command> commands() {
    return kCommands;
}

const Command *commandOf(const QString &id) {
    const auto at =
        std::find_if(std::begin(kCommands), std::end(kCommands),
                     [&](const Command &command) { return id == QLatin1String(command.id); });
    return id.isEmpty() || at == std::end(kCommands) ? nullptr : at;
}

QList<QKeySequence> keysOf(const Command &command) {
    QList<QKeySequence> keys;
    if (command.where == Where::Mouse) return keys;
    for (const QString &text : QString::fromLatin1(command.keys).split(QLatin1Char('|')))
        keys << QKeySequence(text, QKeySequence::PortableText);
    return keys;
}

QString keyText(const Command &command) {
    if (command.where == Where::Mouse) return QObject::tr(command.keys);
    QStringList texts;
    for (QString text : QString::fromLatin1(command.keys).split(QLatin1Char('|'))) {
        const bool plus = text.endsWith(QLatin1Char('+'));
        if (plus) text.chop(1);
        text.replace(QLatin1String("+"), QLatin1String(" + "));
        if (plus) text += QLatin1Char('+');
        for (const auto &[name, shown] :
             {std::pair{"Left", "←"}, {"Right", "→"}, {"PgUp", "Page Up"}, {"PgDown", "Page Down"},
              {"Return", "Enter"}})
            text.replace(QLatin1String(name), QString::fromUtf8(shown));
        if (text == QLatin1String("Up")) text = QStringLiteral("↑");
        if (text == QLatin1String("Down")) text = QStringLiteral("↓");
        texts << text;
    }
    return texts.join(QStringLiteral(", "));
}

int positionKey(const QString &platform, quint32 scanCode, int key) {
    struct Place {
        quint32 scanCode;
        int key;
    };
    // xcb and wayland give the kernel's code of the key + 8, Windows the code of the hardware.
    static constexpr Place kEvdev[] = {
        {25, Qt::Key_W}, {38, Qt::Key_A}, {39, Qt::Key_S}, {40, Qt::Key_D}};
    static constexpr Place kWindows[] = {
        {0x11, Qt::Key_W}, {0x1e, Qt::Key_A}, {0x1f, Qt::Key_S}, {0x20, Qt::Key_D}};
    const bool windows = platform == QLatin1String("windows");
    const bool tells = scanCode != 0 && platform != QLatin1String("cocoa");
    if (tells) {
        for (const Place &place : windows ? kWindows : kEvdev)
            if (place.scanCode == scanCode) return place.key;
        return 0;
    }
    for (const Place &place : kEvdev)
        if (place.key == key) return key;
    return 0;
}

const Command *timelineCommand(const QKeyEvent &event) {
    const int position =
        positionKey(QGuiApplication::platformName(), event.nativeScanCode(), event.key());
    const bool letter = event.key() == Qt::Key_W || event.key() == Qt::Key_A ||
                        event.key() == Qt::Key_S || event.key() == Qt::Key_D;
    for (const Command &command : kCommands) {
        if (command.where != Where::Timeline && command.where != Where::Window) continue;
        for (const QKeySequence &keys : keysOf(command)) {
            if (position && meant(keys, event, position)) return &command;
            if (!position && !letter && meant(keys, event, event.key())) return &command;
        }
    }
    return nullptr;
}

} // namespace longpole
