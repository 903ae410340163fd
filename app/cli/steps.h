// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/json_writer.h"
#include "core/analysis/steps.h"

namespace longpole::cli {

/// The object of `steps --json`. `startupGiven`: the start-up is what somebody said, not measured.
void writeSteps(JsonWriter &json, const Steps &steps, bool startupGiven = false);

} // namespace longpole::cli
