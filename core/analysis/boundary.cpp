// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/boundary.h"

#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <algorithm>
#include <array>
#include <limits>

namespace longpole {

namespace {

constexpr TimeNs kLeastTail = 50'000;
constexpr TimeNs kTailShare = 20; ///< of the length: 5 %
constexpr TimeNs kNever = std::numeric_limits<TimeNs>::min();

} // namespace

std::string_view boundaryName(Boundary boundary) {
    constexpr std::array<std::string_view, 4> names = {"unknown", "synchronised", "enqueue_only",
                                                       "device_events"};
    return names[size_t(boundary)];
}

std::string_view boundarySentence(Boundary boundary) {
    switch (boundary) {
    case Boundary::Synchronised:
        return "Boundary: synchronised. Every step waits for the device work that it enqueues.";
    case Boundary::EnqueueOnly:
        return "Boundary: enqueue only. Steps return before their device work has ended: their "
               "time "
               "on the host alone is no measure of the work.";
    case Boundary::DeviceEvents:
        return "Boundary: device events.";
    case Boundary::Unknown:
        break;
    }
    return {};
}

TimeNs enqueueTolerance(TimeNs length) {
    return std::max(kLeastTail, length / kTailShare);
}

EnqueueTails::EnqueueTails(const Trace &trace, std::optional<uint32_t> only,
                           const Progress &progress)
    : m_trace(trace), m_threads(trace.tracks.size()) {
    struct Call {
        TimeNs begin, done;
        auto operator<=>(const Call &) const = default;
    };
    std::vector<GrowArray<Call>> calls(trace.tracks.size());
    for (size_t i = 0; i < trace.launches.size(); ++i) {
        progress.look(i);
        const Launch &launch = trace.launches[i];
        if (only && launch.call.track != *only) continue;
        const TimeNs returned = trace.end(launch.call), done = trace.end(launch.op);
        calls[launch.call.track].push_back({trace.begin(launch.call), done});
        // only a call that blocks is still there when its copy ends (analysis.md §2.2)
        if (trace.kind(launch.op) == Kind::D2H && returned >= done)
            m_threads[launch.call.track].waits.push_back({trace.begin(launch.call), returned});
    }
    for (uint32_t t = 0; t < m_threads.size(); ++t) {
        if (only && t != *only) continue;
        const Track &track = trace.tracks[t];
        Thread &thread = m_threads[t];
        if (track.kind == TrackKind::Thread)
            for (uint32_t row = 0; row < track.table->size(); ++row)
                if (progress.look(row); track.table->kind[row] == Kind::Sync)
                    thread.waits.push_back({track.begin(row), track.end(row)});
        sortLooking(
            thread.waits, [](TimeRange a, TimeRange b) { return a.begin < b.begin; }, progress);
        sortLooking(calls[t], std::less<>(), progress);
        const size_t n = calls[t].size();
        growTo(thread.latest, 2 * n, progress);
        thread.launches.reserve(n);
        for (size_t i = 0; i < n; ++i) {
            progress.look(i);
            thread.launches.push_back(calls[t][i].begin);
            thread.latest[n + i] = calls[t][i].done;
        }
        for (size_t i = n; i-- > 1;) {
            progress.look(i);
            thread.latest[i] = std::max(thread.latest[2 * i], thread.latest[2 * i + 1]);
        }
    }
}

TimeNs EnqueueTails::latestEnd(const Thread &thread, size_t from, size_t to) {
    TimeNs latest = kNever;
    const size_t n = thread.launches.size();
    for (from += n, to += n; from < to; from /= 2, to /= 2) {
        if (from & 1) latest = std::max(latest, thread.latest[from++]);
        if (to & 1) latest = std::max(latest, thread.latest[--to]);
    }
    return latest;
}

std::optional<TimeNs> EnqueueTails::lastWait(const Thread &thread, TimeNs from, TimeNs until) {
    std::optional<TimeNs> last;
    auto it = std::lower_bound(thread.waits.begin(), thread.waits.end(), from,
                               [](TimeRange wait, TimeNs t) { return wait.begin < t; });
    for (; it != thread.waits.end() && it->begin < until; ++it)
        if (it->end <= until) last = std::max(last.value_or(it->end), it->end);
    return last;
}

Boundary EnqueueTails::boundary(uint32_t thread, TimeRange range, TimeNs lastLaunch,
                                TimeNs deviceEnd) const {
    const TimeNs tolerance = enqueueTolerance(range.length());
    const auto wait = lastWait(m_threads[thread], lastLaunch, range.end);
    if (deviceEnd - range.end > tolerance) return wait ? Boundary::Unknown : Boundary::EnqueueOnly;
    return wait && *wait >= deviceEnd ? Boundary::Synchronised : Boundary::Unknown;
}

std::optional<TimeNs> EnqueueTails::tail(IntervalId host) const {
    const Thread &thread = m_threads[host.track];
    const TimeRange range{m_trace.begin(host), m_trace.end(host)};
    const auto first =
        std::lower_bound(thread.launches.begin(), thread.launches.end(), range.begin);
    const auto last = std::lower_bound(first, thread.launches.end(), range.end);
    // A call that enqueues is what it says it is: only what holds it can be taken for the work.
    if (first == last || m_trace.kind(host) == Kind::Launch) return std::nullopt;
    const TimeNs deviceEnd = latestEnd(thread, size_t(first - thread.launches.begin()),
                                       size_t(last - thread.launches.begin()));
    if (boundary(host.track, range, *(last - 1), deviceEnd) != Boundary::EnqueueOnly)
        return std::nullopt;
    return deviceEnd - range.end;
}

std::optional<TimeNs> enqueueTail(const Trace &trace, IntervalId host) {
    const TimeRange range{trace.begin(host), trace.end(host)};
    if (trace.track(host).kind != TrackKind::Thread || trace.kind(host) == Kind::Launch)
        return std::nullopt;
    TimeNs deviceEnd = kNever;
    for (const Launch &launch : trace.launches) {
        if (launch.call.track != host.track) continue;
        const TimeNs at = trace.begin(launch.call);
        if (at >= range.begin && at < range.end)
            deviceEnd = std::max(deviceEnd, trace.end(launch.op));
    }
    if (deviceEnd == kNever || deviceEnd - range.end <= enqueueTolerance(range.length()))
        return std::nullopt;
    return EnqueueTails(trace, host.track).tail(host); // rare: now its waits are worth an index
}

std::string enqueueOnlySentence(TimeNs length, TimeNs tail) {
    return "Enqueue only: this call returns after " + formatDuration(length) +
           ", its device work ends " + formatDuration(tail) +
           " later. It is no measure of the work.";
}

} // namespace longpole
