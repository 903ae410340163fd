// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/speed.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace longpole {

std::optional<Speed> Speed::parse(QString text) {
    text = text.trimmed().toLower();
    if (text.endsWith(QChar(0xD7)) || text.endsWith(QLatin1Char('x'))) text.chop(1);
    text = text.trimmed();
    if (text == QLatin1String("inf") || text == QStringLiteral("∞")) return infinite();
    bool ok = false;
    const double value = text.toDouble(&ok);
    if (!ok || !(value > 0) || value > kMost / 1000.0) return std::nullopt;
    const int milli = int(std::lround(value * 1000));
    return milli < kLeast ? std::nullopt : std::optional(Speed{milli});
}

Speed Speed::stepped(int by) const {
    static constexpr int kRound[] = {250,  300,  350,  400,  500,  600,  700,  800,  900,
                                     1000, 1100, 1200, 1300, 1400, 1500, 1600, 1800, 2000,
                                     2200, 2500, 3000, 3500, 4000, 5000, 6000, 8000, 10000};
    Speed result = *this;
    for (; by > 0 && !result.isInfinite(); --by) {
        const auto next = std::upper_bound(std::begin(kRound), std::end(kRound), result.milli);
        result.milli = next == std::end(kRound) ? 0 : *next;
    }
    for (; by < 0; ++by) {
        const auto here = result.isInfinite() ? std::end(kRound)
                                              : std::lower_bound(std::begin(kRound),
                                                                 std::end(kRound), result.milli);
        if (here == std::begin(kRound)) break;
        result.milli = *(here - 1);
    }
    return result;
}

double Speed::value() const {
    return isInfinite() ? std::numeric_limits<double>::infinity() : milli / 1000.0;
}

SpeedFactor Speed::factor() const {
    return isInfinite() ? SpeedFactor{0, 1} : SpeedFactor{1000, milli};
}

QString Speed::text() const {
    if (isInfinite()) return QStringLiteral("∞");
    QString digits = QString::number(milli / 1000.0, 'f', 3);
    while (digits.endsWith(QLatin1Char('0'))) digits.chop(1);
    if (digits.endsWith(QLatin1Char('.'))) digits.chop(1);
    return digits + QChar(0xD7);
}

QString Speed::field() const {
    if (isInfinite()) return QStringLiteral("∞");
    const int decimals = milli % 10 ? 3 : milli >= 100'000 ? 1 : 2;
    return QString::number(milli / 1000.0, 'f', decimals) + QChar(0xD7);
}

} // namespace longpole
