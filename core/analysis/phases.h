// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/steps.h"
#include "core/base/result.h"
#include "core/model/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace longpole {

/// One matcher of a rule file: both parts must hold where both are given; names match whole.
struct PhaseMatch {
    std::string name; ///< regular expression (RE2), empty: any
    std::optional<Kind> kind;
};

struct PhaseRule {
    std::string id, label;
    std::string colour; ///< "#rrggbb", or empty: the palette's own
    std::vector<PhaseMatch> match;
};

/// Rules in order; the first match wins. The last one is always "other" with no matcher.
struct PhaseRules {
    std::vector<PhaseRule> rules;
    uint8_t other() const { return uint8_t(rules.size() - 1); }
    std::optional<uint8_t> find(std::string_view id) const;
};

/// Reads a rule file's text. The Error names the rule and what is wrong with it.
Result<PhaseRules> parsePhaseRules(std::string_view json);
/// The rules of resources/phases.json, compiled in.
const PhaseRules &defaultPhaseRules();

/// The phase of every interval: byTrack[t][row] indexes rules.rules.
struct Phases {
    PhaseRules rules;
    std::vector<std::vector<uint8_t>> byTrack;
    /// False when no interval matched a rule by name: views fall back to kinds and say so.
    bool named = false;
    std::string stepMarkers; ///< Steps::markers: ranges that only mark steps

    uint8_t of(IntervalId id) const { return byTrack[id.track][id.row]; }
    const PhaseRule &ruleOf(IntervalId id) const { return rules.rules[of(id)]; }
};

/// Own match, else inherited: a host interval from the innermost enclosing match, a device interval
/// from its launch; backward threads and the forward part of a step as described in phases.cpp.
/// Throws Stopped.
Phases phases(const Trace &trace, const Steps &steps, const PhaseRules &rules = defaultPhaseRules(),
              const Progress &progress = Progress::never());

} // namespace longpole
