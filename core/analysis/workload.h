// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/steps.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace longpole {

/// What the arguments of one interval say of its size, as texts to compare and to print; empty
/// where the trace does not hold it.
struct RecordedShape {
    IntervalId id;
    std::string launch; ///< of a kernel: "528×1×1 blocks of 256×1×1"
    std::string inputs; ///< of an operator: "[[32,3,224,224]]"
};

/// Indices of the steps of the steady window, without those left out; empty without a window.
std::vector<uint32_t> steadySteps(const Steps &steps);

/// The kernels and operators of the steady step of median length, in the order of the source: whose
/// arguments are worth reading.
std::vector<IntervalId> shapesWanted(const Trace &trace, const Steps &steps);

/// The work of one run: of its steady steps where there are any, else of all steps, else of the
/// whole trace.
struct Workload {
    struct Kernel {
        uint64_t count = 0;
        TimeNs time = 0;
    };
    struct Moved {
        uint64_t count = 0;
        int64_t bytes = 0;
    };
    using Shapes = std::map<std::string, std::map<std::string, uint64_t>>; ///< name, shape, count

    uint64_t steps = 0; ///< what counts, times and bytes are divided by; at least 1
    std::map<std::string, Kernel, std::less<>> kernels; ///< by name, communication included
    std::array<Moved, kKindCount> moved{};              ///< copies and memsets
    Shapes launches, inputs;                            ///< of the median step
    std::set<std::string> devices;                      ///< names, where known
    std::optional<int64_t> ranks;
    Boundary boundary = Boundary::Unknown; ///< of those steps
    TimeNs kernelTime() const;
};
Workload workloadOf(const Trace &trace, const Steps &steps,
                    const std::vector<RecordedShape> &shapes);

/// One way in which two runs did not do the same.
struct Difference {
    std::string what, a, b;
};

struct WorkDifferences {
    std::vector<Difference> list;           ///< by falling weight
    size_t more = 0;                        ///< left out of the list
    std::vector<std::string> same, unknown; ///< what was compared and agrees; what no trace tells
    /// What forbids one verdict over both: "the input sizes differ (…)"; empty where nothing does.
    std::string forbids;
    bool sameWork = true; ///< nothing forbids, and ranks and precision agree
};
WorkDifferences differences(const Workload &a, const Workload &b);

} // namespace longpole
