// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/on_path_shares.h"

#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

/// Communication of a device that is on the path while none of its other kernels runs.
TimeNs exposedOnPath(const Trace &trace, const CriticalPath &path, const Communication &of,
                     const Progress &progress) {
    const auto onDevice = [&](const Track &track) {
        return track.kind == TrackKind::Stream && track.device.value_or(0) == of.device &&
               trace.processes[track.process].file == of.file;
    };
    GrowArray<TimeRange> kernels;
    for (const Track &track : trace.tracks)
        for (uint32_t row = 0; onDevice(track) && row < track.table->size(); ++row)
            if (progress.look(row);
                track.table->kind[row] == Kind::Kernel || track.table->kind[row] == Kind::GraphExec)
                kernels.push_back({track.begin(row), track.end(row)});
    sortLooking(
        kernels, [](TimeRange a, TimeRange b) { return a.begin < b.begin; }, progress);
    TimeNs exposed = 0, hiddenTo = 0;
    const TimeRange *next = kernels.begin();
    size_t count = 0;
    for (const PathSegment &s : path.segments) {
        progress.look(count++);
        if (s.type != PathSegment::Type::Activity || s.interval.row == kNone) continue;
        if (trace.kind(s.interval) != Kind::Comm || !onDevice(trace.track(s.interval))) continue;
        TimeNs at = s.begin;
        for (; next != kernels.end() && next->begin < s.end; ++next) {
            at = std::max(at, hiddenTo);
            exposed += std::max<TimeNs>(0, next->begin - at);
            hiddenTo = std::max(hiddenTo, next->end);
        }
        exposed += std::max<TimeNs>(0, s.end - std::max(at, hiddenTo));
    }
    return exposed;
}

/// Work on the path by the number that its group has: a track, a rule, a kind, an owner.
std::vector<TimeNs> byNumber(const Trace &trace, const CriticalPath &path, GroupBy by,
                             const Attribution *owners, size_t numbers) {
    std::vector<TimeNs> sums(numbers);
    for (const PathSegment &s : path.segments) {
        if (s.type != PathSegment::Type::Activity || s.interval.row == kNone) continue;
        const size_t number = owners                 ? owners->of(s.interval)
                              : by == GroupBy::Track ? s.interval.track
                              : by == GroupBy::Phase ? s.phase
                                                     : size_t(trace.kind(s.interval));
        sums[number] += s.end - s.begin;
    }
    return sums;
}

std::map<std::string_view, TimeNs> byName(const Trace &trace, const CriticalPath &path) {
    std::map<std::string_view, TimeNs> sums;
    for (const PathSegment &s : path.segments)
        if (s.type == PathSegment::Type::Activity && s.interval.row != kNone)
            sums[trace.name(s.interval)] += s.end - s.begin;
    return sums;
}

} // namespace

void addOnPath(Statistics &statistics, const Trace &trace, const Phases &phases,
               const CriticalPath &path, GroupBy by, const Progress &progress) {
    statistics.hasPath = true;
    statistics.total.onPath = 0;
    if (by == GroupBy::Name) {
        const auto sums = byName(trace, path);
        for (StatRow &row : statistics.rows) {
            const auto sum = sums.find(row.key);
            row.onPath = sum == sums.end() ? 0 : sum->second;
        }
    } else {
        const Attribution *owners = statistics.attribution.get();
        const size_t numbers =
            owners ? owners->owners.size()
                   : std::max({trace.tracks.size(), phases.rules.rules.size(), size_t(kKindCount)});
        const std::vector<TimeNs> sums = byNumber(trace, path, by, owners, numbers);
        for (StatRow &row : statistics.rows) {
            const auto kind = by == GroupBy::Kind ? kindFromName(row.key) : std::nullopt;
            const size_t number = kind ? size_t(*kind) : row.index;
            row.onPath = number < sums.size() ? sums[number] : 0;
        }
    }
    for (const StatRow &row : statistics.rows) statistics.total.onPath += row.onPath;
    for (Communication &c : statistics.communication)
        c.exposedOnPath = exposedOnPath(trace, path, c, progress);
}

} // namespace longpole
