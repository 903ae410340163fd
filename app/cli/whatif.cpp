// SPDX-License-Identifier: Apache-2.0
#include "app/cli/analysed.h"
#include "app/cli/text_table.h"

#include "core/analysis/claim.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>

namespace longpole::cli {

namespace {

void writeAmdahl(JsonWriter &json, const std::optional<Amdahl> &amdahl) {
    json.key("amdahl");
    if (!amdahl) return json.null();
    json.beginObject();
    json.field("ns", amdahl->ns);
    json.field("speedup", amdahl->speedup);
    json.field("fraction", amdahl->fraction);
    json.field("ceiling", amdahl->ceiling);
    json.field("capture_ns", amdahl->captureNs);
    json.endObject();
}

void writeCurve(JsonWriter &json, const WhatIf &w) {
    json.key("curve");
    json.beginArray();
    for (const CurvePoint &point : w.curve) {
        json.beginObject();
        json.field("scale", point.scale);
        json.field("ns", point.ns);
        json.endObject();
    }
    json.endArray();
    json.line();
    json.key("knees");
    json.beginArray();
    for (const Knee &knee : w.knees) {
        json.beginObject();
        json.field("scale", knee.scale);
        json.field("ns", knee.ns);
        json.field("takes_over", knee.takesOver);
        json.endObject();
    }
    json.endArray();
}

int writeJson(const WhatIf &w) {
    JsonWriter json;
    json.beginObject();
    writeWindow(json, w.window);
    json.field("measured_ns", w.measured);
    json.field("baseline_replay_ns", w.baseline);
    writeAmdahl(json, w.amdahl);
    json.key("replay");
    json.beginObject();
    json.field("ns", w.replay.ns);
    json.field("speedup", w.replay.speedup);
    json.field("low_ns", w.replay.low);
    json.field("high_ns", w.replay.high);
    json.field("floor_ns", w.replay.floor);
    json.field("model_ns", w.replay.model);
    json.endObject();
    json.line();
    writeCurve(json, w);
    json.line();
    json.key("bottleneck_after");
    json.beginObject();
    json.field("phase", w.bottleneckAfter.phase);
    json.field("name", w.bottleneckAfter.name);
    json.field("track_name", w.bottleneckAfter.trackName);
    json.endObject();
    json.key("warnings");
    json.beginArray();
    for (const auto *texts : {&w.assumptions, &w.warnings})
        for (const std::string &text : *texts) json.value(text);
    json.endArray();
    json.endObject();
    return finish(json);
}

std::string timesText(double factor) {
    if (std::isinf(factor)) return "∞ (nothing of it is left)";
    char text[40];
    std::snprintf(text, sizeof text, "%.3f×", factor);
    return text;
}

void print(const WhatIf &w, const Steps &steps) {
    printWindow(w.window, steps);
    std::printf("measured  %s\n", formatDuration(w.measured).c_str());
    std::printf("replay    %s (%s – %s), speed-up %s\n", formatDuration(w.replay.ns).c_str(),
                formatDuration(w.replay.low).c_str(), formatDuration(w.replay.high).c_str(),
                timesText(w.replay.speedup).c_str());
    if (w.amdahl)
        std::printf("Amdahl    %s, speed-up %s: a ceiling for serial work, f = %.1f %%\n",
                    formatDuration(w.amdahl->ns).c_str(), timesText(w.amdahl->speedup).c_str(),
                    100 * w.amdahl->fraction);
    std::string last;
    for (const Knee &knee : w.knees) {
        if (knee.scale > 0 && knee.takesOver != last)
            std::printf("knee      beyond %.2f×: %s takes over\n", 1 / knee.scale,
                        knee.takesOver.c_str());
        last = knee.takesOver;
    }
    if (!w.bottleneckAfter.name.empty())
        std::printf("then      %s on %s (%s) has most of the path\n",
                printable(w.bottleneckAfter.name).c_str(), w.bottleneckAfter.trackName.c_str(),
                w.bottleneckAfter.phase.c_str());
    for (const std::string &text : w.assumptions)
        std::printf("assumed   %s\n", printable(text).c_str());
    for (const std::string &text : w.warnings)
        std::printf("note      %s\n", printable(text).c_str());
}

bool writeClaim(const Claim &claim, const std::string &path) {
    std::ofstream file(path, std::ios::binary);
    file << claimJson(claim) << std::flush;
    return bool(file);
}

} // namespace

void setupWhatif(CLI::App &app, Options &options) {
    app.add_option(
           "--speed", options.speed,
           "make work faster (a factor above 1, or inf) or slower: phase:ID, kind:KIND, "
           "name:REGEX, "
           "name>:REGEX (with all inside and launched) or track:TEXT; may be given several times")
        ->type_name("SELECTOR=FACTOR")
        ->expected(1)
        ->take_all();
    app.add_option("--edit", options.edit,
                   "change the program, several at once too; " + graphEditsHelp())
        ->type_name("EDIT")
        ->expected(1)
        ->take_all();
    app.add_option(
           "--claim", options.claim,
           "also write the prediction to a file, for compare --claim to judge it by what is "
           "measured after the change")
        ->type_name("FILE");
    app.footer("Replay: the measured dependencies with the changed work; all else stays. Its "
               "interval spans\n"
               "seven other readings of the same graph. Amdahl: the ceiling if nothing overlapped; "
               "f is the\n"
               "share of the window in which the selected work ran. Contention and memory are not "
               "modelled.");
}

int runWhatif(const Options &options) {
    const auto keys = {"window", "measured_ns", "baseline_replay_ns", "amdahl",  "replay",
                       "curve",  "knees",       "bottleneck_after",   "warnings"};
    if (options.speed.empty() && options.edit.empty())
        return fail(options, {ErrorKind::Usage, "no_change",
                              "whatif needs a change: --speed SELECTOR=FACTOR or --edit EDIT."});
    std::vector<SpeedEdit> speeds;
    for (const std::string &text : options.speed) {
        auto speed = parseSpeedEdit(text);
        if (!speed) return fail(options, speed.error());
        speeds.push_back(std::move(*speed));
    }
    std::vector<GraphEdit> edits;
    for (const std::string &text : options.edit) {
        auto edit = parseGraphEdit(text);
        if (!edit) return fail(options, edit.error());
        edits.push_back(std::move(*edit));
    }
    const auto analysed = analyse(options);
    if (!analysed) return fail(options, analysed.error(), keys);
    const Analysed &a = *analysed;
    Progress progress;
    const auto result =
        whatIf(*a.trace, a.steps, a.phases, a.graph, a.window, speeds, edits, progress);
    if (!result) return fail(options, result.error(), keys);
    if (!options.claim.empty() &&
        !writeClaim(claimOf(*a.trace, *result, options.speed, options.edit), options.claim))
        return fail(options, {ErrorKind::Impossible, "claim_not_written",
                              "The claim cannot be written to " + options.claim +
                                  ". Check the folder and the space that is left."});
    if (options.json) return writeJson(*result);
    print(*result, a.steps);
    return finish();
}

} // namespace longpole::cli
