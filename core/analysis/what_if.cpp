// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/what_if.h"

#include "core/analysis/variants.h"
#include "core/analysis/window_curve.h"
#include "core/base/looking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace longpole {

namespace {

/// Infinite where nothing of it is left.
double speedupOf(TimeNs measured, TimeNs predicted) {
    if (predicted > 0) return double(measured) / double(predicted);
    return measured > 0 ? std::numeric_limits<double>::infinity() : 1;
}

constexpr double kMarginOfWindow = 0.0005, kMarginOfChange = 0.01; ///< R14

/// Time in which at least one selected activity ran, inside a range.
TimeNs unionOf(const DependencyGraph &graph, const Scaling &scaling, TimeRange range,
               const Progress &progress) {
    std::vector<TimeRange> parts;
    for (size_t a = 0; a < graph.activities.size(); ++a) {
        progress.look(a);
        if (!scaling.selected[a]) continue;
        const Activity &activity = graph.activities[a];
        const TimeRange part = range.clipped({activity.begin, activity.begin + activity.length});
        if (!part.empty()) parts.push_back(part);
    }
    sortLooking(
        parts, [](TimeRange a, TimeRange b) { return a.begin < b.begin; }, progress);
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
                               const std::vector<SpeedEdit> &edits, const Progress &progress) {
    for (const SpeedEdit &edit : edits)
        if (edit.factor.isSlowDown()) return std::nullopt;
    const SpeedFactor factor = fastest(scaling);
    const auto left = [&](TimeNs length, TimeNs covered) {
        const double kept = double(covered) * double(factor.num) / double(factor.den);
        return length - covered + TimeNs(std::floor(kept));
    };
    const TimeNs length = window.range.length();
    const TimeNs covered = unionOf(graph, scaling, window.range, progress);
    Amdahl amdahl;
    amdahl.ns = left(length, covered);
    amdahl.fraction = length > 0 ? double(covered) / double(length) : 0;
    amdahl.speedup = speedupOf(length, amdahl.ns);
    if (covered < length) amdahl.ceiling = double(length) / double(length - covered);
    amdahl.captureNs = left(trace.range.length(), unionOf(graph, scaling, trace.range, progress));
    return amdahl;
}

constexpr double kWorthNaming = 0.02; ///< of the window: less is noise (analysis.md §9)

/// Work by phase, name and track, each with a number for sums in a column.
class WorkTable {
public:
    explicit WorkTable(const Trace &trace) : m_trace(trace) {}

    using Key = std::tuple<uint8_t, std::string_view, uint32_t>;
    using Sums = std::vector<TimeNs>; ///< by number; as long as need be

    /// An edited graph keeps the activities of the one before, and may add some behind them.
    void add(Sums &sums, const DependencyGraph &graph, uint32_t activity, TimeNs time) {
        if (activity >= m_known.size()) m_known.resize(graph.activities.size(), kNone);
        uint32_t &number = m_known[activity];
        if (number == kNone) number = numberOf(graph.activities[activity]);
        if (number >= sums.size()) sums.resize(number + 1);
        sums[number] += time;
    }
    static void subtract(Sums &sums, const Sums &others) {
        sums.resize(std::max(sums.size(), others.size()));
        for (size_t i = 0; i < others.size(); ++i) sums[i] -= others[i];
    }
    /// Number of what has most; kNone where nothing has any.
    uint32_t most(const Sums &sums) const {
        uint32_t best = kNone;
        for (uint32_t i = 0; i < sums.size(); ++i)
            if (best == kNone || sums[i] > sums[best] ||
                (sums[i] == sums[best] && *m_keys[i] < *m_keys[best]))
                best = i;
        return best;
    }
    Bottleneck nameOf(const Phases &phases, uint32_t number) const {
        if (number == kNone) return {};
        const auto &[phase, name, track] = *m_keys[number];
        return {phases.rules.rules[phase].id, std::string(name), m_trace.tracks[track].name};
    }

private:
    uint32_t numberOf(const Activity &a) {
        const std::string_view name =
            a.interval.row == kNone ? "untraced" : m_trace.name(a.interval);
        const auto [it, isNew] =
            m_numbers.try_emplace(Key(a.phase, name, a.interval.track), uint32_t(m_keys.size()));
        if (isNew) m_keys.push_back(&it->first);
        return it->second;
    }

