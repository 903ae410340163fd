// SPDX-License-Identifier: Apache-2.0
#include "core/import/element_splitter.h"

#include "core/base/json_text.h"

namespace longpole {

namespace {

constexpr bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// True when the comma at `at` stands between a '}' and a '{' that opens a key.
bool isBoundary(std::string_view text, size_t at) {
    size_t before = at, behind = at + 1;
    while (before > 0 && isBlank(text[before - 1])) --before;
    if (before == 0 || text[before - 1] != '}') return false;
    while (behind < text.size() && isBlank(text[behind])) ++behind;
    if (behind >= text.size() || text[behind] != '{') return false;
    ++behind;
    while (behind < text.size() && isBlank(text[behind])) ++behind;
    return behind < text.size() && text[behind] == '"';
}

} // namespace

size_t findEventBoundary(std::string_view text, size_t from) {
    for (size_t at = text.find(',', from); at != text.npos; at = text.find(',', at + 1))
        if (isBoundary(text, at)) return at;
    return text.npos;
}

size_t findLastEventBoundary(std::string_view text) {
    // from one '{' to the one before: there are fewer of them than of commas
    for (size_t brace = text.rfind('{'); brace != text.npos && brace > 0;
         brace = text.rfind('{', brace - 1)) {
        size_t at = brace;
        while (at > 0 && isBlank(text[at - 1])) --at;
        if (at > 0 && text[at - 1] == ',' && isBoundary(text, at - 1)) return at - 1;
    }
    return text.npos;
}

void ElementSplitter::finishElement(const Sink &sink) {
    while (!m_element.empty() && isBlank(m_element.back())) m_element.pop_back();
    if (!m_element.empty()) sink(m_element, m_offset);
    m_element.clear();
}

size_t ElementSplitter::feed(std::string_view piece, uint64_t offset, const Sink &sink) {
    size_t copied = 0; // bytes of the piece that are in m_element or were skipped
    const auto keep = [&](size_t to) {
        m_element.append(piece, copied, to - copied);
        copied = to;
    };
    for (size_t i = 0; i < piece.size(); ++i) {
        const char c = piece[i];
        if (m_inText) {
            if (m_escaped) m_escaped = false;
            else if (c == '\\') m_escaped = true;
            else if (c == '"') m_inText = false;
            continue;
        }
        if (m_depth == 0 && m_element.empty() && copied == i) {
            if (isBlank(c) || c == ',') {
                ++copied;
                continue;
            }
            m_offset = offset + i;
        }
        switch (c) {
        case '"': m_inText = true; break;
        case '{': case '[': ++m_depth; break;
        case '}': case ']':
            if (m_depth == 0) { // the list ends, perhaps behind a scalar
                keep(i);
                finishElement(sink);
                m_ended = true;
                return i + 1;
            }
            if (--m_depth == 0) {
                keep(i + 1);
                finishElement(sink);
            }
            break;
        case ',':
            if (m_depth) break;
            keep(i);
            finishElement(sink);
            ++copied;
            break;
        default: break;
        }
    }
    keep(piece.size());
    return piece.size();
}

void sanitise(std::string &element, uint64_t offset, Diagnostics &diagnostics) {
    bool inText = false, escaped = false, controls = false, invalid = false;
    for (size_t i = 0; i < element.size();) {
        char &c = element[i];
        const size_t length = utf8Length(std::string_view(element).substr(i, 4));
        if (length == 0) {
            c = '\x7f';
            invalid = true;
        } else if (uint8_t(c) < ' ' && (inText || !isBlank(c))) {
            c = ' ';
            controls = true;
        }
        if (!inText) inText = c == '"';
        else if (escaped) escaped = false;
        else if (c == '\\') escaped = true;
        else if (c == '"') inText = false;
        i += length ? length : 1;
    }
    if (controls) diagnostics.add(Reason::ControlCharacter, offset);
    if (invalid) diagnostics.add(Reason::InvalidUtf8, offset);
}

size_t valueLength(std::string_view text) {
    int64_t depth = 0;
    bool inText = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inText) {
            if (c == '\\') ++i;
            else if (c == '"') inText = false;
        } else if (c == '"') {
            inText = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth <= 0) {
            return depth == 0 ? i + 1 : 0;
        }
    }
    return 0;
}

} // namespace longpole
