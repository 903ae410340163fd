// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "core/analysis/phases.h"
#include "core/analysis/window.h"
#include "core/base/result.h"
#include "core/model/trace.h"

#include <initializer_list>
#include <memory>

namespace longpole::cli {

/// Reads the files, with a progress line on standard error when that is a terminal.
Result<std::shared_ptr<const Trace>> openAll(const Options &options);

/// The rules of --phases, or the built-in ones.
Result<PhaseRules> phaseRules(const Options &options);

/// What --step, --steps, --range and --all ask for; an Error when that is more than one thing.
Result<WindowRequest> windowRequest(const Options &options);

/// Prints an error on standard error and gives the exit status that belongs to its kind. With
/// --json an impossible analysis also prints an object of these keys, all null but `reason`.
int fail(const Options &options, const Error &error, std::initializer_list<const char *> keys = {});

void writeWindow(JsonWriter &json, const Window &window);
/// "Window  ProfilerStep#5: 12.3 ms, drained. The step of median length …"
void printWindow(const Window &window, const Steps &steps);

/// kDone, or kImpossible with a sentence when standard output did not take all of the result.
int finish(JsonWriter &json);
int finish(); ///< the same after printing text

} // namespace longpole::cli
