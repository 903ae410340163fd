// SPDX-License-Identifier: Apache-2.0
#include "core/import/importer.h"

#include "core/base/parallel.h"
#include "core/import/chrome_json.h"
#include "core/import/foreign_format.h"
#include "core/import/job_file.h"
#include "core/import/longpole_capture.h"
#include "core/import/nsys_sqlite.h"
#include "core/import/rank_in_name.h"

#include <array>
#include <filesystem>
#include <optional>

namespace longpole {

namespace {

const std::array kImporters = {kChromeJson, kNsysSqlite, kLongpoleCapture};

std::string fileName(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

/// Shares of a job's progress: files by their size, and of a file the part that is read before all
/// of it is sorted and linked.
constexpr double kReading = 0.75;

struct ProgressPart {
    double from, length;
};

std::vector<double> sharesOf(const std::vector<std::string> &paths) {
    std::vector<double> shares;
    double sum = 0;
    for (const std::string &path : paths) {
        std::error_code none;
        const auto bytes = std::filesystem::file_size(path, none);
        shares.push_back(none ? 1.0 : double(bytes) + 1);
        sum += shares.back();
    }
    for (double &share : shares) share /= sum;
    return shares;
}

Error noRoom() {
    return {ErrorKind::Unreadable, "no_room",
            "has to be unpacked into a temporary file, for which the disk has no room. Free some, "
            "name a folder on another disk in TMPDIR, or unpack it there yourself."};
}

Result<Trace> openOne(const std::string &path, Progress &progress, ProgressPart share,
                      PreviewBuilder *preview, unsigned threads) {
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
        if (head.empty() && (*input)->outOfRoom()) return named(noRoom());
        if (head.empty())
            return named(
                {ErrorKind::Unreadable, "truncated_stream",
                 "is packed, but cut or damaged before its first byte of text. Copy the file "
                 "again; gzip -t, zstd -t or unzip -t says if it is whole."});
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
        builder.showIn(preview);
        progress.part(share.from, share.length * kReading);
        const auto done = importer.read(**input, builder, progress, threads);
        if ((!done && done.error().kind != ErrorKind::Cancelled) || done)
            if ((*input)->outOfRoom()) return named(noRoom());
        if (!done) return named(done.error());
        if (!builder.file.rank) builder.file.rank = rankInName(path);
        progress.part(share.from + share.length * kReading, share.length * (1 - kReading));
        auto trace = builder.finish(progress, threads);
        if (!trace) return named(trace.error());
        progress.set(1);
        return trace;
    }
    return named(foreignFormat((*input)->path(), head));
}

} // namespace

std::span<const Importer> importers() {
    return kImporters;
}

Result<std::shared_ptr<const Trace>> openTraces(const std::vector<std::string> &asked,
                                                Progress &progress, OpenOptions options) {
    const auto paths = withoutJobFiles(asked);
    if (!paths) return paths.error();
    const unsigned threads = options.threads ? options.threads : workerCount();
    std::optional<PreviewBuilder> preview;
    if (options.preview) preview.emplace(options.preview);
    std::vector<Trace> parts;
    const std::vector<double> shares = sharesOf(*paths);
    double from = 0;
    for (size_t i = 0; i < paths->size(); from += shares[i++]) {
        const std::string &path = (*paths)[i];
        try {
            auto part =
                openOne(path, progress, {from, shares[i]}, preview ? &*preview : nullptr, threads);
            if (!part) return part.error();
            parts.push_back(std::move(*part));
        } catch (const std::bad_alloc &) {
            return Error{ErrorKind::Unreadable, "out_of_memory",
                         path + " needs more memory than is free. Close other programs, or cut the "
                                "trace to fewer steps."};
        }
    }
    try {
        return joinTraces(std::move(parts), progress);
    } catch (const Stopped &) {
        return Error{ErrorKind::Cancelled, "cancelled", "Reading was cancelled."};
    }
}

} // namespace longpole
