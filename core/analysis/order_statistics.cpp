// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace longpole {

namespace {

using Parts = std::span<const std::span<const uint32_t>>;

template <class Work>
void eachPiece(Parts parts, const Progress &progress, Work &&work) {
    for (const auto part : parts)
        for (size_t from = 0; from < part.size(); from += Progress::kLook) {
            progress.look();
            work(part.subspan(from, std::min(Progress::kLook, part.size() - from)));
        }
}

/// Classes of size, which ascend with the lengths and are narrower than 1/128 of them.
constexpr unsigned kFine = 7;
size_t sizeClass(uint32_t length) {
    const unsigned bits = unsigned(std::bit_width(length >> kFine));
    return (size_t(bits) << kFine) + (length >> (bits ? bits - 1 : 0)) - (bits ? 1 << kFine : 0);
}

/// The values that a sorted list of all would have at `ranks`, ascending. Only the classes of size
/// that hold these ranks are sorted.
std::vector<TimeNs> valuesAt(Parts parts, const std::vector<size_t> &ranks,
                             const Progress &progress) {
    std::vector<size_t> counts(sizeClass(std::numeric_limits<uint32_t>::max()) + 1);
    eachPiece(parts, progress, [&](std::span<const uint32_t> lengths) {
        for (const uint32_t length : lengths) ++counts[sizeClass(length)];
    });
    struct Asked {
        size_t before; ///< lengths of lower classes
        std::vector<uint32_t> members;
    };
    std::vector<Asked> asked;
    std::vector<uint8_t> askedOf(counts.size()); ///< 1 + index; 0 where no rank is
    size_t before = 0, next = 0;
    for (size_t c = 0; c < counts.size() && next < ranks.size(); before += counts[c++]) {
        if (before + counts[c] <= ranks[next]) continue;
        asked.push_back({before, {}});
        asked.back().members.reserve(counts[c]);
        askedOf[c] = uint8_t(asked.size());
        while (next < ranks.size() && ranks[next] < before + counts[c]) ++next;
    }
    eachPiece(parts, progress, [&](std::span<const uint32_t> lengths) {
        for (const uint32_t length : lengths)
            if (const uint8_t index = askedOf[sizeClass(length)])
                asked[index - 1].members.push_back(length);
    });
    std::vector<TimeNs> values;
    for (const size_t rank : ranks) {
        progress.look();
        const auto of =
            std::prev(std::upper_bound(asked.begin(), asked.end(), rank,
                                       [](size_t r, const Asked &a) { return r < a.before; }));
        const auto at = of->members.begin() + ptrdiff_t(rank - of->before);
        std::nth_element(of->members.begin(), at, of->members.end());
        values.push_back(*at);
    }
    return values;
}

/// The same of few.
std::vector<TimeNs> valuesOfFew(Parts parts, const std::vector<size_t> &ranks) {
    std::vector<uint32_t> all;
    for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
    std::vector<TimeNs> values;
    auto from = all.begin();
    for (const size_t rank : ranks) {
        const auto at = all.begin() + ptrdiff_t(rank);
        if (at >= from) std::nth_element(from, at, all.end());
        values.push_back(*at);
        from = at + 1;
    }
    return values;
}

constexpr size_t kFew = 1 << 14; ///< below it, counting classes costs more than it saves

} // namespace

LengthFacts LengthFacts::of(std::span<const Lengths *const> lists, const Progress &progress) {
    LengthFacts facts;
    std::vector<std::span<const uint32_t>> shorts;
    std::vector<TimeNs> longs;
    size_t shortCount = 0;
    for (const Lengths *list : lists) {
        shorts.emplace_back(list->m_short.data(), list->m_short.size());
        shortCount += list->m_short.size();
        longs.insert(longs.end(), list->m_long.begin(), list->m_long.end());
    }
    facts.count = shortCount + longs.size();
    if (facts.count == 0) return facts;
    std::sort(longs.begin(), longs.end());
    double sum = 0;
    eachPiece(shorts, progress, [&](std::span<const uint32_t> lengths) {
        uint64_t exact = 0;
        uint32_t longest = 0;
        for (const uint32_t length : lengths) {
            exact += length;
            longest = std::max(longest, length);
        }
        sum += double(exact);
        facts.max = std::max(facts.max, TimeNs(longest));
    });
    for (const TimeNs length : longs) sum += double(length);
    if (!longs.empty()) facts.max = longs.back();
    facts.mean = TimeNs(sum / double(facts.count));

    const double places[] = {0.5 * double(facts.count - 1), 0.95 * double(facts.count - 1)};
    std::vector<size_t> ranks; // of short ones: a place lies between two ranks
    for (const double place : places)
        for (const size_t rank : {size_t(place), size_t(place) + 1})
            if (rank < shortCount && (ranks.empty() || ranks.back() < rank)) ranks.push_back(rank);
    const std::vector<TimeNs> values =
        shortCount < kFew ? valuesOfFew(shorts, ranks) : valuesAt(shorts, ranks, progress);
    const auto at = [&](size_t rank) {
        if (rank >= facts.count) return facts.max;
        if (rank >= shortCount) return longs[rank - shortCount];
        return values[size_t(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin())];
    };
    const auto between = [&](double place) {
        const TimeNs low = at(size_t(place)), high = at(size_t(place) + 1);
        return low + TimeNs(std::llround((place - std::floor(place)) * double(high - low)));
    };
    facts.p50 = between(places[0]);
    facts.p95 = between(places[1]);
    return facts;
}

} // namespace longpole
