// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/named_levers.h"

#include "core/analysis/step_markers.h"
#include "core/analysis/work_names.h"
#include "core/base/looking.h"
#include "core/base/parallel.h"
#include "core/base/pattern.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace longpole {

namespace {

constexpr double kLeast = 0.02; ///< of the window; smaller gains drown in noise
constexpr size_t kMostReplayed = 24, kMostShown = 3;
constexpr double kSameTime = 0.5;     ///< share of the smaller of two levers' time on the path
constexpr double kPreferInner = 1.15; ///< an inner lever wins unless it gains that much less

/// How wide a lever is: one kind of call or kernel, an operator with all it does, a whole range.
enum class Width : uint8_t { Leaf, Operator, Range };

/// Where work stands in the program: rows of one host thread.
struct Place {
    IntervalId inner;    ///< the work itself
    IntervalId op;       ///< the outermost operator around it inside `range`
    IntervalId range;    ///< the innermost user range or frame around it
    bool nested = false; ///< something stands around the host's part of it
};

bool isLibrary(std::string_view frame) {
    for (const std::string_view part : {"<built-in", "torch/", "nn.Module: ", "<string>"})
        if (frame.starts_with(part)) return true;
    for (const std::string_view part : {"site-packages", "dist-packages", "lib/python"})
        if (frame.find(part) != frame.npos) return true;
    for (const std::string_view glue : {"__torch_function__", "__call__", "wrapper", "inner"})
        if (frame.ends_with(glue)) return true;
    return false;
}

bool isEditable(const Trace &trace, const std::string &markers, IntervalId id) {
    const Kind kind = trace.kind(id);
    if (kind == Kind::Annotation || kind == Kind::Phase) return !marksStep(trace.name(id), markers);
    return kind == Kind::Python && !isLibrary(trace.name(id));
}

/// Looks each row of a thread up once, however deep the rows are nested.
class Places {
public:
    Places(const Trace &trace, const std::string &markers)
        : m_trace(trace), m_markers(markers), m_around(trace.tracks.size()) {}

    Place of(IntervalId work) {
        Place place{work, {}, {}, false};
        const bool device = m_trace.track(work).kind == TrackKind::Stream;
        const IntervalId host = device ? m_trace.callOf(work) : work;
        if (!host.valid()) return place;
        const uint32_t parent = m_trace.track(host).table->parent[host.row];
        place.nested = parent != kNone && !marksStep(m_trace.name({host.track, parent}), m_markers);
        Around around = device ? from(host) : from({host.track, parent});
        if (!device && around.op == kNone && isOperator(host)) around.op = host.row;
        if (around.range != kNone) place.range = {host.track, around.range};
        if (around.op != kNone) place.op = {host.track, around.op};
        return place;
    }

private:
    /// Of a row and all around it, as far as the first range.
    struct Around {
        uint32_t range = kNone, op = kNone;
        bool known = false;
    };

    bool isOperator(IntervalId id) const {
        return m_trace.kind(id) == Kind::CpuOp && !marksStep(m_trace.name(id), m_markers);
    }

    Around from(IntervalId id) {
        std::vector<Around> &known = m_around[id.track];
        const TrackTable &table = *m_trace.tracks[id.track].table;
        known.resize(table.size());
        std::vector<uint32_t> inner; // the innermost first
        uint32_t row = id.row;
        while (row != kNone && !known[row].known) {
            inner.push_back(row);
            row = table.parent[row];
        }
        Around around = row == kNone ? Around{kNone, kNone, true} : known[row];
        for (auto it = inner.rbegin(); it != inner.rend(); ++it) {
            if (isEditable(m_trace, m_markers, {id.track, *it}))
                around = {*it, kNone, true};
            else if (around.op == kNone && isOperator({id.track, *it}))
                around.op = *it;
            known[*it] = around;
        }
        return around;
    }

