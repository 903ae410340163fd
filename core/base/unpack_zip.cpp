// SPDX-License-Identifier: Apache-2.0
// One file out of a zip archive (APPNOTE 6.3): the directory at the end of the archive says where
// it lies. Archives of several files, encrypted ones and those beyond 4 GB (zip64) are not taken.
#include "core/base/spool.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace longpole {

namespace {

constexpr size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kMostComment = 65'535;

uint32_t number(const char *at, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint32_t(uint8_t(at[i])) << (8 * i);
    return value;
}

struct Member {
    uint64_t begin = 0, bytes = 0; ///< of the packed data
    bool deflated = false;
};

/// Where the only file of the archive lies; nothing where there are others, or none.
std::optional<Member> onlyMember(int fd, uint64_t bytes) {
    std::string tail(size_t(std::min<uint64_t>(bytes, kEndBytes + kMostComment)), '\0');
    tail.resize(readAll(fd, tail.data(), tail.size(), bytes - tail.size()));
    const size_t end = tail.rfind("PK\x05\x06");
    if (end == tail.npos || end + kEndBytes > tail.size()) return std::nullopt;
    const uint32_t length = number(&tail[end + 12], 4), at = number(&tail[end + 16], 4);
    if (uint64_t(at) + length > bytes || length > (64u << 20)) return std::nullopt;
    std::string directory(length, '\0');
    directory.resize(readAll(fd, directory.data(), length, at));
    std::optional<Member> found;
    for (size_t i = 0; i + kEntryBytes <= directory.size();) {
        const char *entry = &directory[i];
        if (std::memcmp(entry, "PK\x01\x02", 4) != 0) return std::nullopt;
        const size_t name = number(entry + 28, 2);
        const size_t next = i + kEntryBytes + name + number(entry + 30, 2) + number(entry + 32, 2);
        if (next > directory.size()) return std::nullopt;
        const bool folder = name > 0 && entry[kEntryBytes + name - 1] == '/';
        const uint32_t flags = number(entry + 8, 2), method = number(entry + 10, 2);
        const uint32_t size = number(entry + 20, 4), local = number(entry + 42, 4);
        i = next;
        if (folder) continue;
        char head[kLocalBytes];
        if (found || (flags & 1) || (method != 0 && method != 8) || size == UINT32_MAX ||
            local == UINT32_MAX || readAll(fd, head, sizeof head, local) != sizeof head ||
            std::memcmp(head, "PK\x03\x04", 4) != 0)
            return std::nullopt;
        const uint64_t begin =
            uint64_t(local) + kLocalBytes + number(head + 26, 2) + number(head + 28, 2);
        if (begin + size > bytes) return std::nullopt;
        found = Member{begin, size, method == 8};
    }
    return found;
}

Spool::End copyStored(int fd, const Member &member, const Spool::Put &put) {
    std::vector<char> buffer(1 << 20);
    for (uint64_t at = 0; at < member.bytes;) {
        const size_t got =
            readAll(fd, buffer.data(), size_t(std::min<uint64_t>(buffer.size(), member.bytes - at)),
                    member.begin + at);
        at += got;
        if (got == 0 || !put(buffer.data(), got, double(at) / double(member.bytes)))
            return Spool::End::Truncated;
    }
    return Spool::End::Good;
}

Spool::End inflate(int fd, const Member &member, const Spool::Put &put) {
    const auto state = std::make_unique<inflate_state>();
    std::memset(state.get(), 0, sizeof *state);
    isal_inflate_init(state.get());
    std::vector<char> input(256 << 10), output(1 << 20);
    uint64_t taken = 0;
    while (state->block_state != ISAL_BLOCK_FINISH) {
        if (state->avail_in == 0 && taken < member.bytes) {
            const size_t got = readAll(
                fd, input.data(), size_t(std::min<uint64_t>(input.size(), member.bytes - taken)),
                member.begin + taken);
            taken += got;
            state->next_in = reinterpret_cast<unsigned char *>(input.data());
            state->avail_in = uint32_t(got);
        }
        state->next_out = reinterpret_cast<unsigned char *>(output.data());
        state->avail_out = uint32_t(output.size());
        const bool last = state->avail_in == 0;
        const int status = isal_inflate(state.get());
        const size_t made = output.size() - state->avail_out;
        if (made && !put(output.data(), made, double(taken) / double(member.bytes)))
            return Spool::End::Truncated;
        if (status < 0) return Spool::End::Corrupt;
        if (last && made == 0 && state->block_state != ISAL_BLOCK_FINISH)
            return Spool::End::Truncated;
    }
    return Spool::End::Good;
}

} // namespace

bool isZip(const unsigned char *head, size_t size) {
    return size >= 4 && std::memcmp(head, "PK\x03\x04", 4) == 0;
}

std::shared_ptr<Spool> spoolZip(int fd, uint64_t bytes) {
    const auto member = onlyMember(fd, bytes);
    if (!member) return nullptr;
    return Spool::start([fd, member = *member](const Spool::Put &put) {
        return member.deflated ? inflate(fd, member, put) : copyStored(fd, member, put);
    });
}

} // namespace longpole
