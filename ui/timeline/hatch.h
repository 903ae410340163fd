// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>

namespace longpole {

/// Lines at 45° that say without colour what a surface is. Pixels: `line` of every `every`.
struct Hatch {
    double every, line;

    /// Whether a device pixel lies on a line. Lines are fixed to the widget: they do not crawl
    /// while its content moves.
    bool covers(int x, int y, double ratio) const {
        const int period = std::max(2, int(std::lround(every * ratio)));
        return (x + y) % period < std::max(1, int(std::lround(line * ratio)));
    }
};

inline constexpr Hatch kUnexplainedHatch{5, 1.3}, kSlackHatch{5, 1}, kLagHatch{4, 1},
    kHostHatch{4, 1};

} // namespace longpole
