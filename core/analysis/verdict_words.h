// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/idle.h"
#include "core/analysis/verdict.h"

#include <string>
#include <string_view>
#include <vector>

namespace longpole {

// How the verdict words what it counts.

/// "46.6 %".
std::string percentText(double share);
/// The same for parts of a whole: the texts add up to 100 % as they are printed; a part that rounds
/// to nothing has none.
std::vector<std::string> percentTexts(const std::vector<TimeNs> &parts);
/// What is won: "−14.3 ms".
std::string gainText(TimeNs gain);
/// "14.2 – 14.5 ms": the unit once where both have the same.
std::string spanText(TimeNs from, TimeNs to);
/// "Step 7" of "ProfilerStep#7"; other names as they are.
std::string stepTitle(const std::string &name);
/// "in forward" for work of that kind where a trace names no phases: "in kernels".
std::string_view placeOfKind(Kind kind);
/// "host-bound": after a length of idle time.
std::string_view idleWords(IdleCause cause);
/// The measurement that could show the lever of that path to be none.
std::string refutation(const NamedLever &named, const CriticalPath &path);

/// Makes a line part by part.
class VerdictWriter {
public:
    explicit VerdictWriter(VerdictLine::About about) { m_line.about = about; }
    VerdictWriter &say(std::string text) { return add({std::move(text), {}, false}); }
    VerdictWriter &detail(std::string text) { return add({std::move(text), {}, true}); }
    VerdictWriter &link(std::string text, VerdictLink to) {
        return add({std::move(text), to, false});
    }
    /// "a", "a and b", "a, b and c".
    VerdictWriter &list(const std::vector<std::vector<VerdictPart>> &items);
    VerdictLine line() && { return std::move(m_line); }

private:
    VerdictWriter &add(VerdictPart part);
    VerdictLine m_line;
};

} // namespace longpole
