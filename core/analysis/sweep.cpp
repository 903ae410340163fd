// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/sweep.h"

#include <array>

namespace longpole {

std::vector<SweepLane> sweepLanes(const Trace &trace) {
    std::vector<SweepLane> lanes;
    uint32_t source = 0;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (!track.isResource() || track.table->size() == 0) continue;
        const bool thread = track.kind == TrackKind::Thread;
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) {
            lanes.push_back({t, lane, source});
            if (!thread) ++source;
        }
        if (thread) ++source;
    }
    return lanes;
}

std::vector<TimeRange> evenRanges(const Trace &trace, const std::vector<SweepLane> &lanes,
                                  TimeRange window, size_t count) {
    const auto rowsBefore = [&](TimeNs time) {
        size_t rows = 0;
        for (const SweepLane &lane : lanes) {
            const Track &track = trace.tracks[lane.track];
            rows += track.table->firstAfter(lane.lane, time - track.offset) -
                    track.table->laneBegin[lane.lane];
        }
        return rows;
    };
    const size_t before = rowsBefore(window.begin), rows = rowsBefore(window.end) - before;
    std::vector<TimeRange> ranges;
    TimeNs from = window.begin;
    for (size_t i = 1; i < count; ++i) {
        TimeRange search{from, window.end};
        while (search.length() > 1) {
            const TimeNs middle = search.begin + search.length() / 2;
            (rowsBefore(middle) > before + rows * i / count ? search.end : search.begin) = middle;
        }
        if (search.begin == from) continue;
        ranges.push_back({from, search.begin});
        from = search.begin;
    }
    ranges.push_back({from, window.end});
    return ranges;
}

void sortByBits(std::vector<uint64_t> &keys, std::vector<uint64_t> &other, unsigned low,
                unsigned bits) {
    constexpr unsigned kDigit = 11;
    constexpr uint64_t kMask = (1 << kDigit) - 1;
    std::array<uint32_t, kMask + 1> from;
    for (unsigned shift = low; shift < low + bits; shift += kDigit) {
        from.fill(0);
        for (const uint64_t key : keys) ++from[key >> shift & kMask];
        uint32_t sum = 0;
        for (uint32_t &count : from) sum += std::exchange(count, sum);
        for (const uint64_t key : keys) other[from[key >> shift & kMask]++] = key;
        keys.swap(other);
    }
}

} // namespace longpole
