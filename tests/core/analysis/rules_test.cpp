// SPDX-License-Identifier: Apache-2.0
//
// What each rule of the graph is worth: there is a program whose forecasts are wrong without it.
#include "tests/support/loop_rules.h"

#include <QTest>

#include <algorithm>
#include <cstdio>
#include <map>

using namespace longpole;
using namespace longpole::test;

namespace {

/// A run in which everything gets four times faster, then half as fast.
LoopCase askedRun(std::string_view name) {
    for (const LoopRegime &regime : loopRegimes()) {
        if (!regime.name.ends_with(name)) continue;
        LoopCase run = loopCase(regime, simulateLoop(regime.shape));
        for (const LoopChange &change : changesOf(regime.shape))
            for (const std::string_view speed : {"4", "0.5"}) ask(run, regime, change, speed);
        return run;
    }
    qFatal("no regime %s", std::string(name).c_str());
}

} // namespace

class RulesTest : public QObject {
    Q_OBJECT
private slots:
    void everyRuleIsNeeded() {
        std::map<std::string_view, std::vector<LoopCase>> runs;
        const std::vector<LoopRule> rules = loopRules();
        for (const LoopRule &rule : rules) {
            if (rule.name.empty()) continue;
            std::vector<LoopCase> &run = runs[rule.shownBy];
            if (run.empty()) run.push_back(askedRun(rule.shownBy));
            const double with = errorsOf(forecastsWithout(rules.front(), run)).worst;
            const double without = errorsOf(forecastsWithout(rule, run)).worst;
            std::printf("%-20s %6.2f %% -> %6.2f %%  %s\n", std::string(rule.name).c_str(),
                        100 * with, 100 * without, std::string(rule.shownBy).c_str());
            QVERIFY2(with <= 0.015, std::string(rule.shownBy).c_str());
            QVERIFY2(without >= 0.008 && without >= 4 * with, std::string(rule.name).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(RulesTest)
#include "rules_test.moc"
