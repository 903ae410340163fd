// SPDX-License-Identifier: Apache-2.0
#include "core/base/input_file.h"

#include "core/base/spool.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace longpole {

namespace {

constexpr uint64_t kRestartDistance = 16 << 20;
constexpr size_t kInputBytes = 256 << 10;

Error unreadable(const std::string &path, std::string_view reason, const std::string &why) {
    return {ErrorKind::Unreadable, std::string(reason), path + " " + why};
}

/// Copies standard input into a temporary file that nobody else can see.
int spoolStandardInput() {
    const int fd = openTemporaryFile();
    if (fd < 0) return -1;
    std::vector<char> buffer(1 << 20);
    ssize_t got = 1;
    while (got != 0) {
        got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 || !writeAll(fd, buffer.data(), size_t(got))) {
            ::close(fd);
            return -1;
        }
    }
    return fd;
}

int64_t changeTime(const struct stat &facts) {
    return int64_t(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

} // namespace

struct InputFile::RestartPoint {
    uint64_t textOffset;
    uint64_t fileOffset; ///< of the first byte that the state has not taken in yet
    inflate_state state;
};

Result<std::shared_ptr<InputFile>> InputFile::open(const std::string &path) {
    std::shared_ptr<InputFile> file(new InputFile);
    file->m_path = path == "-" ? "standard input" : path;
    file->m_fd = path == "-" ? spoolStandardInput() : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file->m_fd < 0)
        return unreadable(file->m_path, "cannot_open",
                          std::string("cannot be opened (") + std::strerror(errno) +
                              "). Check the path and your right to read it.");
    struct stat facts {};
    if (fstat(file->m_fd, &facts) != 0 || S_ISDIR(facts.st_mode))
        return unreadable(file->m_path, "is_a_folder", "is a folder. Name the trace files in it.");
    if (!S_ISREG(facts.st_mode))
        return unreadable(file->m_path, "not_a_file",
                          "is no regular file. Pipe it in instead: longpole-cli info - < FILE.");
    file->m_bytes = uint64_t(facts.st_size);
    file->m_changedNs = changeTime(facts);
    unsigned char magic[4] = {};
    const size_t head = readAll(file->m_fd, reinterpret_cast<char *>(magic), sizeof magic, 0);
    if (head == 0)
        return unreadable(file->m_path, "empty_file",
                          "is empty (0 bytes). Was the recording stopped before it was written?");
    file->m_compressed = head >= 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    if (isZstd(magic, head)) file->m_spool = spoolZstd(file->m_fd, file->m_bytes);
    if (isZip(magic, head)) file->m_spool = spoolZip(file->m_fd, file->m_bytes);
    return file;
}

uint64_t InputFile::readableBytes() const {
    return m_spool ? m_spool->size() : m_bytes;
}

bool InputFile::outOfRoom() const {
    return m_spool && m_spool->end() == Spool::End::NoRoom;
}

InputFile::~InputFile() {
    m_spool.reset(); // its thread reads the file
    if (m_fd >= 0) ::close(m_fd);
}

size_t InputFile::readAt(char *to, size_t size, uint64_t at) const {
    return m_spool ? m_spool->readAt(to, size, at) : readAll(m_fd, to, size, at);
}

std::string InputFile::fingerprint() const {
    constexpr uint64_t mib = 1 << 20, block = 4096, blocks = 62;
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    std::vector<char> buffer(mib);
    const auto add = [&](uint64_t at, uint64_t size) {
        const size_t got = readAll(m_fd, buffer.data(), size_t(size), at);
        XXH3_64bits_update(&hash, buffer.data(), got);
    };
    add(0, std::min(mib, m_bytes));
    if (m_bytes > 2 * mib + blocks * block)
        for (uint64_t i = 0; i < blocks; ++i)
            add(mib + (m_bytes - 2 * mib - block) * i / (blocks - 1), block);
    else if (m_bytes > 2 * mib)
        add(mib, m_bytes - 2 * mib);
    if (m_bytes > mib) add(std::max(mib, m_bytes - mib), std::min(mib, m_bytes - mib));
    char text[64];
    std::snprintf(text, sizeof text, "%llu-%016llx", static_cast<unsigned long long>(m_bytes),
                  static_cast<unsigned long long>(XXH3_64bits_digest(&hash)));
    return text;
}

bool InputFile::changed() const {
    struct stat facts {};
    return fstat(m_fd, &facts) != 0 || uint64_t(facts.st_size) != m_bytes ||
           changeTime(facts) != m_changedNs;
}

struct TextReader::Inflate {
    inflate_state state;
    std::vector<unsigned char> input = std::vector<unsigned char>(kInputBytes);
    uint64_t fileOffset = 0; ///< behind the bytes in `input`
    uint64_t nextPoint = kRestartDistance;

