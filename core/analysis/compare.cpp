// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/compare.h"

#include "core/analysis/step_deltas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr uint64_t kSeedA = 20240501, kSeedB = 20240502, kSeedStartA = 20240503,
                   kSeedStartB = 20240504;

std::vector<TimeNs> pooled(const RunValues &runs) {
    std::vector<TimeNs> all;
    for (const auto &run : runs) all.insert(all.end(), run.begin(), run.end());
    std::sort(all.begin(), all.end());
    return all;
}

/// Quantile (type 7) of sorted numbers that may end in infinities.
double quantileOf(const std::vector<double> &sorted, double q) {
    const double at = q * double(sorted.size() - 1);
    const size_t low = size_t(at);
    const double part = at - double(low);
    if (part == 0 || sorted[low] == sorted[low + 1]) return sorted[low];
    return sorted[low] + part * (sorted[low + 1] - sorted[low]);
}

std::pair<double, double> interval95(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {quantileOf(values, 0.025), quantileOf(values, 0.975)};
}

/// The k-th smallest (from 0) of all y − x, by bisection over its value; both sorted.
TimeNs kthDifference(const std::vector<TimeNs> &x, const std::vector<TimeNs> &y, uint64_t k) {
    TimeNs low = y.front() - x.back(), high = y.back() - x.front();
    while (low < high) {
        const TimeNs middle = low + (high - low) / 2;
        uint64_t atMost = 0;
        size_t from = 0; // first x with y − x <= middle; grows with y
        for (const TimeNs value : y) {
            while (from < x.size() && value - x[from] > middle) ++from;
            atMost += x.size() - from;
        }
        if (atMost > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

TimeNs hodgesLehmann(const std::vector<TimeNs> &x, const std::vector<TimeNs> &y) {
    const uint64_t pairs = uint64_t(x.size()) * y.size();
    const TimeNs below = kthDifference(x, y, (pairs - 1) / 2);
    const TimeNs above = pairs % 2 ? below : kthDifference(x, y, pairs / 2);
    return below + (above - below) / 2;
}

/// Two-sided, by the normal approximation with ties.
double mannWhitney(const std::vector<TimeNs> &x, const std::vector<TimeNs> &y) {
    const double n = double(x.size()), m = double(y.size()), all = n + m;
    double u = 0, ties = 0;
    for (const TimeNs value : x) {
        const auto [low, high] = std::equal_range(y.begin(), y.end(), value);
        u += double(low - y.begin()) + 0.5 * double(high - low);
    }
    std::vector<TimeNs> both(x);
    both.insert(both.end(), y.begin(), y.end());
    std::sort(both.begin(), both.end());
    for (auto it = both.begin(); it != both.end();) {
        const auto next = std::upper_bound(it, both.end(), *it);
        const double t = double(next - it);
        ties += t * t * t - t;
        it = next;
    }
    const double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
    if (variance <= 0) return 1;
    const double away = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return std::erfc(away / std::sqrt(variance) / std::sqrt(2.0));
}

/// What one side takes: start-up once and this much a step, and how far each may be off.
struct Cost {
    std::optional<TimeNs> startup;
    TimeNs step = 0;
    std::vector<TimeNs> steps, startups; ///< draws; empty without an interval
    double drawnStartup(size_t i) const {
        return startups.empty() ? double(*startup) : double(startups[i]);
    }
};

Cost costOf(const ComparedSide &side, const RunValues &values, std::optional<TimeNs> given,
            uint64_t seed, uint64_t startSeed) {
    Cost cost;
    const std::vector<TimeNs> all = pooled(values);
    cost.step = quantile(all, 0.5);
    if (all.size() >= kMinForInterval) cost.steps = resampledMedians(values, seed);
    cost.startup = given;
    if (cost.startup) return cost;
    std::vector<TimeNs> measured;
    for (const ComparedRun &run : side)
        if (run.steps.startup) measured.push_back(*run.steps.startup);
    if (measured.size() < side.size()) return cost;
    if (measured.size() > 1) cost.startups = resampledMedians({measured}, startSeed);
    std::sort(measured.begin(), measured.end());
    cost.startup = quantile(measured, 0.5);
    return cost;
}

StepRatio ratioOf(const Cost &a, const Cost &b, const RunValues &valuesA,
                  const RunValues &valuesB) {
    StepRatio ratio;
    const std::vector<TimeNs> x = pooled(valuesA), y = pooled(valuesB);
    ratio.median = double(b.step) / double(std::max<TimeNs>(1, a.step));
    ratio.shift = hodgesLehmann(x, y);
    if (a.steps.empty() || b.steps.empty()) return ratio;
    std::vector<double> ratios;
    for (size_t i = 0; i < a.steps.size(); ++i)
        ratios.push_back(double(b.steps[i]) / double(std::max<TimeNs>(1, a.steps[i])));
    ratio.ci95 = interval95(std::move(ratios));
    ratio.p = mannWhitney(x, y);
    return ratio;
}

/// None where the sum is too long to say in nanoseconds.
std::optional<TimeNs> after(const Cost &cost, uint64_t steps) {
    TimeNs product = 0, sum = 0;
    if (__builtin_mul_overflow(cost.step, steps, &product) ||
        __builtin_add_overflow(product, *cost.startup, &sum))
        return std::nullopt;
    return sum;
}

std::optional<AfterSteps> afterSteps(const Cost &a, const Cost &b, uint64_t steps) {
    const auto lengthA = after(a, steps), lengthB = after(b, steps);
    if (!lengthA || !lengthB) return std::nullopt;
    AfterSteps result{steps, *lengthA, *lengthB, First::Tie};
    if (!a.steps.empty() && !b.steps.empty()) {
        std::vector<double> gaps;
        for (size_t i = 0; i < a.steps.size(); ++i)
            gaps.push_back(b.drawnStartup(i) - a.drawnStartup(i) +
                           double(steps) * double(b.steps[i] - a.steps[i]));
        const auto [low, high] = interval95(std::move(gaps));
        if (low <= 0 && high >= 0) return result;
    }
    if (result.a != result.b) result.first = result.a < result.b ? First::A : First::B;
    return result;
}

/// Steps after which what B starts later equals what A takes longer a step; infinite for never.
double meeting(double startB, double startA, double stepA, double stepB) {
    const double start = startB - startA, step = stepA - stepB;
    return start * step > 0 ? start / step : std::numeric_limits<double>::infinity();
}

Crossover crossoverOf(const Cost &a, const Cost &b) {
    Crossover result;
    const TimeNs step = a.step - b.step;
    bool apart = step != 0; // the steps differ by more than they vary
    std::vector<double> meetings;
    if (!a.steps.empty() && !b.steps.empty()) {
        std::vector<double> gaps;
        for (size_t i = 0; i < a.steps.size(); ++i) {
            const double drawnA = double(a.steps[i]), drawnB = double(b.steps[i]);
            gaps.push_back(drawnA - drawnB);
            meetings.push_back(meeting(b.drawnStartup(i), a.drawnStartup(i), drawnA, drawnB));
        }
        const auto [low, high] = interval95(std::move(gaps));
        apart = low > 0 || high < 0;
    }
    const double meet =
        meeting(double(*b.startup), double(*a.startup), double(a.step), double(b.step));
    if (std::isfinite(meet)) {
        result.state = Crossover::State::Crosses;
        result.steps = meet;
        if (meetings.empty()) return result;
        const auto [low, high] = interval95(std::move(meetings));
        if (std::isfinite(low)) result.low = low;
        if (apart && std::isfinite(high)) result.high = high;
    } else if (apart) {
        result.state = step < 0 ? Crossover::State::AAlways : Crossover::State::BAlways;
    }
    return result;
}

/// The steps of all runs of a side in one list, with the distribution of all of them.
Steps allSteps(const ComparedSide &side, std::optional<TimeNs> startup) {
    Steps all = side.front().steps;
    for (size_t r = 1; r < side.size(); ++r) {
        const Steps &run = side[r].steps;
        const uint32_t offset = uint32_t(all.steps.size());
        all.steps.insert(all.steps.end(), run.steps.begin(), run.steps.end());
        all.pipelined = all.pipelined || run.pipelined;
        if (!run.steady) continue;
        if (!all.steady) {
            all.steady.emplace();
            all.steady->first = offset + run.steady->first;
            all.steadyReason = run.steadyReason;
        }
        all.steady->last = offset + run.steady->last;
    }
    if (const RunValues lengths = steadyValues(side, false); side.size() > 1 && !lengths.empty())
        describe(*all.steady, lengths);
    all.startup = startup;
    return all;
}

std::string boundaryWords(Boundary boundary) {
    switch (boundary) {
    case Boundary::Synchronised:
        return "is synchronised";
    case Boundary::EnqueueOnly:
        return "measures enqueueing only";
    case Boundary::DeviceEvents:
        return "is measured by device events";
    case Boundary::Unknown:
        break;
    }
    return "does not tell what its steps wait for";
}

/// Why there can be no verdict over both, or nothing.
std::string refusal(const Comparison &c, const Workload &a, const Workload &b) {
    const bool enqueueA = a.boundary == Boundary::EnqueueOnly;
    const bool enqueueB = b.boundary == Boundary::EnqueueOnly;
    if (c.a.steps.empty() || c.b.steps.empty())
        return std::string("Not compared: no steps are found in ") +
               (!c.a.steps.empty()  ? "B"
                : c.b.steps.empty() ? "either trace"
                                    : "A") +
               ". Mark them with the profiler's step().";
    if (enqueueA != enqueueB)
        return "Not compared: A " + boundaryWords(a.boundary) + ", B " + boundaryWords(b.boundary) +
               ". Record " + (enqueueA ? "A" : "B") +
               " with --boundary sync, or compare device events of both.";
    if (!c.work.forbids.empty())
        return "Not compared: " + c.work.forbids +
               ". One ratio over different work would mean nothing; the differences are listed.";
    if (!c.a.steady || !c.b.steady)
        return std::string("Not compared: ") + (c.a.steady ? "B" : "A") +
               " has no steady window. " + (c.a.steady ? c.b : c.a).steadyReason;
    return {};
}

/// The runs of a side must repeat each other.
std::string notRepeated(const ComparedSide &side, const Workload &first, const char *name) {
    for (size_t r = 1; r < side.size(); ++r) {
        const ComparedRun &run = side[r];
        const Workload other = workloadOf(*run.trace, run.steps, run.shapes);
        const std::string forbids = differences(first, other).forbids;
        if (!forbids.empty())
            return std::string("Not compared: the runs of ") + name +
                   " are no repetitions: " + forbids + ".";
        if (other.boundary != first.boundary &&
            (other.boundary == Boundary::EnqueueOnly || first.boundary == Boundary::EnqueueOnly))
            return std::string("Not compared: the runs of ") + name +
                   " are measured with different boundaries.";
    }
    return {};
}

} // namespace

std::string_view firstName(First first) {
    constexpr std::array<std::string_view, 3> names = {"a", "b", "tie"};
    return names[size_t(first)];
}

std::string_view crossoverName(Crossover::State state) {
    constexpr std::array<std::string_view, 4> names = {"crosses", "a_always", "b_always",
                                                       "parallel"};
    return names[size_t(state)];
}

std::optional<TimeRange> comparedRange(const Steps &steps, uint32_t index, bool byPeriod) {
    const Step &step = steps.steps[index];
    if (!byPeriod) return TimeRange{step.begin, step.drainedEnd};
    if (byCompletion(steps)) {
        TimeNs from = steps.measured->range.begin;
        if (index > 0) from = std::max(from, steps.steps[index - 1].drainedEnd);
        return TimeRange{from, std::max(from, step.drainedEnd)};
    }
    if (!step.period) return std::nullopt;
    return TimeRange{step.begin, step.begin + *step.period};
}

RunValues steadyValues(const ComparedSide &side, bool byPeriod) {
    RunValues values;
    for (const ComparedRun &run : side) {
        std::vector<TimeNs> own;
        for (const uint32_t i : steadySteps(run.steps))
            if (const auto range = comparedRange(run.steps, i, byPeriod))
                own.push_back(range->length());
        if (!own.empty()) values.push_back(std::move(own));
    }
    return values;
}

Result<Comparison> compare(const ComparedSide &a, const ComparedSide &b,
                           const CompareRequest &request, Progress &progress) {
    Comparison result;
    const auto workOf = [](const ComparedRun &run) {
        return workloadOf(*run.trace, run.steps, run.shapes);
    };
    const Workload workA = workOf(a.front()), workB = workOf(b.front());
    result.work = differences(workA, workB);
    result.sameBoundary = workA.boundary == workB.boundary;
    for (const ComparedSide *side : {&a, &b})
        for (const ComparedRun &run : *side) result.byPeriod |= run.steps.pipelined;
    const RunValues valuesA = steadyValues(a, result.byPeriod);
    const RunValues valuesB = steadyValues(b, result.byPeriod);
    const Cost costA = costOf(a, valuesA, request.startupA, kSeedA, kSeedStartA);
    const Cost costB = costOf(b, valuesB, request.startupB, kSeedB, kSeedStartB);
    result.a = allSteps(a, costA.startup);
    result.b = allSteps(b, costB.startup);
    result.medianA = costA.step;
    result.medianB = costB.step;
    result.refused = refusal(result, workA, workB);
    if (result.refused.empty()) result.refused = notRepeated(a, workA, "A");
    if (result.refused.empty()) result.refused = notRepeated(b, workB, "B");
    if (!result.refused.empty()) return result;
    result.ratio = ratioOf(costA, costB, valuesA, valuesB);
    Cost runA = costA, runB = costB;
    const auto reuse = [](Cost &cost) {
        cost.startup = 0;
        cost.startups.clear();
    };
    if (request.reusedA) reuse(runA);
    if (request.reusedB) reuse(runB);
    if (runA.startup && runB.startup) {
        result.crossover = crossoverOf(runA, runB);
        if (request.runSteps) result.at = afterSteps(runA, runB, *request.runSteps);
    }
    auto deltas = stepDeltas(a, b, result.byPeriod, progress);
    if (!deltas) return deltas.error();
    result.deltas = std::move(*deltas);
    return result;
}

} // namespace longpole
