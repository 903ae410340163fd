// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps.h"
#include "app/cli/session.h"
#include "app/cli/text_table.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace longpole::cli {

namespace {

void writeStep(JsonWriter &json, const Step &step, size_t index) {
    json.line();
    json.beginObject();
    json.field("index", index);
    json.field("name", step.name);
    json.field("begin_ns", step.begin);
    json.field("end_ns", step.end);
    json.field("drained_end_ns", step.drainedEnd);
    json.field("length_ns", step.length());
    json.field("period_ns", step.period);
    json.field("left_out", step.leftOut);
    json.field("reason", step.reason.empty() ? std::nullopt : std::optional(step.reason));
    json.field("boundary", boundaryName(step.boundary));
    json.endObject();
}

void writeSteady(JsonWriter &json, const std::optional<SteadyWindow> &steady) {
    json.key("steady");
    if (!steady) return json.null();
    json.beginObject();
    json.field("first", steady->first);
    json.field("last", steady->last);
    json.field("n", steady->n);
    json.field("median_ns", steady->median);
    json.field("iqr_ns", steady->iqr);
    json.field("p5_ns", steady->p5);
    json.field("p95_ns", steady->p95);
    json.field("min_ns", steady->min);
    json.field("max_ns", steady->max);
    json.key("ci95_ns");
    if (steady->ci95) {
        json.beginArray();
        json.value(steady->ci95->first);
        json.value(steady->ci95->second);
        json.endArray();
    } else {
        json.null();
    }
    json.key("outliers");
    json.beginArray();
    for (const uint32_t step : steady->outliers) json.value(step);
    json.endArray();
    json.endObject();
}

void printTable(const Steps &steps) {
    std::printf("Found by %s.\n\n", steps.foundBy.c_str());
    std::vector<std::string> index, name, why;
    std::vector<TimeNs> begin, length, period;
    for (const Step &step : steps.steps) {
        index.push_back(std::to_string(index.size()));
        name.push_back(step.name);
        begin.push_back(step.begin);
        length.push_back(step.length());
        period.push_back(step.period.value_or(0));
        why.push_back(step.leftOut ? step.reason : "");
    }
    TimeColumn periods = timeColumn(period, length);
    for (size_t i = 0; i < steps.steps.size(); ++i)
        if (!steps.steps[i].period) periods.cells[i] = "–";
    TextTable table;
    table.column("Step", TextTable::Align::Right, std::move(index));
    table.column("name", TextTable::Align::Left, std::move(name));
    table.column("begin", timeColumn(begin));
    table.column("length", timeColumn(length));
    table.column("period", std::move(periods));
    table.column("left out because", TextTable::Align::Left, std::move(why));
    table.print();
    std::printf("\nLength: from begin until the step's device work has ended. Period: to the next "
                "begin.\n");
}

void printSteady(const Steps &steps) {
    if (!steps.steady) {
        std::printf("Steady window: none. %s\n", steps.steadyReason.c_str());
        return;
    }
    const SteadyWindow &s = *steps.steady;
    std::printf("\nSteady window: steps %u – %u, n = %u. %s\n", s.first, s.last, s.n,
                steps.steadyReason.c_str());
    std::printf("  median %s", formatDuration(s.median).c_str());
    if (s.ci95)
        std::printf(" (95 %% interval %s – %s)", formatDuration(s.ci95->first).c_str(),
                    formatDuration(s.ci95->second).c_str());
    std::printf(", IQR %s, p5 – p95 %s – %s, min %s, max %s\n", formatDuration(s.iqr).c_str(),
                formatDuration(s.p5).c_str(), formatDuration(s.p95).c_str(),
                formatDuration(s.min).c_str(), formatDuration(s.max).c_str());
    if (!s.outliers.empty()) {
        std::printf("  Far from the median, and counted all the same: step");
        for (const uint32_t step : s.outliers) std::printf(" %u", step);
        std::printf(".\n");
    }
    if (s.ci95) std::printf("  Steps of one process: variation between runs is not measured.\n");
}

} // namespace

namespace {

void writeMeasured(JsonWriter &json, const Steps &steps) {
    json.key("measured");
    if (!steps.measured) return json.null();
    const MeasuredRun &run = *steps.measured;
    json.beginObject();
    json.field("steps", run.steps);
    json.field("warmup", run.warmup);
    json.field("begin_ns", run.range.begin);
    json.field("elapsed_ns", run.range.length());
    json.field("per_step_ns", run.perStep());
    json.field("boundary", boundaryName(steps.boundary()));
    json.field("policy", run.policy());
    json.endObject();
}

} // namespace

void writeSteps(JsonWriter &json, const Steps &steps, bool startupGiven) {
    json.beginObject();
    json.field("found_by", steps.foundBy);
    json.key("steps");
    json.beginArray();
    for (size_t i = 0; i < steps.steps.size(); ++i) writeStep(json, steps.steps[i], i);
    json.endArray();
    json.line();
    writeSteady(json, steps.steady);
    json.field("steady_reason", steps.steadyReason);
    json.field("startup_ns", steps.startup);
    json.field("startup_source", !steps.startup ? "unknown" : startupGiven ? "given" : "measured");
    json.field("pipelined", steps.pipelined);
    writeMeasured(json, steps);
    json.endObject();
}

void setupSteps(CLI::App &app, Options &) {
    app.footer(
        "Steps are ranges named ProfilerStep#N; else ranges of one name, or of one name and a "
        "number\n"
        "that grows, that come back evenly; else a period of the kernels.\n"
        "The statistics are those of the lengths in the steady window, never of the fastest\n"
        "step alone. A length ends when the device work launched in the step has ended.");
}

int runSteps(const Options &options) {
    const auto trace = openAll(options);
    if (!trace) return fail(options, trace.error());
    const Steps steps = findSteps(**trace);
    if (options.json) {
        JsonWriter json;
        writeSteps(json, steps);
        return finish(json);
    }
    if (steps.steps.empty()) {
        std::printf(
            "No steps found: no ProfilerStep#N on a host thread, no range that comes back evenly "
            "and "
            "no\nperiod of kernels. The whole trace is analysed; choose a range to narrow it.\n");
        return finish();
    }
    printTable(steps);
    printSteady(steps);
    if (steps.measured)
        std::printf("Measured: %s a step. %s\n", formatDuration(steps.measured->perStep()).c_str(),
                    steps.measured->policy().c_str());
    const std::string_view boundary = boundarySentence(steps.boundary());
    if (!boundary.empty()) std::printf("%s\n", std::string(boundary).c_str());
    if (steps.pipelined)
        std::printf("Pipelined: device work of a step runs on into the next one.\n");
    const bool ofProcess =
        (*trace)->files[0].measurement && (*trace)->files[0].measurement->processBegin;
    if (steps.startup)
        std::printf("Start-up: %s from the %s to %s, measured.\n",
                    formatDuration(*steps.startup).c_str(),
                    ofProcess ? "begin of the process" : "first event",
                    steps.measured ? "the first measured step" : "step 0");
    else
        std::printf("Start-up: unknown; the capture begins later than the run.\n");
    return finish();
}

} // namespace longpole::cli
