// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/sqlite_file.h"
#include "core/model/trace_builder.h"

#include <array>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>

namespace longpole {

/// A column that an importer looks at, if this version of the schema has it.
struct WantedColumn {
    enum Need : uint8_t {
        Number,   ///< an integer or nothing; a row with a text there is set aside
        Required, ///< the same, but not nothing
        Text,     ///< any value, as text
    };
    std::string_view name;
    Need need = Number;
};

/// The rows of one table of events, in order, with the books: every row is counted as read, rows
/// that cannot be used are set aside, and damage ends the table with a note.
class EventTable {
public:
    static constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();
    static constexpr size_t kMostColumns = 16;

    /// `done` is told how many rows were read now and then; the table ends when it returns false.
    EventTable(const SqliteFile &file, TraceBuilder &builder, std::string_view table,
               std::span<const WantedColumn> columns, std::function<bool(uint64_t)> done);

    bool next();
    /// Of the row's place in the file.
    uint64_t offset() const { return m_offset; }
    /// By the order of the wanted columns; kAbsent where there is none.
    int64_t operator[](int column) const { return m_values[size_t(column)]; }
    int64_t valueOr(int column, int64_t otherwise) const {
        return m_values[size_t(column)] == kAbsent ? otherwise : m_values[size_t(column)];
    }
    std::string_view text(int column) const { return m_query->text(column + 1); }
    bool has(int column) const; ///< the table has this column

    void setAside(Reason reason);
    /// begin and end of the row, with what is wrong with them noted; false where the row is set
    /// aside.
    bool times(int beginColumn, int endColumn, IntervalRow &row);

private:
    bool take(); ///< false for a row that is set aside

    TraceBuilder &m_builder;
    std::span<const WantedColumn> m_columns;
    std::function<bool(uint64_t)> m_done;
    std::unique_ptr<SqliteQuery> m_query;
    std::array<int64_t, kMostColumns> m_values{};
    uint32_t m_missing = 0; ///< bit by column
    size_t m_table = 0;
    uint64_t m_offset = 0, m_rows = 0;
    int64_t m_lastRow = std::numeric_limits<int64_t>::min();
};

} // namespace longpole
