// SPDX-License-Identifier: Apache-2.0
#include "core/import/capture_reader.h"

#include <xxhash.h>

#include <algorithm>

namespace longpole {

namespace {

constexpr uint64_t kMostDamages = 256; ///< then the rest is given up: each one may read far ahead
constexpr size_t kSearchBytes = 1 << 16;

uint64_t checksumOf(const capture::ChunkHead &head, const std::vector<char> &payload) {
    return XXH3_64bits_withSeed(payload.data(), payload.size(),
                                XXH3_64bits(&head, offsetof(capture::ChunkHead, checksum)));
}

} // namespace

bool CaptureReader::next(CaptureRecord &record) {
    for (;;) {
        if (m_at + sizeof(capture::Record) <= m_payload.size()) {
            std::memcpy(&record.head, m_payload.data() + m_at, sizeof record.head);
            const uint32_t size = record.head.size;
            if (size >= sizeof record.head && size % 8 == 0 && size <= m_payload.size() - m_at) {
                record.data = m_payload.data() + m_at;
                record.offset = m_payloadBegin + m_at;
                m_at += size;
                return true;
            }
            if (m_damaged++ == 0) m_firstDamage = m_payloadBegin + m_at; // the rest of it is lost
        }
        m_payload.clear();
        m_at = 0;
        if (m_over || !nextChunk()) return false;
    }
}

bool CaptureReader::nextChunk() {
    const uint64_t at = m_chunkEnd;
    if (readChunk(at)) return true;
    if (m_over) return false; // nothing follows
    if (m_damaged < kMostDamages && findChunk()) {
        if (m_damaged++ == 0) m_firstDamage = at;
        return true;
    }
    m_cutAt = at;
    m_over = true;
    return false;
}

bool CaptureReader::readChunk(uint64_t at) {
    capture::ChunkHead head;
    m_payload.clear();
    m_reader.seek(at);
    const size_t got = m_reader.read(reinterpret_cast<char *>(&head), sizeof head);
    if (got == 0) m_over = m_reader.state() == TextReader::State::Good;
    if (got < sizeof head || head.magic != capture::kChunkMagic || head.length == 0 ||
        head.length > capture::kLargestChunk)
        return false;
    // grows as it is read: what the head says may be far from what is there
    for (size_t have = 0; have < head.length;) {
        const size_t piece = std::min<size_t>(head.length - have, 1 << 20);
        m_payload.resize(have + piece);
        if (m_reader.read(m_payload.data() + have, piece) < piece) {
            m_payload.clear();
            return false;
        }
        have += piece;
    }
    if (checksumOf(head, m_payload) != head.checksum) {
        m_payload.clear();
        return false;
    }
    m_payloadBegin = at + sizeof head;
    m_chunkEnd = m_payloadBegin + head.length;
    m_dropped = std::max(m_dropped, head.dropped);
    return true;
}

/// The next whole chunk behind a place where there is none.
bool CaptureReader::findChunk() {
    constexpr uint32_t kMagic = capture::kChunkMagic;
    std::vector<char> text(kSearchBytes);
    uint64_t tries = 0;
    for (uint64_t at = m_chunkEnd + 1;;) {
        m_reader.seek(at);
        const size_t got = m_reader.read(text.data(), text.size());
        if (got < sizeof kMagic) return false;
        for (size_t i = 0; i + sizeof kMagic <= got; ++i) {
            if (std::memcmp(text.data() + i, &kMagic, sizeof kMagic) != 0) continue;
            if (readChunk(at + i)) return true;
            if (++tries >= kMostDamages) return false;
        }
        at += got - sizeof kMagic + 1;
        if (got < text.size()) return false;
    }
}

} // namespace longpole
