// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"

#include <cmath>

namespace longpole {

/// Maps times to pixels and back. Differences are taken in integers first, so a pixel is as exact
/// a day into the trace as it is at its begin; far times are clamped instead of overflowing.
struct TimeScale {
    TimeRange view{0, 1};
    double width = 1; ///< pixels that show `view`

    double pixelsPerNs() const { return width / double(view.length()); }
    double nsPerPixel() const { return double(view.length()) / width; }

    double x(TimeNs t) const { return double(since(t)) * pixelsPerNs(); }
    /// The time at the left edge of pixel `x` (rounded down to a whole nanosecond).
    TimeNs timeAt(double x) const { return view.begin + TimeNs(std::floor(x * nsPerPixel())); }
    /// First time whose pixel is `column` or a later one.
    TimeNs firstTimeOf(int column) const {
        TimeNs t = view.begin + TimeNs(std::ceil(column * nsPerPixel()));
        while (x(t) < column) ++t;
        while (x(t - 1) >= column) --t;
        return t;
    }

private:
    /// t - view.begin, clamped so far outside the view that nobody sees the difference.
    TimeNs since(TimeNs t) const {
        TimeNs difference;
        if (__builtin_sub_overflow(t, view.begin, &difference))
            return t < view.begin ? INT64_MIN / 4 : INT64_MAX / 4;
        return difference;
    }
};

/// `view` zoomed by `factor` (> 1: closer) so that the time `fixed` keeps its pixel.
inline TimeRange zoomed(TimeRange view, TimeNs fixed, double factor) {
    const double left = double(fixed - view.begin) / factor;
    const double right = double(view.end - fixed) / factor;
    return {fixed - TimeNs(std::llround(left)), fixed + TimeNs(std::llround(right))};
}

} // namespace longpole
