// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/replay.h"

#include <array>

namespace longpole {

/// The other ways of reading the same graph that give a forecast its interval (R14). All of them
/// give the measured times back where nothing is changed, but the floor.
enum class Variant {
    D,        ///< without assumed edges
    P,        ///< long unexplained waits end when they did, seen from the window's begin
    S,        ///< lags and residuals of the selected work change with it
    LagsLow,  ///< lags that did not bind are at p10 of their family …
    LagsHigh, ///< … or at p90
    CarryIn,  ///< of work that ran when the host's records begin, only the rest changes
    Floor,    ///< nothing is assumed or unexplained
    Taken,    ///< batches that nobody waited for were ready just when they were taken
};
inline constexpr size_t kVariantCount = size_t(Variant::Taken) + 1;

/// Length of the window in each variant, all in one pass. Of a graph that was edited, `measured` is
/// the one before.
class VariantLengths {
public:
    VariantLengths(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                   const DependencyGraph *measured = nullptr,
                   const Progress &progress = Progress::never()); ///< throws Stopped
    TimeNs operator[](Variant variant) const { return m_lengths[size_t(variant)]; }

private:
    std::array<TimeNs, kVariantCount> m_lengths{};
};

/// One more reading (G of R14): unexplained time shrinks as the run does, by the headline's
/// predicted / measured. Throws Stopped.
TimeNs shrunkLength(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                    double ratio, const Progress &progress = Progress::never());

} // namespace longpole
