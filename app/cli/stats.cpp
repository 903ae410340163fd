// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include "core/analysis/on_path_shares.h"
#include "core/base/parallel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace longpole::cli {

namespace {

constexpr size_t kPrintedRows = 40; ///< as text; JSON holds them all

struct Grouping {
    const char *name;
    GroupBy by;
    const char *title;
};
constexpr std::array<Grouping, 7> kGroupings = {{{"name", GroupBy::Name, "Name"},
                                                 {"phase", GroupBy::Phase, "Phase"},
                                                 {"track", GroupBy::Track, "Track"},
                                                 {"kind", GroupBy::Kind, "Kind"},
                                                 {"op", GroupBy::Op, "Operator"},
                                                 {"module", GroupBy::Module, "Module"},
                                                 {"class", GroupBy::Class, "Class"}}};

const Grouping &groupingOf(const Options &options) {
    for (const Grouping &grouping : kGroupings)
        if (options.by == grouping.name) return grouping;
    return kGroupings[1]; // setupStats() admits the names of the table only
}

/// Stays without the shares of the path where the trace has none.
void addOnPath(Statistics &stats, const Trace &trace, const Steps &steps, const Phases &phases,
               GroupBy by) {
    Progress progress;
    const auto graph = buildGraph(trace, steps, phases, progress);
    if (graph)
        longpole::addOnPath(stats, trace, phases, criticalPath(trace, steps, *graph, stats.window),
                            by);
}

void writeRow(JsonWriter &json, const StatRow &row, GroupBy by, bool hasPath) {
    json.line();
    json.beginObject();
    json.field("key", row.key);
    if (by == GroupBy::Track) json.field("track", row.index);
    json.field("count", row.count);
    json.field("sum_ns", row.sum);
    json.field("device_ns", row.device);
    json.field("union_ns", row.unionTime);
    json.field("exclusive_ns", row.exclusive);
    json.field("self_ns", row.self);
    json.field("on_path_ns", hasPath ? std::optional(row.onPath) : std::nullopt);
    json.field("mean_ns", row.mean);
    json.field("p50_ns", row.p50);
    json.field("p95_ns", row.p95);
    json.field("max_ns", row.max);
    json.endObject();
}

int writeJson(const Statistics &result, const Trace &trace, GroupBy by) {
    JsonWriter json;
    json.beginObject();
    writeWindow(json, result.window);
    json.key("total");
    json.line();
    json.beginObject();
    json.field("count", result.total.count);
    json.field("sum_ns", result.total.sum);
    json.field("union_ns", result.total.unionTime);
    json.field("self_ns", result.total.self);
    json.endObject();
    json.key("rows");
    json.beginArray();
    for (const StatRow &row : result.rows) writeRow(json, row, by, result.hasPath);
    json.endArray();
    json.key("communication");
    json.beginArray();
    for (const Communication &c : result.communication) {
        json.line();
        json.beginObject();
        json.field("device", c.device);
        json.field("rank", trace.files[c.file].rank);
        json.field("sum_ns", c.sum);
        json.field("union_ns", c.unionTime);
        json.field("exposed_ns", c.exposed);
        json.field("exposed_on_path_ns",
                   result.hasPath ? std::optional(c.exposedOnPath) : std::nullopt);
        json.field("hidden_share", c.hiddenShare);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return finish(json);
}

void printRows(const Statistics &result, const Grouping &grouping) {
    std::vector<StatRow> rows(result.rows.begin(),
                              result.rows.begin() +
                                  ptrdiff_t(std::min(kPrintedRows, result.rows.size())));
    if (rows.size() < result.rows.size()) {
        StatRow rest;
        rest.key = "(" + formatCount(int64_t(result.rows.size() - rows.size())) + " more)";
        for (size_t i = rows.size(); i < result.rows.size(); ++i) {
            rest.count += result.rows[i].count;
            rest.sum += result.rows[i].sum;
            rest.device += result.rows[i].device;
            rest.exclusive += result.rows[i].exclusive;
            rest.onPath += result.rows[i].onPath;
        }
        rows.push_back(rest);
    }
    rows.push_back(result.total);
    const bool hasRest = rows.size() > kPrintedRows + 1;
    std::vector<std::string> key, count;
    std::vector<TimeNs> sum, device, unions, exclusive, path, mean, p95, max;
    for (const StatRow &row : rows) {
        key.push_back(row.key);
        count.push_back(formatCount(int64_t(row.count)));
        sum.push_back(row.sum);
        device.push_back(row.device);
        unions.push_back(row.unionTime);
        exclusive.push_back(row.exclusive);
        path.push_back(row.onPath);
        mean.push_back(row.mean);
        p95.push_back(row.p95);
        max.push_back(row.max);
    }
    const auto unknownForRest = [&](TimeColumn column) {
        if (hasRest) column.cells[kPrintedRows] = "–";
        return column;
    };
    TextTable table;
    table.column(grouping.title, TextTable::Align::Left, std::move(key));
    table.column("count", TextTable::Align::Right, std::move(count));
    table.column("sum of durations", addingColumn(sum));
    if (result.attribution) table.column("on devices", addingColumn(device, sum));
    table.column("union", unknownForRest(timeColumn(unions, sum)));
    table.column("exclusive", addingColumn(exclusive, sum));
    if (result.hasPath) table.column("on path", addingColumn(path, sum));
    table.column("mean", unknownForRest(timeColumn(mean, max)));
    table.column("p95", unknownForRest(timeColumn(p95, max)));
    table.column("max", unknownForRest(timeColumn(max)));
    table.ruleBeforeLast();
    table.print(48);
}

void printNotes(const Statistics &result, const Phases &phases, GroupBy by) {
    if (by == GroupBy::Phase && !phases.named)
        std::printf(
            "\nNothing in this trace has the name of a phase: the phases above follow from kinds\n"
            "alone, and --by kind may say more.\n");
    const TimeNs idle = result.window.range.length() - result.total.unionTime;
    if (idle > 0)
        std::printf("\nNothing ran in %s of the window.", formatDuration(idle).c_str());
    else
        std::printf("\nSomething ran at every instant of the window.");
    std::printf(" What the columns mean: stats --help.\n");
}

void printCommunication(const Statistics &result, const Trace &trace) {
    bool first = true;
    for (const Communication &c : result.communication) {
        if (!c.hiddenShare) continue;
        if (std::exchange(first, false)) std::printf("\n");
        const auto &rank = trace.files[c.file].rank;
        const std::string onPath =
            result.hasPath ? " (" + formatDuration(c.exposedOnPath) + " of it on the path)" : "";
        std::printf("Communication on device %lld%s: %s busy (sum), %s union, %s exposed%s; %.1f "
                    "%% hidden behind kernels.\n",
                    static_cast<long long>(c.device),
                    rank ? (" of rank " + std::to_string(*rank)).c_str() : "",
                    formatDuration(c.sum).c_str(), formatDuration(c.unionTime).c_str(),
                    formatDuration(c.exposed).c_str(), onPath.c_str(), *c.hiddenShare * 100);
    }
}

} // namespace

void setupStats(CLI::App &app, Options &options) {
    std::vector<std::string> names;
    for (const Grouping &grouping : kGroupings) names.emplace_back(grouping.name);
    app.add_option("--by", options.by,
                   "what makes a row: name, phase, track, kind, op, module or class")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    app.footer(
        "Columns, all clipped to the window:\n"
        "  sum of durations  of device work its durations, of host ranges their self times, so "
        "that\n"
        "                    rows add up; work that runs side by side counts more than once\n"
        "  on devices        the part of the sum that is device work (device_ns)\n"
        "  union             time in which at least one of them ran; never exceeds the window\n"
        "  exclusive         share when every instant is given to one row: device compute, "
        "exposed\n"
        "                    communication, copies, data wait, waits for the device, other host "
        "work,\n"
        "                    logging; with the time in which nothing ran it adds up to the "
        "window;\n"
        "                    it shows what was visible, not what mattered\n"
        "  self (JSON)       time not covered by nested ranges\n"
        "  on path           time of the critical path that it holds; lags, waits and host time\n"
        "                    without an event are in no row, see the command path\n"
        "  mean, p50, p95, max  of whole durations, host ranges with their children\n"
        "Step markers and device-side copies of ranges are in no sum. Communication: exposed is "
        "the\n"
        "time with communication and no other kernel on the device.\n"
        "Operators and modules (--by op, module) own what was open at the launch of device work, "
        "and\n"
        "host time to themselves; a backward operator belongs to the module of its forward "
        "operator.\n"
        "Where no nn.Module is open, the innermost Python frame counts. Classes are those of "
        "kernels,\n"
        "by name. What has no owner stands in a row that says so.");
}

int runStats(const Options &options) {
    const auto request = windowRequest(options);
    if (!request) return fail(options, request.error());
    const auto rules = phaseRules(options);
    if (!rules) return fail(options, rules.error());
    const auto opened = openAll(options);
    if (!opened) return fail(options, opened.error());
    const Trace &trace = **opened;
    const Steps steps = findSteps(trace);
    const auto window = resolveWindow(trace, steps, *request);
    if (!window) return fail(options, window.error());
    const auto keys = {"window", "total", "rows", "communication"};
    if (!trace.hasResources())
        return fail(
            options,
            {ErrorKind::Impossible, "nothing_runs",
             "No host thread and no device stream of this trace holds an interval, so there is "
             "no time to divide."},
            keys);
    Progress progress;
    const Grouping &grouping = groupingOf(options);
    const Phases phased = phases(trace, steps, *rules);
    auto result = statistics(trace, phased, *window, grouping.by, progress, workerCount());
    if (!result) return fail(options, result.error(), keys);
    addOnPath(*result, trace, steps, phased, grouping.by);
    if (options.json) return writeJson(*result, trace, grouping.by);
    printWindow(result->window, steps);
    printRows(*result, grouping);
    printNotes(*result, phased, grouping.by);
    printCommunication(*result, trace);
    return finish();
}

} // namespace longpole::cli
