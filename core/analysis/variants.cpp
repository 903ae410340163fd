// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/variants.h"

#include "core/analysis/graph_draft.h"
#include "core/base/looking.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace longpole {

namespace {

constexpr TimeNs kPinnedAbove = 20'000;       ///< R14, P: delta that means something unseen …
constexpr double kPinnedShare = 0.01;         ///< … timed the node: that much of the window, too
constexpr TimeNs kNever = -(TimeNs(1) << 60); ///< weight of an edge that a variant leaves out

/// A time in each variant: two vectors of four.
constexpr size_t kHalf = 4;
typedef TimeNs Half __attribute__((vector_size(kHalf * sizeof(TimeNs))));
struct Lanes {
    Half first, second;
    TimeNs get(size_t lane) const { return lane < kHalf ? first[lane] : second[lane - kHalf]; }
    void set(size_t lane, TimeNs time) {
        if (lane < kHalf)
            first[lane] = time;
        else
            second[lane - kHalf] = time;
    }
};
static_assert(kVariantCount <= 2 * kHalf);

constexpr size_t lane(Variant variant) {
    return size_t(variant);
}

/// What each variant makes of edges and residuals. What the trace shows of an edge is read from the
/// graph as it was measured, before any edit.
struct Pass {
    const DependencyGraph &graph, &measured;
    const Scaling &scaling;
    const Progress &progress;
    uint32_t begin; ///< node at the begin of the window
    TimeNs pinnedAbove = 0;
    TimeNs firstHost = std::numeric_limits<TimeNs>::min(); ///< begin of the host's first record
    uint32_t hostBegins = 0;                               ///< the first node then or later
    std::vector<uint16_t> begins; ///< by node: group of the work that begins there; or empty
    // A node that follows its source at a distance which is the same in all variants has no lanes
    // of its own: most do, and the others fit into the caches.
    std::unique_ptr<uint32_t[]> place; ///< by node: the lanes that it has or follows …
    std::unique_ptr<TimeNs[]> behind;  ///< … and at what distance
    std::unique_ptr<Lanes[]> lanes;

    Pass(const DependencyGraph &g, const DependencyGraph &m, const Scaling &s,
         const WindowTerms &terms, const Progress &p)
        : graph(g), measured(m), scaling(s), progress(p), begin(terms.begin),
          pinnedAbove(
              std::max(kPinnedAbove, TimeNs(kPinnedShare * double(windowLength(terms, g.time))))),
          place(new uint32_t[g.nodes()]), behind(new TimeNs[g.nodes()]) {
        for (size_t t = 0; t < g.byTrack.size(); ++t)
            if (g.opNodes[t].empty() && !g.byTrack[t].nodes.empty()) {
                const TimeNs first = g.time[g.byTrack[t].nodes.front()];
                firstHost = firstHost == std::numeric_limits<TimeNs>::min()
                                ? first
                                : std::min(firstHost, first);
            }
        hostBegins =
            uint32_t(std::lower_bound(g.time.begin(), g.time.end(), firstHost) - g.time.begin());
        lanes.reset(new Lanes[own()]);
        if (s.empty()) return;
        growTo(begins, g.nodes(), progress);
        for (uint32_t e = 0; e < g.source.size(); ++e)
            if (progress.look(e); g.activity[e] != kNone && s.group[g.activity[e]])
                begins[g.source[e]] = uint16_t(s.group[g.activity[e]]);
    }

    /// An edge of which all variants make the same is work, of a known order, once the host's
    /// records have begun.
    bool same(uint32_t e) const {
        return graph.activity[e] != kNone && graph.evidence[e] != Evidence::Assumed &&
               graph.source[e] >= hostBegins;
    }
    /// A node that follows its source.
    bool follows(uint32_t v) const {
        return graph.firstEdge[v + 1] - graph.firstEdge[v] == 1 && graph.delta[v] == 0 &&
               same(graph.firstEdge[v]);
    }
    size_t own() const {
        size_t count = 1;
        for (uint32_t v = 1; v < graph.nodes(); ++v) {
            progress.look(v);
            count += !follows(v);
        }
        return count;
    }

