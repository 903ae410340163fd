// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern.h"

#include <re2/re2.h>

namespace longpole {

Result<Pattern> Pattern::compile(std::string_view text) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_dot_nl(true); // names of several lines are names too
    auto expression =
        std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
    if (!expression->ok())
        return Error{ErrorKind::Usage, "bad_pattern",
                     "The pattern " + std::string(text) + " is not valid: " + expression->error() + "."};
    Pattern pattern;
    pattern.m_expression = std::move(expression);
    return pattern;
}

bool Pattern::matches(std::string_view text) const {
    return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *m_expression);
}

} // namespace longpole
