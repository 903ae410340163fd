// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/chunk_file.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace longpole::capture {

/// One range as a thread leaves it: the texts behind it, the numbers of the file are given later.
struct LoggedRange {
    uint64_t begin, end;
    const std::string *domain; ///< lives as long as the process; null: none
    uint32_t step;
    uint16_t flags;  ///< as Range
    uint32_t length; ///< of the name
};

/// What one thread of the application has to say. Its lock is taken by that thread and, 20 times a
/// second, by the writer, so the thread hardly ever waits, and never for the disk.
class ThreadLog {
public:
    explicit ThreadLog(uint32_t thread) : m_thread(thread) {}
    void allow(size_t bytes) { m_largest = bytes; } ///< between two visits of the writer
    /// True once when the writer had better come soon.
    bool crowded() {
        return m_crowded.load(std::memory_order_relaxed) && m_crowded.exchange(false);
    }

    void add(LoggedRange range, std::string_view name); ///< one that is over, or a moment
    int push(LoggedRange range, std::string_view name); ///< how many were open in its domain
    /// Closes the innermost range of a domain; false where none is open. Its step and flags come
    /// back.
    bool pop(const std::string *domain, uint64_t end, bool keep, LoggedRange &closed);
    void setName(std::string_view name);
    void leave() { m_left = true; } ///< the thread is gone
    bool left() const { return m_left; }
    bool empty();
    void moveTo(ChunkFile &file); ///< by the writer
    void closeAll(uint64_t now);  ///< what is still open is written as that

private:
    void keep(const LoggedRange &range, const char *name);

    const uint32_t m_thread;
    std::atomic<bool> m_left{false}, m_crowded{false};
    std::atomic<size_t> m_largest{1 << 20};
    std::mutex m_mutex;
    std::vector<char> m_data, m_spare;
    std::vector<LoggedRange> m_open;
    std::vector<char> m_openNames; ///< of m_open, one behind the other
    std::string m_name;
    uint64_t m_lost = 0;
    bool m_called = false; ///< the writer, since its last visit
};

/// The logs of all threads, which share what memory there is for them.
class ThreadLogs {
public:
    explicit ThreadLogs(uint64_t bytes) : m_bytes(bytes) {}
    std::shared_ptr<ThreadLog> make(uint32_t thread);
    void moveTo(ChunkFile &file);
    void closeAll(uint64_t now);

private:
    void share();

    const uint64_t m_bytes;
    std::mutex m_mutex;
    std::vector<std::shared_ptr<ThreadLog>> m_logs;
};

} // namespace longpole::capture
