// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/variants.h"

namespace longpole::test {

/// The window in one variant, by a pass of its own: an oracle for the one that takes them all.
TimeNs plainLength(const DependencyGraph &graph, const Scaling &scaling, const WindowTerms &terms,
                   Variant variant);

} // namespace longpole::test
