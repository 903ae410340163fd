// SPDX-License-Identifier: Apache-2.0
#include "core/model/preview_builder.h"

#include "core/model/trace_builder.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr int kShareOfTime = 40;
constexpr TimeNs kFarthest = TimeNs(1) << 60; ///< 36 years; what lies beyond is drawn there
constexpr size_t kMostOpen = 1 << 16;

std::string cut(std::string_view text) {
    size_t length = std::min(text.size(), Preview::kNameBytes);
    while (length < text.size() && length > 0 && (uint8_t(text[length]) & 0xC0) == 0x80) --length;
    return std::string(text.substr(0, length)); // never in the middle of a character
}

TimeNs distance(TimeNs t, TimeNs from) {
    TimeNs d = 0;
    if (__builtin_sub_overflow(t, from, &d)) return t < from ? -kFarthest : kFarthest;
    return std::clamp(d, -kFarthest, kFarthest);
}

void include(std::optional<TimeRange> &range, TimeNs begin, TimeNs end) {
    if (!range) range = TimeRange{begin, end};
    range->begin = std::min(range->begin, begin);
    range->end = std::max(range->end, end);
}

} // namespace

size_t Preview::bytes() const {
    size_t bytes = sizeof *this + others.busy.capacity();
    for (const TrackSoFar &t : tracks)
        bytes += sizeof t + t.process.capacity() + t.name.capacity() + t.busy.capacity();
    return bytes;
}

void BusyBins::add(TimeNs begin, TimeNs end, TimeNs from, TimeNs width, int sign) {
    const size_t first = size_t((begin - from) / width), last = size_t((end - 1 - from) / width);
    if (first == last) {
        m_partly[first] += sign * (end - begin);
        return;
    }
    m_partly[first] += sign * (from + TimeNs(first + 1) * width - begin);
    m_partly[last] += sign * (end - from - TimeNs(last) * width);
    m_whole[first + 1] += sign;
    m_whole[last] -= sign;
}

void BusyBins::settle(TimeNs width) {
    int64_t whole = 0;
    for (size_t i = 0; i < m_partly.size(); ++i) {
        whole += std::exchange(m_whole[i], 0);
        m_partly[i] += whole * width;
    }
    m_whole.back() = 0;
}

void BusyBins::doubleLength(TimeNs width, bool downwards) {
    settle(width);
    constexpr size_t half = Preview::kBins / 2;
    std::vector<int64_t> doubled(Preview::kBins);
    for (size_t i = 0; i < half; ++i)
        doubled[i + (downwards ? half : 0)] = m_partly[2 * i] + m_partly[2 * i + 1];
    m_partly.swap(doubled);
}

std::vector<uint8_t> BusyBins::shares(TimeNs width) const {
    std::vector<uint8_t> shares(m_partly.size());
    int64_t whole = 0;
    for (size_t i = 0; i < shares.size(); ++i) {
        whole += m_whole[i];
        if (whole > 0) {
            shares[i] = 255;
        } else if (m_partly[i] > 0) {
            const double share = double(m_partly[i]) / double(width);
            shares[i] = uint8_t(std::clamp(share * 255 + 0.5, 1.0, 255.0));
        }
    }
    return shares;
}

void PreviewBuilder::look(const TraceBuilder &builder, bool last) {
    const auto begin = Clock::now();
    if (!last && begin < m_due) return;
    take(builder);
    describe(builder);
    if (last) {
        m_seen.clear();
        m_open.clear();
        m_anchor.reset();
        m_firstOfFile = m_shown.size();
        ++m_file;
    }
    m_slot->put(make());
    const auto end = Clock::now();
    m_due = end + std::max<Clock::duration>(kBetween, (end - begin) * kShareOfTime);
}

void PreviewBuilder::take(const TraceBuilder &builder) {
    m_seen.resize(builder.trackCount());
    for (size_t t = 0; t < m_seen.size(); ++t) {
        const TraceBuilder::TrackSoFar track = builder.trackSoFar(t);
        Seen &seen = m_seen[t];
        if (seen.rows == track.rows.size() && seen.marks == track.marks.size()) continue;
        Shown &shown = shownOf(seen, t);
        const bool resource = track.track.isResource();
        for (; seen.rows < track.rows.size(); ++seen.rows) {
            const IntervalRow &row = track.rows[seen.rows];
            add(shown, row.begin, row.end, row.kind, resource);
        }
        if (seen.marks == track.marks.size()) continue;
        // whichever begins and ends belong together: all in all they are busy for the same time
        auto &open = m_open[t];
        for (; seen.marks < track.marks.size(); ++seen.marks) {
            const Mark &mark = track.marks[seen.marks];
            if (!mark.isEnd) {
                if (open.size() < kMostOpen) open.emplace_back(mark.row.begin, mark.row.kind);
                begins(mark.row.begin, resource);
            } else if (!open.empty()) {
                const auto [from, kind] = open.back();
                open.pop_back();
                add(shown, from, std::max(from, mark.row.begin), kind, resource);
            }
        }
    }
}

