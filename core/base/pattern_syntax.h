// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace longpole {

/// The syntax tree of a regular expression; nodes refer to each other by index.
struct PatternTree {
    enum class Kind : uint8_t { Set, Sequence, Choice, Repeat, Begin, End };
    struct Node {
        Kind kind = Kind::Sequence;
        std::bitset<256> set;
        std::vector<uint32_t> children;
        uint32_t min = 0, max = 0; ///< of Repeat; max 0 is unbounded
    };
    std::vector<Node> nodes;
    uint32_t root = 0;
};

Result<PatternTree> parsePattern(std::string_view text);

} // namespace longpole
