// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/trace.h"

namespace longpole {

/// Least and most of a counter over any run of its points, from a pyramid: a pixel costs a few
/// look-ups however many points it holds. Immutable.
class CounterSummary {
public:
    struct Extremes {
        double least, most;
        void include(const Extremes &other) {
            least = std::min(least, other.least);
            most = std::max(most, other.most);
        }
    };

    explicit CounterSummary(const CounterSeries &series);
    const Extremes &all() const { return m_all; }
    /// Over points [from, to), which are not none.
    Extremes over(const CounterSeries &series, size_t from, size_t to) const;
    size_t bytes() const;

private:
    Extremes m_all{0, 0};
    std::vector<std::vector<Extremes>> m_levels; ///< each of 16 of the one below
};

/// First point at or after t, looked for from `from` on.
size_t firstPointAt(const CounterSeries &series, TimeNs t, size_t from);

} // namespace longpole