    const Trace &m_trace;
    const std::string &m_markers;
    std::vector<std::vector<Around>> m_around; ///< by track and row
};

/// With every number replaced: ranges such as "batch 12" and "batch 13" are one lever.
std::string withoutNumbers(std::string_view name, std::string_view number) {
    std::string text;
    for (size_t i = 0; i < name.size(); ++i) {
        const bool digit = name[i] >= '0' && name[i] <= '9';
        if (!digit)
            text += name[i];
        else if (i == 0 || name[i - 1] < '0' || name[i - 1] > '9')
            text += number;
    }
    return text;
}

struct Candidate {
    Width width = Width::Leaf;
    Place place;                                   ///< of its first segment
    std::string_view named;                        ///< what the first segment calls it
    bool numbered = false, rangesNumbered = false; ///< others differ in a number
    uint8_t phase = 0;
    bool byPhase = false; ///< its phase is part of what selects it
    OnPath onPath;
    std::vector<uint32_t> segments; ///< of the path
    TimeNs device = 0;              ///< time of the path on streams
    NamedLever result;
};

class NamedLevers {
public:
    NamedLevers(const Trace &trace, const Steps &steps, const Phases &phases,
                const DependencyGraph &graph, const CriticalPath &path, const Progress &progress)
        : m_trace(trace), m_phases(phases), m_graph(graph), m_path(path), m_progress(progress),
          m_places(trace, phases.stepMarkers),
          m_terms(windowTerms(trace, steps, graph, path.window, progress)),
          m_least(TimeNs(kLeast * double(path.window.range.length()))) {}

    std::vector<NamedLever> run() {
        collect();
        choose([](Width width) { return width != Width::Range; });
        if (m_chosen.size() < 2) choose([](Width width) { return width == Width::Range; });
        std::stable_sort(m_chosen.begin(), m_chosen.end(),
                         [this](const auto &a, const auto &b) { return worth(*a) > worth(*b); });
        std::vector<NamedLever> result;
        for (const Candidate *c : m_chosen) result.push_back(c->result);
        return result;
    }

private:
    using Key = std::tuple<Width, std::string_view, bool, std::string_view, uint8_t>;

    /// Names of ranges often count; those of code and kernels mean what they say.
    std::string_view family(IntervalId id) {
        const std::string_view name = m_trace.name(id);
        const Kind kind = m_trace.kind(id);
        if (kind != Kind::Annotation && kind != Kind::Phase) return name;
        const auto [known, isNew] = m_families.try_emplace(name);
        if (isNew) known->second = withoutNumbers(name, "N");
        return known->second;
    }

    void collect() {
        const auto synchronisation = m_phases.rules.find("synchronisation");
        for (uint32_t i = 0; i < m_path.segments.size(); ++i) {
            if (i % 4096 == 0) m_progress.look();
            const PathSegment &s = m_path.segments[i];
            if (s.type != PathSegment::Type::Activity || s.interval.row == kNone) continue;
            if (!canBeLever(m_trace.kind(s.interval)) || s.phase == synchronisation) continue;
            const Place place = m_places.of(s.interval);
            add(Width::Leaf, place, place.inner, i);
            if (place.op.valid()) add(Width::Operator, place, place.op, i);
            const IntervalId range =
                isEditable(m_trace, m_phases.stepMarkers, place.inner) ? place.inner : place.range;
            if (range.valid()) add(Width::Range, place, range, i);
        }
    }

    void add(Width width, const Place &place, IntervalId named, uint32_t segment) {
        const PathSegment &s = m_path.segments[segment];
        const bool inRange = width != Width::Range && place.range.valid();
        const bool byPhase = width == Width::Leaf && !inRange && place.nested;
        const Key key{width, family(named), inRange, // a range may have no name
                      inRange ? family(place.range) : std::string_view{},
                      byPhase ? s.phase : uint8_t(0)};
        // calls and kernels far apart in the program share names; the phase tells them apart
        Candidate &c = m_candidates[key];
        if (c.segments.empty()) {
            c.width = width;
            c.named = m_trace.name(named);
            c.place = place;
            if (width == Width::Range) c.place.range = named;
            c.phase = m_phases.of(width == Width::Leaf ? place.inner : named);
            c.byPhase = byPhase && c.phase != m_phases.rules.other();
        }
        c.numbered |= m_trace.name(named) != c.named;
        c.rangesNumbered |= inRange && m_trace.name(place.range) != m_trace.name(c.place.range);
        c.segments.push_back(segment);
        c.onPath.add(s);
        if (m_trace.track(s.interval).kind == TrackKind::Stream) c.device += s.end - s.begin;
    }

