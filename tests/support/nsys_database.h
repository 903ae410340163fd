// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;

namespace longpole::test {

/// Writes an export of Nsight Systems as version 2 or 3 of its schema shapes it: tables come with
/// their first row (schema 3), or all at once (schema 2). Threads are named by process and thread
/// number.
class NsysDatabase {
public:
    explicit NsysDatabase(int schema = 3);
    ~NsysDatabase();
    NsysDatabase(const NsysDatabase &) = delete;
    NsysDatabase &operator=(const NsysDatabase &) = delete;

    using Columns = std::initializer_list<std::pair<std::string_view, std::string>>;

    void run(const std::string &sql);
    /// One row; values are written as in SQL.
    void insert(std::string_view table, Columns columns);
    int64_t text(std::string_view value); ///< its id in StringIds

    struct Op { ///< what an operation on a device runs on
        int pid = 100;
        int64_t correlation = 0;
        int64_t begin = 0, end = 0;
        int device = 0, context = 1, stream = 7;
    };
    void kernel(const Op &op, std::string_view name);
    void copy(const Op &op, int64_t bytes, int copyKind, int from, int to);
    void memset(const Op &op, int64_t bytes);
    void graph(const Op &op, int graphId);
    /// syncType as CUPTI numbers it; `event` and `syncId` below 0 are "none".
    void sync(const Op &op, int syncType, int64_t event = -1, int64_t syncId = -1);
    void eventRecord(const Op &op, int64_t event, int64_t syncId, int64_t timestamp = 0);
    void call(int pid, int tid, int64_t correlation, int64_t begin, int64_t end,
              std::string_view name, int eventClass = 0);
    /// `end` below 0: none. The text goes to StringIds when `byId`.
    void nvtx(int type, int pid, int tid, int64_t begin, int64_t end, std::string_view text,
              bool byId = false);
    void osCall(int pid, int tid, int64_t begin, int64_t end, std::string_view name);
    void threadName(int pid, int tid, std::string_view name, int priority = 20);

    /// The whole file; nothing can be added behind it.
    std::string bytes();
    void saveAs(const std::string &path); ///< in pages of 4 KiB, as Nsight Systems writes it

    static int64_t global(int64_t pid, int64_t tid = 0);

private:
    void make(std::string_view table);

    int m_schema;
    std::string m_path;
    sqlite3 *m_database = nullptr;
    std::set<std::string, std::less<>> m_made;
    int64_t m_lastText = 0;
};

/// Runs SQL on a database that lies on disk.
void changeDatabase(const std::string &path, const std::string &sql);

/// A small export with everything that is read, of one process.
std::string smallNsysExport(int schema);

} // namespace longpole::test
