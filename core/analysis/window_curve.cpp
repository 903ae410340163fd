// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/window_curve.h"

#include "core/base/looking.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

__extension__ typedef __int128 Int128; ///< a product of two 64-bit numbers, exactly

/// A time as a function of the multiplier l of the selected work: fixed + moving × l.
struct Line {
    TimeNs fixed = 0, moving = 0;
    friend bool operator==(Line, Line) = default;
    friend Line operator+(Line a, Line b) { return {a.fixed + b.fixed, a.moving + b.moving}; }
};

/// A multiplier p / q in [0, 1].
struct Ratio {
    int64_t p = 0, q = 1;
    double value() const { return double(p) / double(q); }
};

Int128 at(Line line, Ratio l) {
    return Int128(line.fixed) * l.q + Int128(line.moving) * l.p;
}

/// The nodes at which edges meet, and whatever lies between two of them as one line. Most nodes
/// have one edge into them and follow their source at a distance; only the others are evaluated.
class Junctions {
public:
    Junctions(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
              const Progress &progress)
        : m_graph(graph), m_scaling(scaling), m_progress(progress) {
        const uint32_t last =
            std::max(terms.begin, *std::max_element(terms.ends.begin(), terms.ends.end()));
        growTo(m_place, last + 1, progress);
        growTo(m_behind, last + 1, progress);
        m_firstEdge = {0, 0};
        for (uint32_t v = 1; v <= last; ++v) add(v);
        growTo(m_lines, m_firstEdge.size() - 1, progress);
        growTo(m_binding, m_lines.size(), progress);
        m_lines[0] = {graph.time[0], 0};
    }

    void evaluate(Ratio l) {
        for (size_t j = 1; j < m_lines.size(); ++j) {
            m_progress.look(j);
            Line best;
            Int128 bestAt = 0;
            for (uint32_t e = m_firstEdge[j]; e < m_firstEdge[j + 1]; ++e) {
                const Line line = m_lines[m_source[e]] + m_lag[e];
                const Int128 here = at(line, l);
                if (e != m_firstEdge[j] && here <= bestAt) continue;
                best = line;
                bestAt = here;
                m_binding[j] = e;
            }
            m_lines[j] = best;
        }
    }

    /// A node's line, as evaluated last.
    Line of(uint32_t node) const { return m_lines[m_place[node]] + m_behind[node]; }
    uint32_t junctionOf(uint32_t node) const { return m_place[node]; }
    Line lineOf(uint32_t junction) const { return m_lines[junction]; }
    /// The step into a junction that decided it then, and the junction that the step comes from.
    uint32_t decided(uint32_t junction) const { return m_binding[junction]; }
    uint32_t source(uint32_t step) const { return m_source[step]; }
    uint32_t edge(uint32_t step) const { return m_edge[step]; } ///< the last one of the step

    /// The only edge into a node that is no junction; kNone for one that is.
    uint32_t onlyEdge(uint32_t node) const {
        const uint32_t first = m_graph.firstEdge[node];
        return node && m_graph.firstEdge[node + 1] - first == 1 ? first : kNone;
    }
    Line lagOf(uint32_t e) const {
        const uint32_t activity = m_graph.activity[e];
        const bool moves = activity != kNone && m_scaling.selected[activity];
        return moves ? Line{0, m_graph.weight[e]} : Line{m_graph.weight[e], 0};
    }

private:
    void add(uint32_t v) {
        m_progress.look(v);
        const uint32_t first = m_graph.firstEdge[v], end = m_graph.firstEdge[v + 1];
        const Line delta{m_graph.delta[v], 0};
        if (end - first == 1) {
            const uint32_t u = m_graph.source[first];
            m_place[v] = m_place[u];
            m_behind[v] = m_behind[u] + lagOf(first) + delta;
            return;
        }
        m_place[v] = uint32_t(m_firstEdge.size() - 1);
        for (uint32_t e = first; e < end; ++e) {
            const uint32_t u = m_graph.source[e];
            m_source.push_back(m_place[u]);
            m_lag.push_back(m_behind[u] + lagOf(e) + delta);
            m_edge.push_back(e);
        }
        m_firstEdge.push_back(uint32_t(m_source.size()));
    }

    const DependencyGraph &m_graph;
    const Scaling &m_scaling;
    const Progress &m_progress;
    std::vector<uint32_t> m_place; ///< by node: the junction that it is or follows …
    std::vector<Line> m_behind;    ///< … and at what distance
    std::vector<uint32_t> m_firstEdge, m_source, m_edge; ///< by junction; edges between junctions
    std::vector<Line> m_lag;
    std::vector<Line> m_lines;
    std::vector<uint32_t> m_binding;
};

/// Follows a maximum of lines exactly (parametric search): two lines that both are the maximum
/// somewhere meet in a knee, or something else lies above their meeting point.
class Envelope {
public:
    static constexpr size_t kMostPieces = 64;

    Envelope(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
             const Progress &progress)
        : m_graph(graph), m_scaling(scaling), m_terms(terms), m_progress(progress),
          m_junctions(graph, scaling, terms, progress) {}

