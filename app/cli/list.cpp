// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include "core/analysis/interval_edges.h"
#include "core/base/pattern.h"
#include "core/import/event_args.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace longpole::cli {

namespace {

struct Hit {
    uint32_t file;
    uint64_t offset;
    IntervalId id;
    auto operator<=>(const Hit &) const = default;
};

/// What of the trace is listed: a window, some tracks, some names.
class Filter {
public:
    Filter(const Trace &trace, std::optional<TimeRange> window, std::vector<bool> tracks,
           std::optional<Pattern> name)
        : m_trace(trace), m_window(window), m_tracks(std::move(tracks)), m_name(std::move(name)) {}

    bool track(uint32_t index) const { return m_tracks[index]; }
    bool time(TimeNs begin, TimeNs end) const { return !m_window || m_window->touches(begin, end); }
    bool name(std::string_view text) { return !m_name || m_name->matches(text); }
    /// The same for a row, asked of the expression once per distinct name.
    bool nameOf(const TrackTable &table, uint32_t row) {
        if (!m_name) return true;
        auto &answers = m_answers[table.strings.get()];
        answers.resize(table.strings->size(), -1);
        signed char &answer = answers[table.name[row].index];
        if (answer < 0) answer = name((*table.strings)[table.name[row]]);
        return answer > 0;
    }

