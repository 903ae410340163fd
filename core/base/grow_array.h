// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace longpole {

/// A vector of plain data that grows where it lies: the system moves the pages of a large block
/// instead of copying them, so that adding a row never takes long, nor twice the memory.
template <class T>
class GrowArray {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

public:
    using value_type = T;

    GrowArray() = default;
    GrowArray(const GrowArray &other) {
        reserve(other.m_size);
        if (other.m_size)
            std::memcpy(static_cast<void *>(m_data), other.m_data, bytes(other.m_size));
        m_size = other.m_size;
    }
    GrowArray(GrowArray &&other) noexcept { swap(other); }
    GrowArray &operator=(GrowArray other) noexcept {
        swap(other);
        return *this;
    }
    ~GrowArray() { std::free(m_data); }

    void push_back(const T &value) {
        if (m_size == m_room) {
            const T copy = value; // it may lie in here
            moveTo(std::max<size_t>(16, 2 * m_room));
            m_data[m_size++] = copy;
            return;
        }
        m_data[m_size++] = value;
    }
    void emplace_back() { push_back(T{}); }
    void reserve(size_t size) {
        if (size > m_room) moveTo(size);
    }
    void clear() { m_size = 0; }
    void cut(size_t size) { m_size = std::min(m_size, size); } ///< keeps the first ones
    /// Gives back what was taken for more.
    void shrink_to_fit() {
        if (m_size < m_room) moveTo(m_size);
    }
    void swap(GrowArray &other) noexcept {
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
        std::swap(m_room, other.m_room);
    }

    bool empty() const { return m_size == 0; }
    size_t size() const { return m_size; }
    T *data() { return m_data; }
    const T *data() const { return m_data; }
    T *begin() { return m_data; }
    T *end() { return m_data + m_size; }
    const T *begin() const { return m_data; }
    const T *end() const { return m_data + m_size; }
    T &operator[](size_t i) { return m_data[i]; }
    const T &operator[](size_t i) const { return m_data[i]; }
    T &back() { return m_data[m_size - 1]; }

private:
    static size_t bytes(size_t count) { return count * sizeof(T); }

    void moveTo(size_t room) {
        if (room == 0) {
            std::free(std::exchange(m_data, nullptr));
        } else {
            void *data = room > size_t(-1) / sizeof(T)
                             ? nullptr
                             : std::realloc(static_cast<void *>(m_data), bytes(room));
            if (!data) throw std::bad_alloc();
            m_data = static_cast<T *>(data);
        }
        m_room = room;
    }

    T *m_data = nullptr;
    size_t m_size = 0, m_room = 0;
};

} // namespace longpole
