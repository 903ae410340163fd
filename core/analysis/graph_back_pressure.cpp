// SPDX-License-Identifier: Apache-2.0
// E8, R9: a launch queue that is full holds every further launch back until an operation ends.
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

/// A launch with how many operations of its stream were outstanding when it began.
struct Queued {
    size_t op = 0; ///< index into the stream's line
    IntervalId call;
    uint32_t outstanding = 0;
};

class Queue {
public:
    Queue(GraphDraft &draft, uint32_t stream)
        : m_draft(draft), m_trace(draft.trace), m_stream(stream) {}

    void run() {
        collect();
        if (m_depth < kGraphThresholds.queueLeast) return assume();
        std::vector<TimeNs> lengths;
        for (const Queued &q : m_launches) // those that a full queue cannot have held back
            if (q.outstanding + kGraphThresholds.queueSlack < m_depth)
                lengths.push_back(lengthOf(q));
        if (lengths.empty()) return;
        m_own = quantileOf(lengths, 0.5);
        const size_t distance = typicalDistance();
        if (distance == 0) return;
        for (const Queued &q : m_launches) add(q, distance);
    }

private:
    TimeNs lengthOf(const Queued &q) const { return m_trace.end(q.call) - m_trace.begin(q.call); }
    TimeNs endOf(size_t op) const {
        return m_trace.end({m_stream, m_draft.streams[m_stream].rows[op]});
    }
    bool blocked(const Queued &q) const {
        return q.outstanding + kGraphThresholds.queueSlack >= m_depth &&
               double(lengthOf(q)) >= kGraphThresholds.blockedFactor * double(m_own);
    }

    void collect() {
        const StreamLine &line = m_draft.streams[m_stream];
        size_t done = 0; // operations that had ended when the launch began; both ascend
        for (size_t i = 0; i < line.rows.size(); ++i) {
            const IntervalId call = m_trace.callOf({m_stream, line.rows[i]});
            if (!call.valid()) continue;
            while (done < i && endOf(done) <= m_trace.begin(call)) ++done;
            const uint32_t outstanding = uint32_t(i - done);
            m_depth = std::max(m_depth, outstanding);
            // one launch of many operations (a graph) takes one place
            if (!m_launches.empty() && m_launches.back().call == call) continue;
            m_launches.push_back({i, call, outstanding});
        }
    }

    /// How far behind a blocked launch the operation lies whose end released it: the commonest
    /// value.
    size_t typicalDistance() const {
        std::map<size_t, uint32_t> seen;
        for (const Queued &q : m_launches) {
            if (!blocked(q)) continue;
            size_t op = q.op - q.outstanding;
            while (op + 1 < q.op && endOf(op + 1) <= m_trace.end(q.call)) ++op;
            if (endOf(op) <= m_trace.end(q.call)) ++seen[q.op - op];
        }
        size_t best = 0;
        uint32_t most = 0;
        for (const auto &[distance, count] : seen)
            if (count > most) best = distance, most = count;
        return best;
    }

    void add(const Queued &q, size_t distance) {
        if (!blocked(q) && !m_draft.rules.has(GraphRule::BackPressure)) return;
        if (!link(q, distance, Evidence::Inferred)) return;
        // short waits too, once it is known what they would have waited for
        if (blocked(q) || endOf(q.op - distance) > m_trace.begin(q.call) + m_own)
            m_draft.makeWait(q.call.track, m_trace.begin(q.call), m_trace.end(q.call), m_own);
    }

    /// A queue that never was full holds nothing back, but would if its work took longer.
    void assume() {
        if (!m_draft.rules.has(GraphRule::BackPressure)) return;
        for (const Queued &q : m_launches) link(q, kGraphThresholds.queueUsual, Evidence::Assumed);
    }

    bool link(const Queued &q, size_t distance, Evidence evidence) {
        if (q.op < distance) return false;
        const uint32_t row = m_draft.streams[m_stream].rows[q.op - distance];
        const uint32_t returns = m_draft.nodeUntil(q.call.track, m_trace.end(q.call));
        if (returns == kNone || m_trace.end({m_stream, row}) > m_trace.end(q.call)) return false;
        m_draft.addLag(m_draft.ops[m_stream][row].end, returns, 0, EdgeType::BackPressure,
                       evidence);
        return true;
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    const uint32_t m_stream;
    std::vector<Queued> m_launches;
    uint32_t m_depth = 0;
    TimeNs m_own = 0;
};

} // namespace

void addBackPressure(GraphDraft &draft) {
    for (uint32_t t = 0; t < draft.streams.size(); ++t)
        if (!draft.streams[t].rows.empty()) Queue(draft, t).run();
}

} // namespace longpole
