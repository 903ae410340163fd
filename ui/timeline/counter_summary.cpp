// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/counter_summary.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {
constexpr size_t kTimes = 16;
constexpr CounterSummary::Extremes kNothing{std::numeric_limits<double>::infinity(),
                                            -std::numeric_limits<double>::infinity()};
} // namespace

CounterSummary::CounterSummary(const CounterSeries &series) {
    if (series.value.empty()) return;
    std::vector<Extremes> level;
    for (size_t i = 0; i < series.value.size(); ++i) {
        if (i % kTimes == 0) level.push_back(kNothing);
        level.back().include({series.value[i], series.value[i]});
    }
    while (level.size() > 1) {
        std::vector<Extremes> above;
        for (size_t i = 0; i < level.size(); ++i) {
            if (i % kTimes == 0) above.push_back(kNothing);
            above.back().include(level[i]);
        }
        m_levels.push_back(std::move(level));
        level = std::move(above);
    }
    m_all = level.front();
}

CounterSummary::Extremes CounterSummary::over(const CounterSeries &series, size_t from,
                                              size_t to) const {
    Extremes result = kNothing;
    const auto point = [&](size_t i) { result.include({series.value[i], series.value[i]}); };
    while (from < to && from % kTimes != 0) point(from++);
    while (from < to && to % kTimes != 0) point(--to);
    from /= kTimes, to /= kTimes;
    for (const auto &level : m_levels) {
        if (from >= to) break;
        while (from < to && from % kTimes != 0) result.include(level[from++]);
        while (from < to && to % kTimes != 0) result.include(level[--to]);
        from /= kTimes, to /= kTimes;
    }
    if (from < to) result.include(m_all);
    return result;
}

size_t CounterSummary::bytes() const {
    size_t sum = 0;
    for (const auto &level : m_levels) sum += level.size() * sizeof(Extremes);
    return sum;
}

size_t firstPointAt(const CounterSeries &series, TimeNs t, size_t from) {
    size_t low = from, width = 1; // galloping: pixels ask one after the other
    while (low + width < series.time.size() && series.time[low + width] < t) {
        low += width;
        width *= 2;
    }
    const auto begin = series.time.begin();
    const auto high = begin + std::ptrdiff_t(std::min(low + width, series.time.size()));
    return size_t(
        std::lower_bound(begin + std::ptrdiff_t(std::min(low, series.time.size())), high, t) -
        begin);
}

} // namespace longpole
