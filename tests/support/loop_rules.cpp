// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_rules.h"

#include <algorithm>
#include <cstdio>

namespace longpole::test {

std::vector<LoopRule> loopRules() {
    const auto without = [](GraphRule rule) { return GraphRules::without(rule); };
    return {
        {"", {}, {}, ""},
        {"R1 whole capture", {}, {false, true}, "launch-bound, queue fills when slower"},
        {"R2 terms of the end", {}, {true, false}, "loader nearly in balance, traced"},
        {"R3 hand-off", without(GraphRule::Handoffs), {}, "launch-bound, item each step"},
        {"R3 gap before it", without(GraphRule::HandoffGap), {}, "GPU-bound, event sync"},
        {"R4 sleepers", without(GraphRule::Sleepers), {}, "launch-bound, sleeping helper thread"},
        {"R5 loader", without(GraphRule::Loader), {}, "loader-bound, traced, no sync"},
        {"R6 launch lag", without(GraphRule::LaunchLag), {}, "launch-bound, launch lags vary"},
        {"R6 anchor", without(GraphRule::LaunchAnchor), {}, "launch-bound, long launch calls"},
        {"R7 typical lags",
         without(GraphRule::TypicalLags),
         {},
         "launch-bound, queue fills when slower"},
        {"R8 residual on lag",
         without(GraphRule::ResidualOnLag),
         {},
         "launch-bound, launch lags vary"},
        {"R9 back-pressure",
         without(GraphRule::BackPressure),
         {},
         "launch-bound, queue fills when slower"},
        {"R10 event calls",
         without(GraphRule::EventCalls),
         {},
         "GPU-bound, slow all-reduce, no wait rows"},
        {"R11 coincidences",
         without(GraphRule::Coincidences),
         {},
         "GPU-bound, all-reduce, no wait calls"},
        {"R12 enqueue order",
         without(GraphRule::EnqueueOrder),
         {},
         "GPU-bound, slow copies, calls within one us"},
        {"R13 overlap clip",
         without(GraphRule::OverlapClip),
         {},
         "GPU-bound, short kernels that overlap"},
    };
}

std::vector<LoopPair> forecastsWithout(const LoopRule &rule, const std::vector<LoopCase> &runs) {
    std::vector<LoopPair> pairs;
    for (const LoopCase &run : runs)
        for (LoopPair &pair : forecastsOf(run, graphOf(run, rule.rules), false, rule.readout))
            pairs.push_back(std::move(pair));
    return pairs;
}

size_t printRules(const std::vector<LoopCase> &runs) {
    const auto worstOf = [](const std::vector<LoopPair> &pairs, std::string_view regime) {
        double worst = 0;
        for (const LoopPair &pair : pairs)
            if (std::string_view(pair.regime).ends_with(regime))
                worst = std::max(worst, pair.error());
        return 100 * worst;
    };
    const std::vector<LoopRule> rules = loopRules();
    const std::vector<LoopPair> base = forecastsWithout(rules.front(), runs);
    std::printf("| without | median %% | p95 %% | worst %% | above 1 %% of %zu | worst with it and "
                "without it, in |\n|---|---|---|---|---|---|\n",
                base.size());
    size_t lacking = 0;
    for (const LoopRule &rule : rules) {
        const bool all = rule.name.empty();
        std::string regime(rule.shownBy);
        const auto pairs = all ? base : forecastsWithout(rule, runs);
        const LoopErrors errors = errorsOf(pairs);
        char line[400];
        int length =
            std::snprintf(line, sizeof line, "| %s | %.3f | %.2f | %.1f | %zu |",
                          all ? "nothing" : std::string(rule.name).c_str(), 100 * errors.median,
                          100 * errors.p95, 100 * errors.worst, errors.wrong);
        const double with = worstOf(base, regime), without = worstOf(pairs, regime);
        if (regime.ends_with(" us")) regime.replace(regime.size() - 2, 2, "µs");
        if (!all)
            length += std::snprintf(line + length, sizeof line - size_t(length), " %.2f → %.2f, %s",
                                    with, without, regime.c_str());
        std::snprintf(line + length, sizeof line - size_t(length), " |");
        std::printf("%s\n", line);
        lacking += !inAccuracyPage(line);
    }
    std::fflush(stdout);
    return lacking;
}

} // namespace longpole::test
