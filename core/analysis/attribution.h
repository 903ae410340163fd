// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/phases.h"

namespace longpole {

enum class AttributeTo : uint8_t { Op, Module, Class };

/// Whom the time of each interval belongs to: device work to what was open at its launch, host
/// ranges to themselves or what they are nested in. What has none belongs to an owner that says so.
struct Attribution {
    static constexpr uint32_t kNoOwner = 0;  ///< nothing open; of classes: host work
    static constexpr uint32_t kNoLaunch = 1; ///< device work whose call is not in the trace

    std::vector<std::string> owners;            ///< distinct texts
    std::vector<std::vector<uint32_t>> byTrack; ///< byTrack[t][row] indexes owners

    uint32_t of(IntervalId id) const { return byTrack[id.track][id.row]; }
    const std::string &ownerOf(IntervalId id) const { return owners[of(id)]; }
};

/// Classes of device work: rules of the form of phases, with the list "classes".
Result<PhaseRules> parseKernelClasses(std::string_view json);
/// The classes of resources/kernel-classes.json, compiled in.
const PhaseRules &defaultKernelClasses();

/// Op: the innermost operator. Module: the innermost nn.Module, of a backward operator that of its
/// forward operator, by sequence number; else the innermost Python frame. Class: of device work.
/// Throws Stopped.
Attribution attribute(const Trace &trace, AttributeTo to,
                      const Progress &progress = Progress::never());

} // namespace longpole
