// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/what_if_basis.h"

#include "core/analysis/statistics.h"
#include "core/base/looking.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace longpole {

namespace {

constexpr size_t kMostLevers = 64;
/// A step's usual order; phases of a user's own rules follow, and what is left
/// over comes last.
constexpr std::array<std::string_view, 8> kOrder = {"data_wait", "transfer",      "forward",
                                                    "backward",  "communication", "synchronisation",
                                                    "update",    "logging"};

size_t placeOf(const SliderWork &lever, uint8_t other) {
    const auto it = std::find(kOrder.begin(), kOrder.end(), lever.id);
    if (it != kOrder.end()) return size_t(it - kOrder.begin());
    return lever.key == other ? kOrder.size() + 256 : kOrder.size() + lever.key;
}

/// Fills one WhatIfBasis, part after part.
class Maker {
public:
    Maker(WhatIfBasis &basis, Progress &progress) : m_basis(basis), m_progress(progress) {}

    bool run() {
        const Loaded &loaded = *m_basis.loaded;
        const DependencyGraph &graph = *m_basis.graph;
        m_basis.byKind = !loaded.phases.named;
        const auto counted =
            statistics(*loaded.trace, loaded.phases, m_basis.window,
                       m_basis.byKind ? GroupBy::Kind : GroupBy::Phase, m_progress, workerCount());
        if (!counted) return false;
        m_basis.terms = windowTerms(*loaded.trace, loaded.steps, graph, m_basis.window, m_progress);
        m_basis.baseline = windowLength(m_basis.terms, replay(graph, {}, nullptr, m_progress));
        addLevers(*counted);
        addPath();
        addTogether();
        return !m_progress.stopped();
    }

private:
    uint8_t keyOf(const Activity &activity) const {
        return m_basis.byKind ? uint8_t(activity.kind) : activity.phase;
    }

    void addLevers(const Statistics &counted) {
        const auto &rules = m_basis.loaded->phases.rules;
        std::array<bool, 256> works{};
        for (const Activity &activity : m_basis.graph->activities)
            if (activity.length > 0 && clipped(activity).length() > 0)
                works[keyOf(activity)] = true;
        for (size_t key = 0; key < works.size(); ++key) {
            if (!works[key]) continue;
            SliderWork lever;
            lever.key = uint8_t(key);
            lever.id = m_basis.byKind ? kindName(Kind(key)) : rules.rules[key].id;
            lever.label = QString::fromStdString(m_basis.byKind || rules.rules[key].label.empty()
                                                     ? lever.id
                                                     : rules.rules[key].label);
            for (const StatRow &row : counted.rows) {
                if (m_basis.byKind ? row.key != lever.id : row.index != key) continue;
                lever.sum = row.sum;
                lever.unionTime = row.unionTime;
            }
            if (lever.id == "synchronisation" || (m_basis.byKind && Kind(key) == Kind::Sync))
                m_basis.synchronises = true;
            else if (m_basis.levers.size() < kMostLevers)
                m_basis.levers.push_back(std::move(lever));
        }
        if (!m_basis.byKind)
            std::stable_sort(m_basis.levers.begin(), m_basis.levers.end(),
                             [&](const SliderWork &a, const SliderWork &b) {
                                 return placeOf(a, rules.other()) < placeOf(b, rules.other());
                             });
        m_leverOf.fill(kNone);
        for (size_t i = 0; i < m_basis.levers.size(); ++i)
            m_leverOf[m_basis.levers[i].key] = uint32_t(i);
        m_basis.leverOf.reserve(m_basis.graph->activities.size());
        for (const Activity &activity : m_basis.graph->activities) {
            m_progress.look(m_basis.leverOf.size());
            m_basis.leverOf.push_back(m_leverOf[keyOf(activity)]);
        }
    }

    void addPath() {
        const Loaded &loaded = *m_basis.loaded;
        const CriticalPath path =
            criticalPath(*loaded.trace, loaded.steps, *m_basis.graph, m_basis.window, m_progress);
        m_basis.evidence = path.byEvidence;
        for (const PathSegment &s : path.segments) {
            const bool untraced = s.type == PathSegment::Type::Untraced;
            if (s.type != PathSegment::Type::Activity && !untraced) continue;
            Activity as;
            as.phase = s.phase;
            as.kind =
                untraced || !s.interval.valid() ? Kind::Untraced : loaded.trace->kind(s.interval);
            const uint32_t lever = m_leverOf[keyOf(as)];
            if (lever != kNone) m_basis.levers[lever].onPath += s.end - s.begin;
        }
    }

    TimeRange clipped(const Activity &activity) const {
        return m_basis.window.range.clipped({activity.begin, activity.begin + activity.length});
    }

