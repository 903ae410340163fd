// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/variants.h"

#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

constexpr TimeNs kPinnedAbove = 20'000; ///< R14, P: delta that means something unseen …
constexpr double kPinnedShare = 0.01;   ///< … timed the node: that much of the window, too

__extension__ typedef __int128 Int128;

TimeNs scaledBy(TimeNs weight, SpeedFactor factor) {
    return TimeNs(Int128(weight) * factor.num / factor.den);
}

/// What one variant makes of edges and residuals. What the trace shows of an edge is read from the
/// graph as it was measured, before any edit.
class VariantReplay {
public:
    VariantReplay(const DependencyGraph &graph, const DependencyGraph &measured,
                  const Scaling &scaling, Variant variant, double ratio, const WindowTerms &terms)
        : m_graph(graph), m_measured(measured), m_scaling(scaling), m_variant(variant),
          m_ratio(ratio), m_begin(terms.begin),
          m_pinnedAbove(std::max(kPinnedAbove,
                                 TimeNs(kPinnedShare * double(windowLength(terms, graph.time))))) {
        if (variant == Variant::S) findSelectedBegins();
        if (variant == Variant::CarryIn) findFirstHostTime();
    }

    std::vector<TimeNs> run() const {
        std::vector<TimeNs> times(m_graph.nodes());
        times[0] = m_graph.time[0];
        for (uint32_t v = 1; v < m_graph.nodes(); ++v) times[v] = timeOf(v, times);
        return times;
    }

private:
    bool without(uint32_t e) const {
        return (m_variant == Variant::D || m_variant == Variant::Floor) &&
               m_graph.evidence[e] == Evidence::Assumed;
    }

    SpeedFactor factorOf(uint32_t e) const {
        return m_scaling.empty() ? SpeedFactor{}
                                 : m_scaling.factors[m_scaling.group[m_graph.activity[e]]];
    }

    TimeNs weightOf(uint32_t e, uint32_t v) const {
        const TimeNs weight = m_graph.weight[e];
        if (m_graph.activity[e] != kNone) {
            const TimeNs before = carriedIn(e, weight);
            return before + scaledBy(weight - before, factorOf(e));
        }
        switch (m_variant) {
        case Variant::S:
            return weight < 0 ? weight : scaledBy(weight, lagFactor(v));
        case Variant::LagsLow:
        case Variant::LagsHigh:
            return lagOf(e, v, weight);
        default:
            return weight;
        }
    }

    /// A lag as it may be elsewhere in its family; one that bound was measured.
    TimeNs lagOf(uint32_t e, uint32_t v, TimeNs weight) const {
        if (weight != m_measured.weight[e]) return weight; // an edit says what it is
        const TimeNs most = m_graph.time[v] - m_graph.delta[v] - m_graph.time[m_graph.source[e]];
        if (weight == most || m_graph.lagFamily.empty() || !m_graph.lagFamily[e]) return weight;
        const LagSpread &spread = m_graph.lagSpreads[m_graph.lagFamily[e]];
        return std::min(m_variant == Variant::LagsLow ? spread.low : spread.high, most);
    }

    /// What of the work of an edge was done before the first record of a host thread.
    TimeNs carriedIn(uint32_t e, TimeNs weight) const {
        if (m_variant != Variant::CarryIn) return 0;
        const TimeNs begin = m_graph.time[m_graph.source[e]];
        return begin < m_firstHost && begin + weight > m_firstHost ? m_firstHost - begin : 0;
    }

    SpeedFactor lagFactor(uint32_t v) const {
        return m_begins[v] ? m_scaling.factors[m_begins[v]] : SpeedFactor{};
    }

