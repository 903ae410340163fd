// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/search.h"

#include "core/base/parallel.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace longpole {

namespace {

/// What is known of each text of one file.
struct Texts {
    const StringPool *pool;
    std::vector<uint8_t> matches;
    uint32_t category = kNone; ///< the one to keep to; kNone: not in this file
};

constexpr uint32_t kPiece = 1 << 18; ///< rows or texts of one task

/// [0, count) in pieces on several threads; false when it was stopped.
template <class Work>
bool inPieces(size_t count, unsigned threads, Progress &progress, Work &&work) {
    parallelFor((count + kPiece - 1) / kPiece, threads, [&](size_t piece) {
        if (!progress.stopped()) work(piece * kPiece, std::min(count, (piece + 1) * kPiece));
    });
    return !progress.stopped();
}

Texts ask(const StringPool &pool, const TextMatch &match, const std::string &category,
          Progress &progress, unsigned threads) {
    Texts texts{&pool, std::vector<uint8_t>(pool.size()), kNone};
    inPieces(pool.size(), threads, progress, [&](size_t from, size_t to) {
        for (size_t i = from; i < to; ++i) {
            if (i % 4096 == 0 && progress.stopped()) return;
            texts.matches[i] = match.in(pool[StringId{uint32_t(i)}]);
        }
    });
    for (uint32_t i = 0; i < pool.size() && !category.empty(); ++i)
        if (pool[StringId{i}] == category) texts.category = i;
    return texts;
}

/// Rows [from, to) that match, written without a branch: hits are often every second row.
void findRows(const TrackTable &table, const Texts &texts, bool anyCategory, size_t from, size_t to,
              std::vector<uint32_t> &found) {
    found.resize(to - from);
    const uint8_t *matches = texts.matches.data();
    size_t count = 0;
    for (size_t row = from; row < to; ++row) {
        const uint32_t category = table.category[row].index;
        const bool hit = (anyCategory || category == texts.category) &
                         (matches[table.name[row].index] | matches[category]);
        found[count] = uint32_t(row);
        count += hit;
    }
    found.resize(count);
}

/// The order of the walk.
using Key = std::tuple<TimeNs, int64_t, uint32_t>;

Key keyOf(HitPlace place) {
    return {place.time, place.id.valid() ? int64_t(place.id.track) : -1, place.id.row};
}

void number(SearchHits &hits) {
    hits.count = 0;
    for (SearchHits::OfTrack &track : hits.tracks) {
        track.before = hits.count;
        hits.count += track.rows.size();
    }
}

const SearchHits::OfTrack *ofTrack(const SearchHits &hits, uint32_t track) {
    const auto at = std::lower_bound(
        hits.tracks.begin(), hits.tracks.end(), track,
        [](const SearchHits::OfTrack &hit, uint32_t wanted) { return hit.track < wanted; });
    return at == hits.tracks.end() || at->track != track ? nullptr : &*at;
}

} // namespace

IntervalId SearchHits::at(size_t index) const {
    const auto behind =
        std::upper_bound(tracks.begin(), tracks.end(), index,
                         [](size_t wanted, const OfTrack &hit) { return wanted < hit.before; });
    const OfTrack &hit = *std::prev(behind);
    return {hit.track, hit.rows[index - hit.before]};
}

bool SearchHits::contains(IntervalId id) const {
    const OfTrack *hit = ofTrack(*this, id.track);
    return hit && std::binary_search(hit->rows.begin(), hit->rows.end(), id.row);
}

std::span<const uint32_t> SearchHits::inLane(const Trace &trace, uint32_t track,
                                             uint32_t lane) const {
    const OfTrack *hit = ofTrack(*this, track);
    if (!hit) return {};
    const auto &lanes = trace.tracks[track].table->laneBegin;
    const auto from = std::lower_bound(hit->rows.begin(), hit->rows.end(), lanes[lane]);
    return {from, std::lower_bound(from, hit->rows.end(), lanes[lane + 1])};
}

