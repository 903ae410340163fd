// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/transfers.h"
#include "ui/view_state.h"

#include <QString>

#include <vector>

namespace longpole {

/// What the order and the height of a track depend on.
struct TrackFacts {
    TimeNs busy = 0; ///< sum of root intervals
    uint64_t launches = 0;
    QString label;      ///< "python", "stream 7"
    QString detail;     ///< thread id, "compute", "copy", "communication"
    int rank = 0;       ///< order among streams: compute, copy, communication
    bool quiet = false; ///< busy for less than 2 % of the trace
};

/// A foldable section of the timeline, in display order.
struct TrackGroup {
    enum class Type : uint8_t { Cpu, Transfers, Gpu, Annotations, Counters };
    Type type;
    QString key;                   ///< stable, to remember that it is folded
    QString title;                 ///< "CPU", "GPU 0"
    QString detail;                ///< "python 41207 · rank 0"
    std::vector<uint32_t> tracks;  ///< busiest first; the step thread before all
    std::vector<uint32_t> helpers; ///< threads folded into one row
    std::vector<uint32_t> notes;   ///< annotation tracks of a device
    std::vector<uint32_t> items;   ///< transfer rows, or counters of TimelineData
};

std::vector<TrackFacts> trackFacts(const Trace &trace);
std::vector<TrackGroup> trackGroups(const Loaded &loaded, const std::vector<TrackFacts> &facts,
                                    const std::vector<TransferRow> &transfers,
                                    const std::vector<CounterSeries> &queueDepths);

} // namespace longpole