    /// What the variants make of an edge.
    struct Weights {
        TimeNs plain, kept = plain, selected = plain, low = plain, high = plain, carried = plain,
                      taken = plain;
    };
    Weights weightsOf(uint32_t e, uint32_t v) const {
        const TimeNs weight = scaled(e);
        Weights w{weight};
        if (graph.evidence[e] == Evidence::Assumed) w.kept = kNever;
        if (graph.activity[e] != kNone) {
            if (graph.source[e] < hostBegins) w.carried = carriedIn(e);
        } else {
            if (!begins.empty() && begins[v] && weight > 0)
                w.selected = scaledBy(weight, scaling.factors[begins[v]]);
            if (!graph.lagFamily.empty() && graph.lagFamily[e] && weight == measured.weight[e]) {
                // a lag as it may be elsewhere in its family; one that bound was measured
                const TimeNs most = graph.time[v] - graph.delta[v] - graph.time[graph.source[e]];
                const LagSpread &spread = graph.lagSpreads[graph.lagFamily[e]];
                if (spread.high == kUnknownLag) {
                    w.taken = most;
                } else if (weight != most) {
                    w.low = std::min(spread.low, most);
                    w.high = std::min(spread.high, most);
                }
            }
        }
        return w;
    }

    TimeNs scaled(uint32_t e) const {
        const uint32_t activity = graph.activity[e];
        if (activity == kNone || scaling.empty()) return graph.weight[e];
        const uint32_t group = scaling.group[activity];
        return group ? scaledBy(graph.weight[e], scaling.factors[group]) : graph.weight[e];
    }

    /// Work of which a part was done before the first record of a host thread.
    TimeNs carriedIn(uint32_t e) const {
        const TimeNs weight = graph.weight[e], from = graph.time[graph.source[e]];
        const TimeNs before = from + weight > firstHost ? firstHost - from : 0;
        const SpeedFactor factor =
            scaling.empty() ? SpeedFactor{} : scaling.factors[scaling.group[graph.activity[e]]];
        return before + scaledBy(weight - before, factor);
    }

    TimeNs at(uint32_t node, size_t in) const { return lanes[place[node]].get(in) + behind[node]; }

    /// Where a node lies seen from the begin of the window, which moves with all that comes before
    /// it: pinned to the begin of the capture, the window could only get longer.
    TimeNs pinned(uint32_t v, size_t in) const {
        return graph.time[v] + at(begin, in) - graph.time[begin];
    }

    /// Without the assumed edges into a node, what is left of it is unexplained; where that is
    /// much, something unseen timed it, unless its thread had work until then, if only a wait.
    TimeNs withoutAssumed(uint32_t v, TimeNs best) const {
        TimeNs explained = graph.time[0];
        bool goesOn = false;
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e) {
            if (graph.evidence[e] == Evidence::Assumed) continue;
            goesOn |= graph.type[e] == EdgeType::Program &&
                      graph.track[graph.source[e]] == graph.track[v];
            explained = std::max(explained, graph.time[measured.source[e]] + measured.weight[e]);
        }
        const TimeNs delta = graph.delta[v], residual = graph.time[v] - explained;
        if (delta != measured.delta[v]) return best + delta; // an edit says what it is
        if (goesOn || residual <= std::max(delta, pinnedAbove) || begin == 0 || v <= begin)
            return best + residual;
        return std::max(best + delta, pinned(v, lane(Variant::D)));
    }

    /// A node with a residual, or with edges that are not the same in all variants.
    void finish(uint32_t v, Lanes &best, bool assumed) const {
        const TimeNs delta = graph.delta[v];
        Lanes end{best.first + delta, best.second + delta};
        end.set(lane(Variant::Floor), best.get(lane(Variant::Floor)));
        if (assumed) end.set(lane(Variant::D), withoutAssumed(v, best.get(lane(Variant::D))));
        if (delta > pinnedAbove && v > begin)
            end.set(lane(Variant::P),
                    std::max(end.get(lane(Variant::P)), pinned(v, lane(Variant::P))));
        if (delta > 0 && !begins.empty() && begins[v])
            end.set(lane(Variant::S),
                    best.get(lane(Variant::S)) + scaledBy(delta, scaling.factors[begins[v]]));
        best = end;
    }

