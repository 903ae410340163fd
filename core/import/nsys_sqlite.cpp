// SPDX-License-Identifier: Apache-2.0
#include "core/import/nsys_sqlite.h"

#include "core/import/nsys_context.h"

#include <algorithm>

namespace longpole {

namespace {

bool sniff(std::string_view head) {
    return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

Error notNsys(const SqliteFile &file) {
    const auto &tables = file.tables();
    const auto has = [&](std::string_view table) {
        return std::binary_search(tables.begin(), tables.end(), table, std::less<>());
    };
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
    if (!file) return file.error();
    builder.file.tables = (*file)->tables();
    builder.file.textBytes = builder.file.bytes;
    NsysContext context(**file, builder, progress);
    if (!context.isNsys) return notNsys(**file);
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
