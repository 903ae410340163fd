// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <vector>

class QWidget;

namespace longpole {

/// Something the palette can do: a command, a panel, a step or a track.
struct PaletteEntry {
    QString text;
    QString detail; ///< its keys, or what sort of thing it is
    std::function<void()> run;
};

/// How well `text` answers what was typed: the letters must come in this order; begins of words and
/// letters side by side count more. Negative: not at all.
int paletteScore(const QString &typed, const QString &text);

/// A field and the entries that answer it, best first; Enter runs the chosen one.
void showCommandPalette(QWidget *parent, std::vector<PaletteEntry> entries);

} // namespace longpole
