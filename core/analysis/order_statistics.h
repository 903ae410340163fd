// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/grow_array.h"
#include "core/base/progress.h"
#include "core/base/time.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace longpole {

/// Lengths of time (>= 0) in no order; four bytes for each that is below 4.29 s, twelve for others.
class Lengths {
public:
    void add(TimeNs length) {
        if (length < std::numeric_limits<uint32_t>::max()) [[likely]]
            m_short.push_back(uint32_t(length));
        else
            m_long.push_back(length);
    }
    size_t size() const { return m_short.size() + m_long.size(); }

private:
    friend struct LengthFacts;
    GrowArray<uint32_t> m_short;
    GrowArray<TimeNs> m_long;
};

/// What a table says of many lengths. Quantiles are between neighbours by `quantile` (steps.h).
struct LengthFacts {
    uint64_t count = 0;
    TimeNs mean = 0, p50 = 0, p95 = 0, max = 0;

    /// Of the lengths of several lists together, in O(lengths). Throws Stopped.
    static LengthFacts of(std::span<const Lengths *const> lists, const Progress &progress);
};

} // namespace longpole