PreviewBuilder::Shown &PreviewBuilder::shownOf(Seen &seen, size_t track) {
    if (seen.isNew) {
        seen.isNew = false;
        if (m_shown.size() < Preview::kTracks) {
            seen.shown = uint32_t(m_shown.size());
            m_shown.push_back(std::make_unique<Shown>());
            m_shown.back()->track = track;
        } else {
            ++m_otherTracks;
            if (!m_others) m_others = std::make_unique<Shown>();
        }
    }
    return seen.shown == kNone ? *m_others : *m_shown[seen.shown];
}

/// Keeps what the trace's zero will be made of.
void PreviewBuilder::begins(TimeNs time, bool resource) {
    if (!m_anchor) m_anchor = time;
    if (m_file > 0) return;
    auto &first = resource ? m_firstOnResource : m_firstElsewhere;
    const TimeNs at = distance(time, *m_anchor);
    first = std::min(first.value_or(at), at);
}

void PreviewBuilder::add(Shown &shown, TimeNs begin, TimeNs end, Kind kind, bool resource) {
    if (!m_anchor) m_anchor = begin;
    Outer interval{distance(begin, *m_anchor), distance(end, *m_anchor), kind};
    interval.end = std::max(interval.end, interval.begin + 1); // a mark without length is one, too
    ++shown.intervals;
    auto &outer = shown.outermost;
    if (!outer.empty() && outer.back().begin <= interval.begin && interval.end <= outer.back().end)
        return;
    begins(begin, resource);
    include(resource ? m_onResources : m_elsewhere, interval.begin, interval.end);
    while (interval.begin < m_from) lengthen(true);
    while (interval.end > m_from + m_width * TimeNs(Preview::kBins)) lengthen(false);
    const auto bin = [&](const Outer &o, int sign) {
        shown.bins.add(o.begin, o.end, m_from, m_width, sign);
    };
    if (&shown == m_others.get()) return bin(interval, 1);
    while (!outer.empty() && interval.begin <= outer.back().begin &&
           outer.back().end <= interval.end) {
        bin(outer.back(), -1);
        shown.time[size_t(outer.back().kind)] -= outer.back().end - outer.back().begin;
        outer.pop_back();
    }
    bin(interval, 1);
    shown.time[size_t(kind)] += interval.end - interval.begin;
    if (outer.size() == 2 * kOutermost) outer.erase(outer.begin(), outer.begin() + kOutermost);
    outer.push_back(interval);
}

void PreviewBuilder::lengthen(bool downwards) {
    for (const auto &shown : m_shown) shown->bins.doubleLength(m_width, downwards);
    if (m_others) m_others->bins.doubleLength(m_width, downwards);
    if (downwards) m_from -= m_width * TimeNs(Preview::kBins);
    m_width *= 2;
}

/// What the file says of its tracks so far: names may come at its end.
void PreviewBuilder::describe(const TraceBuilder &builder) {
    for (size_t i = m_firstOfFile; i < m_shown.size(); ++i) {
        const Track &track = builder.trackSoFar(m_shown[i]->track).track;
        const Process &process = builder.processAt(track.process);
        Preview::TrackSoFar &facts = m_shown[i]->facts;
        facts.kind = track.kind;
        facts.file = m_file;
        facts.device = track.device;
        facts.name = cut(builder.nameOf(track));
        facts.process = cut(process.name.empty() || process.name == process.pid
                                ? process.pid
                                : process.name + ' ' + process.pid);
    }
}

std::shared_ptr<const Preview> PreviewBuilder::make() const {
    auto preview = std::make_shared<Preview>();
    preview->range = {m_from, m_from + m_width * TimeNs(Preview::kBins)};
    preview->seen = m_onResources ? *m_onResources : m_elsewhere.value_or(TimeRange{});
    preview->zero = m_firstOnResource ? *m_firstOnResource : m_firstElsewhere.value_or(0);
    preview->tracks.reserve(m_shown.size());
    for (const auto &shown : m_shown) {
        Preview::TrackSoFar track = shown->facts;
        const auto most = std::max_element(shown->time.begin(), shown->time.end());
        track.mostly = Kind(most - shown->time.begin());
        track.intervals = shown->intervals;
        track.busy = shown->bins.shares(m_width);
        preview->intervals += track.intervals;
        preview->tracks.push_back(std::move(track));
    }
    preview->otherTracks = m_otherTracks;
    if (m_others) {
        preview->others.intervals = m_others->intervals;
        preview->others.busy = m_others->bins.shares(m_width);
        preview->intervals += m_others->intervals;
    }
    return preview;
}

} // namespace longpole