    std::string selectorOf(const Candidate &c) const {
        const auto name = [this](IntervalId id, bool numbered) {
            const std::string quoted = Pattern::quoted(m_trace.name(id));
            return numbered ? withoutNumbers(quoted, "[0-9]+") : quoted;
        };
        if (c.width == Width::Range) return "name>:" + name(c.place.range, c.numbered);
        std::string selector = c.width == Width::Leaf ? "name:" + name(c.place.inner, c.numbered)
                                                      : "name>:" + name(c.place.op, c.numbered);
        if (c.place.range.valid())
            selector += " & name>:" + name(c.place.range, c.rangesNumbered);
        else if (c.byPhase)
            selector += " & phase:" + m_phases.rules.rules[c.phase].id;
        return selector;
    }

    std::string labelOf(const Candidate &c, uint64_t count) const {
        std::string text, inside;
        const auto name = [this](IntervalId id, bool numbered) {
            const std::string shown = shortName(m_trace, id);
            return numbered ? withoutNumbers(shown, "N") : shown;
        };
        if (c.place.range.valid())
            inside = " in " + name(c.place.range, c.rangesNumbered);
        else if (c.byPhase || (c.width == Width::Operator && c.phase != m_phases.rules.other()))
            inside = " in " + m_phases.rules.rules[c.phase].label;
        if (m_phases.rules.find("data_wait") == c.phase) inside.clear();
        switch (c.width) {
        case Width::Leaf:
            text = name(c.place.inner, c.numbered);
            if (isEditable(m_trace, m_phases.stepMarkers, c.place.inner)) inside.clear();
            if (callsOthers(c)) return text + inside + ", without what it calls";
            if (isEditable(m_trace, m_phases.stepMarkers, c.place.inner)) return text;
            return (count > 1 ? formatCount(int64_t(count)) + " × " : "") + text + inside;
        case Width::Operator:
            text = name(c.place.op, c.numbered) + inside;
            return c.device > 0 ? text + ", with its kernels" : text;
        case Width::Range:
            break;
        }
        return "all of " + name(c.place.range, c.numbered);
    }

    /// Operators and ranges with more inside on the path: a leaf means their own time alone.
    bool callsOthers(const Candidate &leaf) const {
        return std::any_of(m_candidates.begin(), m_candidates.end(), [&](const auto &item) {
            const Candidate &c = item.second;
            if (c.width == Width::Leaf || c.segments.size() <= leaf.segments.size()) return false;
            const IntervalId named = c.width == Width::Range ? c.place.range : c.place.op;
            return m_trace.name(named) == m_trace.name(leaf.place.inner);
        });
    }

    LeverNature natureOf(const Candidate &c) const {
        if (m_phases.rules.find("data_wait") == c.phase) return LeverNature::DataWait;
        if (c.width != Width::Leaf) return LeverNature::Code;
        const Kind kind = m_trace.kind(c.place.inner);
        if (kind == Kind::Comm) return LeverNature::Collective;
        if (isCopyKind(kind)) return LeverNature::Copies;
        if (isDeviceKind(kind)) return LeverNature::Kernels;
        if (kind == Kind::Launch || kind == Kind::GraphLaunch) return LeverNature::Launches;
        const bool calls = kind == Kind::Runtime || kind == Kind::EventRecord;
        return calls ? LeverNature::Calls : LeverNature::Code;
    }

