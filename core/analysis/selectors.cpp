// SPDX-License-Identifier: Apache-2.0
// The part of replay.h that understands selectors: which work a what-if is about.
#include "core/analysis/replay.h"

#include "core/analysis/attribution.h"
#include "core/base/looking.h"
#include "core/base/pattern.h"

#include <array>
#include <functional>
#include <map>
#include <numeric>

namespace longpole {

namespace {

constexpr std::array<std::string_view, 8> kSelectorKeys = {
    "phase:", "kind:", "name:", "name>:", "track:", "op:", "module:", "class:"};

using Selects = std::function<bool(const Activity &)>;

Error badSelector(const std::string &selector, const std::string &why) {
    return {ErrorKind::Usage, "bad_selector", "The selector \"" + selector + "\" " + why};
}

/// Answers per name, asked once for each distinct one.
class NameMatcher {
public:
    NameMatcher(const Trace &trace, Pattern pattern)
        : m_trace(trace), m_pattern(std::move(pattern)) {}

    bool matches(IntervalId id) {
        const TrackTable &table = *m_trace.track(id).table;
        auto &known = m_known[table.strings.get()];
        if (known.empty()) known.assign(table.strings->size(), -1);
        int8_t &answer = known[table.name[id.row].index];
        if (answer < 0) answer = m_pattern.matches((*table.strings)[table.name[id.row]]);
        return answer > 0;
    }
    /// The interval or one that encloses it; for device work the call that launched it counts as
    /// around it.
    bool matchesAround(IntervalId id) {
        for (bool launched = false;;) {
            const TrackTable &table = *m_trace.track(id).table;
            for (uint32_t row = id.row; row != kNone; row = table.parent[row])
                if (matches({id.track, row})) return true;
            const IntervalId call = launched ? IntervalId{} : m_trace.callOf(id);
            if (!call.valid()) return false;
            id = call;
            launched = true;
        }
    }

private:
    const Trace &m_trace;
    Pattern m_pattern;
    std::map<const StringPool *, std::vector<int8_t>> m_known;
};

/// Work of the owners whose whole text matches; a class is named as it is.
Result<Selects> selectsOwner(const Trace &trace, AttributeTo to, const std::string &text,
                             const Progress &progress) {
    auto pattern = Pattern::compile(to == AttributeTo::Class ? Pattern::quoted(text) : text);
    if (!pattern) return pattern.error();
    auto owners = std::make_shared<const Attribution>(attribute(trace, to, progress));
    std::vector<bool> chosen;
    for (const std::string &owner : owners->owners) chosen.push_back(pattern->matches(owner));
    return Selects([owners, chosen = std::move(chosen)](const Activity &a) {
        return a.interval.row != kNone && chosen[owners->of(a.interval)];
    });
}

Result<Selects> parseSelector(const Trace &trace, const Phases &phases, const std::string &selector,
                              const Progress &progress) {
    const size_t colon = selector.find(':');
    const std::string key = colon == selector.npos ? "phase" : selector.substr(0, colon);
    const std::string text = colon == selector.npos ? selector : selector.substr(colon + 1);
    if (text.empty())
        return badSelector(selector, "names nothing. Write phase:ID, kind:KIND or name:REGEX.");
    if (key == "phase") {
        const auto id = phases.rules.find(text);
        return Selects([id](const Activity &a) { return id && a.phase == *id; });
    }
    if (key == "kind") {
        const auto kind = kindFromName(text);
        if (!kind)
            return badSelector(selector,
                               "names no kind of work. Kinds are kernel, comm, h2d, launch …");
        return Selects([kind](const Activity &a) { return a.kind == *kind; });
    }
    if (key == "track")
        return Selects([&trace, text](const Activity &a) {
            return trace.tracks[a.interval.track].name.find(text) != std::string::npos;
        });
    for (const auto &[name, to] :
         {std::pair("op", AttributeTo::Op), std::pair("module", AttributeTo::Module),
          std::pair("class", AttributeTo::Class)})
        if (key == name) return selectsOwner(trace, to, text, progress);
    if (key != "name" && key != "name>")
        return badSelector(selector, "is not known. Write phase:ID, kind:KIND, name:REGEX, "
                                     "name>:REGEX, track:TEXT, op:REGEX, module:REGEX or "
                                     "class:ID.");
    auto pattern = Pattern::compile(text);
    if (!pattern) return pattern.error();
    auto matcher = std::make_shared<NameMatcher>(trace, std::move(*pattern));
    const bool around = key == "name>";
    return Selects([matcher, around](const Activity &a) {
        if (a.interval.row == kNone) return false;
        return around ? matcher->matchesAround(a.interval) : matcher->matches(a.interval);
    });
}

/// Parts of a selector, joined with " & ": what follows must begin like a selector, since names may
/// hold that sign too.
std::vector<std::string> partsOf(const std::string &selector) {
    constexpr std::string_view join = " & ";
    std::vector<std::string> parts;
    size_t from = 0;
    for (size_t at = 0; (at = selector.find(join, at)) != selector.npos;) {
        const std::string_view rest = std::string_view(selector).substr(at + join.size());
        bool begins = false;
        for (const std::string_view key : kSelectorKeys) begins |= rest.starts_with(key);
        if (begins) {
            parts.push_back(selector.substr(from, at - from));
            from = at + join.size();
        }
        at += join.size();
    }
    parts.push_back(selector.substr(from));
    return parts;
}

/// All parts of a selector must select an activity.
Result<Selects> parseParts(const Trace &trace, const Phases &phases, const std::string &selector,
                           const Progress &progress) {
    std::vector<Selects> all;
    for (const std::string &part : partsOf(selector)) {
        auto selects = parseSelector(trace, phases, part, progress);
        if (!selects) return selects.error();
        all.push_back(std::move(*selects));
    }
    if (all.size() == 1) return std::move(all.front());
    return Selects([all = std::move(all)](const Activity &a) {
        for (const Selects &selects : all)
            if (!selects(a)) return false;
        return true;
    });
}

SpeedFactor product(SpeedFactor a, SpeedFactor b) {
    const int64_t x = std::gcd(a.num, b.den), y = std::gcd(b.num, a.den);
    if (a.num == 0 || b.num == 0) return {0, 1};
    return {(a.num / x) * (b.num / y), (a.den / y) * (b.den / x)};
}

} // namespace

Result<SpeedEdit> parseSpeedEdit(const std::string &text) {
    const size_t equals = text.rfind('=');
    const Error bad{
        ErrorKind::Usage, "bad_speed",
        "--speed takes SELECTOR=FACTOR as in kind:kernel=2 or backward=inf, with a factor above "
        "0, not \"" +
            text + "\"."};
    if (equals == std::string::npos || equals == 0) return bad;
    const auto factor = parseSpeedFactor(text.substr(equals + 1));
    if (!factor) return bad;
    return SpeedEdit{text.substr(0, equals), *factor};
}

Result<Scaling> resolveScaling(const Trace &trace, const Phases &phases,
                               const DependencyGraph &graph, const std::vector<SpeedEdit> &edits,
                               std::vector<std::string> &unmatched, const Progress &progress) {
    Scaling scaling;
    growTo(scaling.group, graph.activities.size(), progress);
    scaling.selected.assign(graph.activities.size(), false);
    scaling.factors.push_back({1, 1});
    std::map<std::pair<uint32_t, size_t>, uint32_t> combined; // group before, edit → group after
    for (size_t i = 0; i < edits.size(); ++i) {
        const auto selects = parseParts(trace, phases, edits[i].selector, progress);
        if (!selects) return selects.error();
        bool any = false;
        for (size_t a = 0; a < graph.activities.size(); ++a) {
            if (a % 4096 == 0) progress.look();
            if (!(*selects)(graph.activities[a])) continue;
            any = true;
            scaling.selected[a] = true;
            if (edits[i].factor.isOne()) continue;
            const auto [it, made] =
                combined.try_emplace({scaling.group[a], i}, uint32_t(scaling.factors.size()));
            if (made)
                scaling.factors.push_back(
                    product(scaling.factors[scaling.group[a]], edits[i].factor));
            scaling.group[a] = it->second;
        }
        if (!any) unmatched.push_back(edits[i].selector);
    }
    return scaling;
}

} // namespace longpole