    WindowCurve run(const PathChange &changed) {
        const Ends atOne = evaluate({1, 1}), atNone = evaluate({0, 1});
        m_points = {{{1, 1}, atOne}, {{0, 1}, atNone}};
        search({0, 1}, atNone.end, {1, 1}, atOne.end, true);
        search({0, 1}, atNone.begin, {1, 1}, atOne.begin, false);
        std::sort(m_points.begin(), m_points.end(), [](const Point &a, const Point &b) {
            return Int128(a.l.p) * b.l.q > Int128(b.l.p) * a.l.q;
        });
        WindowCurve curve;
        curve.exact = m_exact;
        std::vector<Ratio> scales;
        for (const Point &point : m_points) {
            if (!curve.points.empty() && curve.points.back().scale == point.l.value()) continue;
            const Int128 length = at(point.ends.end, point.l) - at(point.ends.begin, point.l);
            curve.points.push_back(
                {point.l.value(),
                 std::max<TimeNs>(0, TimeNs(length / point.l.q) + m_terms.tail - m_terms.lead)});
        }
        Path path;
        for (size_t i = 0; changed && i + 1 < curve.points.size(); ++i) {
            m_progress.look();
            Path next = pathAt((curve.points[i].scale + curve.points[i + 1].scale) / 2);
            if (i > 0) changed(i, changesOf(path, next));
            path = std::move(next);
        }
        return curve;
    }

private:
    struct Ends {
        Line begin, end;
    };
    struct Point {
        Ratio l;
        Ends ends;
    };

    uint32_t lastEnd(Ratio l) const {
        uint32_t last = m_terms.ends.front();
        for (const uint32_t node : m_terms.ends)
            if (at(m_junctions.of(node), l) > at(m_junctions.of(last), l)) last = node;
        return last;
    }

    Ends evaluate(Ratio l) {
        m_junctions.evaluate(l);
        return {m_junctions.of(m_terms.begin), m_junctions.of(lastEnd(l))};
    }

    void search(Ratio low, Line lowLine, Ratio high, Line highLine, bool ofEnd) {
        m_progress.look();
        if (lowLine == highLine) return;
        if (m_points.size() >= kMostPieces + 2) {
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
            m_points.push_back({meet, ends});
            return;
        }
        search(low, lowLine, meet, line, ofEnd);
        search(meet, line, high, highLine, ofEnd);
    }

    using Work = std::vector<std::pair<uint32_t, TimeNs>>; ///< edges with their time

    /// The window's path from its end back to its begin. Steps between junctions are kept as they
    /// are, since two paths have most of them in common; both ends are kept edge by edge.
    struct Path {
        std::vector<uint32_t> steps; ///< by falling junction
        Work ends;
    };

    Path pathAt(double scale) {
        const Ratio l{int64_t(scale * 1e9), 1'000'000'000};
        m_junctions.evaluate(l);
        // times l.q, which saves divisions
        const Int128 begin = at(m_junctions.of(m_terms.begin), l) + Int128(m_terms.lead) * l.q;
        Path path;
        const uint32_t last = lastEnd(l);
        addWork(path.ends, m_junctions.onlyEdge(last), last, m_junctions.of(last), l, begin);
        uint32_t j = m_junctions.junctionOf(last);
        for (size_t i = 0; j != 0 && at(m_junctions.lineOf(j), l) > begin; ++i) {
            m_progress.look(i);
            const uint32_t step = m_junctions.decided(j);
            const uint32_t from = m_junctions.source(step);
            if (at(m_junctions.lineOf(from), l) > begin)
                path.steps.push_back(step);
            else
                addWork(path.ends, m_junctions.edge(step), nodeBehind(step), m_junctions.lineOf(j),
                        l, begin);
            j = from;
        }
        return path;
    }

    /// The node that the last edge of a step leads to.
    uint32_t nodeBehind(uint32_t step) const {
        const auto after = std::upper_bound(m_graph.firstEdge.begin(), m_graph.firstEdge.end(),
                                            m_junctions.edge(step));
        return uint32_t(after - m_graph.firstEdge.begin()) - 1;
    }

    /// Work from an edge into `v` backwards to the junction before it, as far as it lies behind the
    /// begin of the window.
    void addWork(Work &work, uint32_t e, uint32_t v, Line line, Ratio l, Int128 begin) const {
        while (e != kNone && at(line, l) > begin) {
            const Line lag = m_junctions.lagOf(e);
            line.fixed -= lag.fixed + m_graph.delta[v];
            line.moving -= lag.moving;
            const Int128 before = begin - at(line, l);
            add(work, e, lag.fixed - (before > 0 ? TimeNs(before / l.q) : 0));
            v = m_graph.source[e];
            e = m_junctions.onlyEdge(v);
        }
    }
    void addStep(Work &work, uint32_t step, bool gained) const {
        for (uint32_t e = m_junctions.edge(step); e != kNone;
             e = m_junctions.onlyEdge(m_graph.source[e]))
            add(work, e, gained ? m_graph.weight[e] : -m_graph.weight[e]);
    }
    void add(Work &work, uint32_t e, TimeNs time) const {
        const uint32_t activity = m_graph.activity[e];
        if (activity != kNone && !m_scaling.selected[activity]) work.emplace_back(e, time);
    }

    Work changesOf(const Path &before, const Path &after) const {
        Work work = after.ends;
        for (const auto &[e, time] : before.ends) work.emplace_back(e, -time);
        auto a = before.steps.begin(), b = after.steps.begin();
        while (a != before.steps.end() || b != after.steps.end()) {
            if (b == after.steps.end() || (a != before.steps.end() && *a > *b))
                addStep(work, *a++, false);
            else if (a == before.steps.end() || *b > *a)
                addStep(work, *b++, true);
            else
                ++a, ++b;
        }
        return work;
    }

    const DependencyGraph &m_graph;
    const Scaling &m_scaling;
    const WindowTerms &m_terms;
    const Progress &m_progress;
    Junctions m_junctions;
    std::vector<Point> m_points;
    bool m_exact = true;
};

} // namespace

WindowCurve windowCurve(const DependencyGraph &graph, const Scaling &scaling,
                        const WindowTerms &terms, const Progress &progress,
                        const PathChange &changed) {
    return Envelope(graph, scaling, terms, progress).run(changed);
}

} // namespace longpole
