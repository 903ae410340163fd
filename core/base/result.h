// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace longpole {

/// What a caller may do about an Error; the command line maps it to an exit status.
enum class ErrorKind {
    Unreadable, ///< the input cannot be read (exit 3)
    Impossible, ///< the trace opens, but the question has no answer on it (exit 1)
    Usage,      ///< the request itself is wrong (exit 2)
    Cancelled,  ///< somebody asked to stop; never shown
};

/// A fatal problem as a whole sentence: what failed, in which file, at which byte, what to do.
struct Error {
    ErrorKind kind = ErrorKind::Unreadable;
    std::string reason; ///< stable id, for example "truncated_stream"
    std::string message;
};

/// A value or an Error. No exception leaves core.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::move(value)) {}
    Result(Error error) : m_state(std::move(error)) {}

    explicit operator bool() const { return m_state.index() == 0; }
    T &operator*() { return value(); }
    const T &operator*() const { return value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }

    T &value() {
        assert(*this);
        return *std::get_if<0>(&m_state);
    }
    const T &value() const {
        assert(*this);
        return *std::get_if<0>(&m_state);
    }
    const Error &error() const {
        assert(!*this);
        return *std::get_if<1>(&m_state);
    }

private:
    std::variant<T, Error> m_state;
};

} // namespace longpole
