// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/speed.h"

#include <map>
#include <string>
#include <vector>

namespace longpole {

/// What a what-if changes, whatever the window has of it.
struct WhatIfStand {
    std::map<std::string, Speed> speeds; ///< by slider, without those at 1×
    std::string active;                  ///< slider that was touched last
    std::vector<std::string> edits;      ///< as `whatif --edit` takes them

    bool changesNothing() const { return speeds.empty() && edits.empty(); }
    /// Which slider was touched last is no change.
    bool sameChange(const WhatIfStand &other) const {
        return speeds == other.speeds && edits == other.edits;
    }
};

} // namespace longpole
