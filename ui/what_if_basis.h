// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/critical_path.h"
#include "core/analysis/edits.h"
#include "ui/speed.h"
#include "ui/view_state.h"

#include <QString>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace longpole {

/// Work that one slider scales: a phase, or a kind of work where a trace names
/// no phases.
struct SliderWork {
    std::string id; ///< of the rule or the kind; stable from window to window
    QString label;
    uint8_t key = 0;               ///< rule or Kind
    TimeNs sum = 0, unionTime = 0; ///< as the statistics count them
    TimeNs onPath = 0;
    TimeNs work = 0; ///< union of what a replay scales: without the parts that are waits
};

/// A change of the program beside faster work, and what came of it.
struct WhatIfEdit {
    std::string text;                     ///< as `whatif --edit` takes it
    std::string refusal;                  ///< why it is left out; empty where it is applied
    std::vector<std::string> assumptions; ///< what must hold for its forecast to come true
};

/// What the sliders of one window need besides the graph. Immutable and shared by threads.
struct WhatIfBasis {
    std::shared_ptr<const Loaded> loaded;
    std::shared_ptr<const DependencyGraph> graph; ///< that is replayed
    std::shared_ptr<const DependencyGraph> measuredGraph;
    std::shared_ptr<const EditedGraph> edited; ///< null while no edit makes a difference
    std::vector<WhatIfEdit> edits;
    Window window;
    WindowTerms terms;
    TimeNs baseline = 0; ///< the replay without any change
    EvidenceSums evidence;
    bool byKind = false;
    bool synchronises = false;      ///< waits for the device are there, and have no slider
    std::vector<SliderWork> levers; ///< in the order of a step
    std::vector<uint32_t> leverOf;  ///< by activity; kNone without one
    /// Length of the window by the set of levers that run at the same time
    /// (bits).
    std::vector<std::pair<uint64_t, TimeNs>> together;

    TimeNs measured() const { return window.range.length(); }
    /// One group for each lever; `active` counts as changed even at 1×.
    Scaling scaling(std::span<const Speed> speeds, size_t active) const;
    /// The ceiling of a serial model: every instant shrinks as the fastest work
    /// in it does. None where something slows down or the program is edited.
    std::optional<TimeNs> amdahl(std::span<const Speed> speeds) const;
};

/// Fails only when stopped.
Result<std::shared_ptr<const WhatIfBasis>>
makeWhatIfBasis(std::shared_ptr<const Loaded> loaded, std::shared_ptr<const DependencyGraph> graph,
                const Window &window, const std::vector<std::string> &edits, Progress &progress);

} // namespace longpole
