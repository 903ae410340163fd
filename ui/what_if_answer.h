// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/what_if.h"
#include "ui/what_if_basis.h"

#include <optional>
#include <vector>

namespace longpole {

/// How the sliders stand. `active` is the one that the curve and the ceilings
/// are about; the others stay as they are set.
struct WhatIfQuestion {
    std::shared_ptr<const WhatIfBasis> basis;
    std::vector<Speed> speeds; ///< by lever
    size_t active = 0;

    /// The same with the active slider elsewhere.
    std::vector<Speed> with(Speed speed) const;
};

/// Length of the window against the speed of the active lever: exact, straight
/// between its points.
struct LengthCurve {
    std::shared_ptr<const WhatIfBasis> basis;
    std::vector<Speed> others; ///< with the active one at 1×
    size_t active = 0;
    std::vector<CurvePoint> points; ///< by falling scale, from 4 (0.25×) to 0
    std::vector<Knee> knees;
    std::vector<std::string> warnings;

    TimeNs at(double scale) const;
    bool fits(const WhatIfQuestion &question) const;
};

/// What is known so far. The headline follows the slider; interval and curve
/// come when it rests.
struct WhatIfAnswer {
    WhatIfQuestion question;
    TimeNs ns = 0; ///< replayed
    std::optional<TimeNs> amdahl;
    std::optional<TimeNs> amdahlAtInfinity; ///< of the active lever
    struct Rest {
        Forecast replay, atInfinity;
        Bottleneck next;
        TimeNs earlier = 0; ///< by how much the window begins earlier
    };
    std::optional<Rest> rest;
    std::shared_ptr<const LengthCurve> curve;
};

/// One replay: cheap enough for every move of the mouse.
WhatIfAnswer headlineOf(WhatIfQuestion question);
void addRest(WhatIfAnswer &answer, const Progress &progress = Progress::never());
/// Null when stopped.
std::shared_ptr<const LengthCurve> lengthCurve(const WhatIfQuestion &question, Progress &progress);

} // namespace longpole
