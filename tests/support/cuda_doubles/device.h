// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What our double of libcuda tells our double of libcupti: one thing that happened.
struct FakeActivity {
    enum Kind {
        Call,
        Kernel,
        Copy,
        PeerCopy,
        Set,
        Wait,
        Event,
        Graph,
        Overhead,
        ContextMade,
        StreamMade,
        DeviceSeen
    };
    Kind kind = Call;
    bool runtime = false;  ///< a call of the runtime, else of the driver
    const char *name = ""; ///< of a call or a kernel
    uint64_t begin = 0, end = 0, queued = 0;
    uint32_t thread = 0, correlation = 0;
    uint32_t device = 0, context = 1, stream = 7;
    uint64_t bytes = 0;
    uint32_t direction = 0, from = 0, to = 0, toDevice = 0;
    bool async = true;
    uint32_t waits = 0; ///< as CUpti_ActivitySynchronizationType
    uint32_t event = 0;
    uint64_t sync = 0; ///< number of the recorded event
    uint32_t graph = 0;
    uint64_t node = 0;
    uint32_t overhead = 0;
    uint32_t order = 1; ///< of a stream, as CUpti_ActivityStreamFlag
    int32_t blocks = 1, threads = 1;
};

/// Filled in by libcupti when it is loaded; null before.
struct FakeSink {
    void (*tell)(const FakeActivity &);
    uint64_t (*now)();
    void (*contextCreated)(void *context, bool created);
};
extern "C" void fakeCudaConnect(const FakeSink *sink);
