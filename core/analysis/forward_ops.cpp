// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/forward_ops.h"

namespace longpole {

ForwardOps::ForwardOps(const Trace &trace, const Progress &progress) {
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Thread || track.table->side.empty()) continue;
        const uint32_t file = trace.processes[track.process].file;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            if (row % 4096 == 0) progress.look();
            const SideRow &side = track.table->sideOf(row);
            if (side.sequence < 0 || side.forwardThread > 0) continue;
            const auto [it, made] = m_ops.try_emplace({file, side.sequence}, IntervalId{t, row});
            const std::pair latest(trace.begin(it->second), it->second);
            if (!made && latest < std::pair(track.begin(row), IntervalId{t, row}))
                it->second = {t, row};
        }
    }
}

IntervalId ForwardOps::of(uint32_t file, int64_t sequence) const {
    const auto it = m_ops.find({file, sequence});
    return it == m_ops.end() ? IntervalId{} : it->second;
}

} // namespace longpole
