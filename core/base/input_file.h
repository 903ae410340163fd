// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace longpole {

class Spool;

/// A file to read, plain or gzip, or zstd, a zip archive of one file or standard input (unpacked or
/// copied to an unlinked temporary file). Holds the descriptor, so that arguments can be read
/// later; the facts about it never change. While the text is read for the first time a TextReader
/// leaves restart points here, one per 16 MiB, which make any later place of a compressed file
/// reachable within milliseconds.
class InputFile {
public:
    /// `path` "-" is standard input. The Error names the file, the system's reason and the way out.
    static Result<std::shared_ptr<InputFile>> open(const std::string &path);
    ~InputFile();
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;

    const std::string &path() const { return m_path; }
    uint64_t bytes() const { return m_bytes; } ///< on disk
    bool compressed() const { return m_compressed; }
    /// Size and xxh3-64 of the first and last MiB and 62 evenly spaced blocks of 4 KiB.
    std::string fingerprint() const;
    /// Bytes of the file itself, or of what was unpacked of it into a temporary file, from any
    /// place; fewer only at the end. From any thread.
    size_t readAt(char *to, size_t size, uint64_t at) const;
    uint64_t readableBytes() const; ///< that readAt() can give; waits for what is being unpacked
    bool
    outOfRoom() const;    ///< it could not be unpacked as a whole: the disk is full; waits as well
    bool changed() const; ///< size or time of change differ from when it was opened

private:
    friend class TextReader;
    struct RestartPoint;
    InputFile() = default;

    std::string m_path;
    int m_fd = -1;
    uint64_t m_bytes = 0;
    int64_t m_changedNs = 0;
    bool m_compressed = false;
    std::vector<std::unique_ptr<const RestartPoint>> m_restartPoints; ///< by text offset
    std::shared_ptr<Spool> m_spool; ///< of a file that has no places to restart from
};

/// Reads the text of an InputFile forwards from any place. One thread at a time.
class TextReader {
public:
    /// Leaves restart points in `file`; only the first reader of a file may, before it is shared.
    explicit TextReader(InputFile &file);
    explicit TextReader(std::shared_ptr<const InputFile> file);
    ~TextReader();

    /// Fills `to` as far as the text goes; fewer bytes than asked for mean the end or damage.
    size_t read(char *to, size_t size);
    /// Goes to a text offset, from the nearest restart point where the file is compressed.
    void seek(uint64_t offset);
    uint64_t offset() const { return m_offset; }
    double fraction() const; ///< of the file on disk, 0…1

    enum class State { Good, Truncated, Corrupt };
    /// Truncated: a compressed file stops without its end mark. Corrupt: its data make no sense.
    State state() const { return m_state; }
    /// Behind the last gzip stream stands something else than zeros, which is not read.
    bool foreignTail() const { return m_foreignTail; }

private:
    struct Inflate;
    size_t readPlain(char *to, size_t size);
    size_t inflate(char *to, size_t size);
    bool refill();
    void restart(uint64_t offset);

    const InputFile &m_file;
    std::shared_ptr<const InputFile> m_keepAlive;
    InputFile *m_record = nullptr; ///< where restart points go
    std::unique_ptr<Inflate> m_inflate;
    uint64_t m_offset = 0;
    State m_state = State::Good;
    bool m_foreignTail = false;
};

} // namespace longpole
