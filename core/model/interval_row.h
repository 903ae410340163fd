// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/model/kind.h"

namespace longpole {

/// One interval while a trace is being built: a row before it is sorted into columns.
struct IntervalRow {
    TimeNs begin = 0; ///< ns on the file's clock
    TimeNs end = 0;   ///< >= begin
    uint64_t offset = 0;
    StringId name, category;
    uint32_t side = kNone; ///< row of the track's side table
    Kind kind = Kind::CpuOp;
    uint8_t flags = 0; ///< IntervalFlag
};

/// Order in which intervals of a track nest: earlier begin first, of equal begins the longer one,
/// then the order of the file.
inline bool nestsBefore(const IntervalRow &a, const IntervalRow &b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    if (a.end != b.end) return a.end > b.end;
    return a.offset < b.offset;
}

} // namespace longpole
