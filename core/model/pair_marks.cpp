// SPDX-License-Identifier: Apache-2.0
#include "core/model/pair_marks.h"

#include "core/base/looking.h"

#include <algorithm>

namespace longpole {

namespace {

class Pairing {
public:
    Pairing(GrowArray<IntervalRow> &rows, GrowArray<SideRow> &sides, Diagnostics &diagnostics)
        : m_rows(rows), m_sides(sides), m_diagnostics(diagnostics) {}

    void begin(const IntervalRow &row) {
        // zero-length ranges are often written end first
        const auto early =
            std::find_if(m_early.begin(), m_early.end(), [&](const IntervalRow &end) {
                return end.begin == row.begin && end.name == row.name;
            });
        m_open.push_back(row);
        if (early == m_early.end()) return;
        const IntervalRow end = *early;
        m_early.erase(early);
        close(m_open.size() - 1, end);
    }

    void end(const IntervalRow &end) {
        if (m_open.empty()) return waitForBegin(end);
        if (end.name == StringId{}) return close(m_open.size() - 1, end);
        for (size_t i = m_open.size(); i-- > 0;) {
            if (m_open[i].name != end.name) continue;
            if (i + 1 != m_open.size()) m_diagnostics.add(Reason::EndNameMismatch, end.offset);
            return close(i, end);
        }
        waitForBegin(end);
    }

    /// Ends that waited for a begin of their own time have waited long enough: the innermost range
    /// ends here, whatever it is called, and without one they belong nowhere.
    void timeMovesOn() {
        for (const IntervalRow &end : m_early) {
            const bool open = !m_open.empty();
            m_diagnostics.add(open ? Reason::EndNameMismatch : Reason::EndWithoutBegin, end.offset);
            if (open)
                close(m_open.size() - 1, end);
            else
                ++m_counts.setAside;
        }
        m_early.clear();
    }

    PairCounts counts() const { return m_counts; }

    /// What is open now stays open.
    void finishGroup(TimeNs last) {
        timeMovesOn();
        for (IntervalRow &row : m_open) {
            m_diagnostics.add(Reason::BeginWithoutEnd, row.offset);
            row.end = std::max(row.begin, last);
            row.flags |= kOpenEnd;
            m_rows.push_back(row);
        }
        m_open.clear();
    }

private:
    void waitForBegin(const IntervalRow &end) { m_early.push_back(end); }

    void close(size_t at, const IntervalRow &end) {
        IntervalRow row = m_open[at];
        m_open.erase(m_open.begin() + long(at));
        row.end = end.begin;
        if (row.side == kNone) {
            row.side = uint32_t(m_sides.size());
            m_sides.emplace_back();
        }
        m_sides[row.side].endOffset = int64_t(end.offset);
        m_rows.push_back(row);
        ++m_counts.paired;
    }

    GrowArray<IntervalRow> &m_rows;
    GrowArray<SideRow> &m_sides;
    Diagnostics &m_diagnostics;
    std::vector<IntervalRow> m_open;  ///< innermost last
    std::vector<IntervalRow> m_early; ///< ends of the current time without a begin so far
    PairCounts m_counts;
};

} // namespace

PairCounts pairMarks(GrowArray<Mark> marks, TimeNs last, GrowArray<IntervalRow> &rows,
                     GrowArray<SideRow> &sides, Diagnostics &diagnostics,
                     const Progress &progress) {
    const auto earlier = [](const Mark &a, const Mark &b) {
        return std::pair(a.group, a.row.begin) < std::pair(b.group, b.row.begin);
    };
    if (!std::is_sorted(marks.begin(), marks.end(), earlier))
        stableSortLooking(marks, earlier, progress);
    Pairing pairing(rows, sides, diagnostics);
    for (size_t i = 0; i < marks.size(); ++i) {
        progress.look(i);
        if (i && marks[i].group != marks[i - 1].group)
            pairing.finishGroup(last);
        else if (i && marks[i].row.begin != marks[i - 1].row.begin)
            pairing.timeMovesOn();
        if (marks[i].isEnd)
            pairing.end(marks[i].row);
        else
            pairing.begin(marks[i].row);
    }
    pairing.finishGroup(last);
    return pairing.counts();
}

} // namespace longpole
