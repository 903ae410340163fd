// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/what_if_answer.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr int64_t kSlowest = 4; ///< the curve begins at 1/4 of the speed

Forecast forecastAt(const WhatIfBasis &basis, const Scaling &scaling, TimeNs ns,
                    const Progress &progress) {
    if (basis.edited)
        return forecast(*basis.edited, *basis.measuredGraph, scaling, basis.terms, ns,
                        basis.measured(), progress);
    return forecast(*basis.graph, scaling, basis.terms, ns, basis.measured(), progress);
}

/// The graph with the other sliders applied and the active work at its slowest:
/// what a replay reads of it, and no more.
DependencyGraph preparedGraph(const WhatIfQuestion &question) {
    const WhatIfBasis &basis = *question.basis;
    const DependencyGraph &from = *basis.graph;
    DependencyGraph graph;
    graph.time = from.time;
    graph.delta = from.delta;
    graph.firstEdge = from.firstEdge;
    graph.source = from.source;
    graph.weight = from.weight;
    graph.activity = from.activity;
    graph.activities = from.activities;
    for (size_t e = 0; e < graph.weight.size(); ++e) {
        if (graph.activity[e] == kNone) continue;
        const uint32_t lever = basis.leverOf[graph.activity[e]];
        if (lever == kNone) continue;
        if (lever == question.active) {
            graph.weight[e] *= kSlowest;
        } else if (!question.speeds[lever].isOne()) {
            const SpeedFactor factor = question.speeds[lever].factor();
            __extension__ typedef __int128 Wide;
            graph.weight[e] = TimeNs(Wide(graph.weight[e]) * factor.num / factor.den);
        }
    }
    return graph;
}

} // namespace

std::vector<Speed> WhatIfQuestion::with(Speed speed) const {
    std::vector<Speed> result = speeds;
    if (active < result.size()) result[active] = speed;
    return result;
}

TimeNs LengthCurve::at(double scale) const {
    if (points.empty()) return 0;
    for (size_t i = 1; i < points.size(); ++i) {
        const CurvePoint &a = points[i - 1], &b = points[i];
        if (scale < b.scale) continue;
        const double share = (a.scale - scale) / (a.scale - b.scale);
        return a.ns + TimeNs(double(b.ns - a.ns) * share);
    }
    return points.back().ns;
}

bool LengthCurve::fits(const WhatIfQuestion &question) const {
    return basis == question.basis && active == question.active && others == question.with({});
}

WhatIfAnswer headlineOf(WhatIfQuestion question) {
    WhatIfAnswer answer;
    const WhatIfBasis &basis = *question.basis;
    const Scaling scaling = basis.scaling(question.speeds, question.active);
    answer.ns = windowLength(basis.terms, replay(*basis.graph, scaling));
    answer.amdahl = basis.amdahl(question.speeds);
    answer.amdahlAtInfinity = basis.amdahl(question.with(Speed::infinite()));
    answer.question = std::move(question);
    return answer;
}

void addRest(WhatIfAnswer &answer, const Progress &progress) {
    const WhatIfQuestion &question = answer.question;
    const WhatIfBasis &basis = *question.basis;
    const Trace &trace = *basis.loaded->trace;
    WhatIfAnswer::Rest rest;
    const Scaling scaling = basis.scaling(question.speeds, question.active);
    rest.replay = forecastAt(basis, scaling, answer.ns, progress);
    const Scaling most = basis.scaling(question.with(Speed::infinite()), question.active);
    const auto times = replay(*basis.graph, most, nullptr, progress);
    rest.atInfinity = forecastAt(basis, most, windowLength(basis.terms, times), progress);
    rest.next = bottleneck(trace, basis.loaded->phases, *basis.graph, scaling, basis.terms,
                           basis.measuredGraph.get(), progress);
    if ((!scaling.empty() || basis.edited) && basis.window.kind != Window::Kind::All)
        rest.earlier =
            basis.graph->time[basis.terms.begin] - replay(*basis.graph, scaling)[basis.terms.begin];
    answer.rest = std::move(rest);
}

std::shared_ptr<const LengthCurve> lengthCurve(const WhatIfQuestion &question, Progress &progress) {
    const WhatIfBasis &basis = *question.basis;
    auto curve = std::make_shared<LengthCurve>();
    curve->basis = question.basis;
    curve->others = question.with({});
    curve->active = question.active;
    const DependencyGraph graph = preparedGraph(question);
    const std::vector<Speed> none(question.speeds.size());
    const Scaling selected = basis.scaling(none, question.active);
    WhatIf result;
    try {
        addCurve(result, *basis.loaded->trace, basis.loaded->phases, graph, selected, basis.terms,
                 progress);
    } catch (const Stopped &) {
        return nullptr;
    }
    curve->points = std::move(result.curve);
    curve->knees = std::move(result.knees);
    curve->warnings = std::move(result.warnings);
    for (CurvePoint &point : curve->points) point.scale *= double(kSlowest);
    for (Knee &knee : curve->knees) knee.scale *= double(kSlowest);
    return curve;
}

} // namespace longpole
