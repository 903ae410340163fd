// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/rank.h"

#include "core/analysis/attribution.h"
#include "core/analysis/what_if.h"
#include "core/base/looking.h"
#include "core/base/parallel.h"
#include "core/base/pattern.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace longpole {

Evidence OnPath::evidence() const {
    return Evidence(std::max_element(byEvidence.begin(), byEvidence.end()) - byEvidence.begin());
}

bool canBeLever(Kind kind) {
    return kind != Kind::Sync && kind != Kind::EventWait;
}

namespace {

constexpr size_t kMostLevers = 60;
constexpr double kLeastOnPath = 0.0005; ///< share of the window; less cannot matter

/// The first knee of the window's end, from speed-up 1 on: where another path takes over. The end
/// is a maximum of lines in the scale, so the meeting points of its first line with the one that
/// rules farther down close in on the knee from there.
class FirstKnee {
public:
    FirstKnee(const DependencyGraph &graph, const WindowTerms &terms, const Scaling &scaling,
              TimeNs window, const Progress &progress)
        : m_graph(graph), m_terms(terms), m_progress(progress), m_scaling(scaling),
          m_tolerance(std::max(1000.0, 1e-5 * double(window))) {}

    std::optional<double> find() {
        const Line first = at(1);
        double scale = 0;
        for (int i = 0; i < kMostTries; ++i) {
            const Line line = at(scale);
            if (line.value <= first.value - (1 - scale) * first.slope + m_tolerance)
                return scale > 0 ? std::optional(scale) : std::nullopt;
            if (line.slope >= first.slope) return scale;
            // first.value − (1 − s) first.slope = line.value + (s − scale) line.slope
            const double meet = (line.value - scale * line.slope - first.value + first.slope) /
                                (first.slope - line.slope);
            if (meet <= scale || meet >= 1) return std::min(1.0, std::max(meet, scale));
            scale = meet;
        }
        return scale;
    }

private:
    static constexpr int kMostTries = 5;
    struct Line {
        double value, slope;
    };

