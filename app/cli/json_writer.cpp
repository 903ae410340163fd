// SPDX-License-Identifier: Apache-2.0
#include "app/cli/json_writer.h"

#include "core/base/json_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace longpole::cli {

namespace {
constexpr size_t kFlushBytes = 256 * 1024;
}

JsonWriter::~JsonWriter() {
    flush();
}

void JsonWriter::separate() {
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (!m_hasElements.empty()) {
        if (m_hasElements.back()) m_text += ',';
        m_hasElements.back() = true;
    }
    if (m_line) m_text += '\n';
    m_line = false;
    if (m_text.size() >= kFlushBytes) flush();
}

void JsonWriter::line() {
    m_line = true;
}

void JsonWriter::key(std::string_view name) {
    separate();
    appendQuoted(m_text, name);
    m_text += ':';
    m_afterKey = true;
}

void JsonWriter::raw(std::string_view json) {
    separate();
    m_text += json;
}

void JsonWriter::value(std::string_view text) {
    separate();
    appendQuoted(m_text, text);
}

void JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number);
    raw({text, size_t(end - text)});
}

void JsonWriter::open(char bracket) {
    separate();
    m_text += bracket;
    m_hasElements.push_back(false);
}

void JsonWriter::close(char bracket) {
    m_hasElements.pop_back();
    m_text += bracket;
    if (m_hasElements.empty()) m_text += '\n';
}

bool JsonWriter::flush() {
    if (!m_text.empty() && std::fwrite(m_text.data(), 1, m_text.size(), stdout) != m_text.size())
        m_failed = true;
    m_text.clear();
    return !m_failed;
}

} // namespace longpole::cli
