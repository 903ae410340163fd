// SPDX-License-Identifier: Apache-2.0
#include "core/import/rank_in_name.h"

#include <charconv>

namespace longpole {

namespace {

constexpr int kFolders = 3;       ///< looked at, from the file up
constexpr size_t kMostDigits = 7; ///< longer numbers are times or process ids

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? char(c + 32) : c;
}
bool isLetter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}
bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isAt(std::string_view text, size_t at, std::string_view word) {
    if (at > text.size() || text.size() - at < word.size()) return false;
    for (size_t i = 0; i < word.size(); ++i)
        if (lower(text[at + i]) != word[i]) return false;
    return true;
}

/// The number behind the word "rank" at this place.
std::optional<int64_t> numberBehind(std::string_view name, size_t at) {
    constexpr std::string_view local = "local";
    if (at > 0 && isLetter(name[at - 1])) return std::nullopt;
    if (at > local.size() && isAt(name, at - 1 - local.size(), local)) return std::nullopt;
    size_t from = at + 4;
    if (from < name.size() && std::string_view("-_.= ").find(name[from]) != std::string_view::npos)
        ++from;
    size_t to = from;
    while (to < name.size() && isDigit(name[to])) ++to;
    int64_t number = 0;
    if (to == from || to - from > kMostDigits) return std::nullopt;
    std::from_chars(name.data() + from, name.data() + to, number);
    return number;
}

} // namespace

std::optional<int64_t> rankInName(std::string_view path) {
    for (int i = 0; i <= kFolders && !path.empty(); ++i) {
        const size_t slash = path.rfind('/');
        const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
        path = slash == path.npos ? std::string_view() : path.substr(0, slash);
        std::optional<int64_t> found;
        for (size_t at = 0; at < name.size(); ++at) {
            const auto number = isAt(name, at, "rank") ? numberBehind(name, at) : std::nullopt;
            if (number && found && *number != *found) return std::nullopt;
            if (number) found = number;
        }
        if (found) return found;
    }
    return std::nullopt;
}

} // namespace longpole
