// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <vector>

namespace longpole::test {

/// A lane to be painted by looking at each of its intervals.
struct BruteLane {
    struct Interval {
        TimeNs begin, end;
        uint8_t group;
    };
    std::vector<Interval> intervals; ///< disjoint, in time order
    bool covers = true;              ///< counts for how much of a pixel is covered
};

/// What one pixel column of a row has to show.
struct BruteColumn {
    enum class What { Nothing, Mark, Gap, Merged };
    What what = What::Nothing;
    uint8_t group = 0;        ///< of a mark
    std::vector<double> time; ///< pixels per group, where merged
    double covered = 0;       ///< share of the pixel, 1 for a mark alone
};

/// The rules of a row once more, and as slowly as they can be followed: an interval of `wide`
/// pixels or more is itself and ends in `gap` pixels of background, all others are merged by the
/// time they have in each pixel, and one narrower than a pixel is still a mark where it begins.
std::vector<BruteColumn> bruteColumns(const std::vector<BruteLane> &lanes, TimeRange view,
                                      int width, double wide, int gap, uint32_t groups);

} // namespace longpole::test
