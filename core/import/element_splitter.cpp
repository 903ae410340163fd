// SPDX-License-Identifier: Apache-2.0
#include "core/import/element_splitter.h"

#include "core/import/json_scan.h"

#include <algorithm>

namespace longpole {

namespace {
constexpr size_t kOverlap = 4096; // blanks around a border that may lie across two pieces
}

/// Goes behind the next border of two events; false when the text holds none.
bool ElementSplitter::skip() {
    const size_t comma = findEventBoundary(m_rest, m_at);
    if (comma == std::string::npos) {
        m_at = std::max(m_at, m_rest.size() - std::min(m_rest.size(), kOverlap));
        return false;
    }
    m_at = comma + 1;
    m_skipping = false;
    return true;
}

/// Uses the next element, blank or comma; false when more text is needed or the list has ended.
bool ElementSplitter::takeElement(const Sink &sink) {
    while (m_at < m_rest.size() && (isJsonBlank(m_rest[m_at]) || m_rest[m_at] == ',')) ++m_at;
    if (m_at == m_rest.size()) return false;
    if (m_rest[m_at] == ']') {
        ++m_at;
        m_ended = true;
        return false;
    }
    const std::string_view text = std::string_view(m_rest).substr(m_at);
    const ValueScan scan = scanValue(text);
    if (scan.state == ValueScan::Incomplete) return false;
    if (scan.state == ValueScan::Whole) {
        sink.element(text.substr(0, scan.length), m_offset + m_at);
        m_at += scan.length;
        return true;
    }
    sink.broken(m_offset + m_at);
    m_skipping = true;
    return true;
}

size_t ElementSplitter::feed(std::string_view piece, uint64_t offset, const Sink &sink) {
    if (m_rest.empty()) m_offset = offset;
    const size_t before = m_rest.size();
    m_rest += piece;
    m_at = 0;
    while (m_skipping ? skip() : takeElement(sink)) {}
    // the piece is used up to where the list ended; what was kept from before always is
    const size_t used = m_ended ? m_at - std::min(m_at, before) : piece.size();
    if (m_ended && m_at < before) m_left = m_rest.substr(m_at, before - m_at);
    m_rest.erase(0, m_ended ? m_rest.size() : m_at);
    m_offset += m_at;
    return used;
}

} // namespace longpole