    Line at(double scale) {
        m_scaling.factors = {{1, 1}, {int64_t(std::llround(scale * 1e9)), 1'000'000'000}};
        const auto times = replay(m_graph, m_scaling, &m_binding, m_progress);
        uint32_t v = kNone;
        windowLength(m_terms, times, &v);
        const double value = double(times[v]);
        TimeNs selected = 0;
        for (size_t i = 0; v != 0; ++i) {
            m_progress.look(i);
            const uint32_t e = m_binding[v];
            if (m_graph.activity[e] != kNone && m_scaling.group[m_graph.activity[e]])
                selected += m_graph.weight[e];
            v = m_graph.source[e];
        }
        return {value, double(selected)};
    }

    const DependencyGraph &m_graph;
    const WindowTerms &m_terms;
    const Progress &m_progress;
    Scaling m_scaling;
    const double m_tolerance;
    std::vector<uint32_t> m_binding;
};

/// The groups that work falls into, and how each is selected.
class Groups {
public:
    Groups(const Trace &trace, const Phases &phases, RankBy by, const Progress &progress)
        : m_trace(trace), m_phases(phases), m_by(by),
          m_synchronisation(phases.rules.find("synchronisation")) {
        if (const OwnerKey *key = ownerKey(by)) m_owners = attribute(trace, key->to, progress);
    }

    /// kNone for what is no lever.
    uint32_t of(IntervalId interval, uint8_t phase) {
        const Kind kind = interval.row == kNone ? Kind::Untraced : m_trace.kind(interval);
        if (const OwnerKey *key = ownerKey(m_by)) {
            if (interval.row == kNone) return kNone;
            const std::string &owner = m_owners.ownerOf(interval);
            const bool isPattern = key->to != AttributeTo::Class;
            return groupOf(key->prefix + (isPattern ? Pattern::quoted(owner) : owner), owner);
        }
        if (m_by != RankBy::Phase && !canBeLever(kind)) return kNone;
        switch (m_by) {
        case RankBy::Phase:
            if (m_synchronisation == phase) return kNone;
            return groupOf("phase:" + m_phases.rules.rules[phase].id,
                           m_phases.rules.rules[phase].label);
        case RankBy::Kind:
            return groupOf("kind:" + std::string(kindName(kind)), std::string(kindName(kind)));
        default:
            break;
        }
        if (interval.row == kNone) return kNone;
        // asked once for each distinct name of a file
        const TrackTable &table = *m_trace.track(interval).table;
        auto &known = m_known[table.strings.get()];
        if (known.empty()) known.assign(table.strings->size(), kUnasked);
        uint32_t &group = known[table.name[interval.row].index];
        if (group == kUnasked) {
            const std::string name(m_trace.name(interval));
            group = groupOf("name:" + Pattern::quoted(name), name);
        }
        return group;
    }

    std::vector<Lever> levers; ///< with selectors and labels

private:
    static constexpr uint32_t kUnasked = kNone - 1;
    struct OwnerKey {
        RankBy by;
        AttributeTo to;
        std::string prefix;
    };
    static const OwnerKey *ownerKey(RankBy by) {
        static const OwnerKey keys[] = {{RankBy::Op, AttributeTo::Op, "op:"},
                                        {RankBy::Module, AttributeTo::Module, "module:"},
                                        {RankBy::Class, AttributeTo::Class, "class:"}};
        for (const OwnerKey &key : keys)
            if (key.by == by) return &key;
        return nullptr;
    }

    uint32_t groupOf(std::string selector, std::string label) {
        const auto [it, made] = m_groups.try_emplace(selector, uint32_t(levers.size()));
        if (made) {
            levers.emplace_back();
            levers.back().selector = std::move(selector);
            levers.back().label = std::move(label);
        }
        return it->second;
    }

    const Trace &m_trace;
    const Phases &m_phases;
    const RankBy m_by;
    const std::optional<uint8_t> m_synchronisation;
    Attribution m_owners; ///< of groups by owners
    std::unordered_map<std::string, uint32_t> m_groups;
    std::unordered_map<const StringPool *, std::vector<uint32_t>> m_known;
};

bool isWork(const PathSegment &s) {
    return s.type == PathSegment::Type::Activity || s.type == PathSegment::Type::Untraced;
}

} // namespace

void replayLever(const DependencyGraph &graph, const WindowTerms &terms, const Window &window,
                 const Scaling &scaling, Lever &lever, const Progress &progress) {
    Scaling scaled = scaling;
    const TimeNs measured = window.range.length();
    const auto lengthAt = [&](SpeedFactor factor) {
        scaled.factors = {{1, 1}, factor};
        return windowLength(terms, replay(graph, scaled, nullptr, progress));
    };
    lever.gain125 = measured - lengthAt({4, 5});
    lever.gainInf = measured - lengthAt({0, 1});
    const TimeNs predicted = lengthAt({1, 2});
    lever.gain2 = measured - predicted;
    const Forecast f = forecast(graph, scaled, terms, predicted, measured, progress);
    lever.low = measured - f.high;
    lever.high = measured - f.low;
    lever.knee = FirstKnee(graph, terms, scaled, measured, progress).find();
}

namespace {

std::vector<Lever> ranked(const Trace &trace, const Steps &steps, const Phases &phases,
                          const DependencyGraph &graph, const CriticalPath &path, RankBy by,
                          const Progress &progress) {
    const Window &window = path.window;
    Groups groups(trace, phases, by, progress);
    std::vector<OnPath> onPath;
    size_t segments = 0;
    for (const PathSegment &segment : path.segments) {
        if (++segments % 4096 == 0) progress.look();
        if (!isWork(segment)) continue;
        const uint32_t group = groups.of(segment.interval, segment.phase);
        if (group == kNone) continue;
        onPath.resize(groups.levers.size());
        onPath[group].add(segment);
    }
    std::vector<uint32_t> groupOf;
    growTo(groupOf, graph.activities.size(), progress);
    std::vector<IntervalId> lastSeen(groups.levers.size());
    const size_t count = groups.levers.size();
    for (size_t i = 0; i < graph.activities.size(); ++i) {
        if (i % 4096 == 0) progress.look();
        const Activity &a = graph.activities[i];
        groupOf[i] = groups.of(a.interval, a.phase);
        if (groupOf[i] == kNone || groupOf[i] >= count) continue;
        const TimeRange part = window.range.clipped({a.begin, a.begin + a.length});
        if (part.empty()) continue;
        Lever &lever = groups.levers[groupOf[i]];
        lever.sum += part.length();
        lever.count += a.interval != lastSeen[groupOf[i]];
        lastSeen[groupOf[i]] = a.interval;
    }
    std::vector<uint32_t> order;
    for (uint32_t g = 0; g < count; ++g) {
        groups.levers[g].onPath = onPath[g].sum();
        groups.levers[g].evidence = onPath[g].evidence();
        if (double(groups.levers[g].onPath) >= kLeastOnPath * double(window.range.length()))
            order.push_back(g);
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return groups.levers[a].onPath > groups.levers[b].onPath;
    });
    order.resize(std::min(order.size(), kMostLevers));

    const WindowTerms terms = windowTerms(trace, steps, graph, window, progress);
    std::vector<Lever> levers(order.size());
    parallelFor(order.size(), workerCount(), [&](size_t i) {
        try {
            Scaling scaling;
            scaling.factors = {{1, 1}, {1, 2}};
            growTo(scaling.group, groupOf.size(), progress);
            scaling.selected.resize(groupOf.size());
            for (size_t a = 0; a < groupOf.size(); ++a) {
                progress.look(a);
                if (groupOf[a] != order[i]) continue;
                scaling.group[a] = 1;
                scaling.selected[a] = true;
            }
            levers[i] = groups.levers[order[i]];
            replayLever(graph, terms, window, scaling, levers[i], progress);
        } catch (const Stopped &) { // the others notice it as well
        }
    });
    progress.look();
    std::stable_sort(levers.begin(), levers.end(), [](const Lever &a, const Lever &b) {
        return std::pair(a.low, a.gain2) > std::pair(b.low, b.gain2);
    });
    return levers;
}

} // namespace

Result<std::vector<Lever>> rankLevers(const Trace &trace, const Steps &steps, const Phases &phases,
                                      const DependencyGraph &graph, const CriticalPath &path,
                                      RankBy by, Progress &progress) {
    try {
        return ranked(trace, steps, phases, graph, path, by, progress);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
