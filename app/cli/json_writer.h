// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longpole::cli {

/// Writes one JSON document to standard output piece by piece, so that a result of any size needs
/// little memory. Commas are put where they belong; lines break where a reader wants them.
class JsonWriter {
public:
    ~JsonWriter();

    void beginObject() { open('{'); }
    void endObject() { close('}'); }
    void beginArray() { open('['); }
    void endArray() { close(']'); }
    void key(std::string_view name);
    void line(); ///< the next element begins on a line of its own

    void null() { raw("null"); }
    void raw(std::string_view json);
    void value(std::string_view text);
    void value(const char *text) { value(std::string_view(text)); }
    void value(const std::string &text) { value(std::string_view(text)); }
    void value(bool yes) { raw(yes ? "true" : "false"); }
    template <std::integral T>
    void value(T number) {
        raw(std::to_string(number));
    }
    void value(double number); ///< null unless finite
    template <class T>
    void value(const std::optional<T> &known) {
        known ? value(*known) : null();
    }
    template <class T>
    void field(std::string_view name, const T &content) {
        key(name);
        value(content);
    }
    void nullField(std::string_view name) {
        key(name);
        null();
    }
    bool flush(); ///< false when standard output does not take the text

private:
    void open(char bracket);
    void close(char bracket);
    void separate();

    std::string m_text;
    std::vector<bool> m_hasElements;
    bool m_afterKey = false, m_line = false, m_failed = false;
};

} // namespace longpole::cli
