// SPDX-License-Identifier: Apache-2.0
#include "core/base/pattern.h"

#include "core/base/pattern_syntax.h"

#include <algorithm>
#include <string>

namespace longpole {

namespace {
constexpr size_t kMaxProgram = 20'000;
constexpr size_t kMaxStates = 500; ///< about 1 KiB each
constexpr int32_t kUnknown = -1, kDead = -2;
} // namespace

/// Lays the tree out as a program from back to front: emit(node, next) returns where node begins.
struct Pattern::Compiler {
    const PatternTree &tree;
    Pattern &pattern;
    bool tooLarge = false;

    uint32_t add(Instruction instruction) {
        auto &program = pattern.m_program;
        if (program.size() >= kMaxProgram) {
            tooLarge = true;
            return 0;
        }
        program.push_back(instruction);
        return uint32_t(program.size() - 1);
    }

    uint32_t emit(uint32_t index, uint32_t next) {
        if (tooLarge) return 0;
        const PatternTree::Node &node = tree.nodes[index];
        switch (node.kind) {
        case PatternTree::Kind::Set:
            pattern.m_sets.push_back(node.set);
            return add({Op::Set, uint32_t(pattern.m_sets.size() - 1), next, 0});
        case PatternTree::Kind::Begin:
            return add({Op::Begin, 0, next, 0});
        case PatternTree::Kind::End:
            return add({Op::End, 0, next, 0});
        case PatternTree::Kind::Sequence:
            for (auto it = node.children.rbegin(); it != node.children.rend(); ++it)
                next = emit(*it, next);
            return next;
        case PatternTree::Kind::Choice: {
            uint32_t entry = emit(node.children.back(), next);
            for (size_t i = node.children.size() - 1; i-- > 0;)
                entry = add({Op::Split, 0, emit(node.children[i], next), entry});
            return entry;
        }
        case PatternTree::Kind::Repeat:
            return emitRepeat(node, next);
        }
        return next;
    }

    uint32_t emitRepeat(const PatternTree::Node &node, uint32_t next) {
        const uint32_t child = node.children.front();
        uint32_t entry = next;
        if (node.max == 0) {
            const uint32_t loop = add({Op::Split, 0, 0, next});
            const uint32_t body = emit(child, loop);
            if (tooLarge) return 0;
            pattern.m_program[loop].next = body;
            entry = loop;
        } else {
            for (uint32_t i = node.min; i < node.max; ++i)
                entry = add({Op::Split, 0, emit(child, entry), next});
        }
        for (uint32_t i = 0; i < node.min && !tooLarge; ++i) entry = emit(child, entry);
        return entry;
    }
};

Result<Pattern> Pattern::compile(std::string_view text) {
    auto tree = parsePattern(text);
    if (!tree) return tree.error();
    Pattern pattern;
    pattern.m_program.push_back({Op::Accept, 0, 0, 0});
    Compiler compiler{*tree, pattern};
    pattern.m_start = compiler.emit(tree->root, 0);
    if (compiler.tooLarge)
        return Error{ErrorKind::Usage, "bad_pattern",
                     "The regular expression \"" + std::string(text) +
                         "\" is too large: use smaller repetitions."};
    return pattern;
}

bool Pattern::matches(std::string_view text) {
    if (m_states.empty()) stateOf(closure({m_start}, true, false));
    int32_t state = 0;
    for (const char c : text) {
        int32_t next = m_states[size_t(state)].next[uint8_t(c)];
        if (next == kUnknown) next = step(state, uint8_t(c));
        if (next == kDead) return false;
        state = next;
    }
    return m_states[size_t(state)].accepts;
}

int32_t Pattern::step(int32_t state, uint8_t byte) {
    StateSet reached;
    for (const uint32_t at : m_states[size_t(state)].set)
        if (m_program[at].op == Op::Set && m_sets[m_program[at].set][byte])
            reached.push_back(m_program[at].next);
    if (reached.empty()) return m_states[size_t(state)].next[byte] = kDead;
    StateSet set = closure(std::move(reached), false, false);
    const bool full = m_states.size() >= kMaxStates;
    if (full) { // keep the first state, which matches() begins with
        m_states.resize(1);
        m_states.front().next.fill(kUnknown);
        m_stateBySet.clear();
        m_stateBySet.emplace(m_states.front().set, 0);
    }
    const int32_t next = stateOf(std::move(set));
    if (!full) m_states[size_t(state)].next[byte] = next;
    return next;
}

int32_t Pattern::stateOf(StateSet set) {
    const auto [it, added] = m_stateBySet.try_emplace(set, int32_t(m_states.size()));
    if (!added) return it->second;
    State state;
    const StateSet ends = closure(set, m_states.empty(), true);
    state.accepts = std::any_of(ends.begin(), ends.end(),
                                [this](uint32_t at) { return m_program[at].op == Op::Accept; });
    state.set = std::move(set);
    state.next.fill(kUnknown);
    m_states.push_back(std::move(state));
    return it->second;
}

Pattern::StateSet Pattern::closure(StateSet from, bool atBegin, bool atEnd) const {
    StateSet seen = from;
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    StateSet open = seen;
    std::vector<bool> known(m_program.size());
    for (const uint32_t at : seen) known[at] = true;
    const auto visit = [&](uint32_t at) {
        if (known[at]) return;
        known[at] = true;
        seen.push_back(at);
        open.push_back(at);
    };
    while (!open.empty()) {
        const Instruction &in = m_program[open.back()];
        open.pop_back();
        if (in.op == Op::Split) {
            visit(in.next);
            visit(in.other);
        } else if ((in.op == Op::Begin && atBegin) || (in.op == Op::End && atEnd)) {
            visit(in.next);
        }
    }
    std::sort(seen.begin(), seen.end());
    return seen;
}

} // namespace longpole
