// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/input_file.h"
#include "core/base/progress.h"
#include "core/capture/format.h"

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace longpole {

/// One record of a capture file, where it lies in the chunk that was read last.
struct CaptureRecord {
    const char *data = nullptr;
    capture::Record head{};
    uint64_t offset = 0; ///< in the file

    /// As its type; what a shorter record of an older recorder lacks is zero.
    template <class T>
    T as() const {
        T value{};
        std::memcpy(&value, data, head.size < sizeof value ? head.size : sizeof value);
        return value;
    }
};

/// Walks the records of a capture file, whole chunks only. What is damaged is stepped over.
class CaptureReader {
public:
    explicit CaptureReader(InputFile &input) : m_reader(input) {}

    bool next(CaptureRecord &record);

    /// Chunks whose checksum is wrong or that are no chunks, and the place of the first.
    uint64_t damaged() const { return m_damaged; }
    uint64_t firstDamage() const { return m_firstDamage; }
    /// Where whole chunks end although the file goes on.
    std::optional<uint64_t> cutAt() const { return m_cutAt; }
    uint64_t offset() const { return m_chunkEnd; }
    uint64_t dropped() const { return m_dropped; } ///< as the last chunk has it
    double fraction() const { return m_reader.fraction(); }

private:
    bool nextChunk();
    bool findChunk();
    bool readChunk(uint64_t at);

    TextReader m_reader;
    std::vector<char> m_payload;
    size_t m_at = 0;
    uint64_t m_payloadBegin = 0, m_chunkEnd = sizeof(capture::FileHead);
    uint64_t m_damaged = 0, m_firstDamage = 0, m_dropped = 0;
    std::optional<uint64_t> m_cutAt;
    bool m_over = false;
};

} // namespace longpole
