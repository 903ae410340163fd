// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"
#include "app/cli/levers.h"
#include "app/cli/text_table.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>

namespace longpole::cli {

namespace {

constexpr size_t kPrintedLevers = 20; ///< as text; JSON holds them all

struct Grouping {
    const char *name;
    RankBy by;
    const char *title;
};
constexpr std::array<Grouping, 6> kGroupings = {{{"phase", RankBy::Phase, "Phase"},
                                                 {"kind", RankBy::Kind, "Kind"},
                                                 {"name", RankBy::Name, "Name"},
                                                 {"op", RankBy::Op, "Operator"},
                                                 {"module", RankBy::Module, "Module"},
                                                 {"class", RankBy::Class, "Class"}}};

const Grouping &groupingOf(const Options &options) {
    for (const Grouping &grouping : kGroupings)
        if (options.by == grouping.name) return grouping;
    return kGroupings[0]; // setupRank() admits the names of the table only
}

int writeJson(const Window &window, const std::vector<Lever> &levers) {
    JsonWriter json;
    json.beginObject();
    writeWindow(json, window);
    writeLevers(json, levers);
    json.endObject();
    return finish(json);
}

void print(const std::vector<Lever> &levers, const char *title) {
    std::vector<std::string> labels, knees, evidence;
    std::vector<TimeNs> onPath, at125, at2, low, high, without;
    for (size_t i = 0; i < std::min(kPrintedLevers, levers.size()); ++i) {
        const Lever &lever = levers[i];
        char knee[32] = "–";
        if (lever.knee) std::snprintf(knee, sizeof knee, "%.2f×", 1 / std::max(1e-3, *lever.knee));
        labels.push_back(lever.label);
        onPath.push_back(lever.onPath);
        at125.push_back(lever.gain125);
        at2.push_back(lever.gain2);
        low.push_back(lever.low);
        high.push_back(lever.high);
        without.push_back(lever.gainInf);
        knees.emplace_back(knee);
        evidence.emplace_back(evidenceName(lever.evidence));
    }
    TextTable table;
    table.column(title, TextTable::Align::Left, std::move(labels));
    table.column("on path", timeColumn(onPath));
    table.column("gain at 1.25×", timeColumn(at125, onPath));
    table.column("at 2×", timeColumn(at2, onPath));
    table.column("low", timeColumn(low, onPath));
    table.column("high", timeColumn(high, onPath));
    table.column("at ∞", timeColumn(without, onPath));
    table.column("pays less from", TextTable::Align::Right, std::move(knees));
    table.column("evidence", TextTable::Align::Left, std::move(evidence));
    table.print(48);
    if (levers.size() > kPrintedLevers)
        std::printf("%s more gain less; --json lists them.\n",
                    formatCount(int64_t(levers.size() - kPrintedLevers)).c_str());
}

} // namespace

void writeLevers(JsonWriter &json, const std::vector<Lever> &levers) {
    json.key("levers");
    json.beginArray();
    for (const Lever &lever : levers) {
        json.line();
        json.beginObject();
        json.field("selector", lever.selector);
        json.field("label", lever.label);
        json.field("count", lever.count);
        json.field("on_path_ns", lever.onPath);
        json.field("sum_ns", lever.sum);
        json.field("gain_125_ns", lever.gain125);
        json.field("gain_2_ns", lever.gain2);
        json.field("gain_inf_ns", lever.gainInf);
        json.field("low_ns", lever.low);
        json.field("high_ns", lever.high);
        json.field("knee_scale", lever.knee);
        json.field("evidence", evidenceName(lever.evidence));
        json.endObject();
    }
    json.endArray();
}

void setupRank(CLI::App &app, Options &options) {
    std::vector<std::string> names;
    for (const Grouping &grouping : kGroupings) names.emplace_back(grouping.name);
    app.add_option("--by", options.by, "what makes a lever: phase, kind, name, op, module or class")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    app.footer(
        "Each row is replayed by itself; gains of two rows do not add. Rows are sorted by the "
        "low end of\n"
        "what twice the speed gains. Waits are no levers: what they wait for is. A gain below "
        "2 % of the\n"
        "window is within what repeated measurements differ by.");
}

int runRank(const Options &options) {
    const auto keys = {"window", "levers"};
    const auto analysed = analyse(options);
    if (!analysed) return fail(options, analysed.error(), keys);
    const Analysed &a = *analysed;
    Progress progress;
    const Grouping &grouping = groupingOf(options);
    const CriticalPath path = criticalPath(*a.trace, a.steps, a.graph, a.window);
    const auto levers =
        rankLevers(*a.trace, a.steps, a.phases, a.graph, path, grouping.by, progress);
    if (!levers) return fail(options, levers.error(), keys);
    if (options.json) return writeJson(a.window, *levers);
    printWindow(a.window, a.steps);
    if (levers->empty())
        std::printf("No work lies on the path of this window, so nothing can gain.\n");
    else
        print(*levers, grouping.title);
    return finish();
}

} // namespace longpole::cli
