// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"

#include <memory>
#include <string_view>
#include <vector>

namespace longpole {

/// Every distinct text of one file, once. Written by one thread while importing, then read-only
/// and shared by all tracks of the file. Views stay valid as long as the pool lives.
class StringPool {
public:
    StringPool();
    StringPool(const StringPool &) = delete;
    StringPool &operator=(const StringPool &) = delete;

    /// Id of `text`; equal texts get equal ids. The empty text is id 0.
    StringId intern(std::string_view text);
    std::string_view operator[](StringId id) const { return m_views[id.index]; }
    uint32_t size() const { return uint32_t(m_views.size()); }

private:
    std::string_view store(std::string_view text);
    void grow();

    struct Slot {
        uint32_t hash = 0;
        uint32_t id = kNone;
    };
    std::vector<Slot> m_slots; ///< open addressing, size a power of two, at most 2/3 full
    std::vector<std::string_view> m_views;
    std::vector<std::unique_ptr<char[]>> m_chunks;
    size_t m_chunkLeft = 0;
    char *m_chunkNext = nullptr;
};

} // namespace longpole
