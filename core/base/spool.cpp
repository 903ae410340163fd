// SPDX-License-Identifier: Apache-2.0
#include "core/base/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace longpole {

int openTemporaryFile() {
    const char *folder = std::getenv("TMPDIR");
    std::string name = std::string(folder && *folder ? folder : "/var/tmp") + "/longpole-XXXXXX";
    const int fd = mkstemp(name.data());
    if (fd >= 0) unlink(name.c_str());
    return fd;
}

bool writeAll(int fd, const char *data, size_t size) {
    while (size) {
        const ssize_t put = ::write(fd, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        data += put;
        size -= size_t(put);
    }
    return true;
}

size_t readAll(int fd, char *to, size_t size, uint64_t at) {
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(fd, to + done, size - done, off_t(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += size_t(got);
    }
    return done;
}

std::shared_ptr<Spool> Spool::start(Unpack unpack) {
    const int fd = openTemporaryFile();
    if (fd < 0) return nullptr;
    std::shared_ptr<Spool> spool(new Spool(fd));
    spool->m_thread =
        std::thread([raw = spool.get(), unpack = std::move(unpack)] { raw->run(unpack); });
    return spool;
}

Spool::~Spool() {
    {
        const std::lock_guard lock(m_mutex);
        m_giveUp = true;
    }
    if (m_thread.joinable()) m_thread.join();
    close(m_fd);
}

void Spool::run(const Unpack &unpack) {
    bool room = true;
    const End end = unpack([&](const char *data, size_t size, double fraction) {
        room = writeAll(m_fd, data, size);
        const std::lock_guard lock(m_mutex);
        if (room) m_size += size;
        m_fraction = fraction;
        m_more.notify_all();
        return room && !m_giveUp;
    });
    const std::lock_guard lock(m_mutex);
    m_end = room ? end : End::NoRoom;
    m_done = true;
    m_more.notify_all();
}

size_t Spool::readAt(char *to, size_t size, uint64_t at) const {
    {
        std::unique_lock lock(m_mutex);
        m_more.wait(lock, [&] { return m_done || m_size >= at + size; });
        size = m_size <= at ? 0 : size_t(std::min<uint64_t>(size, m_size - at));
    }
    return readAll(m_fd, to, size, at);
}

uint64_t Spool::size() const {
    std::unique_lock lock(m_mutex);
    m_more.wait(lock, [&] { return m_done; });
    return m_size;
}

Spool::End Spool::end() const {
    std::unique_lock lock(m_mutex);
    m_more.wait(lock, [&] { return m_done; });
    return m_end;
}

double Spool::fraction(uint64_t at) const {
    const std::lock_guard lock(m_mutex);
    if (m_size == 0) return m_done ? 1 : 0;
    return (m_done ? 1 : m_fraction) * double(std::min(at, m_size)) / double(m_size);
}

} // namespace longpole
