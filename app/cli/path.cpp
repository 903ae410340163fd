// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"
#include "app/cli/text_table.h"

#include "core/analysis/critical_path.h"
#include "core/analysis/statistics.h"

#include "core/export/overlay.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>

namespace longpole::cli {

namespace {

constexpr size_t kSlackRows = 100, kPrintedSegments = 20;
constexpr TimeNs kUnbounded = std::numeric_limits<TimeNs>::max();

bool isWork(const PathSegment &s) {
    return s.type == PathSegment::Type::Activity || s.type == PathSegment::Type::Untraced;
}

std::string_view nameOf(const Trace &trace, const PathSegment &s) {
    if (s.type == PathSegment::Type::Untraced) return "untraced";
    return s.interval.row == kNone ? std::string_view{} : trace.name(s.interval);
}

/// What a phase has on the path, and the least slack of its intervals.
struct PhaseOnPath {
    TimeNs onPath = 0, slack = kUnbounded;
};

std::vector<PhaseOnPath> byPhase(const Analysed &a, const CriticalPath &path) {
    std::vector<PhaseOnPath> result(a.phases.rules.rules.size());
    for (const PathSegment &s : path.segments)
        if (isWork(s)) result[s.phase].onPath += s.end - s.begin;
    for (size_t i = 0; i < path.slack.size(); ++i) {
        const Activity &activity = a.graph.activities[i];
        const bool inside =
            a.window.range.touches(activity.begin, activity.begin + activity.length);
        if (inside && activity.interval.row != kNone)
            result[activity.phase].slack = std::min(result[activity.phase].slack, path.slack[i]);
    }
    return result;
}

void writeSegment(JsonWriter &json, const Trace &trace, const Phases &phases,
                  const PathSegment &s) {
    json.line();
    json.beginObject();
    json.field("begin_ns", s.begin);
    json.field("end_ns", s.end);
    json.field("type", segmentTypeName(s.type));
    json.field("edge", edgeTypeName(s.edge));
    json.field("evidence", pathTrustName(trustOf(s)));
    json.field("track", s.track == kNone ? std::nullopt : std::optional(s.track));
    json.field("track_name",
               s.track == kNone ? std::nullopt : std::optional(trace.tracks[s.track].name));
    json.field("name", nameOf(trace, s));
    const bool known = s.interval.valid() && s.interval.row != kNone;
    json.field("kind", s.type == PathSegment::Type::Untraced
                           ? std::optional(kindName(Kind::Untraced))
                       : known ? std::optional(kindName(trace.kind(s.interval)))
                               : std::nullopt);
    json.field("phase", phases.rules.rules[s.phase].id);
    json.endObject();
}

void writePhases(JsonWriter &json, const Analysed &a, const CriticalPath &path,
                 const Statistics &stats) {
    const std::vector<PhaseOnPath> onPath = byPhase(a, path);
    json.key("by_phase");
    json.beginArray();
    for (size_t i = 0; i < onPath.size(); ++i) {
        const auto row = std::find_if(stats.rows.begin(), stats.rows.end(),
                                      [&](const StatRow &r) { return r.index == i; });
        if (row == stats.rows.end() && onPath[i].onPath == 0) continue;
        const StatRow none, &r = row == stats.rows.end() ? none : *row;
        json.line();
        json.beginObject();
        json.field("phase", a.phases.rules.rules[i].id);
        json.field("sum_ns", r.sum);
        json.field("union_ns", r.unionTime);
        json.field("exclusive_ns", r.exclusive);
        json.field("on_path_ns", onPath[i].onPath);
        json.field("slack_ns",
                   onPath[i].slack == kUnbounded ? std::nullopt : std::optional(onPath[i].slack));
        json.endObject();
    }
    json.endArray();
}

void writeSlack(JsonWriter &json, const Analysed &a, const CriticalPath &path) {
    std::vector<uint32_t> off;
    for (uint32_t i = 0; i < path.slack.size(); ++i) {
        const Activity &activity = a.graph.activities[i];
        if (activity.interval.row == kNone || path.slack[i] <= 0 || path.slack[i] == kUnbounded)
            continue;
        if (a.window.range.touches(activity.begin, activity.begin + activity.length))
            off.push_back(i);
    }
    const auto longer = [&](uint32_t x, uint32_t y) {
        return std::pair(-a.graph.activities[x].length, x) <
               std::pair(-a.graph.activities[y].length, y);
    };
    const size_t count = std::min(kSlackRows, off.size());
    std::partial_sort(off.begin(), off.begin() + long(count), off.end(), longer);
    json.key("slack");
    json.beginArray();
    for (size_t i = 0; i < count; ++i) {
        const Activity &activity = a.graph.activities[off[i]];
        json.line();
        json.beginObject();
        json.field("name", a.trace->name(activity.interval));
        json.field("track", activity.interval.track);
        json.field("begin_ns", activity.begin);
        json.field("slack_ns", path.slack[off[i]]);
        json.endObject();
    }
    json.endArray();
}

int writeJson(const Analysed &a, const CriticalPath &path, const Statistics &stats) {
    JsonWriter json;
    json.beginObject();
    writeWindow(json, path.window);
    json.field("busy_ns", stats.total.sum);
    json.field("union_ns", stats.total.unionTime);
    json.key("segments");
    json.beginArray();
    for (const PathSegment &s : path.segments) writeSegment(json, *a.trace, a.phases, s);
    json.endArray();
    json.line();
    writePhases(json, a, path, stats);
    json.key("by_evidence");
    json.beginObject();
    json.field("recorded", path.byEvidence.recorded);
    json.field("inferred", path.byEvidence.inferred);
    json.field("assumed", path.byEvidence.assumed);
    json.field("untraced", path.byEvidence.untraced);
    json.field("unexplained", path.byEvidence.unexplained);
    json.endObject();
    writeSlack(json, a, path);
    json.endObject();
    return finish(json);
}

/// The segments of one name put together, longest first.
void printNames(const Analysed &a, const CriticalPath &path) {
    std::map<std::string, std::pair<TimeNs, uint64_t>> sums;
    for (const PathSegment &s : path.segments) {
        std::string name(nameOf(*a.trace, s));
        if (s.type == PathSegment::Type::Lag) name = "lag: " + std::string(edgeTypeName(s.edge));
        if (s.type == PathSegment::Type::Unexplained) name = "unexplained";
        auto &[time, count] = sums[name];
        time += s.end - s.begin;
        ++count;
    }
    std::vector<std::pair<TimeNs, std::string>> order;
    for (const auto &[name, sum] : sums) order.emplace_back(-sum.first, name);
    std::sort(order.begin(), order.end());
    std::vector<std::string> names, counts;
    std::vector<TimeNs> times;
    TimeNs rest = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        if (i >= kPrintedSegments) {
            rest -= order[i].first;
            continue;
        }
        names.push_back(order[i].second);
        counts.push_back(formatCount(int64_t(sums[order[i].second].second)));
        times.push_back(-order[i].first);
    }
    if (rest > 0) {
        names.push_back("others");
        counts.push_back("");
        times.push_back(rest);
    }
    names.push_back("window");
    counts.push_back(formatCount(int64_t(path.segments.size())));
    times.push_back(path.window.range.length());
    TextTable table;
    table.column("On the critical path", TextTable::Align::Left, names);
    table.column("segments", TextTable::Align::Right, counts);
    table.column("time", addingColumn(times));
    table.ruleBeforeLast();
    table.print();
}

void printEvidence(const CriticalPath &path) {
    const TimeNs length = path.window.range.length();
    const auto share = [&](TimeNs t) {
        return length > 0 ? 100.0 * double(t) / double(length) : 0;
    };
    const EvidenceSums &e = path.byEvidence;
    std::printf(
        "\nEvidence: recorded %.1f %%, inferred %.1f %%, assumed %.1f %%, untraced %.1f %%, "
        "unexplained %.1f %%.\n",
        share(e.recorded), share(e.inferred), share(e.assumed), share(e.untraced),
        share(e.unexplained));
}

} // namespace

