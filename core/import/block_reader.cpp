// SPDX-License-Identifier: Apache-2.0
#include "core/import/block_reader.h"

#include "core/import/json_scan.h"

#include <algorithm>
#include <cstring>

namespace longpole {

namespace {
constexpr size_t kBlockBytes = 512 << 10; // with the parser's index it stays in the second-level cache
constexpr size_t kLargestBlock = 64 << 20;
} // namespace

BlockReader::BlockReader(TextReader &reader, std::string head)
    : m_reader(reader), m_carry(std::move(head)) {}

bool BlockReader::next(BlockBuffer &buffer) {
    if (m_atEnd && m_carry.empty()) return false;
    const uint64_t offset = m_reader.offset() - m_carry.size();
    size_t filled = 0, cut = std::string_view::npos;
    size_t wanted = std::max(kBlockBytes, m_carry.size());
    for (;; wanted *= 2) {
        // a byte before for the '[', one behind for the ']'
        const size_t capacity = 1 + wanted + 1 + simdjson::SIMDJSON_PADDING;
        if (buffer.memory.size() < capacity) buffer.memory.resize(capacity);
        char *text = buffer.memory.data() + 1;
        if (filled == 0) {
            std::memcpy(text, m_carry.data(), m_carry.size());
            filled = m_carry.size();
        }
        if (!m_atEnd) {
            const size_t got = m_reader.read(text + filled, wanted - filled);
            m_atEnd = got < wanted - filled;
            filled += got;
        }
        if (m_atEnd || wanted >= kLargestBlock) break;
        cut = findLastEventBoundary({text, filled});
        if (cut != std::string_view::npos) break;
    }
    char *text = buffer.memory.data() + 1;
    buffer.commaFollows = cut != std::string_view::npos;
    const size_t size = buffer.commaFollows ? cut : filled;
    m_carry.assign(text + size + buffer.commaFollows, filled - size - buffer.commaFollows);
    buffer.block = {text, size, buffer.memory.size() - 1, offset};
    buffer.fraction = m_reader.fraction();
    return true;
}

} // namespace longpole
