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
constexpr std::string_view kOtherExport =
    "is a table in a format that is not read, perhaps an export of Nsight Systems. Export its "
    "report "
    "as SQLite: nsys export --type sqlite --output NAME.sqlite NAME.nsys-rep.";
constexpr std::string_view kUtf16 = "is text of two bytes a character (UTF-16), as some shells "
                                    "write it. Convert it: iconv -f UTF-16 "
                                    "-t UTF-8 FILE > NAME.utf8.json (and open NAME.utf8.json).";
constexpr Foreign kTar = {"", "tar_archive",
                          "is a tar archive. Unpack it (tar -xf FILE) and open the trace inside."};
constexpr Foreign kWebPage = {
    "", "web_page",
    "is a web page, not the trace that it shows or links to. Download the "
    "file itself."};
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
    {"PK\x03\x04", "zip_archive",
     "is a zip archive that does not hold one file alone, or is protected, damaged or of more than "
     "4 GB. Unpack it (unzip FILE) and open the trace inside."},
    {"\x28\xb5\x2f\xfd", "packed_twice", "is compressed twice. Unpack it once: zstd -d FILE."},
    {"\x1f\x8b", "gzip_twice", "is compressed twice. Unpack it once: gunzip -k FILE."},
    {"BZh", "bzip2_file", "is compressed with bzip2. Unpack it first (bunzip2 -k FILE)."},
    {"\xfd"
     "7zXZ",
     "xz_file", "is compressed with xz. Unpack it first (unxz -k FILE)."},
    {"\x04\x22\x4d\x18", "lz4_file", "is compressed with lz4. Unpack it first (unlz4 FILE)."},
    {"7z\xbc\xaf\x27\x1c", "seven_zip_archive",
     "is a 7z archive. Unpack it and open the JSON file inside."},
    {"\x89HDF\r\n", "hdf5_file", kOtherExport},
    {"ARROW1", "arrow_file", kOtherExport},
    {"PAR1", "parquet_file", kOtherExport},
    {"version https://git-lfs", "git_lfs_pointer",
     "is a pointer of Git LFS to a file that was not fetched. Fetch it with: git lfs pull."},
    {"\xff\xfe", "utf16_text", kUtf16},
    {"\xfe\xff", "utf16_text", kUtf16},
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

bool isTar(std::string_view head) {
    return head.size() > 262 && head.substr(257, 5) == "ustar";
}

bool isWebPage(std::string_view head) {
    head.remove_prefix(std::min(head.find_first_not_of(" \r\n\t"), head.size()));
    std::string begin(head.substr(0, 14));
    for (char &c : begin) c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return begin.starts_with("<!doctype html") || begin.starts_with("<html");
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
    const size_t dot =
        path.find('.', path.rfind('/') + 1) == path.npos ? path.npos : path.rfind('.');
    const std::string bare = !foreign.mark.empty() && endsWith(path, foreign.mark)
                                 ? path.substr(0, path.size() - foreign.mark.size())
                                 : path.substr(0, dot);
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
    if (isTar(head)) return named(kTar, path);
    if (isWebPage(head)) return named(kWebPage, path);
    const bool text = isText(head);
    // Both are protocol buffers whose first field is a message; planes have names.
    if (!text && head.starts_with('\n'))
        return named(head.find("/host:") != head.npos || head.find("/device:") != head.npos
                         ? kXPlane
                         : kPerfetto,
                     path);
    return {ErrorKind::Unreadable, "unknown_format",
            std::string(text ? "is text, but no JSON" : "has a format that is not known here") +
                ". Readable are PyTorch (Kineto) and Chrome traces as JSON, plain, gzip, "
                "zstd or zip, and SQLite "
                "exports of Nsight Systems."};
}

} // namespace longpole
