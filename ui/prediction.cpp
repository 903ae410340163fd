// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prediction.h"

#include "core/analysis/predicted_trace.h"

namespace longpole {

Result<std::shared_ptr<const Prediction>> predict(std::shared_ptr<const Loaded> loaded,
                                                  const DependencyGraph &graph,
                                                  const Window &window, const Scaling &scaling,
                                                  const QString &edits, Progress &progress) {
    const Trace &trace = *loaded->trace;
    const WindowTerms terms = windowTerms(trace, loaded->steps, graph, window, progress);
    const std::vector<TimeNs> times = replay(graph, scaling, nullptr, progress);
    auto result = std::make_shared<Prediction>();
    result->edits = edits;
    result->window = window;
    result->length = windowLength(terms, times);

    auto moved = std::make_shared<Loaded>();
    const TimeNs begin = times[terms.begin] + terms.lead;
    moved->trace = predictedTrace(trace, graph, times, window.range.begin - begin, progress);
    moved->steps = findSteps(*moved->trace, progress);
    moved->phases = loaded->phases;

    const Forecast around =
        forecast(graph, scaling, terms, result->length, window.range.length(), progress);
    result->low = around.low;
    result->high = around.high;
    result->measured = std::move(loaded);
    result->loaded = std::move(moved);
    return std::shared_ptr<const Prediction>(std::move(result));
}

} // namespace longpole
