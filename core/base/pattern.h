// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace longpole {

/// A regular expression that must match a whole text, in RE2's syntax: no back-references, no
/// look-around. The time is linear in the text, because names come from files that nobody vouches
/// for and may be a megabyte long. May be used by several threads at once.
class Pattern {
public:
    /// An Error of kind Usage says what is wrong.
    static Result<Pattern> compile(std::string_view text);

    bool matches(std::string_view text) const;
    /// The pattern that matches this text alone.
    static std::string quoted(std::string_view text);

private:
    std::shared_ptr<const re2::RE2> m_expression;
};

} // namespace longpole
