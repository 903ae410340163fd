// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/steps.h"

#include <map>
#include <vector>

namespace longpole {

/// Which names mark a step: asked once per distinct name, not once per interval.
class StepMarkers {
public:
    /// Turns to the names of one table; has() answers for its rows.
    void use(const TrackTable &table) {
        m_table = &table;
        auto [it, added] = m_byPool.try_emplace(table.strings.get());
        m_current = &it->second;
        if (!added || !table.strings) return;
        m_current->marks.resize(table.strings->size());
        for (uint32_t i = 0; i < table.strings->size(); ++i)
            if (isStepMarker((*table.strings)[StringId{i}]))
                m_current->marks[i] = m_current->any = true;
    }
    bool any() const { return m_current->any; }
    bool has(uint32_t row) const {
        return m_current->any && m_current->marks[m_table->name[row].index];
    }

private:
    struct Pool {
        std::vector<bool> marks;
        bool any = false;
    };
    std::map<const StringPool *, Pool> m_byPool;
    const TrackTable *m_table = nullptr;
    Pool *m_current = nullptr;
};

} // namespace longpole
