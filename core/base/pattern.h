// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace longpole {

/// A regular expression that must match a whole text. ECMAScript syntax without back-references,
/// look-around and \b. The time is linear in the text and no recursion depends on it, because names
/// come from files that nobody vouches for and may be a megabyte long. Works on bytes: '.' is one
/// byte of a multi-byte character, which `.*` hides. Owned by one thread: matching fills a cache.
class Pattern {
public:
    /// An Error of kind Usage says what is wrong and where.
    static Result<Pattern> compile(std::string_view text);

    bool matches(std::string_view text);

private:
    using ByteSet = std::bitset<256>;
    enum class Op : uint8_t { Set, Split, Begin, End, Accept };
    struct Instruction {
        Op op = Op::Accept;
        uint32_t set = 0; ///< index into m_sets
        uint32_t next = 0, other = 0;
    };
    using StateSet = std::vector<uint32_t>; ///< sorted instructions
    struct State {
        StateSet set;
        std::array<int32_t, 256> next;
        bool accepts = false;
    };
    struct Compiler;

    StateSet closure(StateSet from, bool atBegin, bool atEnd) const;
    int32_t stateOf(StateSet set);
    int32_t step(int32_t state, uint8_t byte);

    std::vector<Instruction> m_program;
    std::vector<ByteSet> m_sets;
    uint32_t m_start = 0;
    std::vector<State> m_states; ///< states met so far; dropped when there are too many
    std::map<StateSet, int32_t> m_stateBySet;
};

} // namespace longpole
