// SPDX-License-Identifier: Apache-2.0
#include "core/base/gzip_writer.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace longpole {

struct GzipWriter::Stream {
    FILE *file = nullptr;
    bool packed = false, failed = false;
    isal_zstream state{};
    std::vector<uint8_t> level = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);
    std::array<uint8_t, 64 << 10> out{};

    void toFile(const void *data, size_t size) {
        failed |= !file || (size && std::fwrite(data, 1, size, file) != size);
    }
};

GzipWriter::GzipWriter(std::string path)
    : m_path(std::move(path)), m_partial(m_path + ".part"), m_stream(std::make_unique<Stream>()) {
    Stream &s = *m_stream;
    s.file = std::fopen(m_partial.c_str(), "wb");
    s.failed = !s.file;
    s.packed = m_path.ends_with(".gz");
    isal_deflate_init(&s.state);
    s.state.gzip_flag = IGZIP_GZIP;
    s.state.level = 1;
    s.state.level_buf = s.level.data();
    s.state.level_buf_size = uint32_t(s.level.size());
}

GzipWriter::~GzipWriter() {
    if (!m_stream->file) return;
    std::fclose(m_stream->file);
    std::remove(m_partial.c_str());
}

void GzipWriter::write(std::string_view text) {
    constexpr size_t piece = 1 << 30; // lengths inside the stream are 32 bits
    for (size_t at = 0; at < text.size(); at += piece) put(text.substr(at, piece), false);
}

void GzipWriter::put(std::string_view text, bool last) {
    Stream &s = *m_stream;
    if (s.failed) return;
    if (!s.packed) return s.toFile(text.data(), text.size());
    s.state.next_in = reinterpret_cast<uint8_t *>(const_cast<char *>(text.data()));
    s.state.avail_in = uint32_t(text.size());
    s.state.end_of_stream = last;
    s.state.flush = NO_FLUSH;
    do {
        s.state.next_out = s.out.data();
        s.state.avail_out = uint32_t(s.out.size());
        s.failed |= isal_deflate(&s.state) != COMP_OK;
        s.toFile(s.out.data(), s.out.size() - s.state.avail_out);
    } while (!s.failed && s.state.avail_out == 0);
}

bool GzipWriter::finish() {
    Stream &s = *m_stream;
    put({}, true);
    if (!s.file) return false;
    s.failed |= std::fclose(s.file) != 0;
    s.file = nullptr;
    s.failed |= !s.failed && std::rename(m_partial.c_str(), m_path.c_str()) != 0;
    if (s.failed) std::remove(m_partial.c_str());
    return !s.failed;
}

} // namespace longpole
