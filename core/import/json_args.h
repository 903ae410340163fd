// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longpole {

/// One key of an object and its value as valid UTF-8 JSON.
struct JsonArg {
    std::string key;
    std::string value;
};

/// The keys and values of the object `args` inside the text of an event, in the order of the file.
/// Integers keep every digit, NaN and infinities become texts, bad bytes U+FFFD. Text that is no JSON
/// at all comes back whole under the key "unreadable".
std::vector<JsonArg> argsOfEvent(std::string_view event);

/// {"key":value,…}
std::string jsonObject(const std::vector<JsonArg> &args);

/// A value for people: texts without quotes, everything else as JSON.
std::string plainValue(const std::string &json);

} // namespace longpole
