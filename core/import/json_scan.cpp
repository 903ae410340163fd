// SPDX-License-Identifier: Apache-2.0
#include "core/import/json_scan.h"

#include "core/base/json_text.h"

namespace longpole {

namespace {

/// True when the comma at `at` stands between a '}' and a '{' that opens a key.
bool isBoundary(std::string_view text, size_t at) {
    size_t before = at, behind = at + 1;
    while (before > 0 && isJsonBlank(text[before - 1])) --before;
    if (before == 0 || text[before - 1] != '}') return false;
    while (behind < text.size() && isJsonBlank(text[behind])) ++behind;
    if (behind >= text.size() || text[behind] != '{') return false;
    ++behind;
    while (behind < text.size() && isJsonBlank(text[behind])) ++behind;
    return behind < text.size() && text[behind] == '"';
}

/// Index behind the closing quote of the text that opens at `at`; npos when it does not close.
size_t behindText(std::string_view text, size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\') ++at;
        else if (text[at] == '"') return at + 1;
    }
    return text.npos;
}

} // namespace

ValueScan scanValue(std::string_view text) {
    enum class Expect { Value, Key, Colon, Separator };
    Expect expect = Expect::Value;
    std::string open; // brackets around, innermost last
    const auto afterValue = [&](size_t end) {
        expect = Expect::Separator;
        return open.empty() ? ValueScan{ValueScan::Whole, end} : ValueScan{};
    };
    for (size_t i = 0; i < text.size();) {
        const char c = text[i];
        ValueScan done;
        if (isJsonBlank(c)) {
            ++i;
        } else if (c == '}' || c == ']') {
            // an empty container, a trailing comma, or the regular end
            if (open.empty() || open.back() != (c == '}' ? '{' : '[') || expect == Expect::Colon)
                return {ValueScan::Broken, 0};
            open.pop_back();
            done = afterValue(++i);
        } else if (c == ',') {
            if (expect == Expect::Colon || open.empty()) return {ValueScan::Broken, 0};
            expect = open.back() == '{' ? Expect::Key : Expect::Value;
            ++i;
        } else if (c == ':') {
            if (expect != Expect::Colon) return {ValueScan::Broken, 0};
            expect = Expect::Value;
            ++i;
        } else if (expect == Expect::Separator || expect == Expect::Colon ||
                   (expect == Expect::Key && c != '"')) {
            return {ValueScan::Broken, 0};
        } else if (c == '"') {
            i = behindText(text, i);
            if (i == text.npos) return {};
            if (expect == Expect::Key) expect = Expect::Colon;
            else done = afterValue(i);
        } else if (c == '{' || c == '[') {
            open += c;
            expect = c == '{' ? Expect::Key : Expect::Value;
            ++i;
        } else {
            i = text.find_first_of(",:{}[]\" \n\r\t", i);
            if (i == text.npos) return {}; // a number may go on in the next piece
            done = afterValue(i);
        }
        if (done.state == ValueScan::Whole) return done;
    }
    return {};
}

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
        while (at > 0 && isJsonBlank(text[at - 1])) --at;
        if (at > 0 && text[at - 1] == ',' && isBoundary(text, at - 1)) return at - 1;
    }
    return text.npos;
}

void sanitise(std::string &element, uint64_t offset, Diagnostics &diagnostics) {
    bool inText = false, escaped = false, controls = false, invalid = false;
    for (size_t i = 0; i < element.size();) {
        char &c = element[i];
        const size_t length =
            uint8_t(c) < 0x80 ? 1 : utf8Length(std::string_view(element).substr(i, 4));
        if (length == 0) {
            c = '\x7f';
            invalid = true;
        } else if (uint8_t(c) < ' ' && (inText || !isJsonBlank(c))) {
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

} // namespace longpole
