// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ruler.h"

#include <array>

namespace longpole {

namespace {

constexpr TimeNs kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute;
const QChar kSpace(0x00A0); // no-break

struct Unit {
    TimeNs ns;
    const char *name;
};
constexpr std::array<Unit, 4> kUnits = {
    {{1, "ns"}, {1'000, "µs"}, {1'000'000, "ms"}, {kSecond, "s"}}};

QString amount(TimeNs count, const char *unit) {
    return QString::number(count) + kSpace + QString::fromUtf8(unit);
}

/// `time` in the largest unit that writes it without a fraction, zero digits included.
QString exact(TimeNs time) {
    for (size_t i = kUnits.size(); i-- > 0;) {
        const Unit &u = kUnits[i];
        if (time % u.ns == 0) return amount(time / u.ns, u.name);
        if (i > 0 && time >= u.ns && time % (u.ns / 1000) == 0)
            return QString::number(double(time) / double(u.ns), 'f', 3) + kSpace +
                   QString::fromUtf8(u.name);
    }
    return amount(time, "ns");
}

/// "1 min 20 s", "2 h 5 min": the parts from the largest one down to `step`.
QString clockText(TimeNs time, TimeNs step) {
    QString text;
    auto part = [&](TimeNs unit, const char *name) {
        const TimeNs count = time / unit;
        time %= unit;
        if (count == 0 && !text.isEmpty() && time == 0) return;
        if (count == 0 && (text.isEmpty() || unit < kMinute)) return;
        if (!text.isEmpty()) text += kSpace;
        text += amount(count, name);
    };
    part(24 * kHour, "d");
    part(kHour, "h");
    if (step < kHour || text.isEmpty()) part(kMinute, "min");
    if (step < kMinute) part(kSecond, "s");
    if (text.isEmpty()) return amount(0, step >= kHour ? "h" : step >= kMinute ? "min" : "s");
    return text;
}

} // namespace

TimeNs tickStep(double nsPerPixel, double spacing) {
    const double least = nsPerPixel * spacing;
    TimeNs power = 1;
    while (power < kSecond) {
        for (TimeNs factor : {1, 2, 5})
            if (double(power * factor) >= least) return power * factor;
        power *= 10;
    }
    for (TimeNs step : {kSecond, 2 * kSecond, 5 * kSecond, 10 * kSecond, 20 * kSecond, 30 * kSecond,
                        kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 20 * kMinute, 30 * kMinute,
                        kHour, 2 * kHour, 6 * kHour, 12 * kHour})
        if (double(step) >= least) return step;
    TimeNs days = 1;
    while (double(days * 24 * kHour) < least && days < 10'000) days *= 2;
    return days * 24 * kHour;
}

QString tickText(TimeNs time, TimeNs step) {
    if (time < 0) return QChar(0x2212) + tickText(-time, step);
    if (step >= kSecond && (time >= kMinute || step >= kMinute)) return clockText(time, step);
    size_t unit = kUnits.size() - 1;
    while (kUnits[unit].ns > step) --unit;
    const TimeNs ns = kUnits[unit].ns;
    if (time < 1000 * ns || unit + 1 == kUnits.size()) return amount(time / ns, kUnits[unit].name);
    if (step >= 100 * ns) { // one decimal of the next unit does not blur
        const TimeNs whole = unit + 2 < kUnits.size() ? time / (1'000'000 * ns) : 0;
        const TimeNs rest = time - whole * 1'000'000 * ns;
        QString text = whole > 0 ? amount(whole, kUnits[unit + 2].name) : QString();
        if (whole > 0 && rest == 0) return text;
        if (whole > 0) text += QStringLiteral(" + ");
        const int decimals = rest % (1000 * ns) == 0 ? 0 : 1;
        return text + QString::number(double(rest / (100 * ns)) / 10, 'f', decimals) + kSpace +
               QString::fromUtf8(kUnits[unit + 1].name);
    }
    const TimeNs coarse = time / (1000 * ns) * (1000 * ns), fine = time - coarse;
    if (fine == 0) return exact(coarse);
    return exact(coarse) + QStringLiteral(" + ") + amount(fine / ns, kUnits[unit].name);
}

std::vector<Tick> rulerTicks(const TimeScale &scale, TimeNs zero, double spacing) {
    std::vector<Tick> ticks;
    const TimeNs step = tickStep(scale.nsPerPixel(), spacing);
    const TimeNs from = scale.view.begin - zero;
    TimeNs time = from / step * step;
    if (time < from) time += step;
    for (; time + zero < scale.view.end; time += step)
        ticks.push_back({time + zero, scale.x(time + zero), tickText(time, step)});
    return ticks;
}

} // namespace longpole
