// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/base/text_match.h"
#include "core/model/trace.h"

#include <memory>
#include <string>
#include <vector>

namespace longpole {

/// The intervals whose arguments, as one JSON object, match. Reads the source files once more from
/// front to back, so it takes as long as reading did, and says how far it is. `category` as in
/// SearchQuery. Errors: a file that cannot be read or has changed; cancelled.
Result<std::vector<IntervalId>> searchArguments(std::shared_ptr<const Trace> trace,
                                                const TextMatch &match, const std::string &category,
                                                Progress &progress);

} // namespace longpole
