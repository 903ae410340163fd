// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

/// A column prints in one unit with fixed decimals, so that its digits line up and can be added.
struct TimeUnit {
    QString name;      ///< "ms"
    int decimals;      ///< digits after the point: nanoseconds are never cut off below µs
    int64_t nsPerLast; ///< nanoseconds that one of the last digit stands for
};
/// The unit for a column whose largest value is `largest`: at least two digits before the point.
TimeUnit unitFor(TimeNs largest);

/// The whole multiples of `unit` that the values print as. When the values add up to `total` they
/// are rounded by largest remainder, so that the printed ones add up to the printed total as well;
/// otherwise each is rounded to the nearest.
std::vector<int64_t> roundedColumn(const std::vector<TimeNs> &values, TimeNs total,
                                   const TimeUnit &unit);
/// "1,234.500"; a value that is not zero but rounds to it prints as "< 0.001".
QString printed(int64_t multiples, TimeNs exact, const TimeUnit &unit);
/// One value on its own.
QString printed(TimeNs exact, const TimeUnit &unit);

QString durationText(TimeNs length); ///< formatDuration as QString
/// "64.6 – 65.3 ms": the unit is written once where both ends have the same.
QString rangeText(TimeNs from, TimeNs to);
QString bytesText(int64_t bytes); ///< "12.4 MB", decimal units, three digits
QString countText(int64_t count);

/// `text` as a field of a CSV line.
QString csvField(const QString &text);

} // namespace longpole
