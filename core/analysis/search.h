// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/base/text_match.h"
#include "core/model/trace.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace longpole {

struct SearchQuery {
    std::string text;     ///< see TextMatch
    std::string category; ///< only intervals of exactly this one; empty: all
    friend bool operator==(const SearchQuery &, const SearchQuery &) = default;
};

/// Which intervals a search found: rows of tracks, and nothing else of them. Four bytes a hit.
struct SearchHits {
    struct OfTrack {
        uint32_t track;
        std::vector<uint32_t> rows; ///< ascending, so those of a lane are together and by time
        size_t before = 0;          ///< hits of the tracks above
    };
    std::vector<OfTrack> tracks;      ///< those with hits, ascending
    std::vector<uint32_t> trackNames; ///< tracks whose own name matches
    size_t count = 0;

    IntervalId at(size_t index) const; ///< index < count
    bool contains(IntervalId id) const;
    /// The hits in one lane of a track, by time.
    std::span<const uint32_t> inLane(const Trace &trace, uint32_t track, uint32_t lane) const;
};

/// All intervals whose name or category matches, and all tracks whose name does. Each distinct text
/// is asked once. Errors: usage (a bad pattern), cancelled.
Result<SearchHits> search(const Trace &trace, const SearchQuery &query, Progress &progress,
                          unsigned threads = 1);

/// The same of intervals that were found elsewhere, in any order and more than once.
SearchHits hitsOf(std::vector<IntervalId> ids);
/// All of both; the tracks by name are those of `a`.
SearchHits joined(const SearchHits &a, const SearchHits &b);

/// A place among the hits, which are walked by begin, then track, then row.
struct HitPlace {
    TimeNs time = 0;
    IntervalId id; ///< invalid: before all hits that begin then
};
/// The first hit behind (by > 0) or before a place; none at the ends.
std::optional<IntervalId> hitBeside(const Trace &trace, const SearchHits &hits, HitPlace from,
                                    int by);

/// How many hits come before a place in the walk.
size_t hitsBefore(const Trace &trace, const SearchHits &hits, HitPlace place);

/// Distinct categories of the intervals, sorted.
std::vector<std::string> categoriesOf(const Trace &trace);

} // namespace longpole
