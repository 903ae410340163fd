// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace longpole {

/// Writes a file as one gzip stream, or as it is when its name does not end in .gz. It is there
/// under its name only after finish(): a failure leaves what stood there before. On one thread.
class GzipWriter {
public:
    explicit GzipWriter(std::string path);
    ~GzipWriter(); ///< without finish() nothing is left behind
    GzipWriter(const GzipWriter &) = delete;
    GzipWriter &operator=(const GzipWriter &) = delete;

    void write(std::string_view text);
    bool finish(); ///< false when some of it could not be written

private:
    struct Stream;
    void put(std::string_view text, bool last);

    const std::string m_path, m_partial;
    std::unique_ptr<Stream> m_stream;
};

} // namespace longpole
