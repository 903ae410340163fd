// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/rule_matcher.h"

namespace longpole {

RuleMatcher::RuleMatcher(const PhaseRules &rules) {
    for (const PhaseRule &rule : rules.rules) {
        auto &matches = m_matches.emplace_back();
        for (const PhaseMatch &match : rule.match) {
            Compiled compiled{std::nullopt, match.kind};
            if (!match.name.empty()) {
                auto pattern = Pattern::compile(match.name);
                if (!pattern) continue; // reading the rules lets none of these through
                compiled.name = std::move(*pattern);
            }
            matches.push_back(std::move(compiled));
        }
    }
}

void RuleMatcher::use(const TrackTable &table) {
    m_table = &table;
    auto &known = m_known[table.strings.get()];
    known.resize(size_t(table.strings->size()) * kKindCount, kUnknown);
    m_answers = known.data();
}

uint8_t RuleMatcher::match(std::string_view name, Kind kind) {
    for (size_t rule = 0; rule < m_matches.size(); ++rule) {
        for (const Compiled &m : m_matches[rule]) {
            if ((m.kind && *m.kind != kind) || (m.name && !m.name->matches(name))) continue;
            if (m.name) m_named = true;
            return uint8_t(rule);
        }
    }
    return kUnset;
}

} // namespace longpole
