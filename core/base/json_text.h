// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace longpole {

/// Appends the text that the inside of a JSON string means. Invalid escapes are kept as written and
/// reported by returning false; lone surrogates and bytes that are not UTF-8 become U+FFFD.
bool appendUnescaped(std::string &to, std::string_view inside);

/// Appends `text` as a JSON string with quotes, always valid UTF-8.
void appendQuoted(std::string &to, std::string_view text);

/// Appends nanoseconds as microseconds with all digits, as Chrome's format counts: "12.345".
void appendMicroseconds(std::string &to, int64_t ns);

/// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string toValidUtf8(std::string_view text);

/// Length of the valid UTF-8 sequence that begins `text`, 0 if there is none.
size_t utf8Length(std::string_view text);

} // namespace longpole