    const Trace &m_trace;
    std::map<Key, uint32_t> m_numbers;
    std::vector<const Key *> m_keys;
    std::vector<uint32_t> m_known; ///< by activity
};

/// Adds up the work on the path that decided the window at replayed times.
WorkTable::Sums onPath(WorkTable &table, const DependencyGraph &graph, const WindowTerms &terms,
                       const Scaling &scaling, TimeNs &length, const Progress &progress) {
    std::vector<uint32_t> binding;
    const std::vector<TimeNs> times = replay(graph, scaling, &binding, progress);
    WorkTable::Sums sums;
    uint32_t v = kNone;
    length = windowLength(terms, times, &v);
    const TimeNs begin = times[terms.begin] + terms.lead;
    for (size_t i = 0; v != 0 && times[v] > begin; ++i) {
        progress.look(i);
        const uint32_t e = binding[v];
        const uint32_t u = graph.source[e];
        if (graph.activity[e] != kNone)
            table.add(sums, graph, graph.activity[e],
                      times[v] - graph.delta[v] - std::max(times[u], begin));
        v = u;
    }
    return sums;
}

/// Takes the other readings of a graph into an interval; `before` is the graph before edits.
void addVariants(Forecast &f, const DependencyGraph &graph, const DependencyGraph &before,
                 const Scaling &scaling, const WindowTerms &terms, TimeNs measured,
                 const Progress &progress) {
    const double ratio = std::min(1.0, measured > 0 ? double(f.ns) / double(measured) : 1);
    const VariantLengths lengths(graph, scaling, terms, &before, progress);
    f.floor = lengths[Variant::Floor];
    f.taken = lengths[Variant::Taken];
    const auto take = [&](TimeNs length) {
        f.low = std::min(f.low, length);
        f.high = std::max(f.high, length);
    };
    for (const Variant variant : {Variant::D, Variant::P, Variant::S, Variant::LagsLow,
                                  Variant::LagsHigh, Variant::CarryIn})
        take(lengths[variant]);
    take(shrunkLength(graph, scaling, terms, ratio, progress));
}

void addMargin(Forecast &f, TimeNs measured) {
    f.model = TimeNs(std::max(kMarginOfWindow * double(measured),
                              kMarginOfChange * std::abs(double(f.ns - measured))));
    f.low = std::max<TimeNs>(0, f.low - f.model);
    f.high += f.model;
}

Forecast headline(TimeNs predicted, TimeNs measured) {
    Forecast f;
    f.ns = f.low = f.high = f.taken = predicted;
    f.speedup = speedupOf(measured, predicted);
    return f;
}

} // namespace

Forecast forecast(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                  TimeNs predicted, TimeNs measured, const Progress &progress) {
    Forecast f = headline(predicted, measured);
    if (scaling.empty()) { // nothing is predicted
        f.floor = VariantLengths(graph, scaling, terms, nullptr, progress)[Variant::Floor];
        return f;
    }
    addVariants(f, graph, graph, scaling, terms, measured, progress);
    addMargin(f, measured);
    return f;
}

Forecast forecast(const EditedGraph &edited, const DependencyGraph &graph, const Scaling &scaling,
                  const WindowTerms &terms, TimeNs predicted, TimeNs measured,
                  const Progress &progress) {
    if (!edited.changed) return forecast(graph, scaling, terms, predicted, measured, progress);
    Forecast f = headline(predicted, measured);
    const TimeNs other = windowLength(terms, replay(edited.other, scaling, nullptr, progress));
    f.low = std::min(f.low, other);
    f.high = std::max(f.high, other);
    addVariants(f, edited.graph, graph, scaling, terms, measured, progress);
    addMargin(f, measured);
    return f;
}

std::string unseenBatches(const Forecast &f, TimeNs measured) {
    const bool inside = f.low <= f.taken && f.taken <= f.high;
    if (inside || double(std::abs(f.taken - f.ns)) < kWorthNaming * double(measured)) return {};
    return "The workers of the loader are not recorded, so nothing tells when a batch was ready "
           "that "
           "was not waited for. Where each had come just when it was taken, the window would "
           "take " +
           formatDuration(f.taken) +
           ". Record the workers, or ask for several steps: the loader's pace over them is known.";
}

