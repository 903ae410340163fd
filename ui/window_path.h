// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/critical_path.h"

#include <memory>

namespace longpole {

/// What a window waits for. The path belongs to the graph, whose activities its slack counts.
struct WindowPath {
    std::shared_ptr<const DependencyGraph> graph;
    CriticalPath path;
};

} // namespace longpole
