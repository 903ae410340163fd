// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace longpole {

/// The list that the recorder leaves beside the files of several processes, FILE.job, stands for
/// them: each such path gives way to those it names, which lie in its folder. The Error names the
/// list, what it names that is not there, and the way out.
Result<std::vector<std::string>> withoutJobFiles(const std::vector<std::string> &paths);

} // namespace longpole
