// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace longpole {

/// What a person types to find texts: a part of them, whatever the case of its ASCII letters, or
/// between slashes a regular expression in RE2's syntax that must match somewhere. The time is
/// linear in the text. May be used by several threads at once.
class TextMatch {
public:
    /// An Error of kind Usage says what is wrong. The empty query matches nothing.
    static Result<TextMatch> compile(std::string_view query);

    bool in(std::string_view text) const;
    bool empty() const { return m_part.empty() && !m_expression; }

private:
    struct Expression;
    static TextMatch ofPart(std::string_view part);

    std::string m_part; ///< in small letters
    std::shared_ptr<const Expression> m_expression;
};

} // namespace longpole
