// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/format.h"

#include <cstdint>
#include <string>

namespace longpole::capture {

/// What `longpole-cli record` asks for, through the environment (control.h).
struct Options {
    std::string file;     ///< empty: record nothing
    std::string control;  ///< file of the ControlPage; may be empty
    std::string cupti;    ///< the libcupti to load; empty: look for one
    std::string stepName; ///< ranges that begin with it mark steps; empty: the usual names
    uint32_t steps = 0;   ///< 0: no protocol
    uint32_t warmup = 0;
    BoundaryKind boundary = BoundaryKind::Synchronise;
    uint64_t delayNs = 0, durationNs = 0; ///< 0: at once, without end
    uint64_t memory = 256u << 20;         ///< bytes that the library may use for records
    bool graphNodes = true;
    bool allocations = false;

    static Options fromEnvironment();
    bool isStep(const char *name) const; ///< whether a range of that name marks a step
};

} // namespace longpole::capture
