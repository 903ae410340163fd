// SPDX-License-Identifier: Apache-2.0
// E8, R9: a launch queue that is full holds every further launch back until an operation ends.
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

/// A launch of one operation or of a graph of them, which takes one place; or an operation whose
/// launch is not in the file.
struct Queued {
    size_t first = 0, last = 0; ///< operations: indices into the stream's line
    IntervalId call;
    uint32_t outstanding = 0; ///< places taken when it began
};

/// When the profiler saw that the queue was full, by what its notes are about.
using FullNotes = std::map<uint32_t, std::vector<TimeRange>>;

FullNotes fullNotes(const GraphDraft &draft) {
    FullNotes notes;
    for (uint32_t t = 0; t < draft.trace.tracks.size(); ++t) {
        const Track &track = draft.trace.tracks[t];
        if (track.kind != TrackKind::Annotation) continue;
        for (uint32_t row = 0; row < track.table->size(); ++row) {
            draft.progress.look(row);
            if (track.table->kind[row] == Kind::Overhead &&
                (track.nameOf(row) == "Command Buffer Full" ||
                 track.nameOf(row) == "Command buffer full"))
                notes[draft.ownerOfTrack(t)].push_back({track.begin(row), track.end(row)});
        }
    }
    for (auto &[owner, ranges] : notes)
        std::sort(ranges.begin(), ranges.end(),
                  [](TimeRange a, TimeRange b) { return a.begin < b.begin; });
    return notes;
}

class Queue {
public:
    Queue(GraphDraft &draft, uint32_t stream, const FullNotes &notes)
        : m_draft(draft), m_trace(draft.trace), m_stream(stream) {
        if (const auto own = notes.find(draft.ownerOfTrack(stream)); own != notes.end())
            m_full = &own->second;
    }

    void run() {
        collect();
        if (m_depth < kGraphThresholds.queueLeast) return assume();
        std::vector<TimeNs> lengths;
        for (const Queued &q : m_launches) // those that a full queue cannot have held back
            if (q.call.valid() && q.outstanding + kGraphThresholds.queueSlack < m_depth)
                lengths.push_back(lengthOf(q));
        if (lengths.empty()) return;
        m_own = quantileOf(lengths, 0.5, m_draft.progress);
        const size_t distance = typicalDistance();
        if (distance == 0) return;
        for (size_t i = 0; i < m_launches.size(); ++i) add(i, distance);
    }

private:
    TimeNs lengthOf(const Queued &q) const { return m_trace.end(q.call) - m_trace.begin(q.call); }
    TimeNs endOf(const Queued &q) const {
        return m_trace.end({m_stream, m_draft.streams[m_stream].rows[q.last]});
    }
    bool blocked(const Queued &q) const {
        return q.call.valid() && q.outstanding + kGraphThresholds.queueSlack >= m_depth &&
               double(lengthOf(q)) >= kGraphThresholds.blockedFactor * double(m_own);
    }

    void collect() {
        const StreamLine &line = m_draft.streams[m_stream];
        m_launches.reserve(line.rows.size());
        for (size_t i = 0; i < line.rows.size(); ++i) {
            if (i % 4096 == 0) m_draft.progress.look();
            const IntervalId call = m_trace.callOf({m_stream, line.rows[i]});
            if (call.valid() && !m_launches.empty() && m_launches.back().call == call)
                m_launches.back().last = i;
            else
                m_launches.push_back({i, i, call, 0});
        }
        size_t done = 0; // those that had ended when a launch began; both ascend
        for (size_t i = 0; i < m_launches.size(); ++i) {
            m_draft.progress.look(i);
            if (!m_launches[i].call.valid()) continue;
            while (done < i && endOf(m_launches[done]) <= m_trace.begin(m_launches[i].call)) ++done;
            m_launches[i].outstanding = uint32_t(i - done);
            m_depth = std::max(m_depth, m_launches[i].outstanding);
        }
    }

    /// How many places behind a blocked launch the one lies whose end released it: the commonest
    /// value.
    size_t typicalDistance() const {
        std::map<size_t, uint32_t> seen;
        for (size_t i = 0; i < m_launches.size(); ++i) {
            m_draft.progress.look(i);
            const Queued &q = m_launches[i];
            if (!blocked(q)) continue;
            size_t at = i - q.outstanding;
            while (at + 1 < i && endOf(m_launches[at + 1]) <= m_trace.end(q.call)) ++at;
            if (endOf(m_launches[at]) <= m_trace.end(q.call)) ++seen[i - at];
        }
        size_t best = 0;
        uint32_t most = 0;
        for (const auto &[distance, count] : seen)
            if (count > most) best = distance, most = count;
        return best;
    }

    void add(size_t i, size_t distance) {
        const Queued &q = m_launches[i];
        if (!blocked(q) && !m_draft.rules.has(GraphRule::BackPressure)) return;
        if (!link(i, distance, noted(q) ? Evidence::Recorded : Evidence::Inferred)) return;
        // short waits too, once it is known what they would have waited for
        if (blocked(q) || endOf(m_launches[i - distance]) > m_trace.begin(q.call) + m_own)
            m_draft.makeWait(q.call.track, m_trace.begin(q.call), m_trace.end(q.call), m_own);
    }

    /// The profiler saw the queue full during a launch that was held back.
    bool noted(const Queued &q) const {
        if (!m_full || !blocked(q)) return false;
        const auto after =
            std::lower_bound(m_full->begin(), m_full->end(), m_trace.end(q.call),
                             [](TimeRange range, TimeNs t) { return range.begin < t; });
        return after != m_full->begin() && (after - 1)->end > m_trace.begin(q.call);
    }

    /// A queue that never was full holds nothing back, but would if its work took longer.
    void assume() {
        if (!m_draft.rules.has(GraphRule::BackPressure)) return;
        for (size_t i = 0; i < m_launches.size(); ++i)
            link(i, kGraphThresholds.queueUsual, Evidence::Assumed);
    }

    bool link(size_t i, size_t distance, Evidence evidence) {
        const Queued &q = m_launches[i];
        if (i < distance || !q.call.valid()) return false;
        const Queued &released = m_launches[i - distance];
        const uint32_t row = m_draft.streams[m_stream].rows[released.last];
        const uint32_t returns = m_draft.nodeUntil(q.call.track, m_trace.end(q.call));
        if (returns == kNone || endOf(released) > m_trace.end(q.call)) return false;
        m_draft.addLag(m_draft.ops[m_stream][row].end, returns, 0, EdgeType::BackPressure,
                       evidence);
        return true;
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    const uint32_t m_stream;
    const std::vector<TimeRange> *m_full = nullptr;
    std::vector<Queued> m_launches;
    uint32_t m_depth = 0;
    TimeNs m_own = 0;
};

} // namespace

void addBackPressure(GraphDraft &draft) {
    const FullNotes notes = fullNotes(draft);
    for (uint32_t t = 0; t < draft.streams.size(); ++t)
        if (!draft.streams[t].rows.empty()) Queue(draft, t, notes).run();
}

} // namespace longpole
