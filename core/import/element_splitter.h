// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace longpole {

/// Cuts the text of a JSON list into its elements one by one: slow, but it needs neither valid texts
/// nor valid numbers, and text may arrive in pieces. What breaks the structure is passed over up to
/// the next place that looks like the border of two events. Used where a block could not be parsed whole.
class ElementSplitter {
public:
    struct Sink {
        std::function<void(std::string_view text, uint64_t offset)> element;
        std::function<void(uint64_t offset)> broken; ///< something without structure begins here
    };

    /// Takes a piece that begins at `offset`; returns the bytes used: all, or up to and with the ']'
    /// that ends the list. Where that came with an earlier piece, what came behind it is to be taken.
    size_t feed(std::string_view piece, uint64_t offset, const Sink &sink);
    bool ended() const { return m_ended; }
    std::string takeLeft() { return std::move(m_left); } ///< from pendingOffset() on
    /// True between two elements: the next piece may be parsed as a block again.
    bool atBoundary() const { return m_rest.empty() && !m_skipping && !m_ended; }
    /// Offset of an element that is not whole; only where !atBoundary().
    uint64_t pendingOffset() const { return m_offset; }
    bool pending() const { return !m_rest.empty() && !m_skipping; }
    void reset() { *this = ElementSplitter{}; }
    /// Passes over everything up to the next border of two events.
    void skipToBoundary() { m_skipping = true; }

private:
    bool skip();
    bool takeElement(const Sink &sink);

    std::string m_rest;     ///< text not used yet, from the begin of an element
    std::string m_left;     ///< behind the end of the list, from earlier pieces
    uint64_t m_offset = 0;  ///< of m_rest[0]
    size_t m_at = 0;        ///< how much of m_rest is used
    bool m_skipping = false, m_ended = false;
};

} // namespace longpole