    TimeNs timeOf(uint32_t v, const std::vector<TimeNs> &times) const {
        TimeNs best = times[0], measured = m_graph.time[0];
        bool goesOn = false; // its thread had work until then, if only a wait
        for (uint32_t e = m_graph.firstEdge[v]; e < m_graph.firstEdge[v + 1]; ++e) {
            if (without(e)) continue;
            const uint32_t u = m_graph.source[e];
            goesOn |= m_graph.type[e] == EdgeType::Program && m_graph.track[u] == m_graph.track[v];
            best = std::max(best, times[u] + weightOf(e, v));
            measured =
                std::max(measured, m_graph.time[m_measured.source[e]] + m_measured.weight[e]);
        }
        const TimeNs delta = m_graph.delta[v];
        switch (m_variant) {
        case Variant::D: {
            if (delta != m_measured.delta[v]) return best + delta; // an edit says what it is
            const TimeNs residual = m_graph.time[v] - measured;    // as it is without those edges
            if (goesOn || residual <= std::max(delta, m_pinnedAbove) || m_begin == 0 ||
                v <= m_begin)
                return best + residual;
            return std::max(best + delta, pinned(v, times));
        }
        case Variant::P:
            if (v <= m_begin || delta <= m_pinnedAbove) return best + delta;
            return std::max(best + delta, pinned(v, times));
        case Variant::S:
            return best + scaledBy(delta, lagFactor(v));
        case Variant::G:
            return best + TimeNs(double(delta) * m_ratio);
        case Variant::LagsLow:
        case Variant::LagsHigh:
        case Variant::CarryIn:
            return best + delta;
        case Variant::Floor:
            break;
        }
        return best;
    }

    /// Where a node lies seen from the begin of the window, which moves with all that comes before
    /// it: pinned to the begin of the capture, the window could only get longer.
    TimeNs pinned(uint32_t v, const std::vector<TimeNs> &times) const {
        return m_graph.time[v] + times[m_begin] - m_graph.time[m_begin];
    }

    void findFirstHostTime() {
        m_firstHost = std::numeric_limits<TimeNs>::max();
        for (size_t t = 0; t < m_graph.byTrack.size(); ++t)
            if (m_graph.opNodes[t].empty() && !m_graph.byTrack[t].nodes.empty())
                m_firstHost = std::min(m_firstHost, m_graph.time[m_graph.byTrack[t].nodes.front()]);
    }

    /// Nodes at which selected work begins, with its group.
    void findSelectedBegins() {
        m_begins.assign(m_graph.nodes(), 0);
        if (m_scaling.empty()) return;
        for (uint32_t e = 0; e < m_graph.source.size(); ++e)
            if (m_graph.activity[e] != kNone && m_scaling.group[m_graph.activity[e]])
                m_begins[m_graph.source[e]] = m_scaling.group[m_graph.activity[e]];
    }

    const DependencyGraph &m_graph, &m_measured;
    const Scaling &m_scaling;
    const Variant m_variant;
    const double m_ratio;
    const uint32_t m_begin; ///< node at the begin of the window
    const TimeNs m_pinnedAbove;
    TimeNs m_firstHost = 0;         ///< when the first record of a host thread begins
    std::vector<uint32_t> m_begins; ///< by node: group of the work that begins there, 0 for none
};

} // namespace

TimeNs variantLength(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                     Variant variant, double ratio, const DependencyGraph *measured) {
    const DependencyGraph &before = measured ? *measured : graph;
    return windowLength(terms, VariantReplay(graph, before, scaling, variant, ratio, terms).run());
}

namespace {

/// A time as a function of the multiplier l of the selected work: fixed + moving × l.
struct Line {
    TimeNs fixed = 0, moving = 0;
    friend bool operator==(Line, Line) = default;
};

/// A multiplier p / q in [0, 1].
struct Ratio {
    int64_t p = 0, q = 1;
    double value() const { return double(p) / double(q); }
};

Int128 at(Line line, Ratio l) {
    return Int128(line.fixed) * l.q + Int128(line.moving) * l.p;
}

/// Follows a maximum of lines exactly (parametric search): two lines that both are the maximum
/// somewhere meet in a knee, or something else lies above their meeting point.
class Envelope {
public:
    static constexpr size_t kMostPieces = 64;

