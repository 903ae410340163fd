// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/marks.h"
#include "ui/track_choices.h"

#include <nlohmann/json_fwd.hpp>

namespace longpole {

/// What of a state file is drawn: marks and notes, hidden, pinned and moved tracks.
struct KeptChoices {
    std::vector<TimeMark> marks;
    TrackChoices::Kept tracks;
};
/// What cannot be read, and tracks that the trace does not have, are left out.
KeptChoices keptOf(const nlohmann::json &state, const Trace &trace);
void putKept(const KeptChoices &kept, const Trace &trace, nlohmann::json &state);

} // namespace longpole