    void begin() {
        // tables of codes that damaged data leave incomplete must not show what was there before
        std::memset(&state, 0, sizeof state);
        isal_inflate_init(&state);
        state.crc_flag = ISAL_GZIP;
        state.avail_in = 0;
    }
    uint64_t taken() const { return fileOffset - state.avail_in; }
    /// Behind a place that makes no sense nothing is unpacked, but what came before it is still in
    /// the inflater when less was asked for.
    size_t drain(char *to, size_t size) {
        size = std::min(size, size_t(state.tmp_out_valid - state.tmp_out_processed));
        std::memcpy(to, state.tmp_out_buffer + state.tmp_out_processed, size);
        state.tmp_out_processed += int32_t(size);
        return size;
    }
};

TextReader::TextReader(InputFile &file) : m_file(file), m_record(&file) {
    if (file.m_compressed) {
        m_inflate = std::make_unique<Inflate>();
        m_inflate->begin();
    }
}

TextReader::TextReader(std::shared_ptr<const InputFile> file) : m_file(*file), m_keepAlive(file) {
    if (file->m_compressed) {
        m_inflate = std::make_unique<Inflate>();
        m_inflate->begin();
    }
}

TextReader::~TextReader() = default;

double TextReader::fraction() const {
    if (m_file.m_spool) return m_file.m_spool->fraction(m_offset);
    const uint64_t done = m_inflate ? m_inflate->taken() : m_offset;
    return m_file.m_bytes ? double(done) / double(m_file.m_bytes) : 1;
}

size_t TextReader::read(char *to, size_t size) {
    const size_t got = m_inflate ? inflate(to, size) : m_file.readAt(to, size, m_offset);
    m_offset += got;
    if (m_file.m_spool && got < size) switch (m_file.m_spool->end()) {
        case Spool::End::Good:
            break;
        case Spool::End::Corrupt:
            m_state = State::Corrupt;
            break;
        case Spool::End::Truncated:
        case Spool::End::NoRoom:
            m_state = State::Truncated;
            break;
        }
    return got;
}

/// True when the inflater has input; false at the end of the file.
bool TextReader::refill() {
    Inflate &z = *m_inflate;
    if (z.state.avail_in) return true;
    const size_t got =
        m_file.readAt(reinterpret_cast<char *>(z.input.data()), z.input.size(), z.fileOffset);
    z.fileOffset += got;
    z.state.next_in = z.input.data();
    z.state.avail_in = uint32_t(got);
    return got > 0;
}

size_t TextReader::inflate(char *to, size_t size) {
    Inflate &z = *m_inflate;
    size_t done = 0;
    while (done < size && m_state == State::Good) {
        if (z.state.block_state == ISAL_BLOCK_FINISH) {
            // a gzip file may be several streams one behind the other
            if (!refill()) break;
            if (z.state.next_in[0] != 0x1f) {
                m_foreignTail |= z.state.next_in[0] != 0;
                break;
            }
            const uint32_t left = z.state.avail_in;
            unsigned char *const next = z.state.next_in;
            z.begin();
            z.state.next_in = next;
            z.state.avail_in = left;
        }
        if (m_record && m_offset + done >= z.nextPoint) {
            m_record->m_restartPoints.push_back(std::make_unique<InputFile::RestartPoint>(
                InputFile::RestartPoint{m_offset + done, z.taken(), z.state}));
            z.nextPoint = m_offset + done + kRestartDistance;
        }
        const bool more = refill();
        const size_t piece = std::min<size_t>(size - done, 1 << 20);
        z.state.next_out = reinterpret_cast<unsigned char *>(to + done);
        z.state.avail_out = uint32_t(piece);
        const int status = isal_inflate(&z.state);
        const size_t made = piece - z.state.avail_out;
        done += made;
        if (status < 0)
            m_state = State::Corrupt;
        else if (!more && made == 0 && z.state.block_state != ISAL_BLOCK_FINISH)
            m_state = State::Truncated;
    }
    if (m_state == State::Corrupt) done += z.drain(to + done, size - done);
    return done;
}

void TextReader::restart(uint64_t offset) {
    Inflate &z = *m_inflate;
    const auto &points = m_file.m_restartPoints;
    const auto after =
        std::upper_bound(points.begin(), points.end(), offset,
                         [](uint64_t o, const auto &p) { return o < p->textOffset; });
    if (after == points.begin()) {
        z.begin();
        z.fileOffset = 0;
        m_offset = 0;
    } else {
        const InputFile::RestartPoint &point = **(after - 1);
        z.state = point.state;
        z.state.avail_in = 0;
        z.fileOffset = point.fileOffset;
        m_offset = point.textOffset;
    }
    m_state = State::Good;
}

void TextReader::seek(uint64_t offset) {
    if (!m_inflate) {
        m_offset = offset;
        return;
    }
    if (offset < m_offset || offset > m_offset + kRestartDistance) restart(offset);
    std::vector<char> skipped(std::min<uint64_t>(256 << 10, offset - m_offset));
    while (m_offset < offset)
        if (read(skipped.data(), std::min<uint64_t>(skipped.size(), offset - m_offset)) == 0) break;
}

} // namespace longpole
