// SPDX-License-Identifier: Apache-2.0
// What is tried with any bytes, one function per parser; each ends the program where something that
// must hold does not. The fuzzing targets and the test that replays their findings share them.
#pragma once

#include "core/capture/format.h"
#include "core/import/element_splitter.h"
#include "core/import/event_args.h"
#include "core/import/importer.h"
#include "core/import/top_level.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <vector>

namespace longpole::fuzz {

inline void demand(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

/// Bytes as a file that lies nowhere.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : m_fd(memfd_create("trace", 0)) {
        demand(m_fd >= 0 && write(m_fd, bytes.data(), bytes.size()) == ssize_t(bytes.size()),
               "there is no room for the input");
    }
    ~MemoryFile() { close(m_fd); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(m_fd); }

private:
    int m_fd;
};

/// Opens the bytes as a trace and reads all arguments.
inline void tryOpening(std::string_view bytes) {
    const MemoryFile file(bytes);
    Progress progress;
    const auto trace = openTraces({file.path()}, progress, {1});
    if (!trace) return demand(trace.error().message.size() > 10, "a refusal without a sentence");
    const EventCounts &e = (*trace)->events;
    demand(e.read ==
               e.intervals + e.paired + e.counters + e.flows + e.instants + e.metadata + e.setAside,
           "the books do not balance");
    EventArgs args(*trace);
    for (uint32_t t = 0; t < (*trace)->tracks.size(); ++t) {
        const TrackTable &table = *(*trace)->tracks[t].table;
        for (uint32_t row = 0; row < table.size(); ++row) {
            demand(table.duration[row] >= 0, "an interval ends before it begins");
            (void)args.json(IntervalId{t, row});
        }
    }
}

/// Finds the elements of the list of events and what is broken, from text that comes in pieces.
class Elements {
public:
    Elements(std::string_view text, size_t piece) : m_text(text) {
        for (size_t at = 0; at < text.size(); at += piece) feed(text.substr(at, piece), at);
    }
    std::string found;

private:
    void feed(std::string_view rest, uint64_t offset) {
        while (!rest.empty()) {
            size_t used = 0;
            if (m_topLevel.eventsBegin()) {
                used = m_splitter.feed(rest, offset, m_sink);
                if (m_splitter.ended()) {
                    const std::string left = m_splitter.takeLeft();
                    const uint64_t leftOffset = m_splitter.pendingOffset();
                    m_splitter.reset();
                    m_topLevel.eventsEnded();
                    feed(left, leftOffset);
                }
            } else {
                used = m_topLevel.feed(rest, offset, m_diagnostics);
                if (m_topLevel.listWentOn()) {
                    m_topLevel.backToEvents();
                    m_splitter.skipToBoundary();
                }
            }
            demand(used <= rest.size(), "more was used than there is");
            rest.remove_prefix(used);
            offset += used;
        }
    }

    std::string_view m_text;
    TopLevel m_topLevel;
    ElementSplitter m_splitter;
    Diagnostics m_diagnostics;
    const ElementSplitter::Sink m_sink = {
        [this](std::string_view element, uint64_t offset) {
            demand(m_text.substr(size_t(offset), element.size()) == element,
                   "an element is not where it is said to be");
            found += std::to_string(offset) + '+' + std::to_string(element.size()) + ' ';
        },
        [this](uint64_t offset) { found += std::to_string(offset) + "! "; }};
};

/// Blocks of JSON: whole, and cut into pieces of any size, which must not matter.
inline void json(const uint8_t *data, size_t size) {
    std::string text(reinterpret_cast<const char *>(data), size);
    const size_t first = text.find_first_not_of(" \n\r\t");
    if (first == text.npos || (text[first] != '[' && text[first] != '{')) text.insert(0, 1, '[');
    tryOpening(text);
    const std::string whole = Elements(text, text.size()).found;
    // a pending element is looked at again with each piece: single bytes only of short texts
    const size_t pieces[] = {text.size() < 300 ? 1 : 40 + size % 61, 2 + text.size() / 7};
    for (const size_t piece : pieces)
        demand(Elements(text, piece).found == whole, "the borders of pieces matter");
}

/// Gzip: the bytes behind a header. What is read again from any place is what was read at first.
inline void gzip(const uint8_t *data, size_t size) {
    constexpr size_t most = 8 << 20;
    std::string bytes(reinterpret_cast<const char *>(data), size);
    if (!bytes.starts_with("\x1f\x8b"))
        bytes.insert(0, std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
    tryOpening(bytes);
    const MemoryFile file(bytes);
    const auto input = InputFile::open(file.path());
    demand(bool(input), "a file in memory cannot be opened");
    std::string text(most, '\0');
    TextReader reader(**input);
    text.resize(reader.read(text.data(), text.size()));
    TextReader again{std::shared_ptr<const InputFile>(*input)};
    for (const size_t from : {text.size() / 2, size_t(0), text.size(), text.size() / 3}) {
        std::string part(std::min<size_t>(text.size() - from, 1000), '\0');
        again.seek(from);
        demand(again.offset() == from, "a place is not reached");
        demand(again.read(part.data(), part.size()) == part.size() &&
                   text.compare(from, part.size(), part) == 0,
               "what is read again is something else");
    }
}

/// Packed files that are unpacked as a whole: zstd, and zip archives.
inline void packed(const uint8_t *data, size_t size, std::string_view magic) {
    std::string bytes(reinterpret_cast<const char *>(data), size);
    if (!bytes.starts_with(magic)) bytes.insert(0, magic);
    tryOpening(bytes);
}
inline void zstd(const uint8_t *data, size_t size) {
    packed(data, size, "\x28\xb5\x2f\xfd");
}
inline void zip(const uint8_t *data, size_t size) {
    packed(data, size, "PK\x03\x04");
}

/// Rows of SQLite.
inline void sqlite(const uint8_t *data, size_t size) {
    std::string bytes(reinterpret_cast<const char *>(data), size);
    constexpr std::string_view magic("SQLite format 3\0", 16);
    if (!bytes.starts_with(magic)) bytes.replace(0, std::min(bytes.size(), magic.size()), magic);
    tryOpening(bytes);
}

/// Chunks of a capture file whose heads and checksums are put right, so that what is tried is the records.
inline void capture(const uint8_t *data, size_t size) {
    namespace format = longpole::capture;
    std::string bytes(reinterpret_cast<const char *>(data), size);
    format::FileHead file{{}, format::kVersion, 0};
    std::memcpy(file.magic, format::kFileMagic, sizeof file.magic);
    bytes.replace(0, std::min(bytes.size(), sizeof file), reinterpret_cast<const char *>(&file), sizeof file);
    tryOpening(bytes);
    for (size_t at = sizeof file; at + sizeof(format::ChunkHead) < bytes.size();) {
        format::ChunkHead head;
        std::memcpy(&head, bytes.data() + at, sizeof head);
        const size_t begin = at + sizeof head, left = bytes.size() - begin;
        head.magic = format::kChunkMagic;
        head.length = uint32_t(std::min<size_t>(std::max(head.length, 1u), left));
        head.checksum = XXH3_64bits_withSeed(bytes.data() + begin, head.length,
                                             XXH3_64bits(&head, offsetof(format::ChunkHead, checksum)));
        std::memcpy(bytes.data() + at, &head, sizeof head);
        at = begin + head.length;
    }
    tryOpening(bytes);
}

} // namespace longpole::fuzz
