// SPDX-License-Identifier: Apache-2.0
// bench_rules [SERIES]: what each rule of the graph is worth: errors of the forecasts of simulated
// runs without it. Without SERIES it fails where resources/docs/accuracy.md holds another table.
#include "tests/support/loop_rules.h"

#include <cstdlib>

int main(int argc, char **argv) {
    using namespace longpole::test;
    const size_t lacking = printRules(loopCases(argc > 1 ? uint64_t(std::atoi(argv[1])) : 3));
    return argc > 1 || lacking == 0 ? 0 : 1;
}
