// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plain_variant.h"

#include <algorithm>
#include <limits>

namespace longpole::test {

namespace {

constexpr TimeNs kPinnedAbove = 20'000;
constexpr double kPinnedShare = 0.01;

/// What one variant makes of edges and residuals.
class VariantReplay {
public:
    VariantReplay(const DependencyGraph &graph, const Scaling &scaling, Variant variant,
                  const WindowTerms &terms)
        : m_graph(graph), m_scaling(scaling), m_variant(variant), m_begin(terms.begin),
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
        case Variant::Taken:
            return lagOf(e, v, weight);
        default:
            return weight;
        }
    }

    /// A lag as it may be elsewhere in its family; one that bound was measured.
    TimeNs lagOf(uint32_t e, uint32_t v, TimeNs weight) const {
        const TimeNs most = m_graph.time[v] - m_graph.delta[v] - m_graph.time[m_graph.source[e]];
        if (weight == most || m_graph.lagFamily.empty() || !m_graph.lagFamily[e]) return weight;
        const LagSpread &spread = m_graph.lagSpreads[m_graph.lagFamily[e]];
        const bool unknown = spread.high >= kUnknownLag;
        if (m_variant == Variant::Taken) return unknown ? most : weight;
        if (unknown) return weight;
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
            measured = std::max(measured, m_graph.time[u] + m_graph.weight[e]);
        }
        const TimeNs delta = m_graph.delta[v];
        switch (m_variant) {
        case Variant::D: {
            const TimeNs residual = m_graph.time[v] - measured; // as it is without those edges
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
        case Variant::LagsLow:
        case Variant::LagsHigh:
        case Variant::CarryIn:
        case Variant::Taken:
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

    const DependencyGraph &m_graph;
    const Scaling &m_scaling;
    const Variant m_variant;
    const uint32_t m_begin; ///< node at the begin of the window
    const TimeNs m_pinnedAbove;
    TimeNs m_firstHost = 0;         ///< when the first record of a host thread begins
    std::vector<uint32_t> m_begins; ///< by node: group of the work that begins there, 0 for none
};

} // namespace

TimeNs plainLength(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                   Variant variant) {
    return windowLength(terms, VariantReplay(graph, scaling, variant, terms).run());
}

} // namespace longpole::test
