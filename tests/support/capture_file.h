// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/format.h"

#include <string>
#include <string_view>

namespace longpole::test {

/// Writes capture files by hand, beside the recorder's own writer and without it.
class CaptureFile {
public:
    CaptureFile();

    template <class T>
    void add(T record, capture::Type type, uint16_t flags = 0) {
        record.head = {type, flags, sizeof record};
        raw({reinterpret_cast<const char *>(&record), sizeof record});
    }
    void raw(std::string_view record);
    uint32_t text(std::string_view text);
    void chunk(uint64_t dropped = 0); ///< ends the chunk
    void end();                       ///< an End record, and the chunk
    const std::string &text() const { return m_file; }

private:
    std::string m_file, m_payload;
    uint32_t m_records = 0, m_number = 0, m_texts = 0;
};

/// Two steps on one thread and two streams, with every kind of record, in five chunks.
std::string smallCapture();

} // namespace longpole::test
