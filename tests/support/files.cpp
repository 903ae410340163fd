// SPDX-License-Identifier: Apache-2.0
#include "tests/support/files.h"

#include "core/import/importer.h"

#include <isa-l/igzip_lib.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace longpole::test {

TempFile::TempFile(std::string_view content, std::string_view suffix) {
    const char *folder = std::getenv("TMPDIR");
    m_path = std::string(folder && *folder ? folder : "/var/tmp") + "/longpole-XXXXXX" + std::string(suffix);
    const int fd = mkstemps(m_path.data(), int(suffix.size()));
    if (fd < 0) std::abort();
    while (!content.empty()) {
        const ssize_t put = ::write(fd, content.data(), content.size());
        if (put <= 0) std::abort();
        content.remove_prefix(size_t(put));
    }
    ::close(fd);
}

TempFile::~TempFile() {
    std::remove(m_path.c_str());
    std::remove((m_path + ".longpole.json").c_str()); // what a window kept beside it
}

std::string gzip(std::string_view text) {
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.end_of_stream = 1;
    stream.flush = NO_FLUSH;
    stream.gzip_flag = IGZIP_GZIP;
    stream.next_in = reinterpret_cast<uint8_t *>(const_cast<char *>(text.data()));
    stream.avail_in = uint32_t(text.size());
    std::string packed(text.size() + text.size() / 8 + 4096, '\0');
    stream.next_out = reinterpret_cast<uint8_t *>(packed.data());
    stream.avail_out = uint32_t(packed.size());
    if (isal_deflate(&stream) != COMP_OK || stream.avail_in) std::abort();
    packed.resize(packed.size() - stream.avail_out);
    return packed;
}

Result<std::shared_ptr<const Trace>> openText(std::string_view content, unsigned threads) {
    const TempFile file(content);
    Progress progress;
    return openTraces({file.path()}, progress, {threads});
}

bool booksBalance(const Trace &trace) {
    const EventCounts &e = trace.events;
    return e.read == e.intervals + e.paired + e.counters + e.flows + e.instants + e.metadata + e.setAside &&
           e.intervals == trace.intervalCount();
}

std::string reasonsOf(const Trace &trace) {
    std::string text;
    for (size_t i = 0; i < kReasonCount; ++i) {
        const auto &entry = trace.diagnostics.entries[i];
        if (!entry.count) continue;
        text += (text.empty() ? "" : ", ") + std::string(reasonText(Reason(i)).id) + ' ' +
                std::to_string(entry.count);
    }
    return text;
}

} // namespace longpole::test
