// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/claim.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace longpole {

namespace {

using nlohmann::json;

constexpr std::array kWindowKinds = {Window::Kind::Drained, Window::Kind::Period,
                                     Window::Kind::Range, Window::Kind::All};

json windowJson(const Window &window) {
    json result = {{"begin_ns", window.range.begin},
                   {"end_ns", window.range.end},
                   {"elapsed_ns", window.range.length()},
                   {"kind", windowKindName(window.kind)},
                   {"steps", nullptr},
                   {"policy", window.policy}};
    if (window.steps) result["steps"] = {window.steps->first, window.steps->second};
    return result;
}

/// Throws what nlohmann::json throws.
Window windowOf(const json &from) {
    Window window;
    window.range = {from.at("begin_ns").get<TimeNs>(), from.at("end_ns").get<TimeNs>()};
    for (const Window::Kind kind : kWindowKinds)
        if (from.at("kind").get<std::string>() == windowKindName(kind)) window.kind = kind;
    if (const json &steps = from.at("steps"); !steps.is_null())
        window.steps = {steps.at(0).get<uint32_t>(), steps.at(1).get<uint32_t>()};
    window.policy = from.value("policy", "");
    return window;
}

/// Steps that the window holds; 0 for a window that is no run of whole steps.
TimeNs stepsIn(const Window &window) {
    if (!window.steps || window.steps->second < window.steps->first) return 0;
    return TimeNs(window.steps->second - window.steps->first) + 1;
}

bool madeFrom(const Claim &claim, const ComparedSide &side) {
    return std::any_of(side.begin(), side.end(), [&](const ComparedRun &run) {
        return fingerprintOf(*run.trace) == claim.fingerprint;
    });
}

std::string between(TimeNs low, TimeNs high) {
    return formatDuration(low) + " – " + formatDuration(high);
}

void decide(Judgement &judgement, TimeNs change) {
    const auto [low, high] = *judgement.ci95;
    const std::string measured =
        "Measured " + formatDuration(*judgement.measured) + " (" + between(low, high) + ")";
    const std::string predicted = between(judgement.low, judgement.high);
    if (high - low > change) {
        judgement.why = measured + ": its interval is wider than the predicted change of " +
                        formatDuration(change) + ". Measure more steps.";
        return;
    }
    const bool meets = low <= judgement.high && high >= judgement.low;
    judgement.verdict = meets ? Judgement::Verdict::Held : Judgement::Verdict::Refuted;
    judgement.why =
        measured + (meets ? " meets" : " lies outside") + " the predicted " + predicted + ".";
}

} // namespace

std::string fingerprintOf(const Trace &trace) {
    std::string all;
    for (const SourceFile &file : trace.files) all += (all.empty() ? "" : " ") + file.fingerprint;
    return all;
}

Claim claimOf(const Trace &trace, const WhatIf &forecast, std::vector<std::string> speed,
              std::vector<std::string> edit) {
    Claim claim;
    // what nothing in the trace tells must not refute a claim
    claim.low = std::min(forecast.replay.low, forecast.replay.taken);
    claim.high = std::max(forecast.replay.high, forecast.replay.taken);
    for (const auto *changes : {&speed, &edit})
        for (const std::string &change : *changes)
            claim.text += (claim.text.empty() ? "" : ", ") + change;
    claim.text += ": from " + formatDuration(forecast.measured) + " to " +
                  formatDuration(forecast.replay.ns) + " (" + between(claim.low, claim.high) +
                  "), this window only.";
    claim.speed = std::move(speed);
    claim.edit = std::move(edit);
    claim.window = forecast.window;
    claim.predicted = forecast.replay.ns;
    claim.fingerprint = fingerprintOf(trace);
    return claim;
}

