// SPDX-License-Identifier: Apache-2.0
#include "core/model/excerpt.h"

#include "core/model/trace.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

using Column = std::vector<int64_t>;
constexpr int64_t kMost = int64_t(1) << 62; ///< sums of two stay inside 64 bits

bool within(const Column &column, int64_t from, int64_t to) {
    return std::all_of(column.begin(), column.end(),
                       [&](int64_t v) { return from <= v && v < to; });
}

/// Edges lead from earlier nodes to later ones, and give every measured time back exactly.
bool isGraph(const Excerpt &e) {
    const Column &time = e.column("node_time"), &delta = e.column("node_delta"),
                 &count = e.column("node_edges"), &back = e.column("edge_back"),
                 &weight = e.column("edge_weight");
    if (time.empty() || delta.size() != time.size() || count.size() != time.size() ||
        weight.size() != back.size() || count[0] != 0)
        return false;
    if (!within(time, -kMost, kMost) || !within(delta, 0, kMost) || !within(weight, 0, kMost) ||
        !within(count, 0, int64_t(back.size()) + 1))
        return false;
    const Column &place = e.column("node_place");
    if (place.size() != time.size() || place[0] != -1) return false;
    size_t edge = 0;
    for (size_t v = 1; v < time.size(); ++v) {
        int64_t arrival = std::numeric_limits<int64_t>::min();
        if (place[v] < 0 || count[v] == 0 || size_t(count[v]) > back.size() - edge ||
            time[v] < time[v - 1])
            return false;
        for (int64_t i = 0; i < count[v]; ++i, ++edge) {
            if (back[edge] < 1 || back[edge] > int64_t(v)) return false;
            arrival = std::max(arrival, time[v - size_t(back[edge])] + weight[edge]);
        }
        if (arrival + delta[v] != time[v]) return false;
    }
    return edge == back.size();
}

/// Nodes of operations lie where the operations do, and those of the window have theirs.
bool knowsItsOperations(const Excerpt &e, const Trace &trace) {
    const Column &op = e.column("op_interval"), &begin = e.column("op_begin"),
                 &end = e.column("op_end"), &time = e.column("node_time"),
                 &place = e.column("node_place");
    std::vector<bool> known(e.intervals.size());
    for (size_t i = 0; i < op.size(); ++i) {
        const IntervalId id = e.intervals[size_t(op[i])];
        const size_t from = size_t(begin[i]), to = size_t(end[i]);
        const auto isThere = [&](size_t node) {
            return place[node] >= 0 && e.intervals[size_t(place[node])].track == id.track;
        };
        if (trace.track(id).kind != TrackKind::Stream || !isThere(from) || !isThere(to) ||
            time[from] != trace.begin(id) || time[to] != trace.end(id))
            return false;
        known[size_t(op[i])] = true;
    }
    for (size_t i = 0; i < known.size(); ++i) {
        const IntervalId id = e.intervals[i];
        if (trace.track(id).kind == TrackKind::Stream && isDeviceKind(trace.kind(id)) &&
            trace.begin(id) < e.window.end && trace.end(id) > e.window.begin && !known[i])
            return false;
    }
    return true;
}

/// Steps in order of time, and the window within what the nodes cover.
bool isInOrder(const Excerpt &e) {
    const Column &begin = e.column("step_begin"), &end = e.column("step_end"),
                 &drained = e.column("step_drained"), &steps = e.column("window_steps");
    for (size_t i = 0; i < begin.size(); ++i)
        if (begin[i] > end[i] || end[i] > drained[i] || (i > 0 && begin[i] < begin[i - 1]))
            return false;
    if (!steps.empty() && begin[size_t(steps[0])] != e.window.begin) return false;
    return e.column("node_time").front() <= e.window.begin;
}

} // namespace

const std::vector<int64_t> &Excerpt::column(const char *name) const {
    static const Column none;
    const auto it = columns.find(name);
    return it == columns.end() ? none : it->second;
}

bool fitExcerpt(Excerpt &excerpt, const Trace &trace) {
    struct Placed {
        uint64_t offset;
        IntervalId id;
    };
    std::vector<Placed> order;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t)
        for (uint32_t row = 0; row < trace.tracks[t].table->size(); ++row)
            order.push_back({trace.tracks[t].table->offset[row], {t, row}});
    std::sort(order.begin(), order.end(),
              [](const Placed &a, const Placed &b) { return a.offset < b.offset; });
    excerpt.intervals.clear();
    for (const Placed &placed : order) excerpt.intervals.push_back(placed.id);

    const auto column = [&](const char *name) -> const Column & { return excerpt.column(name); };
    const int64_t intervals = int64_t(order.size()), nodes = int64_t(column("node_time").size()),
                  edges = int64_t(column("edge_back").size()),
                  activities = int64_t(column("activity_begin").size()),
                  families = int64_t(column("family_low").size());
    const auto has = [&](const char *name, int64_t size, int64_t from, int64_t to) {
        return int64_t(column(name).size()) == size && within(column(name), from, to);
    };
    const int64_t steps = int64_t(excerpt.stepNames.size());
    const auto &windowSteps = column("window_steps");
    const int64_t gaps = int64_t(column("gap_device").size());
    const int64_t ops = int64_t(column("op_interval").size());
    return isGraph(excerpt) && excerpt.window.begin <= excerpt.window.end && families > 0 &&
           has("interval_phase", intervals, 0, 256) && has("node_place", nodes, -1, intervals) &&
           has("edge_activity", edges, -1, activities) && has("edge_type", edges, 0, 256) &&
           has("edge_evidence", edges, 0, 256) && has("edge_family", edges, 0, families) &&
           has("activity_place", activities, -intervals, intervals) &&
           has("activity_begin", activities, -kMost, kMost) &&
           has("activity_length", activities, 0, kMost) && has("op_interval", ops, 0, intervals) &&
           has("op_begin", ops, 0, nodes) && has("op_end", ops, 0, nodes) &&
           has("family_low", families, -kMost, kMost) &&
           has("family_high", families, -kMost, kMost) && has("step_begin", steps, -kMost, kMost) &&
           has("step_end", steps, -kMost, kMost) && has("step_drained", steps, -kMost, kMost) &&
           has("step_marker", steps, -1, intervals) && has("step_boundary", steps, 0, 4) &&
           (windowSteps.empty() ||
            (has("window_steps", 2, 0, steps) && windowSteps[0] <= windowSteps[1])) &&
           (steps == 0 || has("steps_thread", 1, 0, intervals)) && has("pipelined", 1, 0, 2) &&
           (column("step_thread").empty() || has("step_thread", 1, 0, intervals)) &&
           has("gap_device", gaps, -kMost, kMost) && has("gap_most", gaps, 0, kMost) &&
           has("counters", 6, 0, kMost) && has("phases_named", 1, 0, 2) &&
           column("phase_rules").size() == 1 && isInOrder(excerpt) &&
           knowsItsOperations(excerpt, trace);
}

} // namespace longpole
