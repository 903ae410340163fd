// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace longpole {

/// Who is in a set of small numbers, and who is the least of them, in O(levels).
class LeastOf {
public:
    explicit LeastOf(uint32_t count) {
        do {
            count = (count + 63) / 64;
            m_levels.emplace_back(count);
        } while (count > 1);
    }
    bool empty() const { return m_levels.back()[0] == 0; }
    void insert(uint32_t i) {
        for (auto &level : m_levels) {
            const uint64_t before = level[i / 64];
            level[i / 64] |= uint64_t(1) << i % 64;
            if (before) return;
            i /= 64;
        }
    }
    void erase(uint32_t i) {
        for (auto &level : m_levels) {
            if (level[i / 64] &= ~(uint64_t(1) << i % 64)) return;
            i /= 64;
        }
    }
    uint32_t least() const {
        uint32_t i = 0;
        for (auto level = m_levels.rbegin(); level != m_levels.rend(); ++level)
            i = i * 64 + uint32_t(std::countr_zero((*level)[i]));
        return i;
    }

private:
    std::vector<std::vector<uint64_t>> m_levels; ///< a bit for each, and for each word below
};

} // namespace longpole