Result<SearchHits> search(const Trace &trace, const SearchQuery &query, Progress &progress,
                          unsigned threads) {
    const auto match = TextMatch::compile(query.text);
    if (!match) return match.error();
    SearchHits hits;
    if (match->empty()) return hits;
    std::map<const StringPool *, Texts> texts;
    for (const Track &track : trace.tracks)
        if (track.table && !texts.count(track.table->strings.get()))
            texts[track.table->strings.get()] =
                ask(*track.table->strings, *match, query.category, progress, threads);
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        if (progress.stopped()) break;
        if (match->in(trace.tracks[t].name)) hits.trackNames.push_back(t);
        const auto &table = trace.tracks[t].table;
        if (!table || table->size() == 0) continue;
        const Texts &known = texts.at(table->strings.get());
        if (!query.category.empty() && known.category == kNone) continue;
        std::vector<std::vector<uint32_t>> parts((table->size() + kPiece - 1) / kPiece);
        inPieces(table->size(), threads, progress, [&](size_t from, size_t to) {
            findRows(*table, known, query.category.empty(), from, to, parts[from / kPiece]);
        });
        SearchHits::OfTrack found{t, std::move(parts.front()), 0};
        for (size_t i = 1; i < parts.size(); ++i)
            found.rows.insert(found.rows.end(), parts[i].begin(), parts[i].end());
        if (found.rows.empty()) continue;
        found.rows.shrink_to_fit();
        hits.tracks.push_back(std::move(found));
    }
    if (progress.stopped()) return Error{ErrorKind::Cancelled, "cancelled", {}};
    number(hits);
    return hits;
}

SearchHits hitsOf(std::vector<IntervalId> ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    SearchHits hits;
    for (const IntervalId id : ids) {
        if (hits.tracks.empty() || hits.tracks.back().track != id.track)
            hits.tracks.push_back({id.track, {}, 0});
        hits.tracks.back().rows.push_back(id.row);
    }
    number(hits);
    return hits;
}

SearchHits joined(const SearchHits &a, const SearchHits &b) {
    SearchHits all;
    all.trackNames = a.trackNames;
    size_t i = 0, k = 0;
    while (i < a.tracks.size() || k < b.tracks.size()) {
        const uint32_t trackA = i < a.tracks.size() ? a.tracks[i].track : kNone;
        const uint32_t trackB = k < b.tracks.size() ? b.tracks[k].track : kNone;
        SearchHits::OfTrack both{std::min(trackA, trackB), {}, 0};
        static const std::vector<uint32_t> none;
        const auto &rowsA = trackA == both.track ? a.tracks[i++].rows : none;
        const auto &rowsB = trackB == both.track ? b.tracks[k++].rows : none;
        std::set_union(rowsA.begin(), rowsA.end(), rowsB.begin(), rowsB.end(),
                       std::back_inserter(both.rows));
        all.tracks.push_back(std::move(both));
    }
    number(all);
    return all;
}

std::optional<IntervalId> hitBeside(const Trace &trace, const SearchHits &hits, HitPlace from,
                                    int by) {
    const Key key = keyOf(from);
    std::optional<std::pair<Key, IntervalId>> best;
    const auto offer = [&](IntervalId id) {
        const Key at{trace.begin(id), id.track, id.row};
        if (!best || (by > 0 ? at < best->first : best->first < at)) best = {at, id};
    };
    for (const SearchHits::OfTrack &hit : hits.tracks) {
        const Track &track = trace.tracks[hit.track];
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) {
            const auto rows = hits.inLane(trace, hit.track, lane);
            // Rows of a lane ascend in time, so they ascend in the order of the walk.
            const auto behind =
                std::upper_bound(rows.begin(), rows.end(), key, [&](const Key &k, uint32_t row) {
                    return k < Key{track.begin(row), hit.track, row};
                });
            if (by > 0 && behind != rows.end()) offer({hit.track, *behind});
            const auto before =
                std::lower_bound(rows.begin(), behind, key, [&](uint32_t row, const Key &k) {
                    return Key{track.begin(row), hit.track, row} < k;
                });
            if (by < 0 && before != rows.begin()) offer({hit.track, *std::prev(before)});
        }
    }
    if (!best) return std::nullopt;
    return best->second;
}

size_t hitsBefore(const Trace &trace, const SearchHits &hits, HitPlace place) {
    const Key key = keyOf(place);
    size_t count = 0;
    for (const SearchHits::OfTrack &hit : hits.tracks) {
        const Track &track = trace.tracks[hit.track];
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) {
            const auto rows = hits.inLane(trace, hit.track, lane);
            count += size_t(std::lower_bound(rows.begin(), rows.end(), key,
                                             [&](uint32_t row, const Key &k) {
                                                 return Key{track.begin(row), hit.track, row} < k;
                                             }) -
                            rows.begin());
        }
    }
    return count;
}

std::vector<std::string> categoriesOf(const Trace &trace) {
    std::map<const StringPool *, std::vector<uint8_t>> used;
    for (const Track &track : trace.tracks) {
        if (!track.table) continue;
        auto &seen = used[track.table->strings.get()];
        seen.resize(track.table->strings->size());
        for (const StringId category : track.table->category) seen[category.index] = 1;
    }
    std::set<std::string> names;
    for (const auto &[pool, seen] : used)
        for (uint32_t i = 0; i < seen.size(); ++i)
            if (seen[i] && !(*pool)[StringId{i}].empty()) names.emplace((*pool)[StringId{i}]);
    return {names.begin(), names.end()};
}

} // namespace longpole