    __attribute__((always_inline)) void run() {
        // as locals: what is written cannot change them
        const uint32_t nodes = graph.nodes();
        const uint32_t *const firstEdge = graph.firstEdge.data(),
                              *const source = graph.source.data(),
                              *const activity = graph.activity.data();
        const TimeNs *const delta = graph.delta.data(), *const weight = graph.weight.data();
        const Evidence *const evidence = graph.evidence.data();
        const uint32_t *const group = scaling.empty() ? nullptr : scaling.group.data();
        uint32_t *const at = place.get();
        TimeNs *const distance = behind.get();
        Lanes *const times = lanes.get();
        const auto workOf = [&](uint32_t e) {
            return group && group[activity[e]] ? scaled(e) : weight[e];
        };
        const Half none = graph.time[0] - Half{};
        times[0] = {none, none};
        at[0] = 0;
        distance[0] = 0;
        uint32_t e = firstEdge[1], count = 1;
        for (uint32_t v = 1; v < nodes; ++v) {
            progress.look(v);
            const uint32_t end = firstEdge[v + 1];
            if (follows(v)) {
                at[v] = at[source[e]];
                distance[v] = distance[source[e]] + workOf(e);
                ++e;
                continue;
            }
            Lanes best{none, none};
            bool assumed = false;
            for (; e < end; ++e) {
                const uint32_t u = source[e];
                Half first = times[at[u]].first, second = times[at[u]].second;
                if (same(e)) {
                    const TimeNs more = distance[u] + workOf(e);
                    first += more;
                    second += more;
                } else {
                    assumed |= evidence[e] == Evidence::Assumed;
                    const Weights w = weightsOf(e, v); // in the order of the variants:
                    first += distance[u] + Half{w.kept, w.plain, w.selected, w.low};
                    second += distance[u] + Half{w.high, w.carried, w.kept, w.taken};
                }
                best.first = first > best.first ? first : best.first;
                best.second = second > best.second ? second : best.second;
            }
            at[v] = count;
            distance[v] = 0;
            if (assumed || delta[v]) finish(v, best, assumed);
            times[count++] = best;
        }
    }
};

// Four times in a register where the processor has them.
#if defined(__x86_64__)
__attribute__((target("avx2"))) void runWide(Pass &pass) {
    pass.run();
}
bool hasWide() {
    return __builtin_cpu_supports("avx2");
}
#else
void runWide(Pass &pass) {
    pass.run();
}
bool hasWide() {
    return false;
}
#endif

void runNarrow(Pass &pass) {
    pass.run();
}

} // namespace

VariantLengths::VariantLengths(const DependencyGraph &graph, const Scaling &scaling,
                               const WindowTerms &terms, const DependencyGraph *measured,
                               const Progress &progress) {
    Pass pass(graph, measured ? *measured : graph, scaling, terms, progress);
    hasWide() ? runWide(pass) : runNarrow(pass);
    for (size_t v = 0; v < kVariantCount; ++v) {
        TimeNs last = std::numeric_limits<TimeNs>::min();
        for (const uint32_t node : terms.ends) last = std::max(last, pass.at(node, v));
        m_lengths[v] = last + terms.tail - pass.at(terms.begin, v) - terms.lead;
    }
}

TimeNs shrunkLength(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                    double ratio, const Progress &progress) {
    const std::vector<TimeNs> weights = scaledWeights(graph, scaling, progress);
    std::vector<TimeNs> times;
    growTo(times, graph.nodes(), progress);
    times[0] = graph.time[0];
    for (uint32_t v = 1; v < graph.nodes(); ++v) {
        progress.look(v);
        TimeNs best = times[0];
        for (uint32_t e = graph.firstEdge[v]; e < graph.firstEdge[v + 1]; ++e)
            best = std::max(best, times[graph.source[e]] + weights[e]);
        times[v] = best + (graph.delta[v] ? TimeNs(double(graph.delta[v]) * ratio) : 0);
    }
    return windowLength(terms, times);
}

} // namespace longpole