Bottleneck bottleneck(const Trace &trace, const Phases &phases, const DependencyGraph &graph,
                      const Scaling &scaling, const WindowTerms &terms,
                      const DependencyGraph *before, const Progress &progress) {
    WorkTable table(trace);
    TimeNs measured = 0, predicted = 0;
    const WorkTable::Sums was =
        onPath(table, before ? *before : graph, terms, {}, measured, progress);
    const WorkTable::Sums after = onPath(table, graph, terms, scaling, predicted, progress);
    WorkTable::Sums gained = after;
    WorkTable::subtract(gained, was);
    const uint32_t most = table.most(gained);
    const bool takesOver =
        most != kNone && double(gained[most]) >= kWorthNaming * double(predicted);
    return table.nameOf(phases, takesOver ? most : table.most(after));
}

void addCurve(WhatIf &result, const Trace &trace, const Phases &phases,
              const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
              Progress &progress) {
    WorkTable table(trace);
    std::vector<std::string> takesOver; // at each knee, what gained most on the path
    const auto atKnee = [&](size_t, const auto &edges) {
        WorkTable::Sums gained;
        for (const auto &[edge, time] : edges) table.add(gained, graph, graph.activity[edge], time);
        takesOver.push_back(table.nameOf(phases, table.most(gained)).name);
    };
    const WindowCurve curve = windowCurve(graph, scaling, terms, progress, atKnee);
    const auto &points = curve.points;
    for (const auto &point : points) result.curve.push_back({point.scale, point.ns});
    for (size_t i = 0; i < takesOver.size(); ++i)
        result.knees.push_back({points[i + 1].scale, points[i + 1].ns, takesOver[i]});
    if (!curve.exact)
        result.warnings.push_back(
            "The curve has more than 64 knees; the ones beyond are left out.");
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

namespace {

/// Throws Stopped.
Result<WhatIf> answer(const Trace &trace, const Steps &steps, const Phases &phases,
                      const DependencyGraph &measured, const Window &window,
                      const std::vector<SpeedEdit> &speeds, const std::vector<GraphEdit> &edits,
                      Progress &progress) {
    WhatIf result;
    result.window = window;
    std::vector<std::string> unmatched;
    const auto scaling = resolveScaling(trace, phases, measured, speeds, unmatched, progress);
    if (!scaling) return scaling.error();
    EditedGraph edited;
    if (!edits.empty()) {
        auto applied = applyEdits(trace, steps, phases, measured, edits, progress);
        if (!applied) return applied.error();
        edited = std::move(*applied);
    }
    const DependencyGraph &graph = edited.changed ? edited.graph : measured;
    result.assumptions = std::move(edited.assumptions);
    result.warnings = std::move(edited.warnings);
    for (const std::string &selector : unmatched)
        result.warnings.push_back("Nothing matches " + selector +
                                  ": the replay is the measured run.");

    const WindowTerms terms = windowTerms(trace, steps, measured, window, progress);
    result.measured = window.range.length();
    result.baseline = windowLength(terms, replay(measured, {}, nullptr, progress));
    const std::vector<TimeNs> times = replay(graph, *scaling, nullptr, progress);
    const TimeNs predicted = windowLength(terms, times);
    result.replay =
        forecast(edited, measured, *scaling, terms, predicted, result.measured, progress);
    if (!edited.changed) result.amdahl = amdahlOf(trace, graph, *scaling, window, speeds, progress);
    result.bottleneckAfter = bottleneck(trace, phases, graph, *scaling, terms, &measured, progress);
    addCurve(result, trace, phases, graph, *scaling, terms, progress);

    if (std::string text = unseenBatches(result.replay, result.measured); !text.empty())
        result.warnings.push_back(std::move(text));
    if (trace.excerpt)
        result.warnings.push_back(
            "The file holds one window of a longer capture: what was under way when it began is "
            "taken as it was, so ask the whole capture for a forecast.");
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

} // namespace

Result<WhatIf> whatIf(const Trace &trace, const Steps &steps, const Phases &phases,
                      const DependencyGraph &graph, const Window &window,
                      const std::vector<SpeedEdit> &speeds, const std::vector<GraphEdit> &edits,
                      Progress &progress) {
    try {
        return answer(trace, steps, phases, graph, window, speeds, edits, progress);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
