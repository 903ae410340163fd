// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/order_statistics.h"
#include "core/analysis/statistics.h"
#include "core/analysis/sweep.h"
#include "core/base/least_of.h"

#include <map>
#include <memory>

namespace longpole {

/// Who gets an instant that several share (analysis order): the lowest turn, then the first
/// source.
enum class Turn : uint8_t { Compute, Exposed, Copies, DataWait, SyncWait, HostWork, Logging };

using DeviceKey = std::pair<uint32_t, int64_t>; ///< file and device

/// Time with communication on a device, and the part of it that other kernels hide.
struct Exposure {
    TimeNs since = 0, sum = 0, unionTime = 0, hidden = 0;
    uint32_t communicating = 0, computing = 0;

    void change(TimeNs now, Kind kind, uint32_t by) {
        if (communicating > 0) unionTime += now - since;
        if (communicating > 0 && computing > 0) hidden += now - since;
        since = now;
        if (kind == Kind::Comm)
            communicating += by;
        else if (kind == Kind::Kernel || kind == Kind::GraphExec)
            computing += by;
    }
    void add(const Exposure &o) {
        sum += o.sum;
        unionTime += o.unionTime;
        hidden += o.hidden;
    }
};

/// What the intervals of one key have together, of those that a tally has met.
struct Group {
    const StringPool *pool = nullptr; ///< of names: where `index` is one
    uint32_t index = kNone;
    uint32_t open = 0; ///< sources at work
    TimeNs since = 0;  ///< of the first of them
    TimeNs self = 0, unionTime = 0, exclusive = 0, device = 0;
};

/// How a grouping numbers its keys.
struct Keys {
    const Trace &trace;
    const Phases &phases;
    GroupBy by;
    const Attribution *attribution;

    size_t count(const TrackTable &table) const {
        if (attribution) return attribution->owners.size();
        if (by == GroupBy::Name) return table.strings->size();
        return by == GroupBy::Track ? trace.tracks.size() : 256;
    }
    uint32_t of(uint32_t track, uint32_t row) const {
        if (attribution) return attribution->of({track, row});
        switch (by) {
        case GroupBy::Phase:
            return phases.byTrack[track][row];
        case GroupBy::Track:
            return track;
        case GroupBy::Kind:
            return uint32_t(trace.tracks[track].table->kind[row]);
        default:
            return trace.tracks[track].table->name[row].index;
        }
    }
};

/// Listens to the sweep of one range: lengths, unions, self times, the exclusive split and exposed
/// communication.
class Tally {
public:
    struct Note {
        uint32_t group = kNone;
        Turn turn = Turn::HostWork;
        Kind kind{};
    };

    Tally(const Keys &keys, const std::vector<SweepLane> &lanes);

    // What a Sweep calls.
    Note meet(uint32_t lane, uint32_t row, bool first);
    void begin(uint32_t lane, uint32_t row, Note note, TimeNs now);
    void end(uint32_t lane, uint32_t row, Note note, TimeNs now);

    /// Counts a range of the window.
    void count(Sweep<Tally> &sweep, TimeRange window, TimeRange range);

    std::vector<Group> groups;
    std::vector<Lengths> lengths; ///< by group; clipped to the window, with what is nested inside
    TimeNs unionTime = 0;
    std::map<DeviceKey, Exposure> exposures;

private:
    struct Lane {
        uint32_t track, source;
        Exposure *exposure; ///< null for threads
        const StringPool *pool;
        uint32_t *groupOf; ///< by key
    };
    /// A range of a thread that has not ended, or did while one that began later had not.
    struct Open {
        TimeNs begin, end;
        uint16_t depth;
        uint32_t row;
        Note note;
        bool comesBefore(const Open &o) const {
            return std::tie(begin, depth, row) < std::tie(o.begin, o.depth, o.row);
        }
    };
    /// What has at most one interval at work at a time: of a thread the range that began last.
    struct Source {
        Note note;
        TimeNs since = 0;
        bool atWork = false;
        std::vector<Open> open; ///< of a thread, by begin, outer ones first
    };

    void enter(uint32_t source, Note note, TimeNs now);
    TimeNs leave(uint32_t source, TimeNs now); ///< of what it worked on
    /// Gives the time since the last change to the source that comes first.
    void credit(TimeNs now);
    Turn turnOf(const Lane &lane, uint32_t row, Kind kind) const;

    const Keys m_keys;
    TimeRange m_window;
    std::vector<Lane> m_lanes;
    std::map<const StringPool *, std::vector<uint32_t>> m_groupOf;
    std::vector<Source> m_sources;
    std::vector<LeastOf> m_active; ///< sources at work, by turn
    unsigned m_present = 0;        ///< a bit for each turn that some source is in
    uint32_t m_owner = kNone;      ///< the first source of the first turn
    TimeNs m_ownerSince = 0;
    const std::optional<uint8_t> m_dataWait, m_sync, m_logging;
};

/// One tally for each thread, over ranges of the window with about as much work each. Throws
/// Stopped.
std::vector<std::unique_ptr<Tally>> tallies(const Keys &keys, TimeRange window,
                                            const Progress &progress, unsigned threads);

} // namespace longpole
