// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/replay.h"

#include <QString>

#include <optional>

namespace longpole {

/// How many times faster a slider makes its work, in thousandths so that what
/// is shown is exactly what is computed; 0 stands for infinitely fast.
struct Speed {
    int milli = 1000;

    static constexpr int kLeast = 10, kMost = 1'000'000;
    static constexpr Speed infinite() { return {0}; }
    /// "2", "2.5×", "inf" or "∞"; nothing for anything else or beyond 0.01 …
    /// 1,000.
    static std::optional<Speed> parse(QString text);

    bool isOne() const { return milli == 1000; }
    bool isInfinite() const { return milli == 0; }
    bool isSlowDown() const { return milli > 0 && milli < 1000; }
    Speed stepped(int by) const; ///< the next round value up or down, 0.25× to ∞
    double value() const;        ///< infinity for infinite speed
    SpeedFactor factor() const;  ///< of the time
    QString text() const;        ///< "2×", "1.35×", "∞"
    QString field() const;       ///< "2.00×", "∞": as wide as its neighbours
    friend bool operator==(Speed, Speed) = default;
};

} // namespace longpole
