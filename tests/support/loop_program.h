// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/loop_simulator.h"

#include <vector>

namespace longpole::test {

inline constexpr uint32_t kLoopCompute = 7, kLoopCopy = 20, kLoopComm = 24, kLoopHelper = 28;

inline constexpr TimeNs kLoopGraphCost = 9'000; ///< of a launch of all kernels of a step

/// One thing that a host thread does. Which members count depends on `what`.
struct Instruction {
    enum class Do {
        Open, ///< a range begins
        Close,
        Spend,   ///< host time of the innermost range
        Enqueue, ///< a call that puts an operation onto a stream
        Record,  ///< event := what the stream holds now
        StreamWait,
        SyncStream,
        SyncDevice,
        SyncEvent,
        Poll,   ///< asks for the event again and again
        Signal, ///< wakes whoever awaits the token
        Await,
    };
    Do what = Do::Spend;
    bool skip = false;               ///< the program was changed and does not do it
    std::string_view category, name; ///< of a range or an API call
    std::string args;
    TimeNs length = 0; ///< host time
    TimeNs lag = 0;    ///< launch latency, return from a wait or wake-up
    uint32_t stream = 0;
    uint32_t token = 0;    ///< event or signal
    bool blocking = false; ///< Enqueue: the call returns after the operation
    bool early = false;    ///< Enqueue: the latency counts from the begin of the call
    // the operation of Enqueue
    std::string_view opCategory, opName;
    TimeNs opLength = 0;
    TimeNs gap = 0;        ///< to the operation before it on the stream, or …
    bool overlaps = false; ///< … from the begin of that operation
};

struct LoopThread {
    uint32_t tid = 0;
    std::string_view name;
    bool traced = true;
    std::vector<Instruction> instructions;
};

/// The threads of the loop with every length drawn and scaled; the main thread comes first.
std::vector<LoopThread> loopProgram(const LoopShape &shape, const LoopScale &scale);

} // namespace longpole::test
