// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compare_result.h"
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include "core/import/event_args.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace longpole::cli {

namespace {

Error usage(const std::string &message) {
    return {ErrorKind::Usage, "bad_comparison", message};
}

/// "[528,1,1]" is "528×1×1".
std::string extent(const std::string &json) {
    std::string text;
    for (const char c : json)
        if (c == ',')
            text += "×";
        else if (c != '[' && c != ']' && c != ' ')
            text += c;
    return text;
}

RecordedShape shapeOf(IntervalId id, bool kernel, const std::vector<EventArgs::Entry> &args) {
    const auto value = [&](std::string_view key) {
        const auto it = std::find_if(args.begin(), args.end(),
                                     [&](const EventArgs::Entry &e) { return e.key == key; });
        return it == args.end() ? std::string() : it->value;
    };
    RecordedShape shape{id, {}, {}};
    if (!kernel) {
        shape.inputs = value("Input Dims");
        return shape;
    }
    std::string grid = extent(value("grid")), block = extent(value("block"));
    if (grid.empty() && !value("gridX").empty()) {
        grid = value("gridX") + "×" + value("gridY") + "×" + value("gridZ");
        block = value("blockX") + "×" + value("blockY") + "×" + value("blockZ");
    }
    if (!grid.empty()) shape.launch = grid + " blocks of " + block;
    return shape;
}

Result<std::vector<RecordedShape>> recordedShapes(const std::shared_ptr<const Trace> &trace,
                                                  const Steps &steps) {
    EventArgs args(trace);
    std::vector<RecordedShape> shapes;
    for (const IntervalId id : shapesWanted(*trace, steps)) {
        const auto entries = args.entries(id);
        if (!entries) return entries.error();
        shapes.push_back(shapeOf(id, trace->track(id).kind == TrackKind::Stream, *entries));
    }
    return shapes;
}

Result<ComparedSide> openSide(const Options &options, const std::vector<std::string> &files,
                              const PhaseRules &rules) {
    ComparedSide side;
    for (const std::string &file : files) {
        Options one = options;
        one.files = {file};
        const auto trace = openAll(one);
        if (!trace) return trace.error();
        ComparedRun run{*trace, findSteps(**trace), {}, {}};
        run.phases = phases(**trace, run.steps, rules);
        auto shapes = recordedShapes(*trace, run.steps);
        if (!shapes) return shapes.error();
        run.shapes = std::move(*shapes);
        side.push_back(std::move(run));
    }
    return side;
}

struct Sides {
    std::vector<std::string> a, b;
};

Result<Sides> sidesOf(const Options &options) {
    Sides sides{options.files, options.against};
    if (sides.b.empty()) {
        if (sides.a.size() != 2)
            return usage("compare takes two traces, A and B, or A … --against B … where a side has "
                         "several runs.");
        sides.b = {sides.a.back()};
        sides.a.pop_back();
    }
    if (std::count(sides.a.begin(), sides.a.end(), "-") +
            std::count(sides.b.begin(), sides.b.end(), "-") >
        1)
        return usage("Standard input (-) can be read only once: name it once.");
    return sides;
}

Result<CompareRequest> requestOf(const Options &options) {
    CompareRequest request;
    request.runSteps = options.runSteps;
    for (const auto &[text, startup, name] :
         {std::tuple(options.startupA, &request.startupA, "--startup-a"),
          std::tuple(options.startupB, &request.startupB, "--startup-b")}) {
        if (!text) continue;
        *startup = parseTime(*text);
        if (!*startup || **startup < 0)
            return usage(std::string(name) + " takes a time as in 30s or 250ms, not \"" + *text +
                         "\".");
    }
    request.reusedA = options.reused == "a" || options.reused == "both";
    request.reusedB = options.reused == "b" || options.reused == "both";
    return request;
}

Result<std::optional<Claim>> claimOf(const Options &options) {
    if (options.claim.empty()) return std::optional<Claim>();
    errno = 0;
    std::ifstream file(options.claim, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        return Error{ErrorKind::Unreadable, "unreadable_claim",
                     "The claim in " + options.claim + " cannot be read (" +
                         (errno ? std::strerror(errno) : "the file is empty") +
                         "). Check the path."};
    auto claim = parseClaim(text.str(), options.claim);
    if (!claim) return claim.error();
    return std::optional(std::move(*claim));
}

Result<CompareResult> result(const Options &options) {
    const auto sides = sidesOf(options);
    if (!sides) return sides.error();
    const auto request = requestOf(options);
    if (!request) return request.error();
    const auto claim = claimOf(options);
    if (!claim) return claim.error();
    const auto rules = phaseRules(options);
    if (!rules) return rules.error();
    const auto a = openSide(options, sides->a, *rules);
    if (!a) return a.error();
    const auto b = openSide(options, sides->b, *rules);
    if (!b) return b.error();
    Progress progress;
    auto comparison = compare(*a, *b, *request, progress);
    if (!comparison) return comparison.error();
    CompareResult result{std::move(*comparison), *request, {}, {}, std::nullopt};
    for (const ComparedRun &run : *a) result.filesA.push_back(run.trace->files[0].name);
    for (const ComparedRun &run : *b) result.filesB.push_back(run.trace->files[0].name);
    if (*claim) result.judgement = judge(**claim, result.comparison, *a, *b);
    return result;
}

} // namespace

void setupCompare(CLI::App &app, Options &options) {
    app.get_option("TRACE")->description(
        "runs of side A, one file each; A and B where there are two "
        "and no --against; - is standard input");
    app.add_option("--against", options.against,
                   "the traces of side B; several files of a side are repeated runs of it")
        ->type_name("TRACE");
    // checked as text: the conversion to a number without sign would take "-1" for a huge one
    app.add_option("--run-steps", options.runSteps, "how many steps the run is to have")
        ->type_name("N")
        ->check([](const std::string &text) {
            const bool good = text.size() <= 12 && !text.empty() && text[0] != '0' &&
                              text.find_first_not_of("0123456789") == std::string::npos;
            return good ? "" : "takes a whole number above 0 as in 1000, not \"" + text + "\"";
        });
    app.add_option("--startup-a", options.startupA,
                   "start-up of A, as in 30s; without it what the trace shows")
        ->type_name("TIME");
    app.add_option("--startup-b", options.startupB, "start-up of B")->type_name("TIME");
    app.add_option("--reused", options.reused,
                   "what the start-up of a side makes is reused: it counts 0 from then on")
        ->type_name("a|b|both")
        ->check(CLI::IsMember({"a", "b", "both"}));
    app.add_option("--claim", options.claim, "judge a claim that whatif --claim wrote")
        ->type_name("FILE");
    app.footer(
        "Differences of work come first: one ratio over different devices, batch shapes or timing\n"
        "boundaries would mean nothing and is refused. The ratio is that of the median steady "
        "steps,\n"
        "B over A, with a 95 % bootstrap interval from 8 steps on. Deltas: shares of a partition "
        "of\n"
        "the median step of each side; they add up to it. The crossing is where start-up and "
        "steps of\n"
        "both take the same time. A claim is held where the measured 95 % interval meets the\n"
        "predicted one, refuted where it does not, and not established where work or boundary\n"
        "differ, with fewer than 8 steps, or where the measured interval is wider than the "
        "predicted\n"
        "change.");
}

int runCompare(const Options &options) {
    const auto compared = result(options);
    if (!compared) return fail(options, compared.error());
    const std::string &refused = compared->comparison.refused;
    if (options.json) {
        JsonWriter json;
        writeCompare(json, *compared);
        if (const int code = finish(json); code != kDone) return code;
    } else {
        printCompare(*compared);
        if (const int code = finish(); code != kDone) return code;
    }
    if (refused.empty()) return kDone;
    std::fprintf(stderr, "longpole-cli: %s\n", printable(refused).c_str());
    return kImpossible;
}

} // namespace longpole::cli
