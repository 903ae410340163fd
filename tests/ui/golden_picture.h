// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QRect>
#include <QString>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

namespace longpole::test {

/// How far two pictures are apart as somebody sees it who knows both.
struct PictureDifference {
    double mean = 0;   ///< of all pixels, 0 … 255
    int blocks = 0;    ///< that look otherwise
    int largest = 0;   ///< blocks of the largest region that hangs together …
    QRect where;       ///< … and where it is, device pixels
    bool sized = true; ///< false: they have different sizes

    /// A rasteriser may set the edge of a letter a little otherwise: that changes pixels, but not
    /// what a block of them comes to, and never two blocks side by side.
    bool same() const { return sized && largest < 2 && blocks < 12 && mean < 2; }
    QString words() const {
        if (!sized) return QStringLiteral("the sizes differ");
        return QStringLiteral("%1 blocks look otherwise, %2 of them together at %3,%4 %5×%6; on "
                              "average %7 of 255")
            .arg(blocks)
            .arg(largest)
            .arg(where.x())
            .arg(where.y())
            .arg(where.width())
            .arg(where.height())
            .arg(mean, 0, 'f', 3);
    }
};

namespace golden_detail {

constexpr int kBlock = 4; ///< pixels at scale 1

inline std::vector<uint8_t> blocksApart(const QImage &a, const QImage &b, int side, int columns,
                                        double most, double &mean) {
    std::vector<uint8_t> apart;
    double sum = 0;
    for (int top = 0; top < a.height(); top += side)
        for (int column = 0; column < columns; ++column) {
            int of[3] = {}, count = 0;
            for (int y = top; y < std::min(top + side, a.height()); ++y)
                for (int x = column * side; x < std::min((column + 1) * side, a.width()); ++x) {
                    const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
                    const int by[3] = {qRed(q) - qRed(p), qGreen(q) - qGreen(p),
                                       qBlue(q) - qBlue(p)};
                    ++count;
                    for (int c = 0; c < 3; ++c) of[c] += by[c], sum += std::abs(by[c]) / 3.0;
                }
            const int by = std::max({std::abs(of[0]), std::abs(of[1]), std::abs(of[2])});
            apart.push_back(double(by) / count > most);
        }
    mean = sum / (double(a.width()) * a.height());
    return apart;
}

} // namespace golden_detail

/// `ratio` is device pixels per pixel, `most` what the mean of a block may be apart, 0 … 255.
inline PictureDifference differenceOf(const QImage &golden, const QImage &actual, double ratio,
                                      double most = 14) {
    using namespace golden_detail;
    PictureDifference result;
    if (golden.size() != actual.size()) return result.sized = false, result;
    const int side = std::max(1, int(std::lround(kBlock * ratio)));
    const int columns = (golden.width() + side - 1) / side;
    const QImage a = golden.convertToFormat(QImage::Format_RGB32);
    const QImage b = actual.convertToFormat(QImage::Format_RGB32);
    std::vector<uint8_t> left = blocksApart(a, b, side, columns, most, result.mean);
    for (size_t start = 0; start < left.size(); ++start) {
        if (!left[start]) continue;
        std::vector<size_t> open{start};
        left[start] = 0;
        int count = 0;
        QRect where;
        while (!open.empty()) {
            const int x = int(open.back()) % columns, y = int(open.back()) / columns;
            open.pop_back();
            ++count;
            where |= QRect(x * side, y * side, side, side);
            for (int v = y - 1; v <= y + 1; ++v)
                for (int u = x - 1; u <= x + 1; ++u) {
                    const size_t beside = size_t(v) * size_t(columns) + size_t(u);
                    if (u < 0 || u >= columns || v < 0 || beside >= left.size()) continue;
                    if (!std::exchange(left[beside], uint8_t(0))) continue;
                    open.push_back(beside);
                }
        }
        result.blocks += count;
        if (count > result.largest) result.largest = count, result.where = where;
    }
    return result;
}

/// With that many colours instead of a thousand shades of letters, so that it takes little room.
inline QImage withFewColours(const QImage &image, int colours) {
    const QImage full = image.convertToFormat(QImage::Format_RGB32);
    std::map<QRgb, int> counts;
    for (int y = 0; y < full.height(); ++y)
        for (int x = 0; x < full.width(); ++x) ++counts[full.pixel(x, y)];
    struct Shade {
        QRgb colour;
        double weight, away; ///< squared, to the nearest one taken
        int nearest;
    };
    std::vector<Shade> shades;
    for (const auto &[colour, count] : counts)
        shades.push_back({colour, std::sqrt(double(count)), 3e5, 0});
    QList<QRgb> table;
    while (table.size() < colours) {
        const auto next = std::max_element(shades.begin(), shades.end(), [](auto &a, auto &b) {
            return a.weight * a.away < b.weight * b.away;
        });
        if (next->away <= 0) break;
        table << next->colour;
        for (Shade &shade : shades) {
            const double r = qRed(shade.colour) - qRed(table.back()),
                         g = qGreen(shade.colour) - qGreen(table.back()),
                         b = qBlue(shade.colour) - qBlue(table.back());
            const double away = r * r + g * g + b * b;
            if (away < shade.away) shade.away = away, shade.nearest = int(table.size()) - 1;
        }
    }
    std::map<QRgb, int> nearest;
    for (const Shade &shade : shades) nearest[shade.colour] = shade.nearest;
    QImage result(full.size(), QImage::Format_Indexed8);
    result.setColorTable(table);
    for (int y = 0; y < full.height(); ++y)
        for (int x = 0; x < full.width(); ++x)
            result.setPixel(x, y, uint(nearest[full.pixel(x, y)]));
    return result;
}

} // namespace longpole::test
