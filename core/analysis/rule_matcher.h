// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/phases.h"
#include "core/base/pattern.h"

#include <map>
#include <vector>

namespace longpole {

/// Matches each pair of name and kind once, however many intervals carry it.
class RuleMatcher {
public:
    static constexpr uint8_t kUnset = 0xFF;

    explicit RuleMatcher(const PhaseRules &rules);

    /// Turns to the names of one table; of() answers for its rows.
    void use(const TrackTable &table);
    /// The rule that the row's own name and kind meet, or kUnset.
    uint8_t of(uint32_t row) {
        const Kind kind = m_table->kind[row];
        uint8_t &answer = m_answers[size_t(m_table->name[row].index) * kKindCount + size_t(kind)];
        if (answer == kUnknown) answer = match((*m_table->strings)[m_table->name[row]], kind);
        return answer;
    }
    bool named() const { return m_named; } ///< some interval met a rule by its name

private:
    static constexpr uint8_t kUnknown = 0xFE;
    struct Compiled {
        std::optional<Pattern> name;
        std::optional<Kind> kind;
    };

    uint8_t match(std::string_view name, Kind kind);

    std::vector<std::vector<Compiled>> m_matches; ///< by rule
    std::map<const StringPool *, std::vector<uint8_t>> m_known;
    const TrackTable *m_table = nullptr;
    uint8_t *m_answers = nullptr;
    bool m_named = false;
};

} // namespace longpole
