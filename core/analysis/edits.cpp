// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/edits.h"

#include "core/analysis/graph_editor.h"
#include "core/analysis/window.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace longpole {

namespace {

enum class Operand : uint8_t {
    Selector,       ///< WORD:SELECTOR
    SelectorFactor, ///< WORD:SELECTOR[=FACTOR]
    RangeCost,      ///< WORD:RANGE[=COST]
    Factor,         ///< WORD=FACTOR
};

/// An edit: how it is written, what it assumes, and what it does to a graph.
struct EditKind {
    std::string_view word;
    Operand operand;
    std::string_view help;
    std::string_view matches;    ///< what it looks for, after "matches no "
    std::string_view assumption; ///< goes on after "It assumes that "
    Applied (*apply)(GraphEditor &, const GraphEdit &);
};

/// In the order in which they are applied.
constexpr std::array kEdits = {
    EditKind{"remove", Operand::Selector, "work is no longer done", "work",
             "nobody needs its result; what was ordered through it stays in order", applyRemove},
    EditKind{"unsync", Operand::Selector,
             "calls that wait for the device, and spins of queries, are no longer made",
             "call that waits for the device",
             "the host needs nothing of what they waited for, neither a value nor memory that is "
             "used again",
             applyUnsync},
    EditKind{"async", Operand::SelectorFactor,
             "copies no longer hold the host up, as from pinned memory, and take FACTOR of their "
             "time",
             "copy",
             "the memory is pinned, the copies keep their place on their stream, and the host "
             "touches what they copy only after a later wait",
             applyAsync},
    EditKind{"graph", Operand::RangeCost,
             "launches in a range (step: in each step) become one launch of a CUDA graph, which "
             "costs COST",
             "range with two launches",
             "kernels, shapes and addresses are the same each time; the host's work between the "
             "launches stays, and the interval reaches to where it goes with them",
             applyGraph},
    EditKind{"launch", Operand::Factor, "calls that launch device work take FACTOR of their time",
             "launch", "the way from a launch to its begin on the device stays as long",
             applyLaunch},
};

std::string usageOf(const EditKind &kind) {
    constexpr std::array<std::string_view, 4> operands = {":SELECTOR", ":SELECTOR[=FACTOR]",
                                                          ":RANGE[=COST]", "=FACTOR"};
    return std::string(kind.word) + std::string(operands[size_t(kind.operand)]);
}

std::string usages() {
    std::string all;
    for (size_t i = 0; i < kEdits.size(); ++i)
        all += (i == 0 ? "" : i + 1 == kEdits.size() ? " or " : ", ") + usageOf(kEdits[i]);
    return all;
}

/// A multiplier of time: a number, 0 too.
std::optional<SpeedFactor> parseMultiplier(std::string_view text) {
    if (!text.empty() && text.find_first_not_of("0.") == text.npos &&
        std::count(text.begin(), text.end(), '.') <= 1 && text != ".")
        return SpeedFactor{0, 1};
    const auto speed = text == "inf" ? std::nullopt : parseSpeedFactor(text);
    if (!speed) return std::nullopt;
    return SpeedFactor{speed->den, speed->num};
}

/// What stands behind the word; false where it does not fit.
bool parseOperand(Operand operand, std::string_view rest, GraphEdit &edit) {
    if (operand == Operand::Factor) {
        if (!rest.starts_with('=')) return false;
        edit.factor = parseMultiplier(rest.substr(1));
        return edit.factor.has_value();
    }
    if (!rest.starts_with(':') || rest.size() < 2) return false;
    rest.remove_prefix(1);
    const size_t equals = operand == Operand::Selector ? rest.npos : rest.rfind('=');
    edit.selector = std::string(rest.substr(0, equals));
    if (edit.selector.empty()) return false;
    const bool more = equals != rest.npos;
    if (operand == Operand::SelectorFactor && more) {
        edit.factor = parseMultiplier(rest.substr(equals + 1));
        return edit.factor.has_value();
    }
    if (operand != Operand::RangeCost) return true;
    if (more) edit.cost = parseTime(rest.substr(equals + 1));
    if (more && (!edit.cost || *edit.cost < 0)) return false;
    if (edit.selector == "step") return true;
    edit.range = parseRange(edit.selector);
    return edit.range.has_value();
}

/// All edits in one reading.
Result<GraphEditor> applyAll(GraphEditor editor, std::vector<GraphEdit> edits) {
    std::stable_sort(edits.begin(), edits.end(), [](const GraphEdit &a, const GraphEdit &b) {
        return a.kind < b.kind; // a wait that goes leaves room for a graph
    });
    for (const GraphEdit &edit : edits) {
        const Applied applied = kEdits[edit.kind].apply(editor, edit);
        if (!applied) return applied.error();
        if (applied->empty()) {
            editor.warnings.push_back(edit.text + " matches no " +
                                      std::string(kEdits[edit.kind].matches) +
                                      ": it changes nothing.");
            continue;
        }
        editor.assumptions.push_back(edit.text + " changes " + *applied + " and assumes that " +
                                     std::string(kEdits[edit.kind].assumption) + ".");
    }
    return editor;
}

} // namespace

Result<GraphEdit> parseGraphEdit(const std::string &text) {
    const std::string_view word = std::string_view(text).substr(0, text.find_first_of(":="));
    for (size_t i = 0; i < kEdits.size(); ++i) {
        if (kEdits[i].word != word) continue;
        GraphEdit edit;
        edit.text = text;
        edit.kind = i;
        if (parseOperand(kEdits[i].operand, std::string_view(text).substr(word.size()), edit))
            return edit;
        return Error{ErrorKind::Usage, "bad_edit",
                     "--edit takes " + usageOf(kEdits[i]) + ", not \"" + text + "\"."};
    }
    return Error{ErrorKind::Usage, "bad_edit",
                 "--edit takes " + usages() + ", not \"" + text + "\"."};
}

std::string graphEditsHelp() {
    std::string help;
    for (const EditKind &kind : kEdits)
        help += (help.empty() ? "" : "; ") + usageOf(kind) + ": " + std::string(kind.help);
    return help;
}

Result<EditedGraph> applyEdits(const Trace &trace, const Steps &steps, const Phases &phases,
                               const DependencyGraph &graph, const std::vector<GraphEdit> &edits,
                               const Progress &progress) {
    EditedGraph result;
    auto usual = applyAll({trace, steps, phases, graph, EditReading::Usual, progress}, edits);
    if (!usual) return usual.error();
    auto other = applyAll({trace, steps, phases, graph, EditReading::Other, progress}, edits);
    if (!other) return other.error();
    result.graph = std::move(usual->graph);
    result.other = std::move(other->graph);
    result.changed = result.graph.weight != graph.weight || result.graph.delta != graph.delta ||
                     result.graph.source != graph.source;
    result.assumptions = std::move(usual->assumptions);
    result.warnings = std::move(usual->warnings);
    return result;
}

} // namespace longpole
