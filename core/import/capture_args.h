// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/input_file.h"
#include "core/base/result.h"
#include "core/import/json_args.h"

#include <memory>
#include <vector>

namespace longpole {

/// Everything that the record at a place of a capture file holds and that is known; its begin, end
/// and name are those of the interval.
Result<std::vector<JsonArg>> captureArgs(std::shared_ptr<const InputFile> input, uint64_t offset);

} // namespace longpole
