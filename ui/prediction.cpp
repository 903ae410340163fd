// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prediction.h"

#include "core/analysis/predicted_trace.h"
#include "core/analysis/replayed_graph.h"
#include "ui/timeline/timeline_facts.h"

namespace longpole {

Result<std::shared_ptr<const Prediction>> predict(std::shared_ptr<const Loaded> loaded,
                                                  const DependencyGraph &graph,
                                                  const EditedGraph *edited, const Window &window,
                                                  const Scaling &scaling, const QString &edits,
                                                  Progress &progress) {
    const Trace &trace = *loaded->trace;
    const WindowTerms terms = windowTerms(trace, loaded->steps, graph, window, progress);
    const DependencyGraph &replayed = edited ? edited->graph : graph;
    const std::vector<TimeNs> times = replay(replayed, scaling, nullptr, progress);
    auto result = std::make_shared<Prediction>();
    result->edits = edits;
    result->window = window;
    result->length = windowLength(terms, times);

    auto moved = std::make_shared<Loaded>();
    const TimeNs begin = times[terms.begin] + terms.lead;
    const TimeNs shift = window.range.begin - begin;
    moved->trace = predictedTrace(trace, replayed, times, shift, progress);
    moved->steps = findSteps(*moved->trace, progress);
    moved->phases = loaded->phases;
    moved->timeline = timelineFacts(*moved, progress);
    progress.look();

    const TimeNs measured = window.range.length();
    const Forecast around =
        edited ? forecast(*edited, graph, scaling, terms, result->length, measured, progress)
               : forecast(graph, scaling, terms, result->length, measured, progress);
    result->low = around.low;
    result->high = around.high;
    const auto after = std::make_shared<const DependencyGraph>(
        replayedGraph(replayed, scaling, times, shift, progress));
    Window predicted = window;
    predicted.range.end = result->end();
    result->path = std::make_shared<const WindowPath>(
        WindowPath{after, criticalPath(*after, terms, predicted, progress)});
    const KernelGaps gaps = kernelGaps(trace, graph, progress);
    auto idle = idleBooks(*moved->trace, moved->phases, *after, predicted, progress, &gaps);
    if (idle) result->idle = std::make_shared<const std::vector<DeviceIdle>>(std::move(*idle));
    progress.look();
    result->measured = std::move(loaded);
    result->loaded = std::move(moved);
    return std::shared_ptr<const Prediction>(std::move(result));
}

} // namespace longpole
