// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/diagnostics.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace longpole {

constexpr bool isJsonBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// What stands at the begin of a text where a JSON value is expected.
struct ValueScan {
    enum State { Whole, Incomplete, Broken } state = Incomplete;
    size_t length = 0; ///< of the value when it is whole
};

/// Walks over one value and checks its structure: brackets, quotes, colons and commas in their places.
/// What stands inside texts, and how numbers and words are spelt, does not matter.
ValueScan scanValue(std::string_view text);

/// Makes an element digestible for a strict parser without moving a byte: control characters inside
/// texts become spaces, bytes that are not UTF-8 become DEL (shown as U+FFFD). Both are noted.
void sanitise(std::string &element, uint64_t offset, Diagnostics &diagnostics);

/// Place of the comma between two elements that look like events, at or after `from`; npos if there
/// is none. A guess: the same characters may stand inside a text or a nested list.
size_t findEventBoundary(std::string_view text, size_t from);
/// The last such place.
size_t findLastEventBoundary(std::string_view text);

} // namespace longpole
