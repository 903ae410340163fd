// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/phases.h"
#include "core/model/trace.h"

#include <vector>

namespace longpole {

/// The copies of one device in one direction, gathered from its streams: a view, never counted
/// again. Columns are copies sorted by lane, then begin; copies that overlap get the next lane.
struct TransferRow {
    uint32_t file = 0;
    int64_t device = 0;
    Kind direction = Kind::H2D;
    std::vector<IntervalId> ids;
    std::vector<TimeNs> start, duration;
    std::vector<uint8_t> phase, kind;
    std::vector<uint32_t> laneBegin{0};
    TimeNs time = 0;    ///< sum of durations
    int64_t bytes = -1; ///< sum; -1 unless every copy says its size
};

/// One row per file, device and direction (host to device, device to host, peer) that has copies.
std::vector<TransferRow> gatherTransfers(const Trace &trace, const Phases &phases);

} // namespace longpole
