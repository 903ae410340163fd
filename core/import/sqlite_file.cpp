// SPDX-License-Identifier: Apache-2.0
#include "core/import/sqlite_file.h"

#include "core/base/json_text.h"

#include <sqlite3.h>

#include <cstring>

namespace longpole {

namespace {

constexpr int kOpcodesBetweenLooks = 10'000; ///< well under a millisecond
constexpr int kLongestValue = 256 << 20;     ///< bytes of one text or blob

/// SQLite's view of an InputFile. Nothing else can be opened through it, so that no journal, no
/// index of a log and no temporary file is ever looked for or made.
struct File {
    sqlite3_file base;
    const InputFile *input;
};

thread_local const InputFile *opening = nullptr;

int readFile(sqlite3_file *file, void *to, int size, sqlite3_int64 at) {
    const InputFile &input = *reinterpret_cast<File *>(file)->input;
    const size_t got = input.readAt(static_cast<char *>(to), size_t(size), uint64_t(at));
    if (got == size_t(size)) return SQLITE_OK;
    std::memset(static_cast<char *>(to) + got, 0, size_t(size) - got);
    return SQLITE_IOERR_SHORT_READ;
}

int fileSize(sqlite3_file *file, sqlite3_int64 *size) {
    *size = sqlite3_int64(reinterpret_cast<File *>(file)->input->readableBytes());
    return SQLITE_OK;
}

const sqlite3_io_methods &fileMethods() {
    static const sqlite3_io_methods methods = [] {
        sqlite3_io_methods m{};
        m.iVersion = 1;
        m.xClose = [](sqlite3_file *) { return SQLITE_OK; };
        m.xRead = readFile;
        m.xWrite = [](sqlite3_file *, const void *, int, sqlite3_int64) { return SQLITE_READONLY; };
        m.xTruncate = [](sqlite3_file *, sqlite3_int64) { return SQLITE_READONLY; };
        m.xSync = [](sqlite3_file *, int) { return SQLITE_OK; };
        m.xFileSize = fileSize;
        m.xLock = [](sqlite3_file *, int) { return SQLITE_OK; };
        m.xUnlock = [](sqlite3_file *, int) { return SQLITE_OK; };
        m.xCheckReservedLock = [](sqlite3_file *, int *held) { return *held = 0, SQLITE_OK; };
        m.xFileControl = [](sqlite3_file *, int, void *) { return SQLITE_NOTFOUND; };
        m.xSectorSize = [](sqlite3_file *) { return 4096; };
        m.xDeviceCharacteristics = [](sqlite3_file *) { return SQLITE_IOCAP_IMMUTABLE; };
        return m;
    }();
    return methods;
}

int openFile(sqlite3_vfs *, const char *, sqlite3_file *file, int flags, int *outFlags) {
    file->pMethods = nullptr;
    if (!(flags & SQLITE_OPEN_MAIN_DB) || !opening) return SQLITE_CANTOPEN;
    reinterpret_cast<File *>(file)->input = opening;
    file->pMethods = &fileMethods();
    if (outFlags) *outFlags = SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

constexpr const char *kFileSystem = "longpole";

bool registerFileSystem() {
    const sqlite3_vfs *system = sqlite3_vfs_find(nullptr);
    if (!system) return false;
    static sqlite3_vfs own = *system; // clock and random numbers stay the system's
    own.pNext = nullptr;
    own.zName = kFileSystem;
    own.szOsFile = sizeof(File);
    own.xOpen = openFile;
    own.xDelete = [](sqlite3_vfs *, const char *, int) { return SQLITE_READONLY; };
    own.xAccess = [](sqlite3_vfs *, const char *, int, int *there) {
        return *there = 0, SQLITE_OK;
    };
    own.xFullPathname = [](sqlite3_vfs *, const char *name, int size, char *to) {
        sqlite3_snprintf(size, to, "%s", name);
        return SQLITE_OK;
    };
    own.xDlOpen = [](sqlite3_vfs *, const char *) -> void * { return nullptr; };
    return sqlite3_vfs_register(&own, 0) == SQLITE_OK;
}

Error damaged(const std::string &why) {
    return {ErrorKind::Unreadable, "damaged_database",
            "is an SQLite database, but damaged or cut short (" + toValidUtf8(why) +
                "). Copy it again, or export it again: nsys export --type sqlite "
                "--output NAME.sqlite NAME.nsys-rep."};
}

} // namespace

SqliteQuery::~SqliteQuery() {
    sqlite3_finalize(m_statement);
}

void SqliteQuery::bind(int64_t value) {
    sqlite3_reset(m_statement);
    m_failed = sqlite3_bind_int64(m_statement, 1, value) != SQLITE_OK;
}

bool SqliteQuery::step() {
    if (m_failed) return false;
    const int result = sqlite3_step(m_statement);
    m_failed = result != SQLITE_ROW && result != SQLITE_DONE;
    return result == SQLITE_ROW;
}

SqliteQuery::Type SqliteQuery::type(int column) const {
    switch (sqlite3_column_type(m_statement, column)) {
    case SQLITE_INTEGER:
        return Type::Integer;
    case SQLITE_FLOAT:
        return Type::Real;
    case SQLITE_TEXT:
        return Type::Text;
    case SQLITE_BLOB:
        return Type::Blob;
    default:
        return Type::Null;
    }
}

int64_t SqliteQuery::integer(int column) const {
    return sqlite3_column_int64(m_statement, column);
}
double SqliteQuery::real(int column) const {
    return sqlite3_column_double(m_statement, column);
}

std::string_view SqliteQuery::text(int column) const {
    const void *bytes = sqlite3_column_blob(m_statement, column);
    const int size = sqlite3_column_bytes(m_statement, column);
    return bytes ? std::string_view(static_cast<const char *>(bytes), size_t(size))
                 : std::string_view();
}

int SqliteQuery::columns() const {
    return sqlite3_column_count(m_statement);
}

std::string_view SqliteQuery::name(int column) const {
    const char *name = sqlite3_column_name(m_statement, column);
    return name ? name : "";
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(std::shared_ptr<const InputFile> input,
                                                     const Progress *progress) {
    if (input->compressed())
        return Error{
            ErrorKind::Unreadable, "compressed_database",
            "is a compressed SQLite database, which can only be read unpacked: gunzip FILE."};
    static const bool ready = registerFileSystem();
    std::unique_ptr<SqliteFile> file(new SqliteFile);
    file->m_input = std::move(input);
    file->m_progress = progress;
    opening = file->m_input.get();
    const int result =
        ready ? sqlite3_open_v2("trace", &file->m_database,
                                SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, kFileSystem)
              : SQLITE_ERROR;
    opening = nullptr;
    if (result != SQLITE_OK) return damaged(sqlite3_errstr(result));
    sqlite3 *database = file->m_database;
    // The schema is part of a file from elsewhere: nothing in it may run.
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_exec(database, "PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON", nullptr, nullptr,
                 nullptr);
    if (progress)
        sqlite3_progress_handler(
            database, kOpcodesBetweenLooks,
            [](void *p) { return int(static_cast<const Progress *>(p)->stopped()); },
            const_cast<Progress *>(progress));
    const auto names = file->query("SELECT name FROM sqlite_master WHERE type='table' AND "
                                   "sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name");
    if (!names) return damaged(file->problem());
    while (names->step()) file->m_tables.emplace_back(names->text(0));
    if (names->failed()) return damaged(file->problem());
    return file;
}

SqliteFile::~SqliteFile() {
    sqlite3_close_v2(m_database);
}

std::vector<std::string> SqliteFile::columns(std::string_view table) const {
    std::vector<std::string> columns;
    const auto info = query("PRAGMA table_info(" + quotedName(table) + ")");
    while (info && info->step()) columns.emplace_back(info->text(1));
    return columns;
}

std::unique_ptr<SqliteQuery> SqliteFile::query(const std::string &sql) const {
    sqlite3_stmt *statement = nullptr;
    if (sqlite3_prepare_v2(m_database, sql.c_str(), int(sql.size()), &statement, nullptr) !=
            SQLITE_OK ||
        !statement)
        return nullptr;
    return std::make_unique<SqliteQuery>(statement);
}

std::string SqliteFile::problem() const {
    return sqlite3_errmsg(m_database);
}

std::string quotedName(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

} // namespace longpole
