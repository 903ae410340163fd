// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>

namespace longpole {

/// What the user wants: "system", "light", "dark" or "cvd"; kept in the settings.
QString themeChoice();
/// Stores the choice and applies it to the whole program at once.
void chooseTheme(const QString &choice);
/// Fusion, palette, fonts and style sheet of the current choice. Call once before the first
/// widget is made; `systemIsDark` says how the desktop looked before.
void applyStyle(bool systemIsDark);

/// Size 11 with digits of one width: the desktop's font, or the bundled one where its own differ.
QFont tableFont();

} // namespace longpole
