// SPDX-License-Identifier: Apache-2.0
#include "core/model/trace.h"

#include "core/base/json_text.h"
#include "core/base/looking.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace longpole {

std::string_view trackKindName(TrackKind kind) {
    constexpr std::array<std::string_view, 4> names = {"thread", "stream", "annotation", "counter"};
    return names[size_t(kind)];
}

std::string_view streamOrderName(StreamOrder order) {
    constexpr std::array<std::string_view, 4> names = {"", "null", "blocking", "non_blocking"};
    return names[size_t(order)];
}

std::string placeText(const SourceFile &file, uint64_t offset) {
    if (offset == kWholeFile) return "the file as a whole";
    if (file.tables.empty()) return "byte " + formatCount(int64_t(offset));
    const size_t table = size_t(offset >> kRowBits);
    return "row " + formatCount(int64_t(offset & ((uint64_t(1) << kRowBits) - 1))) + " of " +
           (table < file.tables.size() ? toValidUtf8(file.tables[table]) : "?");
}

uint64_t Trace::intervalCount() const {
    uint64_t count = 0;
    for (const Track &track : tracks) count += track.table->size();
    return count;
}

bool Trace::hasResources() const {
    return std::any_of(tracks.begin(), tracks.end(),
                       [](const Track &t) { return t.isResource() && t.table->size() > 0; });
}

IntervalId Trace::callOf(IntervalId op) const {
    const auto it = std::lower_bound(launches.begin(), launches.end(), op,
                                     [](const Launch &l, IntervalId id) { return l.op < id; });
    return it != launches.end() && it->op == op ? it->call : IntervalId{};
}

std::vector<IntervalId> Trace::opsOf(IntervalId call) const {
    auto it = std::lower_bound(
        launchesByCall.begin(), launchesByCall.end(), call,
        [this](uint32_t index, IntervalId id) { return launches[index].call < id; });
    std::vector<IntervalId> ops;
    for (; it != launchesByCall.end() && launches[*it].call == call; ++it)
        ops.push_back(launches[*it].op);
    return ops;
}

namespace {

/// Moves one file's Trace behind `all`, shifting indices and clocks.
void append(Trace &all, Trace &&part, const Progress &progress) {
    const uint32_t fileBase = uint32_t(all.files.size());
    const uint32_t processBase = uint32_t(all.processes.size());
    const uint32_t trackBase = uint32_t(all.tracks.size());
    const TimeNs shift = part.origin - all.origin;
    for (Process &p : part.processes) {
        p.file += fileBase;
        all.processes.push_back(std::move(p));
    }
    for (Track &t : part.tracks) {
        t.process += processBase;
        t.offset += shift;
        all.tracks.push_back(std::move(t));
    }
    const uint32_t launchBase = uint32_t(all.launches.size());
    for (const Launch &l : part.launches) {
        progress.look(all.launches.size());
        all.launches.push_back(
            {{l.op.track + trackBase, l.op.row}, {l.call.track + trackBase, l.call.row}});
    }
    for (uint32_t index : part.launchesByCall) {
        progress.look(all.launchesByCall.size());
        all.launchesByCall.push_back(index + launchBase);
    }
    for (Instant i : part.instants) {
        progress.look(all.instants.size());
        i.track += trackBase;
        i.time += shift;
        all.instants.push_back(i);
    }
    for (CounterSeries &c : part.counters) {
        c.track += trackBase;
        progress.look();
        for (TimeNs &t : c.time) t += shift;
        all.counters.push_back(std::move(c));
    }
    for (FlowPoint f : part.flows) {
        progress.look(all.flows.size());
        f.track += trackBase;
        f.time += shift;
        f.file += fileBase;
        all.flows.push_back(f);
    }
    if (!part.range.empty()) {
        const TimeRange moved{part.range.begin + shift, part.range.end + shift};
        all.range = all.range.empty() ? moved
                                      : TimeRange{std::min(all.range.begin, moved.begin),
                                                  std::max(all.range.end, moved.end)};
    }
    all.diagnostics.merge(part.diagnostics, fileBase);
    all.events.add(part.events);
    for (SyncRecord s : part.syncs) {
        s.process += processBase;
        s.begin += shift;
        s.end += shift;
        all.syncs.push_back(s);
    }
    std::move(part.files.begin(), part.files.end(), std::back_inserter(all.files));
    std::move(part.strings.begin(), part.strings.end(), std::back_inserter(all.strings));
}

} // namespace

std::shared_ptr<const Trace> joinTraces(std::vector<Trace> parts, const Progress &progress) {
    if (parts.size() == 1) return std::make_shared<const Trace>(std::move(parts.front()));
    auto all = std::make_shared<Trace>();
    // The trace's zero is the earliest zero of its files, so that no time is negative by joining.
    if (!parts.empty()) {
        all->origin = parts.front().origin;
        for (const Trace &part : parts) all->origin = std::min(all->origin, part.origin);
    }
    for (Trace &part : parts) append(*all, std::move(part), progress);
    if (all->files.size() > 1) {
        Diagnostics clocks;
        clocks.add(Reason::ClocksNotAligned, all->files[1].tables.empty() ? 0 : kWholeFile,
                   all->files.size() - 1);
        all->diagnostics.merge(clocks, 1);
    }
    stableSortLooking(
        all->instants, [](const Instant &a, const Instant &b) { return a.time < b.time; },
        progress);
    return all;
}

} // namespace longpole
