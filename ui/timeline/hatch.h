// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QRect>

namespace longpole {

/// Lines at 45° that say without colour what a surface is: `line` of every `every` pixels, fixed to
/// the widget, so that they do not crawl while its content moves.
struct Hatch {
    double every = 0, line = 1; ///< device-independent; 0: none
    bool covers(int x, int y, double ratio) const;
};

inline constexpr Hatch kUnexplainedHatch{5, 1.3}, kSlackHatch{5, 1}, kLagHatch{4, 1},
    kHostHatch{4, 1};

/// What a mark is filled with when a plain colour does not say enough.
struct Surface {
    QColor ground, lines, ink; ///< ink: of words on it
    Hatch hatch;
    bool framed = false; ///< one pixel of `lines` around
    bool dotted = false; ///< instead of hatched

    static Surface plain(QColor colour);
    static Surface unexplained();
    static Surface untraced();
    static Surface lag();
    static Surface slack();
    static Surface hostBound(QColor colour); ///< and other causes on the host
    static Surface hollow();
};

/// Fills device pixels; below three pixels of width a hatch becomes its lines' colour.
void fillSurface(QImage &image, const QRect &rect, const Surface &surface, double ratio);

} // namespace longpole