    void addTogether() {
        struct Change {
            TimeNs time;
            uint32_t lever;
            int by;
        };
        std::vector<Change> changes;
        const auto &activities = m_basis.graph->activities;
        for (size_t a = 0; a < activities.size(); ++a) {
            m_progress.look(a);
            const TimeRange part = clipped(activities[a]);
            if (m_basis.leverOf[a] == kNone || part.empty()) continue;
            changes.push_back({part.begin, m_basis.leverOf[a], 1});
            changes.push_back({part.end, m_basis.leverOf[a], -1});
        }
        sortLooking(
            changes, [](const Change &a, const Change &b) { return a.time < b.time; }, m_progress);
        std::array<int, kMostLevers> running{};
        std::map<uint64_t, TimeNs> lengths;
        uint64_t set = 0;
        TimeNs at = m_basis.window.range.begin;
        for (const Change &change : changes) {
            lengths[set] += change.time - at;
            at = change.time;
            int &count = running[change.lever];
            count += change.by;
            const uint64_t bit = uint64_t(1) << change.lever;
            set = count ? set | bit : set & ~bit;
        }
        lengths[0] += m_basis.window.range.end - at;
        m_basis.together.assign(lengths.begin(), lengths.end());
        for (const auto &[levers, length] : m_basis.together)
            for (size_t i = 0; i < m_basis.levers.size(); ++i)
                if (levers >> i & 1) m_basis.levers[i].work += length;
    }

    WhatIfBasis &m_basis;
    Progress &m_progress;
    std::array<uint32_t, 256> m_leverOf{}; ///< by key
};

/// One edit after the other, so that one that is refused does not take the others with it.
void applyEdits(WhatIfBasis &basis, const std::vector<std::string> &texts,
                const Progress &progress) {
    const Loaded &loaded = *basis.loaded;
    std::vector<GraphEdit> applied;
    std::vector<std::string> known;
    for (const std::string &text : texts) {
        WhatIfEdit edit{text, {}, {}};
        auto parsed = parseGraphEdit(text);
        if (!parsed) {
            edit.refusal = parsed.error().message;
        } else {
            applied.push_back(std::move(*parsed));
            auto result = longpole::applyEdits(*loaded.trace, loaded.steps, loaded.phases,
                                               *basis.measuredGraph, applied, progress);
            if (!result) {
                edit.refusal = result.error().message;
                applied.pop_back();
            } else {
                for (const auto *said : {&result->assumptions, &result->warnings})
                    for (const std::string &sentence : *said)
                        if (std::find(known.begin(), known.end(), sentence) == known.end())
                            edit.assumptions.push_back(sentence);
                known.insert(known.end(), edit.assumptions.begin(), edit.assumptions.end());
                if (!result->changed) edit.assumptions.push_back("It makes no difference here.");
                basis.edited = result->changed
                                   ? std::make_shared<const EditedGraph>(std::move(*result))
                                   : nullptr;
            }
        }
        basis.edits.push_back(std::move(edit));
    }
    if (!basis.edited) return;
    basis.graph = {basis.edited, &basis.edited->graph};
    // An edit may add activities behind those of the measured graph; no slider has them.
    basis.leverOf.resize(basis.graph->activities.size(), kNone);
}

} // namespace

Scaling WhatIfBasis::scaling(std::span<const Speed> speeds, size_t active) const {
    Scaling scaling;
    scaling.factors.push_back({1, 1});
    std::vector<uint32_t> groups(levers.size() + 1, 0); // the last one: no lever
    std::vector<bool> touched(levers.size() + 1, false);
    for (size_t i = 0; i < levers.size(); ++i) {
        touched[i] = i == active || !speeds[i].isOne();
        if (speeds[i].isOne()) continue;
        groups[i] = uint32_t(scaling.factors.size());
        scaling.factors.push_back(speeds[i].factor());
    }
    scaling.group.resize(leverOf.size());
    scaling.selected.resize(leverOf.size());
    for (size_t a = 0; a < leverOf.size(); ++a) {
        const size_t lever = std::min<size_t>(leverOf[a], levers.size());
        scaling.group[a] = groups[lever];
        scaling.selected[a] = touched[lever];
    }
    return scaling;
}

std::optional<TimeNs> WhatIfBasis::amdahl(std::span<const Speed> speeds) const {
    if (edited) return std::nullopt;
    std::map<int, TimeNs> bySpeed; // rounded once for each, as the command line does
    for (const auto &[set, length] : together) {
        Speed fastest;
        for (size_t i = 0; i < levers.size(); ++i)
            if (set >> i & 1 && speeds[i].value() > fastest.value()) fastest = speeds[i];
        bySpeed[fastest.milli] += length;
    }
    for (const Speed speed : speeds)
        if (speed.isSlowDown()) return std::nullopt;
    TimeNs left = 0;
    for (const auto &[milli, length] : bySpeed)
        if (milli) left += TimeNs(std::floor(double(length) * 1000 / milli));
    return left;
}

Result<std::shared_ptr<const WhatIfBasis>>
makeWhatIfBasis(std::shared_ptr<const Loaded> loaded, std::shared_ptr<const DependencyGraph> graph,
                const Window &window, const std::vector<std::string> &edits, Progress &progress) {
    auto basis = std::make_shared<WhatIfBasis>();
    basis->loaded = std::move(loaded);
    basis->graph = basis->measuredGraph = std::move(graph);
    basis->window = window;
    try {
        if (Maker(*basis, progress).run()) {
            applyEdits(*basis, edits, progress);
            if (!progress.stopped()) return std::shared_ptr<const WhatIfBasis>(std::move(basis));
        }
    } catch (const Stopped &) {
    }
    return Error{ErrorKind::Cancelled, "cancelled", "Stopped."};
}

} // namespace longpole
