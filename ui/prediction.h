// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/idle.h"
#include "core/analysis/what_if.h"
#include "ui/view_state.h"
#include "ui/window_path.h"

#include <QString>

#include <memory>

namespace longpole {

/// A what-if as a trace of its own, to be drawn over the measured one. Its window begins where the
/// measured one does, so that the two can be held against each other.
struct Prediction {
    std::shared_ptr<const Loaded> measured;
    std::shared_ptr<const Loaded> loaded; ///< the same tracks and rows at replayed times
    QString edits;                        ///< "forward 2×, H2D 0.5×"
    Window window;                        ///< the measured one
    TimeNs length = 0, low = 0, high = 0; ///< of the window, and its interval (R14)
    /// What the window waits for at replayed times, and why devices have nothing to do then; null
    /// without a device.
    std::shared_ptr<const WindowPath> path;
    std::shared_ptr<const std::vector<DeviceIdle>> idle;

    TimeNs end() const { return window.range.begin + length; }
};

/// `graph` is the measured one; `edited`, which may be null, is it with changes of the program.
/// Fails only when stopped.
Result<std::shared_ptr<const Prediction>> predict(std::shared_ptr<const Loaded> loaded,
                                                  const DependencyGraph &graph,
                                                  const EditedGraph *edited, const Window &window,
                                                  const Scaling &scaling, const QString &edits,
                                                  Progress &progress);

} // namespace longpole
