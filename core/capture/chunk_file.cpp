// SPDX-License-Identifier: Apache-2.0
#include "core/capture/chunk_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace longpole::capture {

namespace {

constexpr size_t kLongestText = 64 << 10;
constexpr size_t kOverhead = 128; ///< bytes that a table's entry takes beside its text

/// Writes all of it, or as much as the disk takes.
bool writeAll(int fd, const char *data, size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(fd, data, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data += written;
        size -= size_t(written);
    }
    return true;
}

} // namespace

ChunkFile::~ChunkFile() {
    close();
}

std::string ChunkFile::open(const std::string &path) {
    m_path = path;
    m_fd = ::open(m_path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (m_fd < 0 && errno == EEXIST) {
        m_path += '.' + std::to_string(getpid());
        m_fd = ::open(m_path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    }
    if (m_fd < 0) return "The file " + m_path + " cannot be written: " + std::strerror(errno) + ".";
    FileHead head{{}, kVersion, 0};
    std::memcpy(head.magic, kFileMagic, sizeof head.magic);
    m_bytes = sizeof head;
    if (!writeAll(m_fd, reinterpret_cast<const char *>(&head), sizeof head)) {
        m_bytes = 0;
        cutBack();
    }
    return {};
}

uint32_t ChunkFile::text(std::string_view text) {
    if (text.empty()) return 0;
    if (m_known > m_mostKnown) {
        m_places.clear();
        m_texts.clear();
        m_known = 0;
    }
    const auto [it, isNew] =
        m_texts.try_emplace(std::string(text.substr(0, kLongestText)), m_nextText);
    if (!isNew) return it->second;
    ++m_nextText;
    m_known += it->first.size() + kOverhead;
    const std::string &kept = it->first;
    Text &record = add<Text>(Type::Text);
    record.id = it->second;
    record.length = uint32_t(kept.size());
    const size_t padded = (kept.size() + 7) / 8 * 8;
    record.head.size += uint32_t(padded);
    const size_t at = m_payload.size();
    m_payload.resize(at + padded);
    std::memcpy(m_payload.data() + at, kept.data(), kept.size());
    return it->second;
}

uint32_t ChunkFile::textAt(const char *place) {
    if (!place) return 0;
    // the text is compared as well: its place may have been given back and taken for another one
    const auto known = m_places.find(place);
    if (known != m_places.end() && *known->second.text == place) return known->second.id;
    const uint32_t id = text(place); // may forget all places
    const auto kept = m_texts.find(std::string(std::string_view(place).substr(0, kLongestText)));
    if (kept == m_texts.end()) return id;
    m_places[place] = {&kept->first, id};
    m_known += kOverhead;
    return id;
}

void ChunkFile::write() {
    if (m_payload.empty()) return;
    if (m_fd < 0 || !m_failure.empty()) {
        m_dropped += m_records;
    } else {
        ChunkHead head{kChunkMagic, uint32_t(m_payload.size()), m_records, m_number, m_dropped, 0};
        head.checksum = XXH3_64bits_withSeed(m_payload.data(), m_payload.size(),
                                             XXH3_64bits(&head, offsetof(ChunkHead, checksum)));
        if (writeAll(m_fd, reinterpret_cast<const char *>(&head), sizeof head) &&
            writeAll(m_fd, m_payload.data(), m_payload.size())) {
            ++m_number;
            m_bytes += sizeof head + m_payload.size();
            m_total += m_records;
        } else {
            cutBack();
            m_dropped += m_records;
        }
    }
    m_records = 0;
    m_payload.clear();
}

void ChunkFile::cutBack() {
    m_failure = std::string("The file ") + m_path + " takes no more: " + std::strerror(errno) +
                ". What was recorded before is kept, the rest is lost.";
    if (ftruncate(m_fd, off_t(m_bytes)) != 0)
        return; // the reader finds the last whole chunk all the same
    lseek(m_fd, off_t(m_bytes), SEEK_SET);
}

void ChunkFile::close() {
    if (m_fd < 0) return;
    write();
    ::close(m_fd);
    m_fd = -1;
}

void ChunkFile::abandon() {
    if (m_fd >= 0) ::close(m_fd); // all else may be half way through a change
    m_fd = -1;
}

} // namespace longpole::capture
