// SPDX-License-Identifier: Apache-2.0
#include "core/import/top_level.h"

#include "core/base/json_text.h"
#include "core/import/decimal_time.h"
#include "core/import/json_args.h"
#include "core/import/json_scan.h"

#include <simdjson.h>

#include <charconv>

namespace longpole {

namespace {

constexpr size_t kLargestValue = 1 << 20; // of keys that nobody asks for, to tell what they hold
constexpr size_t kLargestWanted =
    64 << 20; // process groups of thousands of ranks; longer ones are passed over
constexpr size_t kLargestExcerpt = size_t(2) << 30; // grows with the window

bool isWanted(std::string_view key) {
    return key == "baseTimeNanoseconds" || key == "distributedInfo" || key == "deviceProperties" ||
           key == kExcerptKey;
}

/// A whole number, which some tools write as a text or as "3.0".
std::optional<int64_t> integer(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    if (const size_t point = text.find('.'); point != text.npos)
        if (text.find_first_not_of('0', point + 1) == text.npos) text = text.substr(0, point);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

} // namespace

void TopLevel::endKey() {
    std::string plain;
    appendUnescaped(plain, m_key);
    m_key = plain;
    m_state = State::AfterKey;
}

void TopLevel::endValue(Diagnostics &diagnostics) {
    if (m_value.starts_with('[') && m_value.find("\"ph\"") != std::string::npos)
        diagnostics.add(Reason::OtherList, m_valueOffset);
    while (!m_value.empty() && isJsonBlank(m_value.back())) m_value.pop_back();
    if (!isWanted(m_key) || m_value.size() >= m_largest) m_value.clear();
    m_values.emplace(m_key, m_value);
    m_value.clear();
    m_state = State::AfterValue;
}

bool TopLevel::valueCharacter(char c) {
    if (m_inText) {
        if (m_escaped)
            m_escaped = false;
        else if (c == '\\')
            m_escaped = true;
        else if (c == '"')
            m_inText = false;
    } else if (c == '"') {
        m_inText = true;
    } else if (c == '{' || c == '[') {
        ++m_depth;
    } else if (c == '}' || c == ']') {
        if (m_depth == 0) return false;
        --m_depth;
    } else if (c == ',' && m_depth == 0) {
        return false;
    }
    if (m_value.size() < m_largest) m_value += c;
    return true;
}

size_t TopLevel::feed(std::string_view piece, uint64_t offset, Diagnostics &diagnostics) {
    for (size_t i = 0; i < piece.size(); ++i) {
        const char c = piece[i];
        if (m_justEnded && !isJsonBlank(c)) {
            // behind the list: the next key, the end of the document, or the list was none
            m_justEnded = m_state == State::AfterValue && c == ',';
            const bool fits = m_isArray ? c != ',' && c != '}' : c == ',' || c == '}' || c == '"';
            if (!fits) {
                m_listWentOn = true;
                m_justEnded = false;
                return i;
            }
        }
        switch (m_state) {
        case State::Start:
            if (c != '[' && c != '{') break;
            m_isArray = c == '[';
            m_state = m_isArray ? State::Events : State::BeforeKey;
            if (m_isArray) return i + 1;
            break;
        case State::BeforeKey:
            if (c == '"') {
                m_key.clear();
                m_state = State::Key;
            } else if (c == '}') {
                m_state = State::Behind;
            }
            break;
        case State::Key:
            if (c == '"' && !m_escaped)
                endKey();
            else if (m_key.size() < kLargestValue)
                m_key += c;
            m_escaped = c == '\\' && !m_escaped;
            break;
        case State::AfterKey:
            if (c == ':' || isJsonBlank(c)) break;
            if (c == '[' && m_key == "traceEvents") {
                m_state = State::Events;
                return i + 1;
            }
            m_state = State::Value;
            m_valueOffset = offset + i;
            m_largest = m_key == kExcerptKey ? kLargestExcerpt
                        : isWanted(m_key)    ? kLargestWanted
                                             : kLargestValue;
            [[fallthrough]];
        case State::Value:
            if (valueCharacter(c)) break;
            endValue(diagnostics);
            [[fallthrough]];
        case State::AfterValue:
            if (c == ',')
                m_state = State::BeforeKey;
            else if (c == '}')
                m_state = State::Behind;
            break;
        case State::Behind:
            if (isJsonBlank(c) || m_trailingSaid) break;
            diagnostics.add(Reason::TrailingData, offset + i);
            m_trailingSaid = true;
            break;
        case State::Events:
            return i;
        }
    }
    return piece.size();
}

void applyTopLevel(const std::map<std::string, std::string> &values, SourceFile &file) {
    const auto text = [&](const char *key) {
        const auto it = values.find(key);
        return it == values.end() ? std::string_view{} : std::string_view(it->second);
    };
    std::optional<int64_t> base = integer(text("baseTimeNanoseconds"));
    if (base && (*base < 0 || *base >= kTimeLimit)) base.reset();
    if (base) file.origin = *base; // with times inside their limit, sums stay inside 64 bits
    file.clock = base ? "nanoseconds since baseTimeNanoseconds" : "microseconds as written";
    const bool kineto = values.contains("schemaVersion") || values.contains("deviceProperties");
    file.format = kineto ? "PyTorch (Kineto) JSON" : "Chrome JSON";

    // written by a program of the user's: whatever else is in it may be no JSON
    for (const auto &[key, value] :
         argsOfEvent("{\"args\":" + std::string(text("distributedInfo")) + "}")) {
        if (key == "rank") file.rank = integer(value);
        if (key == "world_size") file.worldSize = integer(value);
    }
    if (file.rank < 0) file.rank.reset(); // "none yet"
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    simdjson::dom::array devices;
    if (!parser.parse(std::string(text("deviceProperties"))).get(element) &&
        !element.get(devices)) {
        for (simdjson::dom::element device : devices) {
            int64_t id = 0;
            std::string_view name;
            if (device["id"].get(id) || device["name"].get(name) || id < 0 || id > 4095) continue;
            if (size_t(id) >= file.deviceNames.size()) file.deviceNames.resize(size_t(id) + 1);
            file.deviceNames[size_t(id)] = name;
        }
    }
}

} // namespace longpole