    Envelope(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
             Progress &progress)
        : m_graph(graph), m_scaling(scaling), m_terms(terms), m_progress(progress) {}

    WindowCurve run() {
        const Ends atOne = evaluate({1, 1}), atNone = evaluate({0, 1});
        search({0, 1}, atNone.end, {1, 1}, atOne.end, true);
        search({0, 1}, atNone.begin, {1, 1}, atOne.begin, false);
        std::sort(m_knees.begin(), m_knees.end(),
                  [](Ratio a, Ratio b) { return Int128(a.p) * b.q > Int128(b.p) * a.q; });
        WindowCurve curve;
        curve.exact = m_exact;
        add(curve, {1, 1});
        for (const Ratio knee : m_knees) add(curve, knee);
        add(curve, {0, 1});
        return curve;
    }

private:
    struct Ends {
        Line begin, end;
    };

    Ends evaluate(Ratio l) {
        std::vector<Line> lines(m_graph.nodes());
        lines[0] = {m_graph.time[0], 0};
        for (uint32_t v = 1; v < m_graph.nodes(); ++v) {
            Line best;
            Int128 bestAt = std::numeric_limits<TimeNs>::min();
            for (uint32_t e = m_graph.firstEdge[v]; e < m_graph.firstEdge[v + 1]; ++e) {
                Line line = lines[m_graph.source[e]];
                const uint32_t activity = m_graph.activity[e];
                (activity != kNone && m_scaling.selected[activity] ? line.moving : line.fixed) +=
                    m_graph.weight[e];
                const Int128 here = at(line, l);
                if (e != m_graph.firstEdge[v] && here <= bestAt) continue;
                best = line;
                bestAt = here;
            }
            best.fixed += m_graph.delta[v];
            lines[v] = best;
        }
        Ends ends{lines[m_terms.begin], lines[m_terms.ends.front()]};
        for (const uint32_t node : m_terms.ends)
            if (at(lines[node], l) > at(ends.end, l)) ends.end = lines[node];
        return ends;
    }

    void search(Ratio low, Line lowLine, Ratio high, Line highLine, bool ofEnd) {
        if (lowLine == highLine || m_progress.stopped()) return;
        if (m_knees.size() >= kMostPieces) {
            m_exact = false;
            return;
        }
        // lowLine.fixed + lowLine.moving l = highLine.fixed + highLine.moving l
        Ratio meet{lowLine.fixed - highLine.fixed, highLine.moving - lowLine.moving};
        if (meet.q < 0) meet = {-meet.p, -meet.q};
        const bool inside = meet.q > 0 && Int128(meet.p) * low.q > Int128(low.p) * meet.q &&
                            Int128(meet.p) * high.q < Int128(high.p) * meet.q;
        if (!inside) return;
        const Ends ends = evaluate(meet);
        const Line line = ofEnd ? ends.end : ends.begin;
        if (at(line, meet) == at(lowLine, meet)) {
            m_knees.push_back(meet);
            return;
        }
        search(low, lowLine, meet, line, ofEnd);
        search(meet, line, high, highLine, ofEnd);
    }

    void add(WindowCurve &curve, Ratio l) {
        const Ends ends = evaluate(l);
        const Int128 length = at(ends.end, l) - at(ends.begin, l);
        const TimeNs ns = TimeNs(length / l.q) + m_terms.tail - m_terms.lead;
        if (!curve.points.empty() && curve.points.back().scale == l.value()) return;
        curve.points.push_back({l.value(), ns});
    }

    const DependencyGraph &m_graph;
    const Scaling &m_scaling;
    const WindowTerms &m_terms;
    Progress &m_progress;
    std::vector<Ratio> m_knees;
    bool m_exact = true;
};

} // namespace

WindowCurve windowCurve(const DependencyGraph &graph, const Scaling &scaling,
                        const WindowTerms &terms, Progress &progress) {
    return Envelope(graph, scaling, terms, progress).run();
}

} // namespace longpole
