// SPDX-License-Identifier: Apache-2.0
#include "core/import/importer.h"

#include "core/base/parallel.h"
#include "core/import/chrome_json.h"
#include "core/import/nsys_sqlite.h"

#include <array>

namespace longpole {

namespace {

const std::array kImporters = {kChromeJson, kNsysSqlite};

/// What a file is that we cannot read, and the way out.
struct Foreign {
    std::string_view begin, reason, sentence;
};
constexpr Foreign kForeign[] = {
    {"PK\x03\x04", "zip_archive", "is a zip archive. Unpack it and open the JSON file inside."},
    {"\x28\xb5\x2f\xfd", "zstd_file", "is compressed with zstd. Unpack it first: zstd -d FILE."},
    {"%PDF", "pdf_document", "is a PDF document, not a trace."},
    {"\x89PNG", "picture", "is a picture, not a trace."},
};

std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

Error unknownFormat(std::string_view head) {
    for (const Foreign &f : kForeign)
        if (head.starts_with(f.begin))
            return {ErrorKind::Unreadable, std::string(f.reason), std::string(f.sentence)};
    bool text = !head.empty();
    for (const char c : head.substr(0, 512)) text &= uint8_t(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
    return {ErrorKind::Unreadable, "unknown_format",
            std::string(text ? "is text, but no JSON" : "has a format that is not known here") +
                ". Readable are PyTorch (Kineto) and Chrome traces as JSON, plain or gzip, and SQLite exports of Nsight Systems."};
}

Result<Trace> openOne(const std::string &path, Progress &progress, unsigned threads) {
    auto input = InputFile::open(path);
    if (!input) return input.error();
    const auto named = [&](Error error) {
        error.message = (*input)->path() + " " + error.message;
        return error;
    };
    std::string head(4096, '\0');
    {
        TextReader reader{std::shared_ptr<const InputFile>(*input)};
        head.resize(reader.read(head.data(), head.size()));
        if (head.empty())
            return named({ErrorKind::Unreadable, "truncated_stream",
                          "is gzip, but cut or damaged before its first byte of text. Copy the file "
                          "again; gzip -t says if it is whole."});
    }
    for (const Importer &importer : importers()) {
        if (!importer.sniff(head)) continue;
        SourceFile file;
        file.path = path;
        file.name = path == "-" ? "standard input" : fileName(path);
        file.input = *input;
        file.bytes = (*input)->bytes();
        file.fingerprint = (*input)->fingerprint();
        TraceBuilder builder(std::move(file));
        const auto done = importer.read(**input, builder, progress, threads);
        if (!done) return named(done.error());
        auto trace = builder.finish(progress, threads);
        if (!trace) return named(trace.error());
        return trace;
    }
    return named(unknownFormat(head));
}

} // namespace

std::span<const Importer> importers() { return kImporters; }

Result<std::shared_ptr<const Trace>> openTraces(const std::vector<std::string> &paths,
                                                Progress &progress, OpenOptions options) {
    const unsigned threads = options.threads ? options.threads : workerCount();
    std::vector<Trace> parts;
    for (const std::string &path : paths) {
        try {
            auto part = openOne(path, progress, threads);
            if (!part) return part.error();
            parts.push_back(std::move(*part));
        } catch (const std::bad_alloc &) {
            return Error{ErrorKind::Unreadable, "out_of_memory",
                         path + " needs more memory than is free. Close other programs, or cut the "
                                "trace to fewer steps."};
        }
    }
    return joinTraces(std::move(parts));
}

} // namespace longpole
