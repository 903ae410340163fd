// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/diagnostics.h"
#include "core/model/excerpt.h"
#include "core/model/trace.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace longpole {

/// Walks through what surrounds the list of events: the keys of the document before and behind
/// traceEvents, with small values kept as text. Text may arrive in pieces.
class TopLevel {
public:
    /// Takes a piece; returns the bytes used: all, up to and with the '[' that opens the events, or up
    /// to the place that shows that the list went on.
    size_t feed(std::string_view piece, uint64_t offset, Diagnostics &diagnostics);
    bool eventsBegin() const { return m_state == State::Events; }
    /// The list of events cannot have ended where eventsEnded() said: what follows is no document.
    bool listWentOn() const { return m_listWentOn; }
    void backToEvents() {
        m_state = State::Events;
        m_listWentOn = false;
    }
    void eventsEnded() {
        m_state = m_isArray ? State::Behind : State::AfterValue;
        m_justEnded = true;
    }

    bool isArray() const { return m_isArray; } ///< the document is the list itself
    bool complete() const { return m_state == State::Behind; }
    const std::map<std::string, std::string> &values() const { return m_values; }

private:
    enum class State { Start, BeforeKey, Key, AfterKey, Value, AfterValue, Events, Behind };
    void endKey();
    void endValue(Diagnostics &diagnostics);
    bool valueCharacter(char c); ///< false: the character stands behind the value

    State m_state = State::Start;
    std::string m_key, m_value;
    std::map<std::string, std::string> m_values;
    uint64_t m_valueOffset = 0;
    size_t m_largest = 0; ///< bytes of the value that are kept
    int64_t m_depth = 0;
    bool m_inText = false, m_escaped = false, m_isArray = false, m_trailingSaid = false;
    bool m_justEnded = false, m_listWentOn = false;
};

/// The key under which a window of a longer capture keeps what was learned from all of it.
inline constexpr std::string_view kExcerptKey = "longpole";
/// Its value; nothing where it is not written as it should be.
std::optional<Excerpt> readExcerpt(const std::string &text);

/// What the keys of the document say of the file.
void applyTopLevel(const std::map<std::string, std::string> &values, SourceFile &file);

} // namespace longpole
