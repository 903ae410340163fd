// SPDX-License-Identifier: Apache-2.0
#include "core/base/string_pool.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace longpole {

namespace {
constexpr size_t kChunkBytes = 64 * 1024;
}

StringPool::StringPool() : m_slots(1024) { intern({}); }

StringId StringPool::intern(std::string_view text) {
    const uint32_t hash = uint32_t(XXH3_64bits(text.data(), text.size()));
    const size_t mask = m_slots.size() - 1;
    size_t at = hash & mask;
    for (; m_slots[at].id != kNone; at = (at + 1) & mask)
        if (m_slots[at].hash == hash && m_views[m_slots[at].id] == text) return {m_slots[at].id};
    const uint32_t id = uint32_t(m_views.size());
    m_views.push_back(store(text));
    m_slots[at] = {hash, id};
    if (m_views.size() * 3 > m_slots.size() * 2) grow();
    return {id};
}

std::string_view StringPool::store(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > m_chunkLeft) {
        m_chunkLeft = std::max(kChunkBytes, text.size());
        m_chunks.push_back(std::make_unique_for_overwrite<char[]>(m_chunkLeft));
        m_chunkNext = m_chunks.back().get();
    }
    std::memcpy(m_chunkNext, text.data(), text.size());
    const std::string_view stored(m_chunkNext, text.size());
    m_chunkNext += text.size();
    m_chunkLeft -= text.size();
    return stored;
}

void StringPool::grow() {
    std::vector<Slot> old(m_slots.size() * 2);
    old.swap(m_slots);
    const size_t mask = m_slots.size() - 1;
    for (const Slot &slot : old) {
        if (slot.id == kNone) continue;
        size_t at = slot.hash & mask;
        while (m_slots[at].id != kNone) at = (at + 1) & mask;
        m_slots[at] = slot;
    }
}

} // namespace longpole
