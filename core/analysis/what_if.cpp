// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/what_if.h"

#include "core/analysis/variants.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace longpole {

namespace {

constexpr double kMarginOfWindow = 0.0005, kMarginOfChange = 0.01; ///< R14

/// Time in which at least one selected activity ran, inside a range.
TimeNs unionOf(const DependencyGraph &graph, const Scaling &scaling, TimeRange range) {
    std::vector<TimeRange> parts;
    for (size_t a = 0; a < graph.activities.size(); ++a) {
        if (!scaling.selected[a]) continue;
        const Activity &activity = graph.activities[a];
        const TimeRange part = range.clipped({activity.begin, activity.begin + activity.length});
        if (!part.empty()) parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end(),
              [](TimeRange a, TimeRange b) { return a.begin < b.begin; });
    TimeNs sum = 0, covered = range.begin;
    for (const TimeRange part : parts) {
        sum += std::max<TimeNs>(0, part.end - std::max(part.begin, covered));
        covered = std::max(covered, part.end);
    }
    return sum;
}

/// The smallest multiplier of the edits: with several, the ceiling must hold for the fastest.
SpeedFactor fastest(const Scaling &scaling) {
    SpeedFactor best;
    for (const SpeedFactor factor : scaling.factors)
        if (double(factor.num) / double(factor.den) < double(best.num) / double(best.den))
            best = factor;
    return best;
}

std::optional<Amdahl> amdahlOf(const Trace &trace, const DependencyGraph &graph,
                               const Scaling &scaling, const Window &window,
                               const std::vector<SpeedEdit> &edits) {
    for (const SpeedEdit &edit : edits)
        if (edit.factor.isSlowDown()) return std::nullopt;
    const SpeedFactor factor = fastest(scaling);
    const auto left = [&](TimeNs length, TimeNs covered) {
        const double kept = double(covered) * double(factor.num) / double(factor.den);
        return length - covered + TimeNs(std::floor(kept));
    };
    const TimeNs length = window.range.length();
    const TimeNs covered = unionOf(graph, scaling, window.range);
    Amdahl amdahl;
    amdahl.ns = left(length, covered);
    amdahl.fraction = length > 0 ? double(covered) / double(length) : 0;
    amdahl.speedup = amdahl.ns > 0 ? double(length) / double(amdahl.ns) : 1;
    if (covered < length) amdahl.ceiling = double(length) / double(length - covered);
    amdahl.captureNs = left(trace.range.length(), unionOf(graph, scaling, trace.range));
    return amdahl;
}

constexpr double kWorthNaming = 0.02; ///< of the window: less is noise (analysis.md §9)

/// Adds up what lies on the path that decided the window at replayed times, by activity.
std::map<uint32_t, TimeNs> pathShares(const DependencyGraph &graph, const WindowTerms &terms,
                                      const std::vector<TimeNs> &times,
                                      const std::vector<uint32_t> &binding) {
    std::map<uint32_t, TimeNs> shares;
    uint32_t v = kNone;
    windowLength(terms, times, &v);
    const TimeNs begin = times[terms.begin] + terms.lead;
    while (v != 0 && times[v] > begin) {
        const uint32_t e = binding[v];
        const uint32_t u = graph.source[e];
        if (graph.activity[e] != kNone)
            shares[graph.activity[e]] += times[v] - graph.delta[v] - std::max(times[u], begin);
        v = u;
    }
    return shares;
}

/// Phase, name and track of work.
using WorkKey = std::tuple<uint8_t, std::string_view, uint32_t>;
using WorkSums = std::map<WorkKey, TimeNs>;

WorkSums byWork(const Trace &trace, const DependencyGraph &graph,
                const std::map<uint32_t, TimeNs> &shares) {
    WorkSums sums;
    for (const auto &[index, time] : shares) {
        const Activity &a = graph.activities[index];
        const std::string_view name = a.interval.row == kNone ? "untraced" : trace.name(a.interval);
        sums[{a.phase, name, a.interval.track}] += time;
    }
    return sums;
}

Bottleneck mostOf(const Trace &trace, const Phases &phases, const WorkSums &sums) {
    const auto most = std::max_element(
        sums.begin(), sums.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    if (most == sums.end()) return {};
    const auto &[phase, name, track] = most->first;
    return {phases.rules.rules[phase].id, std::string(name), trace.tracks[track].name};
}

} // namespace

namespace {

/// Takes the other readings of a graph into an interval; `before` is the graph before edits.
void addVariants(Forecast &f, const DependencyGraph &graph, const DependencyGraph &before,
                 const Scaling &scaling, const WindowTerms &terms, TimeNs measured) {
    const double ratio = std::min(1.0, measured > 0 ? double(f.ns) / double(measured) : 1);
    for (const Variant variant : {Variant::D, Variant::P, Variant::S, Variant::G, Variant::LagsLow,
                                  Variant::LagsHigh, Variant::CarryIn}) {
        const TimeNs length = variantLength(graph, scaling, terms, variant, ratio, &before);
        f.low = std::min(f.low, length);
        f.high = std::max(f.high, length);
    }
}

void addMargin(Forecast &f, TimeNs measured) {
    f.model = TimeNs(std::max(kMarginOfWindow * double(measured),
                              kMarginOfChange * std::abs(double(f.ns - measured))));
    f.low = std::max<TimeNs>(0, f.low - f.model);
    f.high += f.model;
}

Forecast headline(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                  TimeNs predicted, TimeNs measured) {
    Forecast f;
    f.ns = f.low = f.high = predicted;
    f.speedup = predicted > 0 ? double(measured) / double(predicted) : 1;
    f.floor = variantLength(graph, scaling, terms, Variant::Floor, 1);
    return f;
}

} // namespace

Forecast forecast(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                  TimeNs predicted, TimeNs measured) {
    Forecast f = headline(graph, scaling, terms, predicted, measured);
    if (scaling.empty()) return f; // nothing is predicted
    addVariants(f, graph, graph, scaling, terms, measured);
    addMargin(f, measured);
    return f;
}

Forecast forecast(const EditedGraph &edited, const DependencyGraph &graph, const Scaling &scaling,
                  const WindowTerms &terms, TimeNs predicted, TimeNs measured) {
    if (!edited.changed) return forecast(graph, scaling, terms, predicted, measured);
    Forecast f = headline(edited.graph, scaling, terms, predicted, measured);
    const TimeNs other = windowLength(terms, replay(edited.other, scaling));
    f.low = std::min(f.low, other);
    f.high = std::max(f.high, other);
    addVariants(f, edited.graph, graph, scaling, terms, measured);
    addMargin(f, measured);
    return f;
}

Bottleneck bottleneck(const Trace &trace, const Phases &phases, const DependencyGraph &graph,
                      const Scaling &scaling, const WindowTerms &terms,
                      const DependencyGraph *before) {
    const auto onPath = [&](const DependencyGraph &g, const Scaling &s, TimeNs &length) {
        std::vector<uint32_t> binding;
        const std::vector<TimeNs> times = replay(g, s, &binding);
        length = windowLength(terms, times);
        return byWork(trace, g, pathShares(g, terms, times, binding));
    };
    TimeNs measured = 0, predicted = 0;
    const WorkSums was = onPath(before ? *before : graph, {}, measured);
    const WorkSums after = onPath(graph, scaling, predicted);
    WorkSums gained = after;
    for (const auto &[key, time] : was) gained[key] -= time;
    const auto most =
        std::max_element(gained.begin(), gained.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    const bool takesOver =
        most != gained.end() && double(most->second) >= kWorthNaming * double(predicted);
    return mostOf(trace, phases, takesOver ? gained : after);
}

namespace {

/// What work outside the selection has on the path when the selected work takes `scale` of its
/// time.
WorkSums othersOnPath(const Trace &trace, const DependencyGraph &graph, const Scaling &scaling,
                      const WindowTerms &terms, double scale) {
    Scaling probe = scaling;
    probe.factors = {{1, 1}, {int64_t(std::llround(scale * 1e9)), 1'000'000'000}};
    for (size_t a = 0; a < probe.group.size(); ++a) probe.group[a] = scaling.selected[a] ? 1 : 0;
    std::vector<uint32_t> binding;
    const auto times = replay(graph, probe, &binding);
    auto shares = pathShares(graph, terms, times, binding);
    std::erase_if(shares, [&](const auto &item) { return scaling.selected[item.first]; });
    return byWork(trace, graph, shares);
}

} // namespace

void addCurve(WhatIf &result, const Trace &trace, const Phases &phases,
              const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
              Progress &progress) {
    const WindowCurve curve = windowCurve(graph, scaling, terms, progress);
    const auto &points = curve.points;
    for (const auto &point : points) result.curve.push_back({point.scale, point.ns});
    if (!curve.exact)
        result.warnings.push_back(
            "The curve has more than 64 knees; the ones beyond are left out.");
    if (points.size() < 3) return;
    const auto between = [&](size_t i) {
        return othersOnPath(trace, graph, scaling, terms,
                            (points[i].scale + points[i + 1].scale) / 2);
    };
    WorkSums before = between(0);
    for (size_t i = 1; i + 1 < points.size() && !progress.stopped(); ++i) {
        // what takes over is what gained most on the path
        WorkSums after = between(i), gained = after;
        for (const auto &[key, time] : before) gained[key] -= time;
        result.knees.push_back({points[i].scale, points[i].ns, mostOf(trace, phases, gained).name});
        before = std::move(after);
    }
}

namespace {

/// A host that waits no more runs ahead of the device, and a step then lasts from its early begin.
std::string allTogether(const Trace &trace, const Steps &steps, const DependencyGraph &measured,
                        const std::vector<TimeNs> &times) {
    Window all;
    all.range = trace.range;
    const WindowTerms terms = windowTerms(trace, steps, measured, all);
    return "The host runs ahead of the device, so that this step begins early and lasts longer "
           "until "
           "its device work has ended, while all steps together take less: the whole capture "
           "takes " +
           formatDuration(windowLength(terms, times)) + " instead of " +
           formatDuration(windowLength(terms, measured.time)) + ". Ask with --all.";
}

} // namespace

Result<WhatIf> whatIf(const Trace &trace, const Steps &steps, const Phases &phases,
                      const DependencyGraph &measured, const Window &window,
                      const std::vector<SpeedEdit> &speeds, const std::vector<GraphEdit> &edits,
                      Progress &progress) {
    WhatIf result;
    result.window = window;
    std::vector<std::string> unmatched;
    const auto scaling = resolveScaling(trace, phases, measured, speeds, unmatched);
    if (!scaling) return scaling.error();
    EditedGraph edited;
    if (!edits.empty()) {
        auto applied = applyEdits(trace, steps, phases, measured, edits);
        if (!applied) return applied.error();
        edited = std::move(*applied);
    }
    const DependencyGraph &graph = edited.changed ? edited.graph : measured;
    result.assumptions = std::move(edited.assumptions);
    result.warnings = std::move(edited.warnings);
    for (const std::string &selector : unmatched)
        result.warnings.push_back("Nothing matches " + selector +
                                  ": the replay is the measured run.");

    const WindowTerms terms = windowTerms(trace, steps, measured, window);
    result.measured = window.range.length();
    result.baseline = windowLength(terms, replay(measured, {}));
    const std::vector<TimeNs> times = replay(graph, *scaling);
    const TimeNs predicted = windowLength(terms, times);
    result.replay = forecast(edited, measured, *scaling, terms, predicted, result.measured);
    if (!edited.changed) result.amdahl = amdahlOf(trace, graph, *scaling, window, speeds);
    if (progress.stopped()) return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    result.bottleneckAfter = bottleneck(trace, phases, graph, *scaling, terms, &measured);
    addCurve(result, trace, phases, graph, *scaling, terms, progress);
    if (progress.stopped()) return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};

    const bool cut = graph.time[0] > trace.range.begin;
    if (cut)
        result.warnings.push_back("The capture is so long that the replay begins " +
                                  formatDuration(window.range.begin - graph.time[0]) +
                                  " before the window.");
    const TimeNs earlier = graph.time[terms.begin] - times[terms.begin];
    if (window.kind != Window::Kind::All && earlier > 0)
        result.warnings.push_back(
            std::string("The change applies to ") + (cut ? "all of that" : "the whole capture") +
            ": the window begins earlier by " + formatDuration(earlier) + ".");
    if (edited.changed && !cut && window.kind == Window::Kind::Drained &&
        predicted > result.measured && predicted - result.measured < earlier)
        result.warnings.push_back(allTogether(trace, steps, measured, times));
    if (result.amdahl && predicted < result.amdahl->ns)
        result.warnings.push_back("Work queued before the window shrinks too, so the replay beats "
                                  "the window's own ceiling; the "
                                  "ceiling of the whole capture is " +
                                  formatDuration(result.amdahl->captureNs) + ".");
    return result;
}

} // namespace longpole
