// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/compare.h"
#include "core/analysis/what_if.h"

namespace longpole {

/// A prediction that is kept until a measurement can judge it: one intervention, its effect on one
/// window, and who says so.
struct Claim {
    std::vector<std::string> speed, edit; ///< as on the command line
    Window window;                        ///< what the prediction is about, as measured then
    TimeNs predicted = 0, low = 0, high = 0;
    std::string fingerprint; ///< of the trace that it was made from
    std::string text;
    std::optional<int64_t> confidence; ///< of its author, 1 to 5
};

/// The claim that a forecast makes.
Claim claimOf(const Trace &trace, const WhatIf &forecast, std::vector<std::string> speed,
              std::vector<std::string> edit);
/// The fingerprint of a trace, of a job those of its files.
std::string fingerprintOf(const Trace &trace);

std::string claimJson(const Claim &claim);
/// Reads the text of a claim file. The Error says what is wrong with it.
Result<Claim> parseClaim(std::string_view json, const std::string &file);

struct Judgement {
    enum class Verdict : uint8_t { Held, Refuted, NotEstablished };
    TimeNs predicted = 0, low = 0, high = 0; ///< for one step
    std::optional<TimeNs> measured;          ///< median steady step of the side it is judged by
    std::optional<std::pair<TimeNs, TimeNs>> ci95;
    Verdict verdict = Verdict::NotEstablished;
    std::string why; ///< a sentence or two
};
std::string_view verdictName(Judgement::Verdict verdict);

/// Sets a claim beside what was measured after the change: by B, or by A where the claim was made
/// from B.
Judgement judge(const Claim &claim, const Comparison &comparison, const ComparedSide &a,
                const ComparedSide &b);

} // namespace longpole
