// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/step_markers.h"
#include "core/analysis/steps.h"

#include <optional>

namespace longpole {

/// The steps that a recorder saw marked while it recorded; no rows where it saw none, or says
/// nothing.
FoundMarkers markedSteps(const Trace &trace, std::optional<uint32_t> file,
                         const Progress &progress = Progress::never()); ///< throws Stopped

/// Keeps warm-up apart, and what came after the last measured step, and fills in what was measured
/// between the recorder's stamps and how long the start took.
void applyMeasurement(Steps &steps, const Trace &trace, std::optional<uint32_t> file);

} // namespace longpole
