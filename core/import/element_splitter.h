// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/diagnostics.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace longpole {

/// Cuts the text of a JSON list into its elements byte by byte: slow, but it needs neither valid
/// texts nor valid numbers, and text may arrive in pieces. Used where blocks could not be parsed whole.
class ElementSplitter {
public:
    /// Called with the text of one element and the offset of its first byte.
    using Sink = std::function<void(std::string_view text, uint64_t offset)>;

    /// Takes a piece that begins at `offset`; returns the bytes used: all, or up to and with the ']'
    /// that ends the list.
    size_t feed(std::string_view piece, uint64_t offset, const Sink &sink);
    bool ended() const { return m_ended; }
    /// True between two elements: the next piece may be parsed as a block again.
    bool atBoundary() const { return m_depth == 0 && m_element.empty() && !m_ended; }
    /// The begin of an element that is not whole, and where it stands.
    std::string_view pending() const { return m_element; }
    uint64_t pendingOffset() const { return m_offset; }
    void reset() { *this = ElementSplitter{}; }

private:
    void finishElement(const Sink &sink);

    std::string m_element;
    uint64_t m_offset = 0;
    int64_t m_depth = 0;
    bool m_inText = false, m_escaped = false, m_ended = false;
};

/// Makes an element digestible for a strict parser without moving a byte: control characters inside
/// texts become spaces, bytes that are not UTF-8 become DEL (shown as U+FFFD). Both are noted.
void sanitise(std::string &element, uint64_t offset, Diagnostics &diagnostics);

/// Place of the comma between two elements that look like events, at or after `from`; npos if there
/// is none. A guess: the same characters may stand inside a text or a nested list.
size_t findEventBoundary(std::string_view text, size_t from);
/// The last such place.
size_t findLastEventBoundary(std::string_view text);

/// Bytes of the object or list that begins `text`, 0 when it is not whole.
size_t valueLength(std::string_view text);

} // namespace longpole