    /// All matches in the order of the source.
    std::vector<Hit> hits() {
        std::vector<Hit> found;
        for (uint32_t t = 0; t < m_trace.tracks.size(); ++t) {
            const Track &track = m_trace.tracks[t];
            if (!m_tracks[t]) continue;
            const uint32_t file = m_trace.processes[track.process].file;
            for (uint32_t row = 0; row < track.table->size(); ++row)
                if (time(track.begin(row), track.end(row)) && nameOf(*track.table, row))
                    found.push_back({file, track.table->offset[row], {t, row}});
        }
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    const Trace &m_trace;
    const std::optional<TimeRange> m_window;
    const std::vector<bool> m_tracks;
    std::optional<Pattern> m_name;
    std::map<const StringPool *, std::vector<signed char>> m_answers;
};

/// The tracks of --track: those with exactly that name, else those that contain it.
std::vector<bool> chosenTracks(const Trace &trace, const std::optional<std::string> &text) {
    std::vector<bool> chosen(trace.tracks.size(), !text);
    if (!text) return chosen;
    bool exact = false;
    for (size_t i = 0; i < chosen.size(); ++i) exact |= chosen[i] = trace.tracks[i].name == *text;
    for (size_t i = 0; i < chosen.size() && !exact; ++i)
        chosen[i] = trace.tracks[i].name.find(*text) != std::string::npos;
    return chosen;
}

void writeFlags(JsonWriter &json, const Trace &trace, const EnqueueTails &tails, IntervalId id) {
    json.key("flags");
    json.beginArray();
    const uint8_t flags = trace.track(id).table->flags[id.row];
    if (flags & kOpenEnd) json.value("open_end");
    if (flags & kClamped) json.value("clamped");
    if (flags & kZeroLength) json.value("zero_len");
    if (flags & kUnfinished) json.value("unfinished");
    if (trace.track(id).kind == TrackKind::Stream && !trace.callOf(id).valid())
        json.value("unlinked");
    if (tails.tail(id)) json.value("enqueue_only");
    json.endArray();
}

void writeInterval(JsonWriter &json, const Trace &trace, const Phases &phases,
                   const EnqueueTails &tails, IntervalId id, const std::string &args) {
    const Track &track = trace.track(id);
    const TrackTable &table = *track.table;
    const int64_t correlation = table.sideOf(id.row).correlation;
    json.line();
    json.beginObject();
    json.field("name", track.nameOf(id.row));
    json.field("category", track.categoryOf(id.row));
    json.field("kind", kindName(table.kind[id.row]));
    json.field("phase", phases.ruleOf(id).id);
    json.field("track", id.track);
    json.field("lane", table.laneOf(id.row));
    json.field("depth", table.depth[id.row]);
    json.field("begin_ns", track.begin(id.row));
    json.field("end_ns", track.end(id.row));
    json.field("correlation", correlation < 0 ? std::nullopt : std::optional(correlation));
    writeFlags(json, trace, tails, id);
    json.key("args");
    json.raw(args);
    json.endObject();
}

void writeCounters(JsonWriter &json, const Trace &trace, Filter &filter) {
    json.key("counters");
    json.beginArray();
    for (const CounterSeries &counter : trace.counters) {
        if (!filter.track(counter.track) || !filter.name(counter.name)) continue;
        for (size_t i = 0; i < counter.time.size(); ++i) {
            if (!filter.time(counter.time[i], counter.time[i])) continue;
            json.line();
            json.beginObject();
            json.field("name", counter.name);
            json.field("series", counter.series);
            json.field("ts_ns", counter.time[i]);
            json.field("value", counter.value[i]);
            json.field("track", counter.track);
            json.endObject();
        }
    }
    json.endArray();
}

/// An edge between two intervals of the printed list, which `from` and `to` index.
struct ListedEdge {
    size_t from, to;
    IntervalEdge edge;
};

std::vector<ListedEdge> listedEdges(const Trace &trace, const Steps &steps, const Phases &phases,
                                    const std::vector<Hit> &hits, size_t shown) {
    std::vector<ListedEdge> listed;
    Progress progress;
    const auto graph = buildGraph(trace, steps, phases, progress);
    if (!graph) return listed; // nothing runs, so nothing depends on anything
    std::map<IntervalId, size_t> places;
    for (size_t i = 0; i < shown; ++i) places.emplace(hits[i].id, i);
    for (const IntervalEdge &edge : intervalEdges(trace, *graph)) {
        const auto from = places.find(edge.from), to = places.find(edge.to);
        if (from != places.end() && to != places.end())
            listed.push_back({from->second, to->second, edge});
    }
    return listed;
}

void writeEdges(JsonWriter &json, const std::vector<ListedEdge> &edges) {
    json.line();
    json.key("edges");
    json.beginArray();
    for (const ListedEdge &listed : edges) {
        json.line();
        json.beginObject();
        json.field("type", edgeTypeName(listed.edge.type));
        json.field("evidence", evidenceName(listed.edge.evidence));
        json.field("from", listed.from);
        json.field("to", listed.to);
        json.endObject();
    }
    json.endArray();
}

void printEdges(const Trace &trace, const std::vector<ListedEdge> &edges) {
    std::printf("\n");
    for (const ListedEdge &listed : edges)
        std::printf("%-12s  %-8s  %s → %s\n", std::string(edgeTypeName(listed.edge.type)).c_str(),
                    std::string(evidenceName(listed.edge.evidence)).c_str(),
                    printable(trace.name(listed.edge.from)).c_str(),
                    printable(trace.name(listed.edge.to)).c_str());
    std::printf("%s edges between them.\n", formatCount(int64_t(edges.size())).c_str());
}

using Edges = std::optional<std::vector<ListedEdge>>;

int writeJson(const Options &options, std::shared_ptr<const Trace> trace, const Phases &phases,
              Filter &filter, const std::vector<Hit> &hits, size_t shown, const Edges &edges) {
    EventArgs args(trace);
    const EnqueueTails tails(*trace);
    JsonWriter json;
    json.beginObject();
    json.key("intervals");
    json.beginArray();
    for (size_t i = 0; i < shown; ++i) {
        const auto text = args.json(hits[i].id);
        if (!text) return fail(options, text.error());
        writeInterval(json, *trace, phases, tails, hits[i].id, *text);
    }
    json.endArray();
    json.line();
    json.field("total", hits.size());
    writeCounters(json, *trace, filter);
    if (edges) writeEdges(json, *edges);
    json.endObject();
    return finish(json);
}

/// Milliseconds with all digits, so that nothing is rounded in a list of exact events.
std::string exactMs(TimeNs ns) {
    const std::string sign = ns < 0 ? "−" : "";
    const uint64_t value = ns < 0 ? 0 - uint64_t(ns) : uint64_t(ns);
    std::string fraction = std::to_string(value % 1'000'000);
    fraction.insert(0, 6 - fraction.size(), '0');
    return sign + formatCount(int64_t(value / 1'000'000)) + "." + fraction;
}

int printText(const Options &options, std::shared_ptr<const Trace> trace, const Phases &phases,
              const std::vector<Hit> &hits, size_t shown, const Edges &edges) {
    EventArgs args(trace);
    std::printf("%20s  %16s  %-16s %-24s %s\n", "begin ms", "length ms", "phase", "track",
                "name and arguments");
    for (size_t i = 0; i < shown; ++i) {
        const IntervalId id = hits[i].id;
        const auto text = args.json(id);
        if (!text) return fail(options, text.error());
        const std::string track = printable(elided(trace->track(id).name, 24));
        std::printf("%20s  %16s  %-16s %s%s %s%s%s\n", exactMs(trace->begin(id)).c_str(),
                    exactMs(trace->end(id) - trace->begin(id)).c_str(),
                    phases.ruleOf(id).id.c_str(), track.c_str(),
                    std::string(24 - widthOf(track), ' ').c_str(),
                    printable(trace->name(id)).c_str(), *text == "{}" ? "" : "  ",
                    *text == "{}" ? "" : printable(*text).c_str());
    }
    std::printf("\n%s of %s matching intervals.\n", formatCount(int64_t(shown)).c_str(),
                formatCount(int64_t(hits.size())).c_str());
    if (edges) printEdges(*trace, *edges);
    return finish();
}

} // namespace

void setupList(CLI::App &app, Options &options) {
    app.add_option("--track", options.track,
                   "only tracks of this name, else those whose name contains it")
        ->type_name("TEXT");
    app.add_option("--name", options.name, "only intervals whose whole name matches")
        ->type_name("REGEX");
    // checked as text: the conversion to a number without sign would take "-1" for a huge one
    app.add_option("--limit", options.limit, "no more than N intervals")
        ->type_name("N")
        ->check([](const std::string &text) {
            const bool good = text.size() <= 18 && !text.empty() &&
                              text.find_first_not_of("0123456789") == std::string::npos;
            return good ? "" : "takes a whole number as in 20, not \"" + text + "\"";
        });
    app.add_flag("--edges", options.edges,
                 "also the dependencies between two listed intervals, other than the order of a "
                 "thread");
    app.footer(
        "Intervals come in the order of the source; --limit does not change the total. Without a\n"
        "window the whole file is listed. JSON: lanes and tracks count from 0, tracks as in info; "
        "the\n"
        "flag enqueue_only marks a range that returned long before the device work it launched "
        "had\n"
        "ended: its length is no measure of that work.");
}

int runList(const Options &options) {
    const auto request = windowRequest(options);
    if (!request) return fail(options, request.error());
    const auto rules = phaseRules(options);
    if (!rules) return fail(options, rules.error());
    std::optional<Pattern> name;
    if (options.name) {
        auto compiled = Pattern::compile(*options.name);
        if (!compiled) return fail(options, compiled.error());
        name = std::move(*compiled);
    }
    const auto trace = openAll(options);
    if (!trace) return fail(options, trace.error());
    const Steps steps = findSteps(**trace);
    std::optional<TimeRange> window;
    if (request->step || request->steps || request->range) {
        const auto resolved = resolveWindow(**trace, steps, *request);
        if (!resolved) return fail(options, resolved.error());
        window = resolved->range;
    }
    Filter filter(**trace, window, chosenTracks(**trace, options.track), std::move(name));
    const std::vector<Hit> hits = filter.hits();
    const size_t shown =
        size_t(std::min<uint64_t>(options.limit.value_or(hits.size()), hits.size()));
    const Phases phased = phases(**trace, steps, *rules);
    Edges edges;
    if (options.edges) edges = listedEdges(**trace, steps, phased, hits, shown);
    return options.json ? writeJson(options, *trace, phased, filter, hits, shown, edges)
                        : printText(options, *trace, phased, hits, shown, edges);
}

} // namespace longpole::cli
