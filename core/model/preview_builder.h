// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/interval_row.h"
#include "core/model/preview.h"

#include <array>
#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

namespace longpole {

class TraceBuilder;

/// How busy one track is, in bins of whole nanoseconds. An interval costs the same however long it
/// is: its two ends are added to their bins, and what lies between is kept as differences.
class BusyBins {
public:
    /// `sign` -1 takes back what was added. Bins are `width` ns long and begin at `from`; the
    /// interval lies inside of them.
    void add(TimeNs begin, TimeNs end, TimeNs from, TimeNs width, int sign);
    /// Bins of `width` become twice as long. The old ones fill the first half of the new, or the
    /// second where the range grows `downwards`.
    void doubleLength(TimeNs width, bool downwards);
    std::vector<uint8_t> shares(TimeNs width) const;

private:
    void settle(TimeNs width); ///< adds the differences to the bins

    std::vector<int64_t> m_partly = std::vector<int64_t>(Preview::kBins);
    std::vector<int32_t> m_whole = std::vector<int32_t>(Preview::kBins + 1); ///< differences
};

/// Makes previews of what a job's builders hold, five times a second, and puts them in a slot.
/// Looks only at what came since it looked last, so that reading itself knows nothing of it. On the
/// thread of the builders.
class PreviewBuilder {
public:
    explicit PreviewBuilder(std::shared_ptr<PreviewSlot> slot) : m_slot(std::move(slot)) {}

    /// Looks where it is time to; a look may take a fortieth of the time. `last`: now in any case,
    /// and the next builder is another file's.
    void look(const TraceBuilder &builder, bool last = false);

private:
    using Clock = std::chrono::steady_clock;
    static constexpr size_t kOutermost = 64; ///< at least so many are remembered

    struct Seen { ///< of a builder's track
        size_t rows = 0, marks = 0;
        uint32_t shown = kNone; ///< index into m_shown; none: one of the others
        bool isNew = true;
    };
    struct Outer {
        TimeNs begin, end;
        Kind kind = Kind::CpuOp;
    };
    struct Shown {
        size_t track = 0;          ///< of its builder
        Preview::TrackSoFar facts; ///< without what is counted here
        uint64_t intervals = 0;
        std::array<TimeNs, kKindCount> time{};
        BusyBins bins;
        std::vector<Outer> outermost; ///< the last ones, oldest first
    };

    void take(const TraceBuilder &builder);
    Shown &shownOf(Seen &seen, size_t track);
    void begins(TimeNs time, bool resource);
    void add(Shown &shown, TimeNs begin, TimeNs end, Kind kind, bool resource);
    void lengthen(bool downwards);
    void describe(const TraceBuilder &builder);
    std::shared_ptr<const Preview> make() const;

    std::shared_ptr<PreviewSlot> m_slot;
    Clock::time_point m_due{};
    // of the file that is being read
    uint32_t m_file = 0;
    std::vector<Seen> m_seen;
    std::unordered_map<size_t, std::vector<std::pair<TimeNs, Kind>>> m_open; ///< by track
    std::optional<TimeNs> m_anchor; ///< its first begin, on its own clock
    size_t m_firstOfFile = 0;       ///< in m_shown
    // of the job
    TimeNs m_from = 0, m_width = 1024; ///< of the bins
    std::optional<TimeRange> m_onResources, m_elsewhere;
    std::optional<TimeNs> m_firstOnResource, m_firstElsewhere; ///< begins of the first file
    std::vector<std::unique_ptr<Shown>> m_shown;
    std::unique_ptr<Shown> m_others;
    uint64_t m_otherTracks = 0;
};

} // namespace longpole