std::string claimJson(const Claim &claim) {
    json result = {{"version", 1},
                   {"speed", claim.speed},
                   {"edit", claim.edit},
                   {"window", windowJson(claim.window)},
                   {"predicted_ns", claim.predicted},
                   {"low_ns", claim.low},
                   {"high_ns", claim.high},
                   {"fingerprint", claim.fingerprint},
                   {"text", claim.text},
                   {"confidence", nullptr}};
    if (claim.confidence) result["confidence"] = *claim.confidence;
    return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Claim> parseClaim(std::string_view text, const std::string &file) {
    const auto bad = [&file](const std::string &what) {
        return Error{ErrorKind::Unreadable, "bad_claim",
                     "The claim in " + file + " cannot be read: " + what +
                         ". Write one with: longpole-cli whatif TRACE --speed … --claim FILE"};
    };
    try {
        const json from = json::parse(text);
        if (from.at("version") != 1) return bad("its version is not 1");
        Claim claim;
        claim.speed = from.at("speed").get<std::vector<std::string>>();
        claim.edit = from.at("edit").get<std::vector<std::string>>();
        claim.window = windowOf(from.at("window"));
        claim.predicted = from.at("predicted_ns").get<TimeNs>();
        claim.low = from.at("low_ns").get<TimeNs>();
        claim.high = from.at("high_ns").get<TimeNs>();
        claim.fingerprint = from.at("fingerprint").get<std::string>();
        claim.text = from.value("text", "");
        if (from.contains("confidence") && !from["confidence"].is_null())
            claim.confidence = from["confidence"].get<int64_t>();
        if (claim.low > claim.high) return bad("low_ns is above high_ns");
        constexpr TimeNs kLongest = TimeNs(1) << 61; // differences of such times fit
        for (const TimeNs ns : {claim.window.range.begin, claim.window.range.end, claim.predicted,
                                claim.low, claim.high})
            if (ns < -kLongest || ns > kLongest) return bad("a time in it is too long");
        return claim;
    } catch (const json::parse_error &error) {
        return bad("it is no JSON from byte " + std::to_string(error.byte) + " on");
    } catch (const json::exception &error) {
        // behind the library's own "[json.exception.…] "
        const std::string_view what = error.what();
        const size_t words = what.find("] ");
        return bad(std::string(words == what.npos ? what : what.substr(words + 2)));
    }
}

std::string_view verdictName(Judgement::Verdict verdict) {
    constexpr std::array<std::string_view, 3> names = {"held", "refuted", "not established"};
    return names[size_t(verdict)];
}

Judgement judge(const Claim &claim, const Comparison &comparison, const ComparedSide &a,
                const ComparedSide &b) {
    const TimeNs steps = std::max<TimeNs>(1, stepsIn(claim.window));
    Judgement judgement;
    judgement.predicted = claim.predicted / steps;
    judgement.low = claim.low / steps;
    judgement.high = claim.high / steps;
    const bool fromA = madeFrom(claim, a), fromB = madeFrom(claim, b);
    const ComparedSide &side = fromB && !fromA ? a : b;
    // of several steps that run into each other the claim is about the time that one more takes
    const bool byPeriod = claim.window.kind == Window::Kind::Period ||
                          (steps > 1 && byCompletion(side.front().steps));
    const RunValues values = steadyValues(side, byPeriod);
    if (!values.empty()) {
        SteadyWindow measured;
        describe(measured, values);
        judgement.measured = measured.median;
        judgement.ci95 = measured.ci95;
    }
    if (!comparison.sameBoundary)
        judgement.why = "The boundaries of the two measurements differ.";
    else if (!comparison.work.sameWork)
        judgement.why = "The work of the two measurements differs.";
    else if (stepsIn(claim.window) == 0)
        judgement.why = "The claim is about a range that is no run of whole steps.";
    else if (!judgement.ci95)
        judgement.why = "There are fewer than 8 steady steps: too few for an interval.";
    else
        decide(judgement, std::abs(claim.window.range.length() - claim.predicted) / steps);
    if (!fromA && !fromB) judgement.why += " The claim was made from neither of these traces.";
    return judgement;
}

} // namespace longpole
