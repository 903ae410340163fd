// SPDX-License-Identifier: Apache-2.0
#include "core/import/nsys_args.h"

#include "core/base/json_text.h"
#include "core/base/time.h"
#include "core/import/nsys_names.h"
#include "core/model/trace.h"

#include <charconv>

namespace longpole {

/// The database as it is asked: opened with the first question.
struct NsysArgs::Open {
    explicit Open(std::unique_ptr<SqliteFile> opened) : file(std::move(opened)), texts(*file) {}

    const NsysEnum &enumOf(std::string_view table) {
        auto known = enums.find(table);
        if (known == enums.end())
            known = enums.emplace(table, NsysEnum(*file, std::string(table))).first;
        return known->second;
    }

    std::unique_ptr<SqliteFile> file;
    NsysTexts texts;
    std::map<size_t, std::unique_ptr<SqliteQuery>> rows; ///< by table
    std::map<std::string, NsysEnum, std::less<>> enums;
};

namespace {

std::string quoted(std::string_view text) {
    std::string json;
    appendQuoted(json, text);
    return json;
}

std::string valueOf(const SqliteQuery &row, int column) {
    switch (row.type(column)) {
    case SqliteQuery::Type::Integer: {
        const int64_t value = row.integer(column);
        return isNsysUnsigned(row.name(column)) ? std::to_string(uint64_t(value))
                                                : std::to_string(value);
    }
    case SqliteQuery::Type::Real: {
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, row.real(column)).ptr;
        const std::string text(digits, end);
        return text.find_first_of("in") == text.npos ? text : quoted(text); // inf, nan
    }
    case SqliteQuery::Type::Blob:
        return quoted(formatCount(int64_t(row.text(column).size())) + " bytes");
    default:
        return quoted(row.text(column));
    }
}

} // namespace

NsysArgs::NsysArgs(std::shared_ptr<const InputFile> input, std::vector<std::string> tables)
    : m_input(std::move(input)), m_tables(std::move(tables)) {}

NsysArgs::~NsysArgs() = default;

Result<std::vector<JsonArg>> NsysArgs::at(uint64_t offset) {
    if (m_input->changed())
        return Error{ErrorKind::Unreadable, "file_changed",
                     m_input->path() + " has changed since it was opened. Arguments are read from "
                                       "it: open it again."};
    if (!m_open) {
        auto file = SqliteFile::open(m_input);
        if (!file) {
            Error error = file.error();
            error.message = m_input->path() + " " + error.message;
            return error;
        }
        m_open = std::make_unique<Open>(std::move(*file));
    }
    const size_t table = size_t(offset >> kRowBits);
    const int64_t row = int64_t(offset & ((uint64_t(1) << kRowBits) - 1));
    auto &query = m_open->rows[table];
    if (!query && table < m_tables.size())
        query = m_open->file->query("SELECT * FROM " + quotedName(m_tables[table]) +
                                    " WHERE rowid = ?");
    if (query) query->bind(row);
    if (!query || !query->step())
        return Error{ErrorKind::Unreadable, "event_not_found",
                     m_input->path() + " has no readable row " + formatCount(row) + " in " +
                         (table < m_tables.size() ? m_tables[table] : "that table") +
                         "; the file may have changed."};
    std::vector<JsonArg> args;
    for (int c = 0; c < query->columns(); ++c) {
        if (query->type(c) == SqliteQuery::Type::Null) continue;
        const std::string name = toValidUtf8(query->name(c));
        const bool number = query->type(c) == SqliteQuery::Type::Integer;
        if (number && isNsysTextId(name)) {
            const auto text = m_open->texts.find(query->integer(c));
            args.push_back({name, text ? quoted(*text) : valueOf(*query, c)});
            continue;
        }
        if (m_tables[table] == "DIAGNOSTIC_EVENT" && name == "text")
            args.push_back({name, quoted(withoutPaths(query->text(c)))});
        else
            args.push_back({name, valueOf(*query, c)});
        const std::string_view values = number ? nsysEnumOf(name) : std::string_view();
        if (values.empty()) continue;
        if (const NsysEnum::Value *value = m_open->enumOf(values).find(query->integer(c)))
            args.push_back({name + " (name)", quoted(value->label)});
    }
    return args;
}

} // namespace longpole
