// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/kind.h"
#include "core/model/trace.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace longpole {

/// What of a trace is read so far, as densities: enough for a picture, nothing to count with.
/// Immutable, a few MB at most whatever the size of the trace. Its times count from the first event
/// of each file, because where the files of a job stand to each other is known only at their ends.
struct Preview {
    static constexpr size_t kBins = 4096;
    static constexpr size_t kTracks = 512; ///< have a name and bins of their own
    static constexpr size_t kNameBytes = 200;

    struct TrackSoFar {
        TrackKind kind = TrackKind::Thread;
        Kind mostly = Kind::CpuOp; ///< what keeps it busiest
        uint32_t file = 0;
        std::string process; ///< "python 41207"; names are cut at kNameBytes
        std::string name;
        std::optional<int64_t> device;
        uint64_t intervals = 0;
        /// How much of each bin is busy, 255 for all of it; 0 only where nothing is. Of nested
        /// intervals the outer one counts, as far as both stand close to each other in the file.
        std::vector<uint8_t> busy;
    };

    TimeRange range; ///< of the bins; grows by doubling
    TimeRange seen;  ///< first begin to last end; empty as long as there is no interval
    TimeNs zero = 0; ///< what would be the zero of the first file, were this all of it
    std::vector<TrackSoFar> tracks; ///< in the order of the file, those that hold intervals
    TrackSoFar others;              ///< all further tracks in one
    uint64_t otherTracks = 0;       ///< how many those are
    uint64_t intervals = 0;

    TimeNs binLength() const { return range.length() / TimeNs(kBins); }
    size_t bytes() const; ///< with everything it holds
};

/// A range of a preview's times on the clock of the trace that became of it.
inline TimeRange onTrace(const Preview &preview, TimeRange range, const Trace &trace) {
    const TimeNs file = trace.files.empty() ? 0 : trace.files.front().origin - trace.origin;
    return {range.begin - preview.zero + file, range.end - preview.zero + file};
}

/// Where a job puts its latest preview and whoever watches it takes it. Any thread.
class PreviewSlot {
public:
    void put(std::shared_ptr<const Preview> preview) {
        const std::lock_guard lock(m_mutex);
        m_latest = std::move(preview); // the one before goes on this thread, not the watcher's
    }
    std::shared_ptr<const Preview> latest() const {
        const std::lock_guard lock(m_mutex);
        return m_latest;
    }

private:
    mutable std::mutex m_mutex;
    std::shared_ptr<const Preview> m_latest;
};

} // namespace longpole
