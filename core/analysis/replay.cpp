// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/replay.h"

#include "core/base/looking.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace longpole {

std::optional<SpeedFactor> parseSpeedFactor(std::string_view text) {
    if (text == "inf") return SpeedFactor{0, 1};
    int exponent = 0;
    if (const size_t e = text.find_first_of("eE"); e != text.npos) {
        std::string_view power = text.substr(e + 1);
        if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
        const auto [end, error] =
            std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (error != std::errc() || end != power.data() + power.size() || std::abs(exponent) > 9)
            return std::nullopt;
        text = text.substr(0, e);
    }
    if (text.starts_with('+')) text.remove_prefix(1);
    // digits, and at most nine behind the point: the time is multiplied by 10^n / digits
    constexpr int64_t kMost = 1'000'000'000;
    int64_t value = 0, scale = 1;
    bool point = false, any = false;
    for (const char c : text) {
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9' || (!point && value >= kMost / 10)) return std::nullopt;
        any = true;
        if (scale == kMost) continue; // finer than any measurement
        value = value * 10 + (c - '0');
        if (point) scale *= 10;
    }
    for (; exponent > 0; --exponent) {
        if (scale == 1 && value > kMost / 10) return std::nullopt;
        scale > 1 ? scale /= 10 : value *= 10;
    }
    for (; exponent < 0 && scale < kMost; ++exponent) scale *= 10;
    if (!any || value == 0 || exponent < 0) return std::nullopt;
    const int64_t common = std::gcd(value, scale);
    return SpeedFactor{scale / common, value / common};
}

TimeNs scaledBy(TimeNs weight, SpeedFactor factor) {
    __extension__ typedef __int128 Int128; // a product of two 64-bit numbers, exactly
    TimeNs product = 0;
    if (!__builtin_mul_overflow(weight, factor.num, &product)) return product / factor.den;
    return TimeNs(Int128(weight) * factor.num / factor.den);
}

std::vector<TimeNs> scaledWeights(const DependencyGraph &graph, const Scaling &scaling,
                                  const Progress &progress) {
    std::vector<TimeNs> weights;
    growTo(weights, graph.weight.size(), progress);
    for (size_t e = 0; e < weights.size(); ++e) {
        progress.look(e);
        weights[e] = graph.weight[e];
        if (!scaling.empty() && graph.activity[e] != kNone)
            if (const uint32_t group = scaling.group[graph.activity[e]])
                weights[e] = scaledBy(weights[e], scaling.factors[group]);
    }
    return weights;
}

namespace {

template <class Decided>
std::vector<TimeNs> replayed(const DependencyGraph &graph, const std::vector<TimeNs> &weights,
                             const Progress &progress, Decided decided) {
    std::vector<TimeNs> times;
    growTo(times, graph.nodes(), progress);
    if (times.empty()) return times;
    times[0] = graph.time[0];
    uint32_t e = graph.firstEdge[1];
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        progress.look(v);
        TimeNs best = std::numeric_limits<TimeNs>::min();
        uint32_t by = e;
        for (const uint32_t end = graph.firstEdge[v + 1]; e < end; ++e) {
            const TimeNs arrival = times[graph.source[e]] + weights[e];
            if (arrival <= best) continue;
            best = arrival;
            by = e;
        }
        times[v] = best + graph.delta[v];
        decided(v, by);
    }
    return times;
}

} // namespace

std::vector<TimeNs> replay(const DependencyGraph &graph, const Scaling &scaling,
                           std::vector<uint32_t> *binding, const Progress &progress) {
    std::vector<TimeNs> scaled;
    if (!scaling.empty()) scaled = scaledWeights(graph, scaling, progress);
    const std::vector<TimeNs> &weights = scaling.empty() ? graph.weight : scaled;
    if (!binding) return replayed(graph, weights, progress, [](uint32_t, uint32_t) {});
    binding->clear();
    growTo(*binding, graph.nodes(), progress);
    if (!binding->empty()) binding->front() = kNone;
    return replayed(graph, weights, progress, [&](uint32_t v, uint32_t by) { (*binding)[v] = by; });
}

