// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/json_writer.h"
#include "core/analysis/rank.h"

namespace longpole::cli {

/// The array under the key "levers".
void writeLevers(JsonWriter &json, const std::vector<Lever> &levers);

} // namespace longpole::cli
