// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/format.h"

#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace longpole::capture {

/// Appends records to a file in chunks that each stand for themselves. One thread at a time. When
/// the disk is full the file is cut back to its last whole chunk, and all that follows is counted
/// as lost.
class ChunkFile {
public:
    ~ChunkFile();
    /// Takes `path`, or where another process has it `path`.PID. What is wrong as a sentence.
    std::string open(const std::string &path);

    template <class T>
    T &add(Type type, uint16_t flags = 0) {
        const size_t at = m_payload.size();
        m_payload.resize(at + sizeof(T));
        T &record = *new (m_payload.data() + at) T{};
        record.head = {type, flags, uint32_t(sizeof(T))};
        ++m_records;
        return record;
    }
    /// The bytes that may be spent on knowing texts again. Beyond them all are forgotten, and
    /// written anew when they come again: a program that numbers its ranges has a new one each
    /// time.
    void remember(size_t bytes) { m_mostKnown = bytes; }
    /// The number of a text, which is written when it comes first. To be called before add().
    uint32_t text(std::string_view text);
    /// The same for a text that stays where it is: looked up by its place first.
    uint32_t textAt(const char *text);

    void countDropped(uint64_t count) { m_dropped += count; }
    bool wantsWriting() const { return m_payload.size() >= kChunkBytes; }
    void write(); ///< what was added since, as one chunk
    void close();
    void abandon(); ///< in a child process: the file belongs to the parent

    const std::string &path() const { return m_path; }
    bool isOpen() const { return m_fd >= 0; }
    uint64_t bytes() const { return m_bytes; }
    uint64_t records() const { return m_total + m_records; }
    uint64_t dropped() const { return m_dropped; }
    const std::string &failure() const {
        return m_failure;
    } ///< why the disk takes no more; empty: it does

private:
    static constexpr size_t kChunkBytes = 1 << 20;
    void cutBack();

    std::string m_path, m_failure;
    int m_fd = -1;
    uint64_t m_bytes = 0, m_total = 0, m_dropped = 0;
    uint32_t m_number = 0, m_records = 0, m_nextText = 1;
    size_t m_known = 0, m_mostKnown = 16 << 20; ///< bytes that the two tables below take, about
    std::vector<char> m_payload;
    std::unordered_map<std::string, uint32_t> m_texts;
    struct Known {
        const std::string *text;
        uint32_t id;
    };
    std::unordered_map<const char *, Known> m_places;
};

} // namespace longpole::capture