    /// Selects the work and replays it; false when that is not possible.
    void replayCandidate(Candidate &c) const {
        Lever &lever = c.result.lever;
        lever.selector = selectorOf(c);
        std::vector<std::string> unmatched;
        const auto scaling = resolveScaling(m_trace, m_phases, m_graph, {{lever.selector, {1, 2}}},
                                            unmatched, m_progress);
        if (!scaling) return;
        std::vector<IntervalId> intervals;
        for (size_t a = 0; a < m_graph.activities.size(); ++a) {
            m_progress.look(a);
            const Activity &activity = m_graph.activities[a];
            const TimeRange part =
                m_path.window.range.clipped({activity.begin, activity.begin + activity.length});
            if (!scaling->selected[a] || part.empty()) continue;
            lever.sum += part.length();
            intervals.push_back(activity.interval);
        }
        sortLooking(intervals, std::less<>(), m_progress);
        lever.count = uint64_t(std::unique(intervals.begin(), intervals.end()) - intervals.begin());
        lever.label = labelOf(c, lever.count);
        lever.onPath = c.onPath.sum();
        lever.evidence = c.onPath.evidence();
        c.result.nature = natureOf(c);
        c.result.longest =
            *std::max_element(c.segments.begin(), c.segments.end(),
                              [this](uint32_t a, uint32_t b) { return lengthOf(a) < lengthOf(b); });
        replayLever(m_graph, m_terms, m_path.window, *scaling, lever, m_progress);
    }

    /// A firm gain before one that rests on assumptions; then what the headline says.
    std::pair<bool, TimeNs> worth(const Candidate &c) const {
        const Lever &lever = c.result.lever;
        const double prefer = c.width == Width::Leaf ? kPreferInner : 1;
        return {lever.low >= m_least, TimeNs(prefer * double(lever.gain2))};
    }

    template <class Wanted>
    void choose(Wanted wanted) {
        std::vector<Candidate *> order;
        for (auto &[key, c] : m_candidates)
            if (wanted(c.width) && c.onPath.sum() >= m_least && c.onPath.sum() > 0)
                order.push_back(&c);
        std::stable_sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
            return a->onPath.sum() > b->onPath.sum();
        });
        order.resize(std::min(order.size(), kMostReplayed));
        parallelFor(order.size(), workerCount(), [&](size_t i) {
            try {
                replayCandidate(*order[i]);
            } catch (const Stopped &) { // the others notice it as well
            }
        });
        m_progress.look();
        std::stable_sort(order.begin(), order.end(),
                         [this](const auto *a, const auto *b) { return worth(*a) > worth(*b); });
        for (Candidate *c : order) {
            if (m_chosen.size() == kMostShown) return;
            if (c->result.lever.gain2 < m_least || isTaken(*c)) continue;
            m_chosen.push_back(c);
        }
    }

    TimeNs lengthOf(uint32_t segment) const {
        return m_path.segments[segment].end - m_path.segments[segment].begin;
    }

    /// It means mostly the same time as a lever already chosen, or holds that within.
    bool isTaken(const Candidate &c) const {
        return std::any_of(m_chosen.begin(), m_chosen.end(), [&](const Candidate *other) {
            if (other->result.lever.label == c.result.lever.label) return true;
            std::vector<uint32_t> both;
            std::set_intersection(c.segments.begin(), c.segments.end(), other->segments.begin(),
                                  other->segments.end(), std::back_inserter(both));
            TimeNs shared = 0;
            for (const uint32_t segment : both) shared += lengthOf(segment);
            return double(shared) >
                   kSameTime * double(std::min(c.onPath.sum(), other->onPath.sum()));
        });
    }

    const Trace &m_trace;
    const Phases &m_phases;
    const DependencyGraph &m_graph;
    const CriticalPath &m_path;
    const Progress &m_progress;
    Places m_places;
    const WindowTerms m_terms;
    const TimeNs m_least;
    std::map<std::string_view, std::string> m_families; ///< of names of ranges
    std::map<Key, Candidate> m_candidates;
    std::vector<Candidate *> m_chosen;
};

} // namespace

Result<std::vector<NamedLever>> namedLevers(const Trace &trace, const Steps &steps,
                                            const Phases &phases, const DependencyGraph &graph,
                                            const CriticalPath &path, Progress &progress) {
    try {
        return NamedLevers(trace, steps, phases, graph, path, progress).run();
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
    }
}

} // namespace longpole
