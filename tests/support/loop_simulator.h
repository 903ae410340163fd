// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace longpole::test {

/// A training loop: what the program does and how long its parts take in the middle.
struct LoopShape {
    enum class Sync {
        None,
        Item,         ///< pinned copy back, then cudaStreamSynchronize
        BlockingCopy, ///< pageable copy back, whose call waits by itself
        Device,       ///< cudaDeviceSynchronize
        Event,        ///< cudaEventRecord, then cudaEventSynchronize
        Poll,         ///< cudaEventRecord, then cudaEventQuery until it is there
    };
    enum class Waits {
        Rows,   ///< stream waits with their cuda_sync rows
        Calls,  ///< only the calls are recorded
        Hidden, ///< not even the calls
    };
    enum class Backward {
        Annotation, ///< the main thread waits inside a range "backward"
        Python,     ///< inside the Python frame that runs the engine
        Untraced,   ///< inside no range at all
    };

    uint64_t seed = 1;
    uint32_t steps = 10;
    uint32_t layers = 10;
    TimeNs gemm = 200'000;  ///< the longest kernels; the others take parts of it
    TimeNs hostOp = 12'000; ///< own time of an operator
    TimeNs launchCall = 5'000;
    TimeNs launchLag = 2'100; ///< from the call's return to the operation's begin …
    int lagSpread = 150;      ///< … give or take so many thousandths
    TimeNs eventCall = 1'500; ///< that records an event or lets a stream wait for one
    TimeNs fetch = 0;         ///< a worker's time for a batch; 0: the loop has no loader
    uint32_t workers = 2;
    uint32_t prefetch = 4; ///< batches that may be asked for in advance
    bool workersTraced = true;
    bool pinMemory = false; ///< a traced thread hands the batches on
    TimeNs h2d = 300'000;
    bool copyStream = true; ///< else the batch is copied on the compute stream
    TimeNs allReduce = 0;   ///< a bucket's; 0: one rank
    TimeNs logging = 0;
    uint32_t shortKernels = 0; ///< of the update, which overlap: the device starts them in turn
    TimeNs helper = 0;         ///< own time of a thread that sleeps until the main one wakes it
    Sync sync = Sync::Item;
    uint32_t syncEvery = 1; ///< steps
    Waits waits = Waits::Rows;
    Backward backward = Backward::Annotation;
    bool engineRunsOn = false; ///< the engine tidies up after it has woken its caller
    bool earlyLaunch = false;  ///< operations may begin before their launch call returns
    bool wholeMicroseconds = false;
    bool pageable = false;     ///< batches are staged by their copy call, which is then waited for
    uint32_t waitsInside = 0;  ///< cudaDeviceSynchronize in each forward pass
    TimeNs clockSkew = 0;      ///< of the device's clock against the host's
    int contention = 0;        ///< thousandths that copies and kernels at one time take longer
    uint32_t recordedFrom = 0; ///< step with which the profiler starts, while the device is at work
};

/// A piece of work as a selector sees it.
struct LoopWork {
    std::string_view kind; ///< as the command line calls it; a worker's batch is "fetch"
    std::string_view name;
    std::string_view phase;
    std::string_view range; ///< outermost range on its thread, or around its launch
};

/// A change of the program, beyond how long its work takes.
enum class LoopEdit : uint8_t {
    None,
    NoWaits,         ///< the selected waits for the device are not called
    NoItem,          ///< nothing is fetched at the end of a step
    AsyncCopies,     ///< batches and values are copied from and to pinned memory without blocking
    StepGraphs,      ///< the kernels of a step are launched at once …
    StepGraphsAlone, ///< … without the work of the host between the launches
};

/// Which work is another one's counterfactual: it takes num / den of its time, or is edited.
struct LoopScale {
    std::function<bool(const LoopWork &)> selects;
    int64_t num = 1, den = 1;
    LoopEdit edit = LoopEdit::None;
    int jitter = 0; ///< thousandths by which launches differ from those of the run without change
};

/// A time in which a recorded thread stood still: for the device, or for another thread.
struct LoopWait {
    uint32_t tid = 0;
    TimeNs begin = 0, end = 0;
    bool device = false;
};

/// Runs the loop event by event and returns a trace in the form of PyTorch's profiler. All times
/// are drawn once by what they belong to: a scaled run differs by its scaled work alone, and by
/// what follows from it.
/// Where somebody asks, `waits` tells when threads stood still, which no part of the text does.
std::string simulateLoop(const LoopShape &shape, const LoopScale &scale = {},
                         std::vector<LoopWait> *waits = nullptr);

} // namespace longpole::test
