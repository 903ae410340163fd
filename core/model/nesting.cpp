// SPDX-License-Identifier: Apache-2.0
#include "core/model/nesting.h"

#include "core/base/looking.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

/// End of the last interval of every lane, with the question "which is the first lane from k on
/// that is free at time t?" answered in O(log lanes): a tree of minima.
class LaneEnds {
public:
    uint32_t firstFree(uint32_t from, TimeNs t) {
        if (from >= m_used || end(from) <= t) return from;
        // climb while the subtrees to the right hold no free lane, then descend
        size_t node = m_size + from;
        while (true) {
            while (node & 1) node /= 2;
            if (node == 0) return m_used;
            ++node;
            if (m_min[node] <= t) break;
        }
        while (node < m_size) node = m_min[2 * node] <= t ? 2 * node : 2 * node + 1;
        return std::min(uint32_t(node - m_size), m_used);
    }

    void occupy(uint32_t lane, TimeNs end) {
        while (lane >= m_size) grow();
        m_used = std::max(m_used, lane + 1);
        size_t node = m_size + lane;
        m_min[node] = end;
        for (node /= 2; node; node /= 2) {
            const TimeNs least = std::min(m_min[2 * node], m_min[2 * node + 1]);
            if (m_min[node] == least) break;
            m_min[node] = least;
        }
    }

    uint32_t used() const { return m_used; }

private:
    static constexpr TimeNs kFree = std::numeric_limits<TimeNs>::min();

    TimeNs end(uint32_t lane) const { return m_min[m_size + lane]; }

    void grow() {
        std::vector<TimeNs> old = std::move(m_min);
        const size_t oldSize = m_size;
        m_size *= 2;
        m_min.assign(2 * m_size, kFree);
        std::copy(old.begin() + long(oldSize), old.end(), m_min.begin() + long(m_size));
        for (size_t node = m_size - 1; node; --node)
            m_min[node] = std::min(m_min[2 * node], m_min[2 * node + 1]);
    }

    size_t m_size = 8; ///< leaves, a power of two
    std::vector<TimeNs> m_min = std::vector<TimeNs>(16, kFree);
    uint32_t m_used = 0;
};

} // namespace

Nesting nest(std::span<const IntervalRow> rows, TimeNs rounding, const Progress &progress) {
    Nesting result;
    growTo(result.lane, rows.size(), progress);
    growTo(result.parent, rows.size(), progress);
    growTo(result.depth, rows.size(), progress);
    LaneEnds lanes;
    // Candidates for the innermost container. One that starts later and ends no earlier always
    // wins, so ends fall strictly from bottom to top and everything that ends before the new
    // interval does is out for good.
    struct Open {
        uint32_t row;
        TimeNs end; ///< not after that of what is below it
    };
    std::vector<Open> open;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        progress.look(i);
        const auto &row = rows[i];
        bool overlaps = false;
        while (!open.empty()) {
            const Open &top = open.back();
            const bool over = top.end <= row.begin; // a zero-length interval at its end is no child
            if (!over && row.end - top.end <= std::min(rounding, top.end - row.begin - 1)) break;
            overlaps |= !over;
            open.pop_back();
        }
        const uint32_t parent = open.empty() ? kNone : open.back().row;
        const TimeNs end = open.empty() ? row.end : std::min(row.end, open.back().end);
        result.parent[i] = parent;
        result.depth[i] = parent == kNone ? 0 : uint16_t(std::min(result.depth[parent] + 1, 65535));
        const uint32_t lane =
            lanes.firstFree(parent == kNone ? 0 : result.lane[parent] + 1, row.begin);
        lanes.occupy(lane, row.end);
        result.lane[i] = lane;
        if (lane >= result.laneSize.size()) result.laneSize.resize(lane + 1);
        ++result.laneSize[lane];
        if (overlaps) {
            if (!result.overlaps || row.offset < result.firstOverlapOffset)
                result.firstOverlapOffset = row.offset;
            ++result.overlaps;
        }
        if (end < row.end) {
            if (!result.sticksOut || row.offset < result.firstOutOffset)
                result.firstOutOffset = row.offset;
            ++result.sticksOut;
        }
        open.push_back({i, end});
    }
    return result;
}

} // namespace longpole
