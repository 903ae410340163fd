// SPDX-License-Identifier: Apache-2.0
#include "tests/support/loop_pairs.h"

#include "tests/support/files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

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

/// A question put to a graph.
struct Answer {
    std::string what;
    EditedGraph edited; ///< unchanged without edits
    Scaling scaling;
    std::vector<TimeNs> times;
};

Answer answered(const LoopCase &run, const DependencyGraph &graph, const LoopQuestion &question) {
    Answer answer;
    std::vector<SpeedEdit> speeds;
    if (question.edits.empty()) {
        speeds.push_back(question.edit);
        answer.what = question.edit.selector + " takes " +
                      std::to_string(question.edit.factor.num) + "/" +
                      std::to_string(question.edit.factor.den);
    } else {
        auto edited = applyEdits(*run.trace, run.steps, run.phases, graph, question.edits);
        if (!edited) fail(edited.error().message);
        if (edited->assumptions.empty()) fail(question.edits.front().text + " changes nothing");
        answer.edited = std::move(*edited);
        answer.what = question.edits.front().text;
    }
    std::vector<std::string> unmatched;
    auto scaling = resolveScaling(*run.trace, run.phases, graph, speeds, unmatched);
    if (!scaling) fail(scaling.error().message);
    if (!unmatched.empty()) fail(unmatched.front() + " matches nothing");
    answer.scaling = std::move(*scaling);
    answer.times = replay(answer.edited.changed ? answer.edited.graph : graph, answer.scaling);
    return answer;
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

void ask(LoopCase &run, const LoopRegime &regime, const LoopAsked &change) {
    LoopQuestion &asked = run.questions.emplace_back();
    if (!change.edit.empty()) {
        const auto edit = parseGraphEdit(change.edit);
        if (!edit) fail(edit.error().message);
        asked.edits.push_back(*edit);
    } else {
        const auto speed = parseSpeedEdit(change.speed);
        if (!speed) fail(speed.error().message);
        asked.edit = *speed;
    }
    LoopShape whole = regime.shape;
    whole.recordedFrom = 0;
    const auto changed = opened(simulateLoop(whole, change.scale));
    const Steps steps = findSteps(*changed);
    for (const LoopReading &reading : run.readings)
        asked.truth.push_back(lengthIn(*changed, steps, run, reading.window));
}

void ask(LoopCase &run, const LoopRegime &regime, const LoopChange &change,
         std::string_view speed) {
    const auto factor = *parseSpeedFactor(speed);
    ask(run, regime,
        {change.selector + "=" + std::string(speed), "", {change.selects, factor.num, factor.den}});
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
    for (const LoopQuestion &question : run.questions) {
        const Answer answer = answered(run, graph, question);
        for (size_t r = 0; r < run.readings.size(); ++r) {
            const Window &window = run.readings[r].window;
            WindowTerms terms = windowTerms(*run.trace, run.steps, graph, window);
            if (!readout.termsOfTheEnd)
                endWithEverything(*run.trace, run.steps, graph, window, terms);
            LoopPair pair;
            pair.regime = run.regime;
            pair.what = run.regime + ": " + answer.what + ", " + run.readings[r].name;
            pair.before = window.range.length();
            pair.predicted = windowLength(
                terms, readout.wholeCapture ? answer.times
                                            : replay(cutAt(graph, terms.begin), answer.scaling));
            pair.truth = question.truth[r];
            if (withInterval)
                pair.interval = forecast(answer.edited, graph, answer.scaling, terms,
                                         pair.predicted, pair.before);
            pairs.push_back(std::move(pair));
        }
    }
    return pairs;
}

LoopCoverage coverageOf(const std::vector<LoopPair> &pairs) {
    std::vector<double> widths;
    size_t covered = 0;
    for (const LoopPair &pair : pairs) {
        covered += pair.covered();
        widths.push_back(double(pair.interval.high - pair.interval.low) / double(pair.before));
    }
    std::sort(widths.begin(), widths.end());
    const auto at = [&](double q) { return widths[size_t(q * double(widths.size() - 1))]; };
    return {double(covered) / double(pairs.size()), at(0.5), at(0.95)};
}

LoopErrors errorsOf(const std::vector<LoopPair> &pairs) {
    std::vector<double> errors;
    for (const LoopPair &pair : pairs) errors.push_back(pair.error());
    std::sort(errors.begin(), errors.end());
    const auto at = [&](double q) { return errors[size_t(q * double(errors.size() - 1))]; };
    return {at(0.5), at(0.95), at(1),
            size_t(errors.end() - std::upper_bound(errors.begin(), errors.end(), 0.01))};
}

std::string accuracyLine(std::string_view name, const std::vector<LoopPair> &pairs) {
    const LoopErrors errors = errorsOf(pairs);
    const LoopCoverage c = coverageOf(pairs);
    char line[300];
    std::snprintf(line, sizeof line,
                  "| %s | %zu | %.3f %%, %.2f %%, %.2f %% | %.1f %% | %.2f %%, %.1f %% |",
                  std::string(name).c_str(), pairs.size(), 100 * errors.median, 100 * errors.p95,
                  100 * errors.worst, 100 * c.covered, 100 * c.median, 100 * c.p95);
    return line;
}

bool inAccuracyPage(const std::string &line) {
    std::ifstream file(LONGPOLE_SOURCE_DIR "/resources/docs/accuracy.md");
    for (std::string held; std::getline(file, held);)
        if (held == line) return true;
    return false;
}

} // namespace longpole::test
