// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/input_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace longpole {

/// The rows that one SELECT gives. Columns count from 0; texts live until the next step().
class SqliteQuery {
public:
    SqliteQuery(sqlite3_stmt *statement) : m_statement(statement) {}
    ~SqliteQuery();
    SqliteQuery(const SqliteQuery &) = delete;
    SqliteQuery &operator=(const SqliteQuery &) = delete;

    void bind(int64_t value); ///< the only parameter; begins anew
    bool step();              ///< false behind the last row and where reading failed
    bool failed() const { return m_failed; }

    enum class Type { Null, Integer, Real, Text, Blob };
    Type type(int column) const;
    int64_t integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const; ///< the bytes as they are, of a blob too
    int columns() const;
    std::string_view name(int column) const;

private:
    sqlite3_stmt *m_statement;
    bool m_failed = false;
};

/// An SQLite database that is only looked at: read through its InputFile, without a lock and
/// without any other file beside it. One thread.
class SqliteFile {
public:
    /// `progress`, where given, must outlive the file; stopping it ends every query.
    static Result<std::unique_ptr<SqliteFile>> open(std::shared_ptr<const InputFile> input,
                                                    const Progress *progress = nullptr);
    ~SqliteFile();
    SqliteFile(const SqliteFile &) = delete;
    SqliteFile &operator=(const SqliteFile &) = delete;

    const std::vector<std::string> &tables() const { return m_tables; } ///< in order of name
    std::vector<std::string> columns(std::string_view table) const;
    /// Null where the database cannot answer, because of damage say.
    std::unique_ptr<SqliteQuery> query(const std::string &sql) const;
    std::string problem() const; ///< what SQLite says went wrong last

private:
    SqliteFile() = default;

    std::shared_ptr<const InputFile> m_input;
    const Progress *m_progress = nullptr;
    sqlite3 *m_database = nullptr;
    std::vector<std::string> m_tables;
};

/// `name` as an identifier in SQL, in quotes.
std::string quotedName(std::string_view name);

} // namespace longpole