void setupPath(CLI::App &app, Options &options) {
    app.add_option("--overlay", options.overlay,
                   "also write the window with its path as Chrome JSON, which Perfetto opens; gzip "
                   "where the name ends in .gz")
        ->type_name("FILE");
    app.footer(
        "The critical path is the chain of work and waits that fills the window without a hole: "
        "from\n"
        "its end backwards, each piece is what the next one waited for. Recorded: both ends are "
        "in\n"
        "the trace; inferred: order and API semantics say so; assumed: a heuristic; untraced: the\n"
        "thread ran without an event; unexplained: nothing in the trace says why.");
}

int runPath(const Options &options) {
    const auto keys = {"window",   "busy_ns",     "union_ns", "segments",
                       "by_phase", "by_evidence", "slack"};
    const auto analysed = analyse(options);
    if (!analysed) return fail(options, analysed.error(), keys);
    const Analysed &a = *analysed;
    Progress progress;
    const CriticalPath path = criticalPath(*a.trace, a.steps, a.graph, a.window);
    const auto stats = statistics(*a.trace, a.phases, a.window, GroupBy::Phase, progress);
    if (!stats) return fail(options, stats.error(), keys);
    if (!options.overlay.empty() && !writeOverlay(*a.trace, a.phases, path, options.overlay))
        return fail(options, {ErrorKind::Impossible, "overlay_not_written",
                              "The overlay cannot be written to " + options.overlay +
                                  ". Check the folder and the space that is left."});
    if (options.json) return writeJson(a, path, *stats);
    printWindow(path.window, a.steps);
    printNames(a, path);
    printEvidence(path);
    return finish();
}

} // namespace longpole::cli
