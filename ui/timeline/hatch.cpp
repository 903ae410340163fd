// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/hatch.h"

#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace longpole {

bool Hatch::covers(int x, int y, double ratio) const {
    const int period = std::max(2, int(std::lround(every * ratio)));
    return (x + y) % period < std::max(1, int(std::lround(line * ratio)));
}

Surface Surface::plain(QColor colour) {
    return {colour, colour, theme().textOn(colour), {}};
}

Surface Surface::unexplained() {
    return {theme().base, theme().text, theme().text, kUnexplainedHatch, true};
}

Surface Surface::untraced() {
    const QColor other = theme().phase.back();
    Surface surface{mix(theme().base, other, theme().dimShare), other, theme().dimText, {}};
    surface.dotted = true;
    return surface;
}

Surface Surface::lag() {
    return {theme().base, theme().path, theme().text, kLagHatch};
}

Surface Surface::slack() {
    return {theme().base, theme().accent, theme().accent, kSlackHatch, true};
}

Surface Surface::hostBound(QColor colour) {
    return {colour, mix(colour, theme().base, 0.35), theme().textOn(colour), kHostHatch};
}

Surface Surface::hollow() {
    return {theme().base, theme().text2, theme().text2, {}, true};
}

void fillSurface(QImage &image, const QRect &rect, const Surface &surface, double ratio) {
    const QRect shown = rect.intersected(image.rect());
    const int one = std::max(1, int(std::lround(ratio)));
    const bool lined = surface.hatch.every > 0 || surface.dotted;
    const bool thin = rect.width() < 3 * one;
    const QRgb ground = (thin && lined && !surface.dotted ? surface.lines : surface.ground).rgb();
    const QRgb lines = surface.lines.rgb();
    for (int y = shown.top(); y <= shown.bottom(); ++y) {
        QRgb *pixels = reinterpret_cast<QRgb *>(image.scanLine(y));
        std::fill(pixels + shown.left(), pixels + shown.right() + 1, ground);
        if (thin) continue;
        const bool edge = y < rect.top() + one || y > rect.bottom() - one;
        for (int x = shown.left(); x <= shown.right(); ++x) {
            const bool frame =
                surface.framed && (edge || x < rect.left() + one || x > rect.right() - one);
            const bool dot = surface.dotted && (x / one) % 4 == 0 && (y / one) % 4 == 0;
            const bool line = surface.hatch.every > 0 && surface.hatch.covers(x, y, ratio);
            if (frame || dot || line) pixels[x] = lines;
        }
    }
}

} // namespace longpole
