// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/session.h"
#include "core/analysis/dependency_graph.h"

namespace longpole::cli {

/// What every question about the path starts from.
struct Analysed {
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phases;
    Window window;
    DependencyGraph graph;
};

/// Opens the files, resolves the window and builds the graph.
Result<Analysed> analyse(const Options &options);

} // namespace longpole::cli
