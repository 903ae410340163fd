// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace longpole {

/// What an interval is, whatever tool recorded it. The names (kindName) are part of the command
/// line's contract.
enum class Kind : uint8_t {
    CpuOp,       ///< framework operator or any named range of a generic file
    Runtime,     ///< device API call that neither launches a kernel nor waits
    Launch,      ///< API call that enqueues a kernel
    Kernel,
    Memset,
    H2D,
    D2H,
    D2D,
    P2P,
    H2H,
    Sync,        ///< API call or record that waits for the device
    EventRecord,
    EventWait,
    Annotation,  ///< user range
    Phase,       ///< range that names a phase of a step
    Comm,        ///< communication kernel
    Python,      ///< Python frame
    Overhead,    ///< the profiler's own work
    GraphLaunch,
    GraphExec,
    Untraced,
};
inline constexpr int kKindCount = int(Kind::Untraced) + 1;

std::string_view kindName(Kind kind);
std::optional<Kind> kindFromName(std::string_view name);

/// Kinds that run on a device stream.
constexpr bool isDeviceKind(Kind k) {
    return k == Kind::Kernel || k == Kind::Comm || k == Kind::GraphExec ||
           (k >= Kind::Memset && k <= Kind::H2H);
}
constexpr bool isCopyKind(Kind k) { return k >= Kind::H2D && k <= Kind::H2H; }

} // namespace longpole
