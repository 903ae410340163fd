// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"
#include "app/cli/levers.h"
#include "app/cli/text_table.h"

#include "core/analysis/verdict.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace longpole::cli {

namespace {

int writeJson(const Verdict &v) {
    JsonWriter json;
    json.beginObject();
    writeWindow(json, v.window);
    json.key("lines");
    json.beginArray();
    for (const VerdictLine &line : v.lines) {
        json.line();
        json.value(line.text());
    }
    json.endArray();
    std::vector<Lever> levers;
    for (const NamedLever &named : v.levers) levers.push_back(named.lever);
    writeLevers(json, levers);
    json.key("trust");
    json.beginObject();
    json.field("recorded", v.trust.recorded);
    json.field("inferred", v.trust.inferred);
    json.field("assumed", v.trust.assumed);
    json.field("untraced", v.trust.untraced);
    json.field("unexplained", v.trust.unexplained);
    json.endObject();
    json.endObject();
    return finish(json);
}

} // namespace

void setupWhy(CLI::App &app, Options &) {
    app.footer(
        "At most eight lines: the window, the device, what the window waited for, the best "
        "levers with\n"
        "their replayed gain and a measurement that could disprove each, how far to trust it, "
        "and what\n"
        "to record next time. --json gives the selector of each lever, for whatif.");
}

int runWhy(const Options &options) {
    const auto keys = {"window", "lines", "levers", "trust"};
    const auto analysed = analyse(options);
    if (!analysed) return fail(options, analysed.error(), keys);
    const Analysed &a = *analysed;
    Progress progress;
    const auto result = verdict(*a.trace, a.steps, a.phases, a.graph, a.window, progress);
    if (!result) return fail(options, result.error(), keys);
    if (options.json) return writeJson(*result);
    for (const VerdictLine &line : result->lines)
        std::printf("%s\n", printable(line.text()).c_str());
    return finish();
}

} // namespace longpole::cli
