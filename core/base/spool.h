// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace longpole {

/// A temporary file that nobody else can see, -1 when there is none to be had; in $TMPDIR or
/// /var/tmp.
int openTemporaryFile();
bool writeAll(int fd, const char *data, size_t size);
/// Bytes of a file from any place; fewer only at its end or where it cannot be read.
size_t readAll(int fd, char *to, size_t size, uint64_t at);

/// The text of a file that cannot be entered in the middle: a thread of its own unpacks it into a
/// temporary file, while readers take what is there and wait for what is not. From any thread.
class Spool {
public:
    enum class End { Good, Truncated, Corrupt, NoRoom };
    /// Takes unpacked bytes, and how much of the packed ones went into all so far; false: give up.
    using Put = std::function<bool(const char *data, size_t size, double fraction)>;
    using Unpack = std::function<End(const Put &put)>;

    /// Null when there is no temporary file to be had.
    static std::shared_ptr<Spool> start(Unpack unpack);
    ~Spool();
    Spool(const Spool &) = delete;
    Spool &operator=(const Spool &) = delete;

    size_t readAt(char *to, size_t size, uint64_t at) const;
    uint64_t size() const;              ///< of all the text: waits
    End end() const;                    ///< waits
    double fraction(uint64_t at) const; ///< of the packed file, that a place of the text stands for

private:
    explicit Spool(int fd) : m_fd(fd) {}
    void run(const Unpack &unpack);

    const int m_fd;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_more;
    uint64_t m_size = 0; ///< guarded, as is all that follows
    double m_fraction = 0;
    bool m_done = false, m_giveUp = false;
    End m_end = End::Good;
    std::thread m_thread;
};

/// Starts to unpack a file of zstd, by its descriptor, which must outlive the spool.
std::shared_ptr<Spool> spoolZstd(int fd, uint64_t bytes);
bool isZstd(const unsigned char *head, size_t size); ///< by the first four bytes
/// The same for a zip archive that holds one file; null for any other.
std::shared_ptr<Spool> spoolZip(int fd, uint64_t bytes);
bool isZip(const unsigned char *head, size_t size);

} // namespace longpole
