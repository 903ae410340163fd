// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_answer.h"

#include <QString>

namespace longpole {

/// "backward 2×, transfer ∞": what is changed; empty while nothing is.
QString editsText(const WhatIfQuestion &question);
/// "72.2 – 72.7 ms", or "± 0.04 ms" where both ends would print as the value
/// itself.
QString intervalText(const Forecast &forecast);
/// Where Amdahl's law and the replay differ, and what has most of the path
/// then. Needs the rest of the answer; the curve adds what takes over.
QString differenceText(const WhatIfAnswer &answer);

/// How far the numbers can be trusted.
struct Fidelity {
    QString baseline, shares;
    bool exact = false;      ///< the replay without a change gives the measured length
    bool indicative = false; ///< too much of the path is assumed or unexplained
};
Fidelity fidelityOf(const WhatIfBasis &basis);

} // namespace longpole
