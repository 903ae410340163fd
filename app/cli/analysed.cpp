// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"

#include "core/analysis/graph_cut.h"

namespace longpole::cli {

Result<Analysed> analyse(const Options &options) {
    const auto request = windowRequest(options);
    if (!request) return request.error();
    const auto rules = phaseRules(options);
    if (!rules) return rules.error();
    auto opened = openAll(options);
    if (!opened) return opened.error();
    Analysed result;
    result.trace = std::move(*opened);
    result.steps = findSteps(*result.trace);
    auto window = resolveWindow(*result.trace, result.steps, *request);
    if (!window) return window.error();
    result.window = std::move(*window);
    result.phases = phases(*result.trace, result.steps, *rules);
    Progress progress;
    auto graph = buildGraph(*result.trace, result.steps, result.phases, progress);
    if (!graph) return graph.error();
    result.graph = std::move(*graph);
    cutIfLong(result.graph, *result.trace, result.steps, result.window);
    return result;
}

} // namespace longpole::cli
