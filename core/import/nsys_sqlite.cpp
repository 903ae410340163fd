// SPDX-License-Identifier: Apache-2.0
#include "core/import/nsys_sqlite.h"

#include "core/import/nsys_context.h"

#include <algorithm>
#include <fstream>

namespace longpole {

namespace {

bool sniff(std::string_view head) {
    return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

/// A log of changes that SQLite keeps beside a database while it is written, or leaves there when
/// the writer dies: "-wal" or "-journal", or nothing.
std::string_view logBeside(const std::string &path) {
    if (path == "-") return {};
    const auto begins = [&](std::string_view suffix,
                            std::initializer_list<std::string_view> marks) {
        std::ifstream log(path + std::string(suffix), std::ios::binary);
        char head[8] = {}; // a journal that is done with has zeros here
        log.read(head, sizeof head);
        const std::string_view read(head, size_t(log.gcount()));
        return std::any_of(marks.begin(), marks.end(),
                           [&](std::string_view mark) { return read.starts_with(mark); });
    };
    if (begins("-wal", {"\x37\x7f\x06\x82", "\x37\x7f\x06\x83"})) return "-wal";
    if (begins("-journal", {"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"})) return "-journal";
    return {};
}

Error inTheLog(std::string_view log) {
    return {
        ErrorKind::Unreadable, "log_beside",
        "is an SQLite database that nothing can be read from, but beside it lies a log with its "
        "newest rows (" +
            std::string(log) + "). Fold that in with: sqlite3 FILE .tables."};
}

Error notNsys(const SqliteFile &file) {
    const auto &tables = file.tables();
    const auto has = [&](std::string_view table) {
        return std::binary_search(tables.begin(), tables.end(), table, std::less<>());
    };
    const auto hasAny = [&](std::string_view begin) {
        const auto at = std::lower_bound(tables.begin(), tables.end(), begin, std::less<>());
        return at != tables.end() && at->starts_with(begin);
    };
    if (hasAny("rocpd_"))
        return {ErrorKind::Unreadable, "rocpd_database",
                "is a database of ROCm's profilers (rocpd), whose format is not read. Record the "
                "program with torch.profiler and open what export_chrome_trace writes."};
    if (has("STRING_IDS") && (has("TASK") || has("CANN_API") || has("PYTORCH_API")))
        return {ErrorKind::Unreadable, "ascend_database",
                "is a database of Ascend's profiler, whose format is not read. Open the "
                "trace_view.json of the same run in ASCEND_PROFILER_OUTPUT."};
    if (has("StringTable") || has("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"))
        return {ErrorKind::Unreadable, "nvprof_profile",
                "is a profile of nvprof or the Visual Profiler (.nvvp), whose format is not read. "
                "Record the "
                "program again: nsys profile --trace=cuda,nvtx PROGRAM."};
    return {ErrorKind::Unreadable, "no_nsys_tables",
            "is an SQLite database, but no export of Nsight Systems: it has " +
                (tables.empty() ? std::string("no tables")
                                : "no table of kernels, API calls or ranges") +
                ". Export a recording with: nsys export --type sqlite --output NAME.sqlite "
                "NAME.nsys-rep."};
}

Result<bool> read(InputFile &, TraceBuilder &builder, Progress &progress, unsigned) {
    const auto file = SqliteFile::open(builder.file.input, &progress);
    const auto cancelled = [] {
        return Error{ErrorKind::Cancelled, "cancelled", "was not read to its end."};
    };
    if (progress.stopped()) return cancelled();
    const std::string_view log = logBeside(builder.file.path);
    if (!file) return log.empty() ? file.error() : inTheLog(log);
    builder.file.tables = (*file)->tables();
    builder.file.textBytes = builder.file.bytes;
    NsysContext context(**file, builder, progress);
    if (!context.isNsys) return log.empty() ? notNsys(**file) : inTheLog(log);
    if (!log.empty()) builder.diagnostics.add(Reason::LogBeside, kWholeFile);
    readNsysFacts(context);
    for (const auto part : {readNsysHost, readNsysDevice, nameNsysTracks}) {
        part(context);
        if (progress.stopped()) return cancelled();
    }
    if (builder.events.read == 0 && builder.diagnostics[Reason::TruncatedFile].count)
        return Error{
            ErrorKind::Unreadable, "damaged_database",
            "is an export of Nsight Systems, but so damaged that no event can be read. Export it "
            "again: nsys export --type sqlite --output NAME.sqlite NAME.nsys-rep."};
    return true;
}

} // namespace

const Importer kNsysSqlite = {"nsys_sqlite", "Nsight Systems SQLite", sniff, read};

} // namespace longpole
