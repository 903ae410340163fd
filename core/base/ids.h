// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace longpole {

inline constexpr uint32_t kNone = UINT32_MAX; ///< "no row", "no track", "no parent"

/// Index into a StringPool. 0 is the empty string.
struct StringId {
    uint32_t index = 0;
    friend auto operator<=>(StringId, StringId) = default;
};

/// An interval is never an object: it is a row of a track.
struct IntervalId {
    uint32_t track = kNone;
    uint32_t row = kNone;
    bool valid() const { return track != kNone; }
    friend auto operator<=>(IntervalId, IntervalId) = default;
};

} // namespace longpole
