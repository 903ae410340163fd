// SPDX-License-Identifier: Apache-2.0
#include "core/import/foreign_format.h"

#include <algorithm>

namespace longpole {

namespace {

struct Foreign {
    std::string_view mark, reason,
        sentence; ///< FILE and NAME stand for the path, with and without suffix
};

constexpr std::string_view kReport =
    "is a report of Nsight Systems, which only its own program can read. Export it with: nsys "
    "export "
    "--type sqlite --output NAME.sqlite FILE (and open NAME.sqlite).";
constexpr Foreign kPerfetto = {".pftrace", "perfetto_trace",
                               "is a Perfetto trace. Make JSON of it with: traceconv json FILE "
                               "NAME.json (and open NAME.json)."};
constexpr Foreign kXPlane = {".xplane.pb", "xplane_profile",
                             "is an XPlane profile of JAX or TensorFlow. Open the trace.json.gz "
                             "that was written beside it."};

/// By the end of the name, where the content says less.
constexpr Foreign kBySuffix[] = {
    {".nsys-rep", "nsys_report", kReport},
    {".qdrep", "nsys_report", kReport},
    {".qdstrm", "nsys_stream",
     "is a recording of Nsight Systems that was never finished. Make a report of it with: "
     "QdstrmImporter --input-file FILE (and export that: nsys export --type sqlite --output "
     "NAME.sqlite "
     "NAME.nsys-rep)."},
    {".ncu-rep", "ncu_report",
     "is a report of Nsight Compute: it measures single kernels and holds no timeline. Record one "
     "with: nsys profile --trace=cuda,nvtx (and your program)."},
    kPerfetto,
    {".perfetto-trace", kPerfetto.reason, kPerfetto.sentence},
    kXPlane,
    {".et", "execution_trace",
     "is a Chakra execution trace: operators and their order, without a timeline. Open the trace "
     "that "
     "torch.profiler's export_chrome_trace writes of the same run."},
};

/// By the first bytes.
constexpr Foreign kByBegin[] = {
    {"PK\x03\x04", "zip_archive", "is a zip archive. Unpack it and open the JSON file inside."},
    {"\x28\xb5\x2f\xfd", "zstd_file", "is compressed with zstd. Unpack it first (zstd -d FILE)."},
    {"%PDF", "pdf_document", "is a PDF document, not a trace."},
    {"\x89PNG", "picture", "is a picture, not a trace."},
    {"\x80\x04", "python_pickle",
     "is a Python pickle, perhaps a snapshot of memory, and holds no timeline. Record one with "
     "torch.profiler."},
    {"\x80\x05", "python_pickle",
     "is a Python pickle, perhaps a snapshot of memory, and holds no timeline. Record one with "
     "torch.profiler."},
};

bool endsWith(std::string_view text, std::string_view suffix) {
    if (text.size() < suffix.size()) return false;
    return std::equal(
        suffix.begin(), suffix.end(), text.end() - long(suffix.size()),
        [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? char(b + 32) : b); });
}

bool isText(std::string_view head) {
    return !head.empty() &&
           std::all_of(
               head.begin(), head.begin() + long(std::min<size_t>(head.size(), 512)),
               [](char c) { return uint8_t(c) >= ' ' || c == '\n' || c == '\r' || c == '\t'; });
}

/// As one word of a shell.
std::string shellWord(const std::string &text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               uint8_t(c) >= 0x80 ||
               std::string_view("/._-+=,@%").find(c) != std::string_view::npos;
    });
    if (plain && !text.empty()) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

Error named(const Foreign &foreign, const std::string &path) {
    const std::string bare = endsWith(path, foreign.mark)
                                 ? path.substr(0, path.size() - foreign.mark.size())
                                 : path.substr(0, path.rfind('.'));
    std::string sentence(foreign.sentence);
    for (size_t at = 0; (at = sentence.find_first_of("FN", at)) != sentence.npos;) {
        const std::string_view rest = std::string_view(sentence).substr(at);
        if (rest.starts_with("FILE")) {
            const std::string word = shellWord(path);
            sentence.replace(at, 4, word);
            at += word.size();
        } else if (rest.starts_with("NAME.")) {
            const size_t end = std::min(sentence.find_first_of(" ,)", at), sentence.size());
            const std::string word = shellWord(bare + sentence.substr(at + 4, end - at - 4));
            sentence.replace(at, end - at, word);
            at += word.size();
        } else {
            ++at;
        }
    }
    return {ErrorKind::Unreadable, std::string(foreign.reason), sentence};
}

} // namespace

Error foreignFormat(const std::string &path, std::string_view head) {
    for (const Foreign &foreign : kBySuffix)
        if (endsWith(path, foreign.mark)) return named(foreign, path);
    for (const Foreign &foreign : kByBegin)
        if (head.starts_with(foreign.mark)) return named(foreign, path);
    const bool text = isText(head);
    // Both are protocol buffers whose first field is a message; planes have names.
    if (!text && head.starts_with('\n'))
        return named(head.find("/host:") != head.npos || head.find("/device:") != head.npos
                         ? kXPlane
                         : kPerfetto,
                     path);
    return {
        ErrorKind::Unreadable, "unknown_format",
        std::string(text ? "is text, but no JSON" : "has a format that is not known here") +
            ". Readable are PyTorch (Kineto) and Chrome traces as JSON, plain or gzip, and SQLite "
            "exports of Nsight Systems."};
}

} // namespace longpole
