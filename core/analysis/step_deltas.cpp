// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/step_deltas.h"

#include "core/analysis/statistics.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace longpole {

namespace {

constexpr const char *kNothing = "nothing_ran";

using Shares = std::map<std::string, TimeNs>; ///< by phase

struct Candidate {
    TimeNs length;
    size_t run;
    uint32_t step;
    TimeNs begin;
    auto operator<=>(const Candidate &) const = default;
};

/// The middle step of a side, twice where their number is odd.
std::pair<Candidate, Candidate> medianSteps(const ComparedSide &side, bool byPeriod) {
    std::vector<Candidate> all;
    for (size_t r = 0; r < side.size(); ++r)
        for (const uint32_t i : steadySteps(side[r].steps))
            if (const auto range = comparedRange(side[r].steps, i, byPeriod))
                all.push_back({range->length(), r, i, range->begin});
    std::sort(all.begin(), all.end());
    return {all[(all.size() - 1) / 2], all[all.size() / 2]};
}

/// Adds what the phases take of one step to `sums`.
bool addShares(Shares &sums, const ComparedRun &run, const Candidate &chosen, Progress &progress) {
    Window window;
    window.range = {chosen.begin, chosen.begin + chosen.length};
    const auto stats = statistics(*run.trace, run.phases, window, GroupBy::Phase, progress);
    if (!stats) return false;
    for (const StatRow &row : stats->rows)
        if (row.exclusive > 0) sums[row.key] += row.exclusive;
    sums[kNothing] += chosen.length - stats->total.exclusive;
    return true;
}

/// Halves the sums over two steps so that they add up to the median, which is rounded up.
void halve(Shares &sums) {
    TimeNs total = 0, halves = 0;
    for (const auto &[key, sum] : sums) {
        total += sum;
        halves += sum / 2;
    }
    TimeNs missing = (total + 1) / 2 - halves;
    for (auto &[key, sum] : sums) {
        const bool up = sum % 2 == 1 && missing > 0;
        missing -= up;
        sum = sum / 2 + up;
    }
}

Result<Shares> sharesOf(const ComparedSide &side, bool byPeriod, Progress &progress) {
    const auto [first, second] = medianSteps(side, byPeriod);
    Shares sums;
    for (const Candidate &chosen : {first, second})
        if (!addShares(sums, side[chosen.run], chosen, progress))
            return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    halve(sums);
    return sums;
}

} // namespace

Result<std::vector<Delta>> stepDeltas(const ComparedSide &a, const ComparedSide &b, bool byPeriod,
                                      Progress &progress) {
    const auto sharesA = sharesOf(a, byPeriod, progress);
    if (!sharesA) return sharesA.error();
    const auto sharesB = sharesOf(b, byPeriod, progress);
    if (!sharesB) return sharesB.error();
    std::map<std::string, Delta> byKey;
    for (const auto &[key, ns] : *sharesA) byKey[key].a = ns;
    for (const auto &[key, ns] : *sharesB) byKey[key].b = ns;
    std::vector<Delta> deltas;
    for (auto &[key, delta] : byKey) {
        delta.key = key;
        delta.label = "nothing ran";
        for (const PhaseRule &rule : a.front().phases.rules.rules)
            if (rule.id == key) delta.label = rule.label;
        if (delta.a != 0 || delta.b != 0) deltas.push_back(std::move(delta));
    }
    std::stable_sort(deltas.begin(), deltas.end(), [](const Delta &x, const Delta &y) {
        return std::abs(x.b - x.a) > std::abs(y.b - y.a);
    });
    return deltas;
}

} // namespace longpole
