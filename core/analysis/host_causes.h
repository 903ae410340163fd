// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/idle.h"

#include <map>

namespace longpole {

/// What work on a host thread says about a device that waits for its next launch.
class HostCauses {
public:
    /// Throws Stopped.
    HostCauses(const Trace &trace, const Phases &phases, const Progress &progress);

    IdleCause of(const Activity &activity);
    bool marksStep(IntervalId id) const; ///< transparent (R0)
    IdleCause ofRange(IntervalId id);    ///< by its name, and by those around it
    /// The call copies and comes back when that is done, or when pageable memory is staged.
    bool copiesBlocking(IntervalId call) const;
    static IdleCause ofOperation(Kind kind);

    /// What the profiler noted on a row of its own while a thread was in something else.
    struct Note {
        TimeRange range;
        IdleCause cause = IdleCause::Profiler;
        IntervalId id;
    };
    /// The last note about the process of a track that begins before t; null when there is none.
    const Note *lastBefore(uint32_t track, TimeNs t) const;

private:
    /// Whose threads a note may be about: the process's in exports of Nsight Systems, else the
    /// file's.
    std::pair<uint32_t, uint32_t> ownerOf(uint32_t track) const;
    void collectNotes(const Progress &progress);
    IdleCause byNameOf(const TrackTable &table, uint32_t row);

    const Trace &m_trace;
    const std::string m_markers; ///< Steps::markers
    const std::optional<uint8_t> m_dataWait;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Note>> m_notes; ///< by begin, disjoint
    std::map<const StringPool *, std::vector<uint8_t>> m_known; ///< by name: its cause + 1, or 0
};

} // namespace longpole
