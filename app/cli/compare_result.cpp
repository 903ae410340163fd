// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compare_result.h"

#include "app/cli/steps.h"
#include "app/cli/text_table.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace longpole::cli {

namespace {

template <class T>
void writePair(JsonWriter &json, const char *key, const std::optional<std::pair<T, T>> &pair) {
    json.key(key);
    if (!pair) return json.null();
    json.beginArray();
    json.value(pair->first);
    json.value(pair->second);
    json.endArray();
}

void writeDifferences(JsonWriter &json, const WorkDifferences &work) {
    json.key("differences");
    json.beginArray();
    for (const Difference &difference : work.list) {
        json.line();
        json.beginObject();
        json.field("what", difference.what);
        json.field("a", difference.a);
        json.field("b", difference.b);
        json.endObject();
    }
    json.endArray();
    json.field("differences_more", work.more);
}

void writeRatio(JsonWriter &json, const std::optional<StepRatio> &ratio) {
    json.line();
    json.key("ratio");
    if (!ratio) return json.null();
    json.beginObject();
    json.field("median", ratio->median);
    writePair(json, "ci95", ratio->ci95);
    json.field("shift_ns", ratio->shift);
    json.field("mann_whitney_p", ratio->p);
    json.endObject();
}

void writeAt(JsonWriter &json, const std::optional<AfterSteps> &at) {
    json.key("at");
    if (!at) return json.null();
    json.beginObject();
    json.field("steps", at->steps);
    json.field("a_ns", at->a);
    json.field("b_ns", at->b);
    json.field("first", firstName(at->first));
    json.endObject();
}

void writeCrossover(JsonWriter &json, const std::optional<Crossover> &crossover) {
    json.key("crossover");
    if (!crossover) return json.null();
    json.beginObject();
    json.field("steps", crossover->steps);
    json.field("low", crossover->low);
    json.field("high", crossover->high);
    json.field("state", crossoverName(crossover->state));
    json.endObject();
}

void writeReused(JsonWriter &json, const CompareRequest &request) {
    const char *names[] = {nullptr, "a", "b", "both"};
    const char *name = names[request.reusedA + 2 * request.reusedB];
    json.field("reused", name ? std::optional(std::string(name)) : std::nullopt);
}

void writeDeltas(JsonWriter &json, const std::vector<Delta> &deltas) {
    json.line();
    json.key("deltas");
    json.beginArray();
    for (const Delta &delta : deltas) {
        json.beginObject();
        json.field("key", delta.key);
        json.field("a_ns", delta.a);
        json.field("b_ns", delta.b);
        json.endObject();
    }
    json.endArray();
}

void writeJudgement(JsonWriter &json, const std::optional<Judgement> &judgement) {
    json.line();
    json.key("judgement");
    if (!judgement) return json.null();
    json.beginObject();
    json.field("predicted_ns", judgement->predicted);
    json.field("low_ns", judgement->low);
    json.field("high_ns", judgement->high);
    json.field("measured_ns", judgement->measured);
    writePair(json, "ci95_ns", judgement->ci95);
    json.field("verdict", verdictName(judgement->verdict));
    json.field("why", judgement->why);
    json.endObject();
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

void printWork(const WorkDifferences &work) {
    if (work.list.empty()) {
        std::printf("Work: no differences found.\n");
    } else {
        std::vector<std::string> what, a, b;
        for (const Difference &difference : work.list) {
            what.push_back(printable(difference.what));
            a.push_back(printable(difference.a));
            b.push_back(printable(difference.b));
        }
        TextTable table;
        table.column("The work differs in", TextTable::Align::Left, std::move(what));
        table.column("A", TextTable::Align::Right, std::move(a));
        table.column("B", TextTable::Align::Right, std::move(b));
        table.print();
        if (work.more > 0) std::printf("(%zu more)\n", work.more);
    }
    if (!work.same.empty()) std::printf("Same: %s.\n", joined(work.same).c_str());
    if (!work.unknown.empty())
        std::printf("Not told by these traces: %s.\n", joined(work.unknown).c_str());
}

std::string startupText(const Steps &steps, bool given, bool reused) {
    if (reused) return "reused, counts 0";
    if (!steps.startup) return "unknown";
    return formatDuration(*steps.startup) + (given ? " (given)" : "");
}

std::string ciText(const std::optional<std::pair<TimeNs, TimeNs>> &ci) {
    return ci ? formatDuration(ci->first) + " – " + formatDuration(ci->second) : "– (n < 8)";
}

void printSteps(const CompareResult &r) {
    const Comparison &c = r.comparison;
    const SteadyWindow &a = *c.a.steady, &b = *c.b.steady;
    TextTable table;
    table.column("Steady steps", TextTable::Align::Left,
                 {"n", "median", "95 % interval", "IQR", "p5 – p95", "min – max", "start-up"});
    const auto column = [&](const char *name, const SteadyWindow &s, std::string startup) {
        table.column(name, TextTable::Align::Right,
                     {formatCount(s.n), formatDuration(s.median), ciText(s.ci95),
                      formatDuration(s.iqr), formatDuration(s.p5) + " – " + formatDuration(s.p95),
                      formatDuration(s.min) + " – " + formatDuration(s.max), std::move(startup)});
    };
    column("A", a, startupText(c.a, r.request.startupA.has_value(), r.request.reusedA));
    column("B", b, startupText(c.b, r.request.startupB.has_value(), r.request.reusedB));
    std::printf("\n");
    table.print();
    if (r.filesA.size() < 2 || r.filesB.size() < 2)
        std::printf("One process %s: between-run variation not measured.\n",
                    r.filesA.size() < 2 && r.filesB.size() < 2 ? "each"
                    : r.filesA.size() < 2                      ? "of A"
                                                               : "of B");
    if (c.byPeriod)
        std::printf("Pipelined: compared from %s of the next, medians %s and %s.\n",
                    byCompletion(c.a) ? "the end of a step's device work to that"
                                      : "the begin of a step to the begin",
                    formatDuration(c.medianA).c_str(), formatDuration(c.medianB).c_str());
}

void printRatio(const StepRatio &ratio) {
    if (ratio.ci95)
        std::printf(
            "\nA is %.3f× as fast a step (95 %% interval %.3f – %.3f): B takes %s %s (shift; "
            "Mann–Whitney p = %.2g).\n",
            ratio.median, ratio.ci95->first, ratio.ci95->second,
            formatDuration(std::abs(ratio.shift)).c_str(), ratio.shift < 0 ? "less" : "more",
            *ratio.p);
    else
        std::printf("\nThe medians differ by a factor of %.3f (B over A); with fewer than 8 steps "
                    "that says little.\n",
                    ratio.median);
}

void printDeltas(const std::vector<Delta> &deltas) {
    std::vector<std::string> keys;
    std::vector<TimeNs> a, b, change;
    TimeNs sumA = 0, sumB = 0;
    const auto add = [&](std::string key, TimeNs inA, TimeNs inB) {
        keys.push_back(std::move(key));
        a.push_back(inA);
        b.push_back(inB);
        change.push_back(inB - inA);
    };
    for (const Delta &delta : deltas) {
        add(delta.label, delta.a, delta.b);
        sumA += delta.a;
        sumB += delta.b;
    }
    add("median step", sumA, sumB);
    TextTable table;
    table.column("Phase", TextTable::Align::Left, std::move(keys));
    table.column("A", addingColumn(a, b));
    table.column("B", addingColumn(b, a));
    table.column("B − A", addingColumn(change, a));
    table.ruleBeforeLast();
    std::printf("\n");
    table.print();
}

std::string stepsText(double steps) {
    return formatCount(std::llround(std::min(steps, 9e18)));
}

void printCrossover(const Crossover &crossover) {
    switch (crossover.state) {
    case Crossover::State::Crosses:
        std::printf("They cross at %s steps", stepsText(*crossover.steps).c_str());
        if (crossover.low)
            std::printf(" (95 %% interval %s – %s)", stepsText(*crossover.low).c_str(),
                        crossover.high ? stepsText(*crossover.high).c_str() : "never");
        std::printf(".\n");
        break;
    case Crossover::State::AAlways:
        std::printf("A is first for a run of any length.\n");
        break;
    case Crossover::State::BAlways:
        std::printf("B is first for a run of any length.\n");
        break;
    case Crossover::State::Parallel:
        std::printf("Their steps cannot be told apart: no crossing.\n");
        break;
    }
}

void printRun(const CompareResult &r) {
    const Comparison &c = r.comparison;
    if (!c.crossover) {
        std::printf("\nWhich is first depends on start-up, which is unknown: give --startup-a and "
                    "--startup-b, as in 30s.\n");
        return;
    }
    std::printf("\n");
    if (c.at)
        std::printf("After %s steps: A %s, B %s: %s.\n", formatCount(int64_t(c.at->steps)).c_str(),
                    formatDuration(c.at->a).c_str(), formatDuration(c.at->b).c_str(),
                    c.at->first == First::A   ? "A first"
                    : c.at->first == First::B ? "B first"
                                              : "a tie");
    printCrossover(*c.crossover);
    if (!r.request.runSteps)
        std::printf("How long is the run? --run-steps N says which is first then.\n");
    const bool onceA = r.filesA.size() == 1 && !r.request.startupA && !r.request.reusedA;
    const bool onceB = r.filesB.size() == 1 && !r.request.startupB && !r.request.reusedB;
    if (onceA || onceB) std::printf("A start-up seen once has no spread.\n");
}

} // namespace

void writeCompare(JsonWriter &json, const CompareResult &r) {
    const Comparison &c = r.comparison;
    const bool refused = !c.refused.empty();
    json.beginObject();
    json.field("refused", refused ? std::optional(c.refused) : std::nullopt);
    writeDifferences(json, c.work);
    for (const auto &[key, steps, given] :
         {std::tuple("a", &c.a, r.request.startupA.has_value()),
          std::tuple("b", &c.b, r.request.startupB.has_value())}) {
        json.line();
        json.key(key);
        if (refused)
            json.null();
        else
            writeSteps(json, *steps, given);
    }
    writeRatio(json, c.ratio);
    writeAt(json, c.at);
    writeReused(json, r.request);
    writeCrossover(json, c.crossover);
    if (refused)
        json.nullField("deltas");
    else
        writeDeltas(json, c.deltas);
    writeJudgement(json, r.judgement);
    json.endObject();
}

void printCompare(const CompareResult &r) {
    const Comparison &c = r.comparison;
    std::printf("A  %s\nB  %s\n\n", printable(joined(r.filesA)).c_str(),
                printable(joined(r.filesB)).c_str());
    printWork(c.work);
    if (c.refused.empty()) {
        printSteps(r);
        printRatio(*c.ratio);
        printDeltas(c.deltas);
        printRun(r);
    }
    if (!r.judgement) return;
    const Judgement &j = *r.judgement;
    std::printf("\nClaim %s: %s\n", std::string(verdictName(j.verdict)).c_str(), j.why.c_str());
}

} // namespace longpole::cli
