// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace longpole {

/// Says what a file is that no importer takes, by its name and its first bytes, and the way out.
/// The sentence follows the path.
Error foreignFormat(const std::string &path, std::string_view head);

} // namespace longpole
