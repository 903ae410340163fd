// SPDX-License-Identifier: Apache-2.0
#include "core/import/event_table.h"

#include "core/import/decimal_time.h"

#include <algorithm>
#include <cassert>

namespace longpole {

namespace {
constexpr uint64_t kRowsBetweenLooks = 4096;
}

EventTable::EventTable(const SqliteFile &file, TraceBuilder &builder, std::string_view table,
                       std::span<const WantedColumn> columns, std::function<bool(uint64_t)> done)
    : m_builder(builder), m_columns(columns), m_done(std::move(done)) {
    assert(columns.size() <= kMostColumns);
    const auto &tables = file.tables();
    const auto at = std::find(tables.begin(), tables.end(), table);
    if (at == tables.end()) return;
    m_table = size_t(at - tables.begin());
    const std::vector<std::string> present = file.columns(table);
    std::string sql = "SELECT rowid";
    for (size_t i = 0; i < columns.size(); ++i) {
        const bool there =
            std::find(present.begin(), present.end(), columns[i].name) != present.end();
        sql += there ? ", " + quotedName(columns[i].name) : ", NULL";
        if (!there) m_missing |= 1u << i;
    }
    m_query = file.query(sql + " FROM " + quotedName(table));
    if (!m_query) builder.diagnostics.add(Reason::TruncatedFile, placeOfRow(m_table, 0));
}

bool EventTable::has(int column) const {
    return m_query && !(m_missing >> column & 1);
}

bool EventTable::next() {
    while (m_query) {
        if (++m_rows % kRowsBetweenLooks == 0 && !m_done(kRowsBetweenLooks)) return false;
        if (!m_query->step()) {
            if (m_query->failed())
                m_builder.diagnostics.add(Reason::TruncatedFile,
                                          m_offset ? m_offset : placeOfRow(m_table, 0));
            break;
        }
        const int64_t row = m_query->integer(0);
        // Rows of a healthy table ascend; in a damaged one pages may come again and again.
        if (row <= m_lastRow) {
            m_builder.diagnostics.add(Reason::TruncatedFile, m_offset);
            break;
        }
        m_lastRow = row;
        ++m_builder.events.read;
        if (take()) return true;
    }
    m_query.reset();
    m_done(m_rows % kRowsBetweenLooks);
    return false;
}

bool EventTable::take() {
    const bool placed = m_lastRow >= 0 && m_lastRow < int64_t(1) << kRowBits;
    m_offset = placeOfRow(m_table, placed ? uint64_t(m_lastRow) : 0);
    bool good = placed;
    for (size_t i = 0; i < m_columns.size(); ++i) {
        const WantedColumn &column = m_columns[i];
        if (column.need == WantedColumn::Text) continue;
        const SqliteQuery::Type type = m_query->type(int(i) + 1);
        m_values[i] = type == SqliteQuery::Type::Integer ? m_query->integer(int(i) + 1) : kAbsent;
        good &= type == SqliteQuery::Type::Integer ||
                (type == SqliteQuery::Type::Null && column.need != WantedColumn::Required);
    }
    if (!good) setAside(Reason::WrongType);
    return good;
}

void EventTable::setAside(Reason reason) {
    m_builder.diagnostics.add(reason, m_offset);
    ++m_builder.events.setAside;
}

bool EventTable::times(int beginColumn, int endColumn, IntervalRow &row) {
    const int64_t begin = (*this)[beginColumn], end = (*this)[endColumn];
    const auto sane = [](int64_t t) { return t > -kTimeLimit && t < kTimeLimit; };
    if (!sane(begin) || !sane(end)) {
        setAside(Reason::TimeOutOfRange);
        return false;
    }
    row.begin = begin;
    row.end = std::max(begin, end);
    row.offset = m_offset;
    if (end >= begin) return true;
    row.flags |= kClamped;
    m_builder.diagnostics.add(Reason::NegativeDuration, m_offset);
    return true;
}

} // namespace longpole