namespace {

/// The last end of a device operation on a stream at or before t.
uint32_t lastOpEnd(const DependencyGraph &graph, uint32_t track, const std::vector<bool> &isEnd,
                   TimeNs t) {
    const auto &nodes = graph.byTrack[track].nodes;
    auto it = std::upper_bound(nodes.begin(), nodes.end(), t,
                               [&](TimeNs v, uint32_t node) { return v < graph.time[node]; });
    while (it != nodes.begin())
        if (isEnd[*--it]) return *it;
    return kNone;
}

void addLastEnds(const Trace &trace, const DependencyGraph &graph, TimeRange range,
                 WindowTerms &terms, const Progress &progress) {
    std::vector<bool> isEnd(graph.nodes());
    for (const auto &column : graph.opNodes)
        for (size_t i = 0; i < column.size(); ++i) {
            progress.look(i);
            if (column[i].end != kNone) isEnd[column[i].end] = true;
        }
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        if (!trace.tracks[t].isResource()) continue;
        const uint32_t node = trace.tracks[t].kind == TrackKind::Stream
                                  ? lastOpEnd(graph, t, isEnd, range.end)
                                  : graph.nodeAtOrBefore(t, range.end);
        if (node != kNone && graph.time[node] > range.begin) terms.ends.push_back(node);
    }
}

} // namespace

WindowTerms windowTerms(const Trace &trace, const Steps &steps, const DependencyGraph &graph,
                        const Window &window, const Progress &progress) {
    WindowTerms terms;
    const TimeRange range = window.range;
    const bool bySteps =
        window.steps && graph.stepThread != kNone &&
        (window.kind == Window::Kind::Drained || window.kind == Window::Kind::Period);
    if (window.kind != Window::Kind::All && graph.stepThread != kNone) {
        const uint32_t node = graph.nodeAtOrBefore(graph.stepThread, range.begin);
        if (node != kNone) terms.begin = node;
    }
    terms.lead = range.begin - graph.time[terms.begin];
    const auto addThread = [&](TimeNs end) {
        const uint32_t node = graph.nodeAtOrBefore(graph.stepThread, end);
        if (node != kNone) terms.ends.push_back(node);
    };
    if (bySteps && window.kind == Window::Kind::Period) {
        addThread(range.end);
    } else if (bySteps) {
        const Step &last = steps.steps[window.steps->second];
        addThread(last.end);
        const uint32_t file = trace.processes[trace.tracks[graph.stepThread].process].file;
        for (size_t i = 0; i < trace.launches.size(); ++i) {
            progress.look(i);
            const Launch &launch = trace.launches[i];
            const TimeNs at = trace.begin(launch.call);
            if (at < range.begin || at >= last.end) continue;
            if (trace.processes[trace.track(launch.call).process].file != file) continue;
            const uint32_t end = graph.opNodes[launch.op.track][launch.op.row].end;
            if (end != kNone) terms.ends.push_back(end); // else outside a graph that was cut
        }
    } else {
        addLastEnds(trace, graph, range, terms, progress);
    }
    if (terms.ends.empty()) terms.ends.push_back(terms.begin);
    TimeNs last = std::numeric_limits<TimeNs>::min();
    for (const uint32_t node : terms.ends) last = std::max(last, graph.time[node]);
    terms.tail = range.end - last;
    return terms;
}

TimeNs windowLength(const WindowTerms &terms, const std::vector<TimeNs> &times, uint32_t *last) {
    uint32_t latest = terms.ends.front();
    for (const uint32_t node : terms.ends)
        if (times[node] > times[latest]) latest = node;
    if (last) *last = latest;
    // Within a run, what ends a window may be done before other work begins it.
    return std::max<TimeNs>(0, times[latest] + terms.tail - times[terms.begin] - terms.lead);
}

} // namespace longpole
