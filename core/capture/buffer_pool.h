// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <vector>

namespace longpole::capture {

/// The memory that CUPTI fills with records: never more than what was allowed, taken from the
/// system when it is first needed. take() and filled() are called by threads of the application, so
/// nothing in here waits for anything but these few lines.
class BufferPool {
public:
    static constexpr size_t kBufferBytes = 1 << 20;
    struct Filled {
        uint8_t *data;
        size_t size;
    };

    explicit BufferPool(uint64_t bytes) : m_left(size_t(bytes / kBufferBytes)) {}

    /// Null when all are in use: what comes meanwhile is lost, and CUPTI counts it.
    uint8_t *take() {
        const std::lock_guard lock(m_mutex);
        if (!m_free.empty()) {
            uint8_t *buffer = m_free.back();
            m_free.pop_back();
            return buffer;
        }
        if (m_left == 0) return nullptr;
        --m_left;
        return static_cast<uint8_t *>(std::aligned_alloc(64, kBufferBytes));
    }
    void filled(uint8_t *data, size_t size) {
        const std::lock_guard lock(m_mutex);
        m_filled.push_back({data, size});
    }
    bool next(Filled &buffer) {
        const std::lock_guard lock(m_mutex);
        if (m_filled.empty()) return false;
        buffer = m_filled.front();
        m_filled.pop_front();
        return true;
    }
    void giveBack(uint8_t *data) {
        const std::lock_guard lock(m_mutex);
        m_free.push_back(data);
    }

private:
    std::mutex m_mutex;
    size_t m_left;
    std::vector<uint8_t *> m_free;
    std::deque<Filled> m_filled;
};

} // namespace longpole::capture
