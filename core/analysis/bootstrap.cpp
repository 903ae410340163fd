// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/bootstrap.h"

#include "core/analysis/steps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace longpole {

namespace {

constexpr int kDraws = 2000;

class Random {
public:
    explicit Random(uint64_t seed) : m_state(seed) {}
    uint64_t below(uint64_t n) { return next() % n; }

private:
    uint64_t next() {
        uint64_t z = (m_state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    uint64_t m_state;
};

double autocorrelation(const std::vector<TimeNs> &y) {
    double mean = 0, above = 0, below = 0;
    for (const TimeNs v : y) mean += double(v) / double(y.size());
    for (size_t i = 0; i < y.size(); ++i) {
        const double d = double(y[i]) - mean;
        below += d * d;
        if (i > 0) above += d * (double(y[i - 1]) - mean);
    }
    return below > 0 ? above / below : 0;
}

/// As quantile(…, 0.5) of the sorted values, in linear time.
TimeNs medianOf(std::vector<TimeNs> &values) {
    const auto middle = values.begin() + long(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2) return *middle;
    return quantile(std::array{*std::max_element(values.begin(), middle), *middle}, 0.5);
}

size_t blockOf(const std::vector<TimeNs> &y) {
    return autocorrelation(y) > 0.3 ? size_t(std::ceil(std::cbrt(double(y.size())))) : 1;
}

} // namespace

std::vector<TimeNs> resampledMedians(const RunValues &runs, uint64_t seed) {
    Random random(seed);
    std::vector<size_t> blocks;
    for (const auto &y : runs) blocks.push_back(blockOf(y));
    std::vector<TimeNs> medians, draw;
    for (int i = 0; i < kDraws; ++i) {
        draw.clear();
        for (size_t r = 0; r < runs.size(); ++r) {
            const size_t run = runs.size() > 1 ? random.below(runs.size()) : 0;
            const std::vector<TimeNs> &y = runs[run];
            const size_t until = draw.size() + y.size(), block = blocks[run];
            while (draw.size() < until) {
                const size_t from = random.below(y.size() - block + 1);
                for (size_t k = 0; k < block && draw.size() < until; ++k)
                    draw.push_back(y[from + k]);
            }
        }
        medians.push_back(medianOf(draw));
    }
    return medians;
}

std::pair<TimeNs, TimeNs> interval95(std::vector<TimeNs> draws) {
    std::sort(draws.begin(), draws.end());
    return {quantile(draws, 0.025), quantile(draws, 0.975)};
}

} // namespace longpole
