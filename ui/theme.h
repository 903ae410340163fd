// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/kind.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

#include <array>
#include <string_view>

namespace longpole {

/// One set of colours; the table of resources/docs (look) in code. Nobody else names a colour.
struct Theme {
    QString id; ///< "light", "dark", "cvd"
    bool dark = false;
    QColor win, base, alt, head, line, grid, text, text2, dimText, disabled, fieldBorder, button,
        accent, selected, path, warn, warnBack, good, ink;
    std::array<QColor, 9> phase; ///< data_wait … other, in the order of the shipped rules
    double dimShare = 0.26;      ///< dimmed = mix(base, colour, dimShare)

    QColor phaseColour(std::string_view phaseId) const; ///< unknown ids get "other"
    QColor kindColour(Kind kind) const;
    QColor textOn(QColor fill) const; ///< white where it reaches 4.5 : 1, else ink
    QPalette palette() const;
};

const Theme &themeById(const QString &id); ///< light for unknown ids
/// The theme in use by this process; widgets ask on every paint.
const Theme &theme();
void setTheme(const QString &id);

QColor mix(QColor a, QColor b, double share); ///< share 0: a, 1: b
double contrast(QColor a, QColor b);          ///< WCAG 2, 1…21

/// Fonts at the sizes of the design (10 axes, 11 tables, 12 interface, 13 heads, 15 verdict, 22
/// start page): family of the application, pixel sizes relative to it.
QFont uiFont(int pixelsAtDefault, QFont::Weight weight = QFont::Normal);
/// Loads the bundled Roboto and makes it the application font (render, tests).
void useBundledFont();

/// While it lives, uiFont() gives the bundled Roboto at its own sizes: pictures look the same
/// whatever the desktop's font. GUI thread, not nested.
class BundledFontScope {
public:
    BundledFontScope();
    ~BundledFontScope();
    BundledFontScope(const BundledFontScope &) = delete;
    BundledFontScope &operator=(const BundledFontScope &) = delete;
};

} // namespace longpole
