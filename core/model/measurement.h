// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace longpole {

/// How a recording was measured, where its recorder says so. Times are on the file's own clock.
struct Measurement {
    struct Step {
        TimeNs begin = 0, end = 0;
        uint32_t number = 0; ///< from 0, of the program
        bool warmup = false;
    };
    std::vector<Step> steps; ///< as the recorder saw them marked, by begin
    uint32_t process = 0;    ///< whose thread marks them, as an index into Trace::processes
    std::string thread;
    uint32_t asked = 0, warmup = 0; ///< steps to measure, and before them; 0 asked: no protocol
    bool synchronise = false;       ///< asked to wait for the device at both ends
    bool synchronised = false;      ///< and every context was waited for, at both
    std::optional<TimeNs> begin, end; ///< stamps: of the first measured step and after the last
    std::optional<TimeNs> processBegin;

    bool whole() const { return asked > 0 && begin && end; }
};

} // namespace longpole
