// SPDX-License-Identifier: Apache-2.0
#include "tests/support/brute_columns.h"

#include <algorithm>
#include <cmath>

namespace longpole::test {

std::vector<BruteColumn> bruteColumns(const std::vector<BruteLane> &lanes, TimeRange view,
                                      int width, double wide, int gap, uint32_t groups) {
    std::vector<BruteColumn> result(static_cast<size_t>(width));
    std::vector<int> marks(size_t(width), 0);
    std::vector<bool> beside(size_t(width), false);
    for (BruteColumn &column : result) column.time.assign(groups, 0);
    const auto xOf = [&](TimeNs t) {
        return double(t - view.begin) * (double(width) / double(view.length()));
    };
    for (const BruteLane &lane : lanes)
        for (const auto &[begin, end, group] : lane.intervals) {
            const double x0 = xOf(begin), x1 = xOf(end);
            if (x1 < 0 || (x1 <= 0 && x1 > x0) || x0 >= width) continue;
            const bool itself = x1 - x0 >= wide;
            for (int x = std::max(0, int(std::floor(x0))); x < width && x <= x1; ++x) {
                const double share = std::min(x1, x + 1.0) - std::max(x0, double(x));
                BruteColumn &column = result[size_t(x)];
                column.time[group] += share;
                if (lane.covers) column.covered += share;
                const bool first = x == int(std::floor(x0));
                if (itself)
                    beside[size_t(x)] =
                        beside[size_t(x)] || (share > 0 && (first || x == int(std::floor(x1))));
                else if (x1 - x0 < 1 ? first : share > 0)
                    ++marks[size_t(x)];
            }
            if (!itself) continue;
            const int left = int(std::lround(std::max(x0, -1.0)));
            const int right = int(std::lround(std::min(x1, width + 1.0)));
            for (int x = std::max(0, left); x < std::min(right, width); ++x) {
                result[size_t(x)].what =
                    x < right - gap ? BruteColumn::What::Mark : BruteColumn::What::Gap;
                result[size_t(x)].group = group;
            }
        }
    for (int x = 0; x < width; ++x) {
        if (marks[size_t(x)] == 0) continue;
        BruteColumn &column = result[size_t(x)];
        column.what = BruteColumn::What::Merged;
        const auto free = [&](int at) {
            return at < 0 || at >= width || (marks[size_t(at)] == 0 && !beside[size_t(at)]);
        };
        const bool lone = marks[size_t(x)] == 1 && free(x - 1) && free(x + 1);
        column.covered = lone ? 1 : std::min(1.0, column.covered);
    }
    return result;
}

} // namespace longpole::test
