// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/numbers.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace longpole {

namespace {

int64_t roundedDiv(int64_t value, int64_t by) {
    return value >= 0 ? (value + by / 2) / by : -((-value + by / 2) / by);
}

int64_t floorDiv(int64_t value, int64_t by) {
    return value >= 0 ? value / by : -((-value + by - 1) / by);
}

} // namespace

TimeUnit unitFor(TimeNs largest) {
    if (largest >= 10'000'000'000) return {QStringLiteral("s"), 3, 1'000'000};
    if (largest >= 10'000'000) return {QStringLiteral("ms"), 3, 1'000};
    if (largest >= 10'000) return {QStringLiteral("µs"), 3, 1};
    return {QStringLiteral("ns"), 0, 1};
}

std::vector<int64_t> roundedColumn(const std::vector<TimeNs> &values, TimeNs total,
                                   const TimeUnit &unit) {
    std::vector<int64_t> result(values.size());
    const TimeNs sum = std::accumulate(values.begin(), values.end(), TimeNs(0));
    if (sum != total) {
        for (size_t i = 0; i < values.size(); ++i)
            result[i] = roundedDiv(values[i], unit.nsPerLast);
        return result;
    }
    int64_t missing = roundedDiv(total, unit.nsPerLast);
    for (size_t i = 0; i < values.size(); ++i) {
        result[i] = floorDiv(values[i], unit.nsPerLast);
        missing -= result[i];
    }
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return values[a] - result[a] * unit.nsPerLast > values[b] - result[b] * unit.nsPerLast;
    });
    for (size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++result[order[i]];
    return result;
}

QString printed(int64_t multiples, TimeNs exact, const TimeUnit &unit) {
    int64_t one = 1;
    for (int i = 0; i < unit.decimals; ++i) one *= 10;
    const int64_t size = std::abs(multiples);
    const auto decimals = [&](int64_t value) {
        if (unit.decimals == 0) return QString();
        return QStringLiteral(".%1").arg(value, unit.decimals, 10, QLatin1Char('0'));
    };
    if (multiples == 0 && exact != 0) return QStringLiteral("<\u00a00%1").arg(decimals(1));
    const QString sign = multiples < 0 ? QStringLiteral("\u2212") : QString();
    return sign + countText(size / one) + decimals(size % one);
}

QString printed(TimeNs exact, const TimeUnit &unit) {
    return printed(roundedDiv(exact, unit.nsPerLast), exact, unit);
}

QString durationText(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}

QString rangeText(TimeNs from, TimeNs to) {
    QString low = durationText(from);
    const QString high = durationText(to);
    const qsizetype unit = high.lastIndexOf(QChar(0x00A0));
    if (unit >= 0 && low.endsWith(high.mid(unit))) low.chop(high.size() - unit);
    return QStringLiteral("%1 – %2").arg(low, high);
}

QString countText(int64_t count) {
    return QString::fromStdString(formatCount(count));
}

QString bytesText(int64_t bytes) {
    static const char *const kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    double value = double(bytes);
    int unit = 0;
    while (value >= 999.5 && unit < 4) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return QStringLiteral("%1\u00a0%2")
        .arg(value, 0, 'f', decimals)
        .arg(QLatin1String(kUnits[unit]));
}

QString csvField(const QString &text) {
    if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) &&
        !text.contains(QLatin1Char('\n')) && !text.contains(QLatin1Char('\r')))
        return text;
    QString quoted = text;
    quoted.replace(QLatin1Char('"'), QLatin1String("\"\""));
    return QLatin1Char('"') + quoted + QLatin1Char('"');
}

} // namespace longpole
