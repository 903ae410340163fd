// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_pairs.h"

#include "tests/support/files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace longpole::test {

namespace {

[[noreturn]] void fail(const std::string &why) {
    std::fprintf(stderr, "loop pairs: %s\n", why.c_str());
    std::abort();
}

std::shared_ptr<const Trace> opened(const std::string &text) {
    auto trace = openText(text, 1);
    if (!trace) fail(trace.error().message);
    return *trace;
}

WindowRequest stepsFrom(uint32_t first, uint32_t last) {
    WindowRequest request;
    request.steps = {std::to_string(first), std::to_string(last)};
    return request;
}

/// The length of the same steps in another run.
TimeNs lengthIn(const Trace &trace, const Steps &steps, const LoopCase &run, const Window &window) {
    const auto name = [&](uint32_t step) { return run.steps.steps[step].name; };
    WindowRequest request;
    if (window.kind == Window::Kind::Drained)
        request.step = name(window.steps->first);
    else
        request.steps = {name(window.steps->first), name(window.steps->second)};
    return resolveWindow(trace, steps, request)->range.length();
}

/// The graph as if the capture began with the window: what lies before keeps its measured time.
DependencyGraph cutAt(const DependencyGraph &whole, uint32_t begin) {
    DependencyGraph graph = whole;
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        TimeNs explained = 0;
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            const TimeNs arrival = graph.time[graph.source[e]] + graph.weight[e];
            if (v <= begin) graph.activity[e] = kNone;
            if (v > begin && graph.source[e] < begin) {
                graph.source[e] = begin;
                graph.weight[e] = std::max<TimeNs>(0, arrival - graph.time[begin]);
            }
            explained = std::max(explained, graph.time[graph.source[e]] + graph.weight[e]);
        }
        graph.delta[v] = graph.time[v] - explained;
    }
    return graph;
}

/// The end of a window as the last end on every track, whatever it belongs to.
void endWithEverything(const Trace &trace, const Steps &steps, const DependencyGraph &graph,
                       const Window &window, WindowTerms &terms) {
    Window range = window;
    range.kind = Window::Kind::Range;
    const WindowTerms all = windowTerms(trace, steps, graph, range);
    terms.ends = all.ends;
    terms.tail = all.tail;
}

} // namespace

LoopCase loopCase(const LoopRegime &regime, const std::string &text) {
    LoopCase run;
    run.regime = regime.name;
    run.text = text;
    run.trace = opened(text);
    run.steps = findSteps(*run.trace);
    run.phases = phases(*run.trace, run.steps);
    const uint32_t steps = regime.shape.steps - regime.shape.recordedFrom;
    const WindowRequest inner = stepsFrom(steps > 6 ? 2 : 1, steps - 3);
    run.readings = {{"default window", *resolveWindow(*run.trace, run.steps, {})},
                    {"inner steps", *resolveWindow(*run.trace, run.steps, inner)}};
    return run;
}

void ask(LoopCase &run, const LoopRegime &regime, const LoopChange &change,
         std::string_view speed) {
    LoopQuestion &asked = run.questions.emplace_back();
    asked.edit = {change.selector, *parseSpeedFactor(speed)};
    const LoopScale scale{change.selects, asked.edit.factor.num, asked.edit.factor.den};
    LoopShape whole = regime.shape;
    whole.recordedFrom = 0;
    const auto changed = opened(simulateLoop(whole, scale));
    const Steps steps = findSteps(*changed);
    for (const LoopReading &reading : run.readings)
        asked.truth.push_back(lengthIn(*changed, steps, run, reading.window));
}

std::vector<LoopCase> loopCases(uint64_t series) {
    constexpr std::string_view speeds[] = {"2", "1.25", "4", "0.5"};
    std::vector<LoopCase> all;
    size_t turn = 0;
    for (uint64_t s = 0; s < series; ++s) {
        for (const LoopRegime &regime : loopRegimes(s)) {
            LoopCase run = loopCase(regime, simulateLoop(regime.shape));
            for (const LoopChange &change : changesOf(regime.shape)) {
                if (!regime.special) {
                    ask(run, regime, change, speeds[turn++ % 4]);
                    continue;
                }
                for (const std::string_view speed : {"4", "0.5"}) ask(run, regime, change, speed);
            }
            turn += !regime.special; // so that each change meets each factor
            all.push_back(std::move(run));
        }
    }
    return all;
}

DependencyGraph graphOf(const LoopCase &run, GraphRules rules) {
    Progress progress;
    auto graph = buildGraph(*run.trace, run.steps, run.phases, progress, rules);
    if (!graph) fail(graph.error().message);
    return std::move(*graph);
}

std::vector<LoopPair> forecastsOf(const LoopCase &run, const DependencyGraph &graph,
                                  bool withInterval, LoopReadout readout) {
    std::vector<LoopPair> pairs;
    for (size_t r = 0; r < run.readings.size(); ++r) {
        const Window &window = run.readings[r].window;
        WindowTerms terms = windowTerms(*run.trace, run.steps, graph, window);
        if (!readout.termsOfTheEnd) endWithEverything(*run.trace, run.steps, graph, window, terms);
        const DependencyGraph cut =
            readout.wholeCapture ? DependencyGraph{} : cutAt(graph, terms.begin);
        for (const LoopQuestion &question : run.questions) {
            std::vector<std::string> unmatched;
            const auto scaling =
                resolveScaling(*run.trace, run.phases, graph, {question.edit}, unmatched);
            if (!scaling) fail(scaling.error().message);
            if (!unmatched.empty()) fail(question.edit.selector + " matches nothing");
            LoopPair pair;
            pair.regime = run.regime;
            pair.what = run.regime + ": " + question.edit.selector + " takes " +
                        std::to_string(question.edit.factor.num) + "/" +
                        std::to_string(question.edit.factor.den) + ", " + run.readings[r].name;
            pair.before = window.range.length();
            pair.predicted =
                windowLength(terms, replay(readout.wholeCapture ? graph : cut, *scaling));
            pair.truth = question.truth[r];
            if (withInterval)
                pair.interval = forecast(graph, *scaling, terms, pair.predicted, pair.before);
            pairs.push_back(std::move(pair));
        }
    }
    return pairs;
}

LoopErrors errorsOf(const std::vector<LoopPair> &pairs) {
    std::vector<double> errors;
    for (const LoopPair &pair : pairs) errors.push_back(pair.error());
    std::sort(errors.begin(), errors.end());
    const auto at = [&](double q) { return errors[size_t(q * double(errors.size() - 1))]; };
    return {at(0.5), at(0.95), at(1),
            size_t(errors.end() - std::upper_bound(errors.begin(), errors.end(), 0.01))};
}

} // namespace longpole::test
