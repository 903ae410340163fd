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

std::string Pattern::quoted(std::string_view text) {
    std::string result;
    for (const char c : text) {
        // what a person has to read or type stays as it is
        const bool plain = c == '_' || c == ' ' || c == ',' || c == ':' || c == '#' || c == '<' ||
                           c == '>' || c == '=' || (c >= '0' && c <= '9') ||
                           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
        if (!plain) result += '\\';
        if (c)
            result += c;
        else
            result += "x00";
    }
    return result;
}

} // namespace longpole
