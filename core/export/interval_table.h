// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

#include <string>

namespace longpole {

/// How such a file begins: the names of its columns.
inline constexpr std::string_view kIntervalTableHead =
    "track,track_name,track_kind,process,rank,device,stream,thread,lane,depth,name,category,kind,"
    "phase,begin_ns,end_ns,duration_ns,correlation,on_path_ns\n";

/// Writes the intervals that touch a window as CSV (RFC 4180), one a row, in order of tracks and
/// rows: whole, in exact nanoseconds from the trace's zero. Without a path its column is empty.
/// False when the file cannot be written. `rows` counts what was written.
bool writeIntervalTable(const Trace &trace, const Phases &phases, TimeRange window,
                        const CriticalPath *path, const std::string &fileName, uint64_t &rows);

} // namespace longpole
