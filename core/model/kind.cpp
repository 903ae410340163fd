// SPDX-License-Identifier: Apache-2.0
#include "core/model/kind.h"

#include <array>

namespace longpole {

namespace {
constexpr std::array<std::string_view, kKindCount> kNames = {
    "cpu_op", "runtime", "launch",       "kernel",     "memset",     "h2d",    "d2h",
    "d2d",    "p2p",     "h2h",          "sync",       "event_record", "event_wait", "annotation",
    "phase",  "comm",    "python",       "overhead",   "graph_launch", "graph_exec", "untraced"};
}

std::string_view kindName(Kind kind) { return kNames[size_t(kind)]; }

std::optional<Kind> kindFromName(std::string_view name) {
    for (size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i] == name) return Kind(i);
    return std::nullopt;
}

} // namespace longpole
