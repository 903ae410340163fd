// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace longpole::test {

/// Writes events as PyTorch's profiler does, in microseconds with three decimals, in pieces of some
/// kilobytes.
class KinetoWriter {
public:
    explicit KinetoWriter(std::function<void(std::string_view)> out) : m_out(std::move(out)) {}

    void raw(std::string_view text) {
        m_text += text;
        if (m_text.size() > 64 * 1024) flush();
    }
    void flush() {
        m_out(m_text);
        m_text.clear();
    }
    /// {"ph": "X", …}; args is the inside of an object, without braces.
    void interval(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid,
                  TimeNs begin, TimeNs end, std::string_view args) {
        head("X", category, name, pid, tid, begin);
        raw(",\"dur\":" + microseconds(end - begin) + ",\"args\":{" + std::string(args) + "}}");
    }
    void flow(bool start, uint64_t id, uint32_t pid, uint32_t tid, TimeNs time) {
        head(start ? "s" : "f", "ac2g", "ac2g", pid, tid, time);
        raw(",\"id\":" + std::to_string(id) + (start ? "}" : ",\"bp\":\"e\"}"));
    }
    /// A name or a sort index of a process, or of a thread when tid is given.
    void metadata(std::string_view what, uint32_t pid, const uint32_t *tid, std::string_view args) {
        begin();
        raw("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(pid) +
            (tid ? ",\"tid\":" + std::to_string(*tid) : "") + ",\"args\":{" + std::string(args) +
            "}}");
    }

private:
    void begin() {
        raw(m_first ? "\n" : ",\n");
        m_first = false;
    }
    void head(std::string_view phase, std::string_view category, std::string_view name,
              uint32_t pid, uint32_t tid, TimeNs time) {
        begin();
        raw("{\"ph\":\"" + std::string(phase) + "\",\"cat\":\"" + std::string(category) +
            "\",\"name\":\"" + std::string(name) + "\",\"pid\":" + std::to_string(pid) +
            ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + microseconds(time));
    }
    static std::string microseconds(TimeNs ns) {
        std::string fraction = std::to_string(ns % 1000);
        fraction.insert(0, 3 - fraction.size(), '0');
        return std::to_string(ns / 1000) + "." + fraction;
    }

    std::function<void(std::string_view)> m_out;
    std::string m_text;
    bool m_first = true;
};

} // namespace longpole::test
