// SPDX-License-Identifier: Apache-2.0
// E10: the legacy default stream. Its operations wait for all that was enqueued before them on the
// blocking streams of their context, and what comes later on those waits for them. Only where the
// trace tells the streams apart; elsewhere nothing is assumed.
#include "core/analysis/graph_draft.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

/// Streams of one process and device, which stand for those of one context.
struct Context {
    std::vector<uint32_t> null, blocking; ///< tracks
};

struct Link {
    IntervalId from, to;
};

class DefaultStream {
public:
    explicit DefaultStream(GraphDraft &draft) : m_draft(draft), m_trace(draft.trace) {}

    void run(const Context &context) {
        m_links.clear();
        for (const uint32_t null : context.null)
            for (const uint32_t other : context.blocking) {
                collect(other, null);
                collect(null, other);
            }
        // Streams that do not keep to it are ordered otherwise: one default stream per thread.
        const auto broken = std::count_if(m_links.begin(), m_links.end(), [&](const Link &link) {
            return m_trace.begin(link.to) < m_trace.end(link.from);
        });
        if (double(broken) > kGraphThresholds.brokenOrder * double(m_links.size())) return;
        for (const Link &link : m_links)
            m_draft.addLag(m_draft.ops[link.from.track][link.from.row].end,
                           m_draft.ops[link.to.track][link.to.row].begin,
                           m_draft.streams[link.to.track].gap, EdgeType::Stream,
                           Evidence::Inferred);
    }

private:
    /// Each operation of `to` that is the first behind one of `from`; those behind it follow by the
    /// order of their own stream.
    void collect(uint32_t from, uint32_t to) {
        const StreamLine &before = m_draft.streams[from], &line = m_draft.streams[to];
        size_t last = 0;
        for (size_t i = 0; i < line.rows.size(); ++i) {
            if (i % 4096 == 0) m_draft.progress.look();
            const IntervalId op{to, line.rows[i]};
            if (!m_trace.callOf(op).valid()) continue; // when it was enqueued is not known
            const size_t count = size_t(
                std::lower_bound(before.enqueued.begin(), before.enqueued.end(), line.enqueued[i]) -
                before.enqueued.begin());
            if (count == last) continue;
            last = count;
            m_links.push_back({{from, before.rows[count - 1]}, op});
        }
    }

    GraphDraft &m_draft;
    const Trace &m_trace;
    std::vector<Link> m_links;
};

} // namespace

void addDefaultStream(GraphDraft &draft) {
    std::map<std::pair<uint32_t, int64_t>, Context> contexts;
    for (uint32_t t = 0; t < draft.streams.size(); ++t) {
        const Track &track = draft.trace.tracks[t];
        if (draft.streams[t].rows.empty()) continue;
        Context &context = contexts[{draft.ownerOfTrack(t), track.device.value_or(0)}];
        if (track.order == StreamOrder::Null) context.null.push_back(t);
        if (track.order == StreamOrder::Blocking) context.blocking.push_back(t);
    }
    DefaultStream streams(draft);
    for (const auto &[key, context] : contexts) streams.run(context);
}

} // namespace longpole
