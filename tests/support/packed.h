// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longpole::test {

/// The text as one frame of zstd.
std::string zstd(std::string_view text);

/// Files by name as a zip archive; each deflated, or as it is.
std::string zip(const std::vector<std::pair<std::string, std::string>> &files,
                bool deflated = true);

} // namespace longpole::test
