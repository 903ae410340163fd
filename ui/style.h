// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace longpole {

/// What the user wants: "system", "light", "dark" or "cvd"; kept in the settings.
QString themeChoice();
/// Stores the choice and applies it to the whole program at once.
void chooseTheme(const QString &choice);
/// Fusion, palette, fonts and style sheet of the current choice. Call once before the first
/// widget is made; `systemIsDark` says how the desktop looked before.
void applyStyle(bool systemIsDark);

} // namespace longpole
