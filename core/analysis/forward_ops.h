// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <map>

namespace longpole {

/// Autograd writes the sequence number of a forward operator on the backward one. Of several
/// operators of a file with one number the one that starts last made the node of the graph.
class ForwardOps {
public:
    /// Throws Stopped.
    explicit ForwardOps(const Trace &trace, const Progress &progress = Progress::never());

    static bool isBackward(const SideRow &side) {
        return side.sequence >= 0 && side.forwardThread > 0;
    }
    /// The forward operator of a number; invalid when it is not in the trace.
    IntervalId of(uint32_t file, int64_t sequence) const;

private:
    std::map<std::pair<uint32_t, int64_t>, IntervalId> m_ops;
};

} // namespace longpole
