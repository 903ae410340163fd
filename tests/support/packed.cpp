// SPDX-License-Identifier: Apache-2.0
#include "tests/support/packed.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdlib>

namespace longpole::test {

namespace {

std::string deflate(std::string_view text) {
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.end_of_stream = 1;
    stream.flush = NO_FLUSH;
    stream.next_in = reinterpret_cast<uint8_t *>(const_cast<char *>(text.data()));
    stream.avail_in = uint32_t(text.size());
    std::string packed(text.size() + text.size() / 8 + 4096, '\0');
    stream.next_out = reinterpret_cast<uint8_t *>(packed.data());
    stream.avail_out = uint32_t(packed.size());
    if (isal_deflate(&stream) != COMP_OK || stream.avail_in) std::abort();
    packed.resize(packed.size() - stream.avail_out);
    return packed;
}

void add(std::string &to, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += char(value >> (8 * i));
}

} // namespace

std::string zstd(std::string_view text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    const size_t size = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3);
    if (ZSTD_isError(size)) std::abort();
    packed.resize(size);
    return packed;
}

std::string zip(const std::vector<std::pair<std::string, std::string>> &files, bool deflated) {
    std::string archive, directory;
    for (const auto &[name, text] : files) {
        const std::string data = deflated ? deflate(text) : text;
        std::string facts; // shared by both headers
        add(facts, 20, 2);
        add(facts, 0, 2); // flags
        add(facts, deflated ? 8 : 0, 2);
        add(facts, 0, 4); // time
        add(facts, 0, 4); // checksum, which is not looked at
        add(facts, uint32_t(data.size()), 4);
        add(facts, uint32_t(text.size()), 4);
        add(facts, uint32_t(name.size()), 2);
        add(facts, 0, 2); // extra
        directory += "PK\x01\x02";
        add(directory, 20, 2);
        directory += facts;
        add(directory, 0, 2); // comment
        add(directory, 0, 4); // disk, attributes
        add(directory, 0, 4);
        add(directory, uint32_t(archive.size()), 4);
        directory += name;
        archive += "PK\x03\x04" + facts + name + data;
    }
    const size_t at = archive.size();
    archive += directory + "PK\x05\x06";
    add(archive, 0, 4);
    add(archive, uint32_t(files.size()), 2);
    add(archive, uint32_t(files.size()), 2);
    add(archive, uint32_t(directory.size()), 4);
    add(archive, uint32_t(at), 4);
    add(archive, 0, 2);
    return archive;
}

} // namespace longpole::test
