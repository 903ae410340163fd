// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/step_period.h"

#include "core/analysis/step_markers.h"
#include "core/analysis/work_names.h"
#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <algorithm>
#include <map>
#include <set>

namespace longpole {

namespace {

constexpr double kMatch = 0.95;      ///< share of operations with the same name one period later
constexpr double kAsGood = 0.005;    ///< so much below the best match is as good
constexpr size_t kPeriods = 3;       ///< at least
constexpr size_t kLongest = 400'000; ///< operations looked at: more say nothing new
constexpr size_t kTried = 48;        ///< candidates, each one pass

/// The operations of one stream in the order they run.
struct Sequence {
    uint32_t track = kNone;
    std::vector<uint32_t> rows;
    std::vector<uint32_t> names;
};

Sequence busiestStream(const Trace &trace, std::optional<uint32_t> file, const Progress &progress) {
    Sequence best;
    TimeNs most = 0;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        if (track.kind != TrackKind::Stream) continue;
        if (file && trace.processes[track.process].file != *file) continue;
        const TrackTable &table = *track.table;
        TimeNs busy = 0;
        for (uint32_t row = 0; row < table.size(); ++row)
            if (progress.look(row); isDeviceKind(table.kind[row])) busy += table.duration[row];
        if (busy <= most) continue;
        most = busy;
        best.track = t;
    }
    if (best.track == kNone) return best;
    const TrackTable &table = *trace.tracks[best.track].table;
    for (uint32_t row = 0; row < table.size(); ++row)
        if (progress.look(row); isDeviceKind(table.kind[row])) best.rows.push_back(row);
    const auto before = [&](uint32_t a, uint32_t b) {
        return std::pair(table.start[a], a) < std::pair(table.start[b], b);
    };
    if (!std::is_sorted(best.rows.begin(), best.rows.end(), before))
        sortLooking(best.rows, before, progress);
    if (best.rows.size() > kLongest) best.rows.resize(kLongest);
    for (const uint32_t row : best.rows) best.names.push_back(table.name[row].index);
    return best;
}

std::map<uint32_t, std::vector<size_t>> placesByName(const std::vector<uint32_t> &names) {
    std::map<uint32_t, std::vector<size_t>> places;
    for (size_t i = 0; i < names.size(); ++i) places[names[i]].push_back(i);
    return places;
}

/// The distance that occurs most between neighbours, and whether it holds for 95 of 100.
size_t usualDistance(const std::vector<size_t> &places) {
    std::vector<size_t> distances;
    for (size_t i = 1; i < places.size(); ++i) distances.push_back(places[i] - places[i - 1]);
    const auto middle = distances.begin() + ptrdiff_t(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
}

double matchOf(const std::vector<uint32_t> &names, size_t p, const Progress &progress) {
    progress.look();
    size_t same = 0;
    for (size_t i = 0; i + p < names.size(); ++i) same += names[i] == names[i + p];
    return double(same) / double(names.size() - p);
}

std::optional<size_t> findPeriod(const Sequence &sequence,
                                 const std::map<uint32_t, std::vector<size_t>> &places,
                                 const Progress &progress) {
    std::map<size_t, size_t> votes; // by candidate: how many operations it would explain
    for (const auto &[name, at] : places)
        if (at.size() >= kPeriods) votes[usualDistance(at)] += at.size();
    std::vector<std::pair<size_t, size_t>> tried;
    for (const auto &[p, count] : votes)
        if (p >= 2 && p * kPeriods <= sequence.names.size()) tried.emplace_back(count, p);
    std::sort(tried.rbegin(), tried.rend());
    if (tried.size() > kTried) tried.resize(kTried);
    std::vector<std::pair<size_t, double>> matches;
    double best = 0;
    for (const auto &[count, p] : tried) {
        matches.emplace_back(p, matchOf(sequence.names, p, progress));
        best = std::max(best, matches.back().second);
    }
    std::sort(matches.begin(), matches.end());
    for (const auto &[p, match] : matches)
        if (match >= kMatch && match >= best - kAsGood) return p;
    return std::nullopt;
}

/// True where one operator or module was open around several of these calls: the layers of a model
/// come back evenly within one step.
bool insideOnePass(const Trace &trace, const std::vector<IntervalId> &calls) {
    const TrackTable &table = *trace.track(calls.front()).table;
    std::set<uint32_t> around;
    for (const IntervalId call : calls)
        for (uint32_t row = table.parent[call.row]; row != kNone; row = table.parent[row]) {
            const bool pass = table.kind[row] == Kind::CpuOp ||
                              trace.name({call.track, row}).starts_with("nn.Module: ");
            if (pass && call != calls.front() && around.count(row)) return true;
            if (pass) around.insert(row);
        }
    return false;
}

/// The launches of one kernel, if one thread makes them all, one in a period.
std::optional<KernelPeriod> bordersBy(const Trace &trace, const Sequence &sequence,
                                      const std::vector<size_t> &places, size_t p) {
    if (places.size() < kPeriods) return std::nullopt;
    size_t usual = 0;
    for (size_t i = 1; i < places.size(); ++i) usual += places[i] - places[i - 1] == p;
    if (double(usual) < kMatch * double(places.size() - 1)) return std::nullopt;
    KernelPeriod period;
    std::vector<TimeNs> begins;
    for (const size_t i : places) {
        const IntervalId call = trace.callOf({sequence.track, sequence.rows[i]});
        if (!call.valid()) continue; // launched before the capture began
        if (period.thread != kNone && call.track != period.thread) return std::nullopt;
        period.thread = call.track;
        period.calls.push_back(call);
        begins.push_back(trace.begin(call));
    }
    if (period.calls.size() <= kPeriods || !std::is_sorted(begins.begin(), begins.end()) ||
        std::adjacent_find(begins.begin(), begins.end()) != begins.end() || !areRegular(begins))
        return std::nullopt;
    if (insideOnePass(trace, period.calls)) return std::nullopt;
    period.kernel = shortName(trace, {sequence.track, sequence.rows[places.front()]});
    return period;
}

/// By thread: begins of the calls that launch, ascending.
std::map<uint32_t, GrowArray<TimeNs>> launchesByThread(const Trace &trace,
                                                       const Progress &progress) {
    std::map<uint32_t, GrowArray<TimeNs>> threads;
    size_t count = 0;
    for (const Launch &launch : trace.launches) {
        progress.look(count++);
        threads[launch.call.track].push_back(trace.begin(launch.call));
    }
    for (auto &[thread, times] : threads)
        if (!std::is_sorted(times.begin(), times.end()))
            sortLooking(times, std::less<>(), progress);
    return threads;
}

/// The usual time since the launch before, on the same thread.
TimeNs pauseBefore(const Trace &trace, const KernelPeriod &period,
                   const GrowArray<TimeNs> &launches) {
    std::vector<TimeNs> pauses;
    for (const IntervalId call : period.calls) {
        const TimeNs begin = trace.begin(call);
        const auto it = std::lower_bound(launches.begin(), launches.end(), begin);
        if (it != launches.begin()) pauses.push_back(begin - *std::prev(it));
    }
    if (pauses.empty()) return 0;
    const auto middle = pauses.begin() + ptrdiff_t(pauses.size() / 2);
    std::nth_element(pauses.begin(), middle, pauses.end());
    return *middle;
}

} // namespace

std::optional<KernelPeriod> kernelPeriod(const Trace &trace, std::optional<uint32_t> file,
                                         const Progress &progress) {
    const Sequence sequence = busiestStream(trace, file, progress);
    if (sequence.names.size() < 2 * kPeriods) return std::nullopt;
    const auto places = placesByName(sequence.names);
    const auto p = findPeriod(sequence, places, progress);
    if (!p) return std::nullopt;
    if (std::set(sequence.names.begin(), sequence.names.begin() + ptrdiff_t(*p)).size() < 2)
        return std::nullopt; // one kernel again and again is no loop that could be told apart
    const auto threads = launchesByThread(trace, progress);
    size_t mostLaunches = 0;
    std::optional<KernelPeriod> best;
    TimeNs longest = -1;
    for (const auto &[name, at] : places) {
        progress.look();
        auto period = bordersBy(trace, sequence, at, *p);
        if (!period) continue;
        const GrowArray<TimeNs> &launches = threads.at(period->thread);
        const TimeNs pause = pauseBefore(trace, *period, launches);
        // the thread that launches most drives the loop; others answer it
        if (std::pair(launches.size(), pause) <= std::pair(mostLaunches, longest)) continue;
        mostLaunches = launches.size();
        longest = pause;
        best = std::move(period);
    }
    return best;
}

} // namespace longpole
