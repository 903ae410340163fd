// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/work_names.h"

#include <algorithm>
#include <cctype>

namespace longpole {

namespace {

constexpr size_t kLongest = 72; ///< bytes of a name inside a sentence

bool isKernel(Kind kind) {
    return kind == Kind::Kernel || kind == Kind::Comm || kind == Kind::GraphExec;
}

bool isWordByte(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The first word of template arguments that says what is computed: "AddFunctor" of
/// "vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, …>".
std::string_view functorOf(std::string_view arguments) {
    for (size_t i = 0; i < arguments.size();) {
        if (!isWordByte(arguments[i])) {
            ++i;
            continue;
        }
        size_t end = i;
        while (end < arguments.size() && isWordByte(arguments[end])) ++end;
        const std::string_view word = arguments.substr(i, end - i);
        for (const std::string_view mark : {"Functor", "functor", "kernel_cuda", "_kernel_impl"})
            if (word.size() > mark.size() && word.find(mark) != word.npos) return word;
        i = end;
    }
    return {};
}

std::string kernelName(std::string_view name) {
    std::string clean(name.substr(0, 2000));
    for (const std::string_view noise : {"(anonymous namespace)::", "<unnamed>::", "void "})
        for (size_t at; (at = clean.find(noise)) != clean.npos;) clean.erase(at, noise.size());
    const size_t end = clean.find_first_of("<(");
    std::string_view id = std::string_view(clean).substr(0, end);
    while (!id.empty() && id.back() == ' ') id.remove_suffix(1);
    if (const size_t colon = id.rfind("::"); colon != id.npos) id.remove_prefix(colon + 2);
    if (const size_t space = id.rfind(' '); space != id.npos) id.remove_prefix(space + 1);
    if (id.empty()) return clean;
    std::string result(id);
    if (end != clean.npos && clean[end] == '<')
        if (const auto functor = functorOf(std::string_view(clean).substr(end)); !functor.empty())
            result += "<" + std::string(functor) + ">";
    return result;
}

/// "fused_moe/core.py(1633): run" is "run (core.py:1633)".
std::string frameName(const std::string &name) {
    const size_t open = name.find(".py("), close = name.find("): ");
    if (open == name.npos || close == name.npos || close < open) return name;
    const size_t slash = name.rfind('/', open);
    const size_t file = slash == name.npos ? 0 : slash + 1;
    return name.substr(close + 3) + " (" + name.substr(file, open + 3 - file) + ":" +
           name.substr(open + 4, close - open - 4) + ")";
}

/// Never cuts a character of several bytes.
std::string elidedInTheMiddle(std::string text) {
    if (text.size() <= kLongest) return text;
    const auto inside = [&](size_t i) { return (uint8_t(text[i]) & 0xC0) == 0x80; };
    size_t head = kLongest * 2 / 3, tail = text.size() - (kLongest - head);
    while (head > 0 && inside(head)) --head;
    while (tail < text.size() && inside(tail)) ++tail;
    return text.substr(0, head) + "…" + text.substr(tail);
}

} // namespace

std::string shortName(const Trace &trace, IntervalId id) {
    const std::string_view full = trace.name(id);
    std::string name = isKernel(trace.kind(id)) ? kernelName(full) : std::string(full);
    if (trace.kind(id) == Kind::Python) name = frameName(name);
    for (const std::string_view wrapper :
         {"autograd::engine::evaluate_function: ", "enumerate(DataLoader)#"})
        if (name.starts_with(wrapper)) name.erase(0, wrapper.size());
    for (char &c : name)
        if (uint8_t(c) < 0x20 || c == 0x7F) c = ' ';
    return elidedInTheMiddle(std::move(name));
}

} // namespace longpole
